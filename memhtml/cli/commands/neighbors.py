from memhtml.app.neighbors import Neighborhood, neighbors
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint
from memhtml.values import EdgeRel


def run(call: Call, context: Context) -> Outcome:
    """Show what is linked with a memory."""
    rels = tuple(EdgeRel(rel) for rel in call.texts("rel"))
    found = neighbors(context.store(call), call.word("path") or "", depth=call.integer("depth"), rels=rels)
    return Outcome("memory.neighbors", found, lambda paint: _text(found, paint))


def _text(found: Neighborhood, paint: Paint) -> str:
    lines = []
    for node in found.nodes:
        arrow = "->" if node.direction == "out" else "<-"
        archived = paint.dim(", archived") if node.archived else ""
        lines.append(f"{'  ' * (node.hop - 1)}{arrow} {node.rel.value} {paint.cyan(node.path)}{archived}")
        lines.append(f"{'  ' * (node.hop - 1)}     {' '.join(paint.bold(node.title).split())}")
    return "\n".join(lines) if lines else "nothing is linked with it"
