from memhtml.app.edit import Changes, MemoryEdited, edit
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.provenance_flags import allowed_in, confidence_in
from memhtml.cli.terminal import Paint
from memhtml.errors import MissingArgument

#: Flags that change nothing by themselves.
_BESIDE = {"reason", "allow-secret", "embed", "repo", "json", "dense"}


def run(call: Call, context: Context) -> Outcome:
    """Change what is said about a memory."""
    if not call.flags.keys() - _BESIDE:
        raise MissingArgument(
            "edit needs something to change", hints=(f"{call.command.shape} --add-tag <tag>",)
        )
    done = edit(context.store(call), call.word("path") or "", _changes(call), embed=call.switch("embed"))
    return Outcome("memory.edited", done, lambda paint: _text(done, paint))


def _changes(call: Call) -> Changes:
    importance = call.text("importance")
    return Changes(
        add_tags=call.texts("add-tag"),
        remove_tags=call.texts("remove-tag"),
        add_entities=call.texts("add-entity"),
        remove_entities=call.texts("remove-entity"),
        add_aliases=call.texts("add-alias"),
        remove_aliases=call.texts("remove-alias"),
        importance=None if importance is None else int(importance),
        confidence=confidence_in(call),
        valid_from=call.text("valid-from"),
        valid_until=call.text("valid-until"),
        due=call.text("due"),
        clear=call.texts("clear"),
        reason=call.text("reason") or "",
        allowed=allowed_in(call),
    )


def _text(done: MemoryEdited, paint: Paint) -> str:
    if done.commit_sha is None:
        lines = [f"{paint.yellow('as it was')} {paint.cyan(done.path)} says all that already"]
    else:
        lines = [f"{paint.green('edited')} {paint.cyan(done.path)}: {', '.join(done.changed)}"]
    return "\n".join(lines + [paint.yellow(warning) for warning in done.warnings])
