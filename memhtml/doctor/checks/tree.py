"""What git says about the store apart from the files: no commit yet, uncommitted work, a merge that stopped."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memhtml.doctor.corpus import Corpus
from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.git.entries import WorktreeKind

if TYPE_CHECKING:
    from memhtml.git.read import GitReader

__all__ = ["check_tree"]


def check_tree(corpus: Corpus, reader: "GitReader") -> Iterator[Finding]:
    """Yield what keeps the committed files from being all there is to judge."""
    if corpus.head is None:
        yield finding(FindingCode.REPO_UNBORN, "the repository has no commit yet")
    if corpus.worktree_problem:
        yield finding(FindingCode.WORKTREE_UNREADABLE, corpus.worktree_problem)
    dirty = len(corpus.overlay.present) + len(corpus.overlay.absent)
    if dirty:
        message = "1 file differs" if dirty == 1 else f"{dirty:,} files differ"
        yield finding(FindingCode.TREE_DIRTY, f"{message} from what is committed")
    if corpus.overlay.unmerged:
        for change in reader.status():
            if change.kind is WorktreeKind.UNMERGED:
                yield finding(FindingCode.UNMERGED_PATH, "a merge stopped at this file", change.path)
