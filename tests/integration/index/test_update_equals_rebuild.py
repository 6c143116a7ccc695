"""Update equals rebuild: whatever people do with git, an updated index holds what a fresh one would."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from builders import memory
from conftest import GIT_ENV
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from planes import AT, assert_equals_rebuild

from memhtml.git.read import open_reader
from memhtml.index import build
from memhtml.index.folder import IndexFolder
from memhtml.index.follow import Thresholds
from memhtml.index.outcome import Pass
from memhtml.values import Instant

PATHS = (
    "areas/alpha.html",
    "areas/beta.html",
    "areas/deep/er/gamma.html",
    "projects/boat/delta.html",
    "projects/boat/tasks/epsilon.html",
    "resources/ζeta notes.html",
    "archive/2026/areas/alpha.html",
    "archive/2026/areas/beta.html",
    "README.html",
    "areas/index.html",
)
CLAIMS = (
    "The probe reads low when it is cold.",
    "The kettle in the harbour office trips the breaker.",
    "A ledger of tides hangs behind the door.",
    "The probe and the ledger disagree on Mondays.",
)
BROKEN = (
    b"",
    b"no markup at all",
    b"\x00\xff\xfe binary \x80",
    b"<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n",
    memory("Two claims?", article="<p><mark>a</mark> <mark>b</mark></p>"),
)

paths = st.sampled_from(PATHS)
good = st.builds(
    lambda claim, created, kind, tags: memory(
        claim,
        type_=kind,
        created=created,
        metas=[*([("task-status", "todo")] if kind == "task" else []), *(("tag", tag) for tag in tags)],
        links=[("relates_to", "/areas/beta.html")],
    ),
    st.sampled_from(CLAIMS),
    st.sampled_from(["2026-01-01T00:00:00Z", "2026-02-02T00:00:00Z"]),
    st.sampled_from(["semantic", "semantic", "procedural", "task"]),
    st.lists(st.sampled_from(["sea", "shed"]), max_size=2, unique=True),
)
# Mostly good files: two broken ones have nothing to collide with.
contents = st.one_of(good, good, good, good, good, st.sampled_from(BROKEN))
thresholds = st.builds(
    Thresholds,
    triggers_up_to=st.sampled_from([0, 1, 20]),
    rows_in_memory=st.sampled_from([0, 2, 2000]),
    whole_from=st.sampled_from([0, 3, 500]),
)


class Histories(RuleBasedStateMachine):
    """Random work in a real repository; after every step the index is brought up and compared."""

    #: The store's folder below the top of the repository.
    below = ""

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp(prefix="memhtml-machine-"))
        self.root = self.top / self.below
        self.root.mkdir(exist_ok=True, parents=True)
        self.held = 0
        self.clock = 0
        self.thresholds = Thresholds()

    def teardown(self) -> None:
        shutil.rmtree(self.top, ignore_errors=True)

    # -- the person's side: real git, real files ---------------------------------------------------------------

    def git(self, *args: str, may_fail: bool = False) -> bool:
        self.clock += 1
        stamp = f"2026-03-01T00:{self.clock // 60 % 60:02d}:{self.clock % 60:02d}Z"
        dates = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        env = {**os.environ, **GIT_ENV, **dates, "HOME": str(self.root)}
        done = subprocess.run(["git", "-C", str(self.root), *args], capture_output=True, check=False, env=env)
        assert may_fail or done.returncode == 0, (args, done.stdout, done.stderr)
        return done.returncode == 0

    def put(self, path: str, data: bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_symlink():
            target.unlink()
        target.write_bytes(data)

    def there(self) -> list[str]:
        return [path for path in PATHS if (self.root / path).is_file()]

    @initialize(first=st.dictionaries(paths, contents, min_size=2, max_size=7))
    def begin(self, first: dict[str, bytes]) -> None:
        self.git("init", "-q", "-b", "main", str(self.top))
        for key, value in (("gc.auto", "0"), ("maintenance.auto", "false"), ("merge.conflictStyle", "merge")):
            self.git("config", key, value)
        self.put(".gitignore", b".memhtml/\nareas/deep/ignored.html\n")
        for path, data in first.items():
            self.put(path, data)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "begin")

    @rule(path=paths, data=contents)
    def write(self, path: str, data: bytes) -> None:
        self.put(path, data)

    @rule(data=st.data())
    def stamp_the_head_only(self, data: st.DataObject) -> None:
        if there := self.there():
            path = data.draw(st.sampled_from(there))
            stamped = (
                (self.root / path)
                .read_bytes()
                .replace(b"</head>", b'<meta name="memhtml-author" content="human:ada">\n</head>', 1)
            )
            self.put(path, stamped)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        if there := self.there():
            (self.root / data.draw(st.sampled_from(there))).unlink()

    @rule(data=st.data(), goal=paths, staged=st.booleans())
    def rename(self, data: st.DataObject, goal: str, staged: bool) -> None:
        there = self.there()
        if not there:
            return
        source = data.draw(st.sampled_from(there))
        if source == goal:
            return
        (self.root / goal).parent.mkdir(parents=True, exist_ok=True)
        if (self.root / goal).is_dir():
            return
        if staged:
            self.git("add", "-A", may_fail=True)
            self.git("mv", "-f", source, goal, may_fail=True)
        else:
            (self.root / source).replace(self.root / goal)

    @rule(data=st.data())
    def swap(self, data: st.DataObject) -> None:
        there = self.there()
        if len(there) >= 2:
            one, other = data.draw(st.permutations(there))[:2]
            first, second = (self.root / one).read_bytes(), (self.root / other).read_bytes()
            self.put(one, second)
            self.put(other, first)

    @rule(data=st.data())
    def rotate(self, data: st.DataObject) -> None:
        there = self.there()
        if len(there) >= 3:
            chain = data.draw(st.permutations(there))[:3]
            bodies = [(self.root / path).read_bytes() for path in chain]
            for path, body in zip(chain, bodies[1:] + bodies[:1], strict=True):
                self.put(path, body)

    @rule(data=st.data(), goal=paths)
    def copy(self, data: st.DataObject, goal: str) -> None:
        if there := self.there():
            self.put(goal, (self.root / data.draw(st.sampled_from(there))).read_bytes())

    @rule(path=paths, aim=st.sampled_from(["beta.html", "/etc/hostname", "nowhere"]))
    def make_a_link(self, path: str, aim: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.symlink_to(aim)

    @rule()
    def write_an_ignored_file(self) -> None:
        self.put("areas/deep/ignored.html", memory("Ignored, so it is not a memory."))

    @rule(which=st.sampled_from(["all", "tracked", "staged"]))
    def commit(self, which: str) -> None:
        if which == "all":
            self.git("add", "-A", may_fail=True)
        flags = ["-a"] if which == "tracked" else []
        self.git("commit", "-q", "--allow-empty", "-m", which, *flags, may_fail=True)

    @rule()
    def amend_and_collect(self) -> None:
        """The commit that the index knows is gone for good."""
        if self.git("commit", "-q", "--amend", "-a", "-m", "amended", may_fail=True):
            self.git("reflog", "expire", "--expire=now", "--all")
            self.git("gc", "-q", "--prune=now")

    @rule(
        mode=st.sampled_from(["--hard", "--soft", "--mixed"]),
        back=st.sampled_from(["HEAD", "HEAD~1", "HEAD~2"]),
    )
    def reset(self, mode: str, back: str) -> None:
        self.git("reset", "-q", mode, back, may_fail=True)

    @rule(data=st.data())
    def take_a_file_back(self, data: st.DataObject) -> None:
        self.git("checkout", "-q", "HEAD", "--", data.draw(paths), may_fail=True)

    @rule(path=paths)
    def forget_but_keep(self, path: str) -> None:
        self.git("rm", "-q", "--cached", "--", path, may_fail=True)

    @rule(name=st.sampled_from(["main", "side", "other"]), force=st.booleans())
    def checkout(self, name: str, force: bool) -> None:
        exists = self.git("rev-parse", "-q", "--verify", f"refs/heads/{name}", may_fail=True)
        flags = ["-f"] if force else []
        self.git("checkout", "-q", *flags, *([] if exists else ["-b"]), name, may_fail=True)

    @rule(name=st.sampled_from(["main", "side", "other"]))
    def merge(self, name: str) -> None:
        """A conflict stays as it is, for the steps after it."""
        self.git("merge", "-q", "--no-edit", name, may_fail=True)

    @rule(how=st.sampled_from(["abort", "ours", "markers"]))
    def settle_a_merge(self, how: str) -> None:
        if not (self.top / ".git" / "MERGE_HEAD").exists():
            return
        if how == "abort":
            self.git("merge", "--abort", may_fail=True)
        else:
            if how == "ours":
                self.git("checkout", "-q", "--ours", "--", ".", may_fail=True)
            self.git("add", "-A", may_fail=True)
            self.git("commit", "-q", "--no-edit", may_fail=True)

    @rule()
    def switch_line_endings(self) -> None:
        self.git("config", "core.autocrlf", "input")
        for path in self.there()[:2]:
            data = (self.root / path).read_bytes()
            self.put(path, data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))

    @rule(executable=st.booleans())
    def change_modes(self, executable: bool) -> None:
        for path in self.there()[:2]:
            if not (self.root / path).is_symlink():
                (self.root / path).chmod(0o755 if executable else 0o644)

    # -- the index's side --------------------------------------------------------------------------------------

    @rule(steps=st.integers(1, 3))
    def let_work_pile_up(self, steps: int) -> None:
        self.held = steps + 1

    @rule(chosen=thresholds)
    def write_another_way(self, chosen: Thresholds) -> None:
        self.thresholds = chosen

    @rule()
    def lose_the_index(self) -> None:
        for name in ("index.db", "index.db-wal", "index.db-shm"):
            (IndexFolder(self.root).path / name).unlink(missing_ok=True)

    @precondition(lambda self: IndexFolder(self.root).index_path.exists())
    @rule()
    def come_from_another_version(self) -> None:
        import sqlite3
        from contextlib import closing

        with closing(sqlite3.connect(IndexFolder(self.root).index_path)) as connection, connection:
            connection.execute("UPDATE index_state SET projector = 'of another version'")
            connection.execute("UPDATE files SET gist = 'stale', row_digest = 'stale'")

    @rule(committed=st.booleans())
    def update_without_the_working_tree(self, committed: bool) -> None:
        self.bring_up(worktree=False, committed=committed)
        if committed:
            assert_equals_rebuild(self.root, committed=True)

    def bring_up(self, *, worktree: bool = True, committed: bool = False) -> Pass:
        return build.update(
            IndexFolder(self.root),
            open_reader(self.root),
            Instant(AT),
            None,
            worktree=worktree,
            committed=committed,
            thresholds=self.thresholds,
        )

    @invariant()
    def the_index_equals_a_rebuild(self) -> None:
        if not (self.top / ".git").exists():
            return
        self.held = max(0, self.held - 1)
        if self.held:
            return
        self.bring_up()
        assert_equals_rebuild(self.root)
        again = self.bring_up()
        assert again.unchanged, again


class HistoriesInAFolder(Histories):
    """The same work on a store that is a folder of a larger repository."""

    below = "notes/memory"


_profile = settings.get_profile(settings._current_profile or "dev")
# Two halves, so that two workers share them.
_half = settings(_profile, max_examples=max(1, _profile.max_examples // 2), stateful_step_count=12)
TestHistories = Histories.TestCase
TestHistoriesInAFolder = HistoriesInAFolder.TestCase
TestHistories.settings = TestHistoriesInAFolder.settings = _half
TestHistories.pytestmark = TestHistoriesInAFolder.pytestmark = [pytest.mark.timeout(0)]
