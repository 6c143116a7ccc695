from memhtml.app.retrieval import MemoryDetail, read
from memhtml.cli.envelope import jsonable
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint, safe


def run(call: Call, context: Context) -> Outcome:
    """Show one memory."""
    memory = read(context.store(call), call.word("path") or "", session_id=call.text("session-id"))
    return Outcome("memory.detail", _data(memory), lambda paint: _text(memory, paint))


def _data(memory: MemoryDetail) -> dict[str, object]:
    fields = jsonable(memory)
    assert isinstance(fields, dict)
    return {
        **fields,
        "metas": [{"name": name, "content": content} for name, content in memory.metas],
        "warnings": [{"code": code, "message": message} for code, message in memory.warnings],
    }


def _text(memory: MemoryDetail, paint: Paint) -> str:
    lines = [paint.bold(memory.title), paint.cyan(memory.path), "", safe(memory.gist)]
    for paragraph in memory.body:
        lines += ["", safe(paragraph)]
    lines.append("")
    lines += [paint.dim(f"{name}: {content}") for name, content in memory.metas]
    lines += [paint.dim(f"{link.rel}: {link.href}") for link in memory.links]
    lines += [paint.yellow(f"{code}: {message}") for code, message in memory.warnings]
    return "\n".join(lines)
