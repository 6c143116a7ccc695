from memhtml.app.links import MemoryLinked, unlink
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint
from memhtml.values import EdgeRel


def run(call: Call, context: Context) -> Outcome:
    """Take a link away."""
    src, rel, dst = (call.word(name) or "" for name in ("src", "rel", "dst"))
    done = unlink(context.store(call), src, EdgeRel(rel), dst, embed=call.switch("embed"))
    return Outcome("memory.linked", done, lambda paint: _text(done, paint))


def _text(done: MemoryLinked, paint: Paint) -> str:
    what = paint.green("unlinked") if done.commit_sha else paint.yellow("there is no link")
    lines = [f"{what} {paint.cyan(done.src_path)} {done.rel.value} {paint.cyan(done.dst_path)}"]
    return "\n".join(lines + [paint.yellow(warning) for warning in done.warnings])
