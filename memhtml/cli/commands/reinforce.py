from memhtml.app.judging import MemoryReinforced, Signal, reinforce
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.provenance_flags import provenance_in
from memhtml.cli.terminal import Paint


def run(call: Call, context: Context) -> Outcome:
    """Tell that memories were used, and how it turned out."""
    signal = Signal[(call.text("signal") or "neutral").upper()]
    done = reinforce(context.store(call), call.words["path"], signal, source=provenance_in(call))
    return Outcome("memory.reinforced", done, lambda paint: _text(done, paint))


def _text(done: MemoryReinforced, paint: Paint) -> str:
    lines = [f"{paint.green(done.signal)} {paint.cyan(path)}" for path in done.bumped]
    lines += [f"{paint.yellow('used just now')} {paint.cyan(path)}" for path in done.cooled_down]
    return "\n".join(lines)
