"""Answers given as boxes on pages: what is in them, and what is told of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import doxeval as dx
from doxeval.cli import group
from doxeval.core.errors import DoxevalWarning, UsageError
from doxeval.io.documents.index import index
from tests.io.documents.pdf_files import pdf_of
from tests.io.documents.test_pdf import docling

pytest.importorskip("pypdfium2")
PAGES = [["First line here.", "Second line there."], ["Only line of page two."]]
WIDE = 290.0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.pdf").write_bytes(pdf_of(PAGES))
    (tmp_path / "docs" / "b.json").write_bytes(docling("BOTTOMLEFT"))
    gold = [
        {"topic": "1", "doc": "a", "page": 1, "box": [0, 335, WIDE, 352]},
        {"topic": "2", "doc": "a", "page": 2, "box": [0, 300, WIDE, 399], "rel": 2, "need": "n"},
        {"topic": "3", "doc": "b", "page": 2, "box": [10, 82, 20, 88]},
        {"topic": "4", "doc": "a", "page": 1, "box": [0, 0, 5, 5]},
        {"topic": "5", "doc": "a", "page": 2, "box": [0, 0, 5, 5], "quote": "line of page"},
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in gold))
    monkeypatch.chdir(tmp_path)
    return tmp_path


WORDS = {"1": "Second line there.", "2": "Only line of page two.", "3": "two", "4": None, "5": "line of page"}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, arguments)


def lines(name: str) -> list[dict]:
    return [line for text in Path(name).read_text().splitlines() if "rel" in (line := json.loads(text))]


def test_boxes_become_ranges_with_their_words(folder):
    done = run("anchor", "gold.jsonl", "--docs", "docs", "-o", "out.jsonl")
    assert "4 of 5 quotes, pages and ranges placed" in done.stderr and "box" in done.stderr
    assert "lost: topic 4, a: a box on page 1" in done.stderr
    text = {"a": dx.read_documents("docs/a.pdf").text[0], "b": dx.read_documents("docs/b.json").text[0]}
    found = {line["topic"]: line for line in lines("out.jsonl")}
    assert [found[topic]["level"] for topic in WORDS] == ["box", "box", "box", "lost", "exact"]
    for topic, words in WORDS.items():
        line = found[topic]
        assert line.get("quote") == words and len(line["box"]) == 4
        assert ("start" in line) == (words is not None)
        assert words is None or text[line["doc"]][line["start"] : line["end"]] == words
    index("docs", "docs.dox")
    again = run("anchor", "out.jsonl", "--docs", "docs.dox", "-o", "again.jsonl")
    assert again.exit_code == 1 and "boxes" in str(again.exception)
    Path("placed.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in found.values() if "start" in line)
    )
    assert "in place" in run("anchor", "placed.jsonl", "--docs", "docs.dox", "-o", "again.jsonl").stderr
    assert [line["quote"] for line in lines("again.jsonl")] == [words for words in WORDS.values() if words]


def test_scores_are_those_of_the_ranges(folder):
    run("anchor", "gold.jsonl", "--docs", "docs", "-o", "out.jsonl")
    placed = [line for line in lines("out.jsonl") if "start" in line]
    results = [
        {key: line[key] for key in ("topic", "doc", "start")} | {"end": line["start"] + 2} for line in placed
    ]
    with pytest.warns(
        DoxevalWarning, match=r"1 box has no text in it and is left out \(topic 4, a: a box on"
    ):
        by_box = dx.evaluate(results, "gold.jsonl", "iR@1 iP@1", documents="docs")
    by_range = dx.evaluate(results, placed, "iR@1 iP@1", documents="docs")
    values = [
        [scores.value(scores.names[0], name, topic) for name in ("iR@1", "iP@1") for topic in "1235"]
        for scores in (by_box, by_range)
    ]
    assert values[0] == values[1] and all(values[0])


def test_pieces_of_a_box_are_one_place(folder):
    gold = [{"topic": "1", "doc": "a", "page": 1, "box": [0, 335, 60, 372]}]
    [placement] = dx.anchor(gold, "docs").quotes.placed
    assert placement.outcome == "box" and len(placement.places) == 1 and len(placement.places[0]) == 2


def test_boxes_are_carried_over_by_their_words(folder):
    new = {name: f"A preface. {dx.read_documents('docs').text[at]}" for at, name in enumerate("ab")}
    found = dx.anchor("gold.jsonl", new, old_documents="docs")
    outcomes = [placement.outcome for placement in found.quotes.placed]
    assert outcomes == ["exact", "exact", "exact", "lost", "exact"]
    for row, placement in enumerate(found.quotes.placed):
        name = found.docs[found.pair_doc[found.quotes.pair[row]]]
        for start, end in placement.places[0] if placement.placed else ():
            assert new[name][start:end] == WORDS[str(row + 1)]


@pytest.mark.parametrize("docs", [{"a": "First line here."}, "docs.dox", "docs.jsonl"])
def test_documents_without_pages_are_told_what_to_give(folder, docs):
    index("docs", "docs.dox")
    index("docs", "docs.jsonl")
    with pytest.raises(
        UsageError, match=r"answers in document '[ab]' are boxes, .* give PDF files or Docling JSON"
    ):
        dx.anchor("gold.jsonl", docs)


@pytest.mark.parametrize(
    "box", [[1, 2, 3], [1, 2, 3, "4"], [5, 0, 4, 9], [0, 9, 5, 1], [0, 0, 1, float("nan")]]
)
def test_boxes_that_are_none_are_refused(box):
    good = {"topic": "1", "doc": "a", "page": 1, "box": [0, 0, 1, 1]}
    found = dx.read_assessments([good, {**good, "box": box}])
    assert len(found.quotes) == 1 and "'box' as [left, bottom, right, top]" in str(found.notices.refusals[0])
    found = dx.read_assessments([good, {"topic": "1", "doc": "a", "box": [0, 0, 1, 1]}])
    assert len(found.quotes) == 1 and "a 'page' with a 'box'" in str(found.notices.refusals[0])


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_boxes_are_written_and_read_back(folder, suffix):
    dx.write_assessments(dx.read_assessments("gold.jsonl"), f"copy{suffix}")
    copy = dx.read_assessments(f"copy{suffix}")
    assert [hint.box for hint in copy.quotes.hints] == [
        hint.box for hint in dx.read_assessments("gold.jsonl").quotes.hints
    ]
