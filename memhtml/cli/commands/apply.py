import sys
from pathlib import Path

from memhtml.app.op_lines import read_op_lines
from memhtml.app.write import BatchApplied, apply
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.provenance_flags import allowed_in, provenance_in
from memhtml.cli.terminal import Paint, plural, safe
from memhtml.errors import InputUnreadable, InvalidFlag
from memhtml.store.batch import OpResult, Options


def run(call: Call, context: Context) -> Outcome:
    """Write a batch of memories; the exit status is 1 where an op is refused."""
    ops = read_op_lines(_input(call))
    options = Options(
        continue_on_error=call.switch("continue-on-error"),
        detect_conflicts=call.switch("detect-conflicts"),
        last_wins=call.text("consolidate") == "last-wins",
        allowed=allowed_in(call),
    )
    store = context.store(call)
    with context.waiting("writing"):
        done = apply(store, ops, options, provenance=provenance_in(call), embed=call.switch("embed"))
    status = 1 if done.summary.failed else 0
    return Outcome("batch.applied", _data(done), lambda paint: _text(done, paint), status=status)


def _input(call: Call) -> bytes:
    """Return the ops as bytes. Errors: `InvalidFlag`, `InputUnreadable`."""
    file = call.text("file")
    if file is not None:
        if call.word("input") is not None:
            raise InvalidFlag("apply reads standard input or --file, not both", hints=(call.command.shape,))
        try:
            return Path(file).expanduser().read_bytes()
        except OSError as error:
            raise InputUnreadable(file, error.strerror or "it cannot be read") from error
    stdin = sys.stdin
    if stdin is None or stdin.isatty():
        return b""
    return stdin.buffer.read()


def _data(done: BatchApplied) -> dict[str, object]:
    """Return the answer with the names that the ops' own fields have: every key is there, absent is null."""
    return {
        "results": [_row(result) for result in done.results],
        "summary": done.summary._asdict(),
        "commit_sha": done.commit_sha,
        "similar": [
            {"index": each.index, "path": each.near.path, "claim": each.near.claim, "share": each.near.share}
            for each in done.similar
        ],
        "warnings": list(done.warnings),
    }


def _row(result: OpResult) -> dict[str, object]:
    return {
        "index": result.index,
        "ok": result.ok,
        "path": result.path,
        "deduped": result.deduped,
        "existing_path": result.existing_path,
        "code": result.code,
        "error": result.error,
        "skipped": result.skipped,
        "conflict": result.conflict._asdict() if result.conflict is not None else None,
        "consolidated_into": result.consolidated_into,
        "superseded_path": result.superseded_path,
    }


def _text(done: BatchApplied, paint: Paint) -> str:
    lines = [_line(result, paint) for result in done.results]
    lines += [
        f"{each.index + 1:>4}. {paint.yellow('close')} to {paint.cyan(each.near.path)}: {safe(each.near.claim)}"
        for each in done.similar
    ]
    counts = done.summary._asdict()
    told = [f"{count:,} {name}" for name, count in counts.items() if count and name != "total"]
    lines.append(f"{plural(done.summary.total, 'op')}: {', '.join(told)}")
    lines += [paint.yellow(warning) for warning in done.warnings]
    return "\n".join(lines)


def _line(result: OpResult, paint: Paint) -> str:
    if result.code is not None:
        said = f"{paint.red('refused')} {safe(result.error)} {paint.dim(f'({result.code})')}"
    elif result.skipped:
        said = paint.dim("skipped")
    elif result.consolidated_into is not None:
        said = f"{paint.yellow('consolidated')} into op {result.consolidated_into + 1}"
    elif result.deduped:
        said = f"{paint.yellow('known')} {paint.cyan(result.path)}"
    else:
        said = f"{paint.green('wrote')} {paint.cyan(result.path)}"
    if result.superseded_path is not None:
        said += f", archived {paint.cyan(result.superseded_path)}"
    if result.conflict is not None:
        other = result.conflict.path or f"op {(result.conflict.batch_index or 0) + 1}"
        said += f", {paint.yellow('conflict')} with {safe(other)}: {safe(result.conflict.claim)}"
    return f"{result.index + 1:>4}. {said}"
