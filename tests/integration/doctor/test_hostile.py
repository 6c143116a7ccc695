"""Hostile and foreign files among good ones: the doctor judges them as the index does, and the good ones as before."""

import json
import tempfile
from pathlib import Path

from builders import memory
from conftest import git
from corpora import data_dir, needs_data
from hypothesis import given, settings
from hypothesis import strategies as st
from integration.doctor.stores import AT, GOOD, codes, examine, good_store, indexed

from memhtml.doctor.annotations import render_annotations
from memhtml.doctor.codes import FindingCode
from memhtml.doctor.corpus import read_corpus
from memhtml.doctor.report import render_text
from memhtml.doctor.run import Examination
from memhtml.doctor.run import examine as run_examination
from memhtml.doctor.sarif import render_sarif
from memhtml.git.read import open_reader
from memhtml.index.folder import IndexFolder

ABOUT_OUR_DATA = {
    "INDEX_ROWS_WRONG",
    "CHUNKS_WRONG",
    "FTS_DAMAGED",
    "INDEX_DAMAGED",
    "LEDGER_DRIFT",
    "CHECK_FAILED",
}


def _hostile() -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for path in sorted(path for path in (data_dir() / "html").rglob("*") if path.is_file()):
        files[f"areas/raw/{len(files)}.html"] = path.read_bytes()
        if path.suffix == ".dat":
            for case in path.read_bytes().split(b"#data\n")[1:]:
                article = case.split(b"\n#errors")[0].decode(errors="surrogateescape")
                data = memory(article="<p><mark>It is so.</mark></p>@").replace(
                    b"@", article.encode(errors="surrogateescape")
                )
                files[f"areas/wrapped/{len(files)}.html"] = data
    for text in json.loads((data_dir() / "strings" / "blns.json").read_text("utf-8")):
        files[f"areas/strings/{len(files)}.html"] = memory(
            text,
            title=text,
            metas=[("entity", text), ("due", text), ("alias", text)],
            links=[("part_of", f"/{text}")],
        )
    return files


@needs_data
def test_hostile_files_are_judged_as_the_index_judges_them_and_good_ones_as_before(repo: Path) -> None:
    hostile = _hostile()
    assert len(hostile) > 1_000
    root = indexed(good_store(repo, hostile))
    report = examine(root)
    assert not ABOUT_OUR_DATA.intersection(codes(report))
    assert report.index_fresh
    assert report.files == len(hostile) + len(GOOD)
    assert report.errors > 100
    assert not [f for f in report.findings if f.path in GOOD]
    for line in render_annotations(report).split("\n"):
        assert line.startswith("::")
    assert json.loads(render_sarif(report))["runs"][0]["results"]
    assert "\x1b" not in render_text(report)


@needs_data
def test_a_store_of_the_other_implementation_has_no_error_but_a_note_that_quotes_credentials(
    tmp_path: Path,
) -> None:
    git(tmp_path, "clone", "-q", str(data_dir() / "interop" / "original-0.15.bundle"), "store")
    report = examine(tmp_path / "store")
    assert set(codes(report)) == {"INBOX_CROWDED", "TASK_STALE_BLOCKER", "SECRET_FOUND"}
    quoting = "resources/devops/hatchbox-exports-env-vars-with-asdf.html"
    assert {f.path for f in report.findings if f.code == "SECRET_FOUND"} == {quoting}
    assert report.files == report.memories > 200
    report = examine(indexed(tmp_path / "store"))
    assert not ABOUT_OUR_DATA.intersection(codes(report))


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([f"areas/f{n}.html" for n in range(4)]), st.binary(max_size=300), min_size=1
    )
)
def test_any_bytes_give_a_report(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        git(root, "init", "-q", "-b", "main")
        good_store(root, files)
        reader = open_reader(root)
        report = run_examination(Examination(reader, IndexFolder(root), AT, None, ""))
        assert report.files == read_corpus(reader).files == len(files) + len(GOOD)
        assert FindingCode.CHECK_FAILED not in {f.code for f in report.findings}
        assert not [f for f in report.findings if f.path in GOOD]
