"""One identity of documents: however a run, assessments, chunks, documents and quotes call them."""

from __future__ import annotations

import json
import re
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.core.catalogue import Catalogue, spellings
from doxeval.core.strings import Strings
from tests.show.report.test_report import data_of

TEXT = "The lease ends in May. Rent is due on the first day of each month."
FORMS = (
    "contracts/lease",
    "contracts/lease.txt",
    "contracts\\lease.TXT",
    "./contracts/lease",
    "/home/me/data/contracts/lease.txt",
    "C:\\data\\contracts\\lease.txt",
    "file:///data/contracts/lease.md",
    "lease.txt",
    "lease",
)
QRELS = {"topic": "t", "start": 0, "end": 22}
RESULT = {"topic": "t", "rank": 1, "start": 0, "end": 22}


def value(run_name: str, qrels_name: str, **options) -> float | None:
    scores = dx.evaluate(
        [{"doc": run_name} | RESULT], [{"doc": qrels_name} | QRELS], "iR@1", options.pop("documents", None)
    )
    return scores.value("run", "iR@1")


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_a_name_is_the_document_on_either_side(name: str) -> None:
    documents = {"contracts/lease": TEXT, "contracts/other": TEXT}
    for qrels_name in FORMS:
        assert value(name, qrels_name, documents=documents) == 1.0, (name, qrels_name)
    assert value(name, "contracts/lease") == value("contracts/lease", name) == 1.0


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("NYT.0002", ["NYT.0001"]),
        ("b/lease", ["a/lease"]),
        ("lease", ["a/lease", "b/lease.txt"]),
        ("release", ["lease"]),
        ("d1.md", ["d1", "d1.txt"]),
    ],
)
def test_what_may_be_another_document_is_not_guessed(name: str, known: list[str]) -> None:
    assert Catalogue(known).find([name]).codes.tolist() == [-1]


def test_two_names_that_would_be_one_document_by_their_ends_are_doubtful() -> None:
    found = Catalogue(["readme"]).find(["readme.md", "sub/readme.md", "/abs/readme.md"])
    assert found.codes.tolist() == [0, -1, 0]
    assert found.doubtful == ["'sub/readme.md' could be 'readme'"]
    found = Catalogue(["x"]).find(["/a/x", "/b/x"])
    assert found.codes.tolist() == [-1, -1] and len(found.doubtful) == 2


def test_a_doubtful_name_is_told_under_the_table_with_both_sides() -> None:
    run = [{"doc": "lease"} | RESULT, {"doc": "a/lease.txt"} | RESULT | {"rank": 2}]
    with pytest.warns(dx.DoxevalWarning, match="1 name could mean several documents and is not matched"):
        scores = dx.evaluate(run, [{"doc": "a/lease"} | QRELS, {"doc": "b/lease"} | QRELS], "iR@1")
    assert "'lease' could be 'a/lease', 'b/lease'" in repr(scores)


def test_mixed_names_in_the_assessments_are_one_document() -> None:
    qrels = [{"topic": "t", "doc": "d1", "start": 0, "end": 10, "length": 40, "bep": 3},
             {"topic": "t", "doc": "d1.txt", "start": 20, "end": 30}]  # fmt: skip
    scores = dx.evaluate([{"topic": "t", "doc": "d1", "rank": 1, "start": 0, "end": 40}], qrels, "iR@1 gR@1")
    assert scores.value("run", "iR@1") == 1.0
    assert scores.value("run", "gR@1") == 1.0


def test_mixed_names_in_a_run_are_one_document() -> None:
    qrels = [{"topic": "t", "doc": name, "start": 0, "end": 10, "length": 40} for name in ("d1", "d2")]
    run = [RESULT | {"doc": name, "rank": rank, "end": 10} for rank, name in ((1, "d1"), (2, "d1.txt"))]
    scores = dx.evaluate(run, qrels, "gR@2 iR@2")
    assert scores.value("run", "gR@2") == 0.5 and scores.value("run", "iR@2") == 0.5


def test_callers_tables_keep_their_names() -> None:
    run = dx.read_run([{"doc": "/x/d1.txt"} | RESULT])
    qrels = dx.read_assessments([{"doc": "d1.md"} | QRELS])
    dx.evaluate(run, qrels, "iR@1", {"d1": TEXT})
    assert list(run.docs) == ["/x/d1.txt"] and list(qrels.docs) == ["d1.md"]


def test_quotes_and_chunks_are_found_by_any_name(tmp_path: Path) -> None:
    chunks = tmp_path / "chunks.jsonl"
    chunks.write_text(json.dumps({"doc": "/x/contracts/lease.txt", "start": 0, "end": 22}) + "\n")
    scores = dx.evaluate(
        [{"doc": "lease.txt"} | RESULT],
        [{"topic": "t", "doc": "data/contracts/lease.txt", "quote": "The lease ends in May."}],
        "iR@1 IoUomega",
        {"contracts/lease": TEXT},
        chunks=str(chunks),
    )
    assert scores.value("run", "iR@1") == scores.value("run", "IoUomega") == 1.0


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "docs" / "contracts"
    folder.mkdir(parents=True)
    (folder / "lease.txt").write_text(TEXT)
    (folder / "other.txt").write_text(TEXT)
    (tmp_path / "run.jsonl").write_text(json.dumps({"doc": "/abs/contracts/lease.txt"} | RESULT) + "\n")
    (tmp_path / "qrels.jsonl").write_text(json.dumps({"doc": "lease.txt"} | QRELS) + "\n")
    return tmp_path


def call(files: Path, *arguments: str) -> str:
    result = CliRunner().invoke(group, [re.sub("^@", f"{files}/", one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_all_commands_see_one_document(files: Path) -> None:
    given = ["@run.jsonl", "--qrels", "@qrels.jsonl", "--docs", "@docs"]
    assert "1.0000" in call(files, "eval", *given, "-m", "iR")
    assert "by the end of their path" in call(files, "validate", *given)
    explained = call(files, "explain", "--run", *given, "--topic", "t", "-m", "iR@1")
    assert "contracts/lease" in explained and "22 of 22" in explained
    call(files, "report", *given, "-m", "iR", "-o", "@report.html")
    shown = str(data_of(files / "report.html"))
    assert TEXT in shown and "/abs/contracts" not in re.sub(r"by the end of their path \([^)]*\)", "", shown)
    call(files, "convert", "@run.jsonl", "@run.fol", "--docs", "@docs")
    assert " contracts/lease " in (files / "run.fol").read_text()


def test_names_by_columns_are_those_found_one_by_one() -> None:
    random = np.random.default_rng(5)
    parts = ["a", "b.txt", "b", "c.d", "é.md", "x y", ".txt", "z.", ""]
    names = sorted({"/".join(random.choice(parts, random.integers(1, 4))) for _ in range(300)})
    from doxeval.core.catalogue import stems

    expected = [spellings(name.rpartition("/")[2])[-1] for name in names]
    assert stems(Strings.of(names)) == expected
    assert stems(Strings.of(names), np.arange(5, 50, 3)) == expected[5:50:3]


def test_many_names_that_meet_nobody_take_no_time() -> None:
    catalogue = Catalogue([f"folder/{at}/index.html" for at in range(100_000)])
    names = Strings.of([f"other-{at}.txt" for at in range(200_000)])
    begin = time.process_time()
    assert (catalogue.find(names).codes < 0).all()
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("spelled", ["report.pdf.txt", "report.pdf", "report", "report.PDF.TXT"])
@pytest.mark.parametrize("above", ["", "a/", "/home/me/a/", "a\\", "./a/"])
def test_every_spelling_of_a_file_is_the_file(spelled: str, above: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a/report.pdf.txt", "a/b.txt", "c.txt"):
        (tmp_path / name).write_text("Some words.")
    documents = dx.read_documents(tmp_path)
    assert "a/report.pdf" in documents.ids
    assert documents.ids[documents.catalogue.find([above + spelled]).codes[0]] == "a/report.pdf"


def test_every_command_matches_the_same_names(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "report.pdf.txt").write_text("Some words. Other words.")
    row = {"topic": "t", "doc": "report.pdf.txt", "start": 0, "end": 10}
    files = {name: tmp_path / f"{name}.jsonl" for name in ("gold", "run", "pool")}
    files["gold"].write_text(json.dumps(row) + "\n")
    files["run"].write_text(json.dumps(row | {"rank": 1}) + "\n")
    files["pool"].write_text(
        json.dumps({"topic": "t", "doc": "report.pdf.txt", "passages": [[0, 10]]}) + "\n"
    )
    gold, run, docs = files["gold"], files["run"], tmp_path / "docs"
    commands = {
        "eval": [run, "-q", gold, "-d", docs, "-m", "iP@1"],
        "validate": [run, "-q", gold, "-d", docs],
        "anchor": [gold, "-d", docs, "-o", tmp_path / "anchored.jsonl"],
        "agree": [gold, gold, "-d", docs],
        "pool": [run, "-q", gold, "-d", docs, "-o", tmp_path / "pool-out.jsonl"],
        "judge": [files["pool"], "-d", docs, "--offline", tmp_path / "page.html", "--assessor", "ann"],
        "explain": ["--run", run, "-q", gold, "-d", docs, "-m", "iP@1", "--topic", "t"],
        "report": [run, "-q", gold, "-d", docs, "-m", "iP@1", "-o", tmp_path / "report.html"],
        "convert": [gold, tmp_path / "gold.txt", "-d", docs, "--format", "inex-assessments"],
        "navigate": [docs, "--doc", "report.pdf.txt"],
    }
    for command, words in commands.items():
        done = CliRunner().invoke(group, [command, *map(str, words)])
        told = done.output + repr(done.exception)
        assert done.exit_code == 0 and "not among" not in told and "no document" not in told, (command, told)


def test_names_of_a_table_that_differ_in_their_suffix_are_one_document_if_there_is_one_such_name() -> None:
    gold = [{"topic": "t", "doc": "elsewhere", "start": 0, "end": 9}]

    def told(*docs: str) -> tuple[int, list[str]]:
        run = [
            {"topic": "t", "doc": doc, "rank": at, "start": at, "end": at + 5}
            for at, doc in enumerate(docs, 1)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dx.DoxevalWarning)
            scores = dx.evaluate({"run": run}, gold, "iR@1")
        names = [str(notice) for notice in scores.notices.lasting if "could" in str(notice)]
        return len(names), names

    assert told("a", "a.txt") == (0, [])
    assert told("a", "a.txt", "a.xml")[1] == [
        "2 names could each mean several documents and are not matched "
        "('a.txt' could be 'a'; 'a.xml' could be 'a')"
    ]
