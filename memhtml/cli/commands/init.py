from memhtml.app.setup import InitReport, init
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint, plural, safe
from memhtml.errors import UnexpectedArgument
from memhtml.settings import expand


def run(call: Call, context: Context) -> Outcome:
    """Make the store that the call names, or complete it."""
    folder = call.word("folder")
    if folder is not None and call.text("repo"):
        raise UnexpectedArgument("init takes a <folder> or --repo, not both", hints=("memhtml init",))
    chosen = context.root(call)
    root, named = (expand(folder), True) if folder is not None else chosen
    report = init(root, example=call.switch("example"), join_above=named)
    return Outcome("repo.init", report, lambda paint: _text(report, paint))


def _text(report: InitReport, paint: Paint) -> str:
    lines = [f"{paint.green('store')} {safe(report.root)}"]
    if report.created:
        lines.append("made a git repository, branch main")
    elif report.repository != report.root:
        lines.append(f"recorded by the repository at {safe(report.repository)}")
    if report.commit_sha:
        lines.append(f"committed {plural(len(report.wrote), 'scaffold file')} as {report.commit_sha[:12]}")
    else:
        lines.append("the scaffold is complete; nothing to commit")
    if report.example:
        lines.append(
            f"laid down {plural(len(report.example), 'example memory', 'example memories')}, uncommitted"
        )
    return "\n".join(lines)
