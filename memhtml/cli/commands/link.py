from memhtml.app.links import MemoryLinked, link
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint
from memhtml.values import EdgeRel


def run(call: Call, context: Context) -> Outcome:
    """Join two memories."""
    src, rel, dst = (call.word(name) or "" for name in ("src", "rel", "dst"))
    done = link(context.store(call), src, EdgeRel(rel), dst, embed=call.switch("embed"))
    return Outcome("memory.linked", done, lambda paint: _text(done, paint))


def _text(done: MemoryLinked, paint: Paint) -> str:
    what = paint.green("linked") if done.commit_sha else paint.yellow("linked already")
    lines = [f"{what} {paint.cyan(done.src_path)} {done.rel.value} {paint.cyan(done.dst_path)}"]
    return "\n".join(lines + [paint.yellow(warning) for warning in done.warnings])
