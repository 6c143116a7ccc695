"""The check of what is about to be committed: each staged file by itself, fast enough for every commit."""

from pathlib import Path

from memhtml.doctor.checks import overlooked, secrets
from memhtml.doctor.corpus import judge_files
from memhtml.doctor.facts import IndexFacts, TreeFacts
from memhtml.doctor.findings import FailOn
from memhtml.doctor.report import DoctorReport, assemble
from memhtml.format.paths import is_indexable_path
from memhtml.git.entries import EntryKind
from memhtml.git.others import OWN_FOLDER, bucket_of_name
from memhtml.git.read import Unseen, open_reader
from memhtml.git.staged import staged
from memhtml.index.expected import found_of

__all__ = ["check_staged"]


def check_staged(root: Path, *, fail_on: FailOn = FailOn.ERROR) -> DoctorReport:
    """Judge the staged files of a store; what only the whole store or an index shows is left to a whole check.

    Errors: `RepoRequired`, `RepoUnsupported`, `GitFailed`.
    """
    reader = open_reader(root)
    entries = list(staged(reader.location))
    candidates = [entry for entry in entries if is_indexable_path(entry.path)]
    found = [each for each in map(found_of, candidates) if each is not None]
    others = [
        entry
        for entry in entries
        if not is_indexable_path(entry.path)
        and (
            bucket_of_name(entry.path.partition("/")[0]) is not None
            or entry.path.startswith(f"{OWN_FOLDER}/")
        )
    ]
    corpus = judge_files(reader, reader.head(), found)
    findings = [
        *corpus.findings,
        *overlooked.check_overlooked(others, Unseen()),
        *overlooked.check_databases(others, Unseen()),
        *secrets.check_other_files((e for e in others if e.kind is EntryKind.FILE), reader.blob),
    ]
    facts = TreeFacts(
        head_sha=corpus.head, prefix=reader.prefix, files=corpus.files, memories=len(corpus.memories)
    )
    return assemble(findings, facts, IndexFacts(), fail_on)
