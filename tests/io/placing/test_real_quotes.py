"""Quotes with pages: FinanceBench on text from the real PDFs, OHR-Bench on two parses."""

from __future__ import annotations

import json
from typing import Any

import pytest

import doxeval as dx
from doxeval.ground.placed_quotes import anchored


@pytest.fixture
def quotes(reference):
    return reference / "data" / "quotes"


def _placed(rows, texts):
    documents = dx.read_documents([{"doc": doc, "text": text} for doc, text in texts.items()])
    found = anchored(dx.read_assessments(rows), documents).quotes
    order = dict(zip(found.line.tolist(), found.placed, strict=True))
    return [order[line] for line in range(1, len(rows) + 1)]


def _pages_off(text, place, page):
    """How many pages a place is away from the annotated one, counted from 0."""
    first, last = (text.count("\f", 0, at) for at in (place[0][0], place[-1][1] - 1))
    return max(0, first - page, page - last)


def test_quotes_of_financebench_stand_on_their_pages(quotes):
    folder = quotes / "financebench"
    texts = {path.stem: path.read_text() for path in (folder / "documents").iterdir()}
    records = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    found = [(record["doc_name"], piece) for record in records for piece in record["evidence"]]
    rows = [
        {"topic": str(at), "doc": doc, "quote": piece["evidence_text"]}
        for at, (doc, piece) in enumerate(found)
    ]
    placed = _placed(rows, texts)
    assert len(placed) == 37 and {place.outcome for place in placed} <= {"exact", "white space", "letters"}
    for (doc, piece), place in zip(found, placed, strict=True):
        assert _pages_off(texts[doc], place.places[0], piece["evidence_page_num"]) == 0


@pytest.mark.parametrize(("parse", "least"), [("gt", 0.93), ("MinerU", 0.85)])
def test_quotes_of_ohr_bench_are_placed_without_their_pages(quotes, parse, least):
    texts = {
        f"{path.parent.name}/{path.stem}": "\f".join(page["text"] for page in json.loads(path.read_text()))
        for path in (quotes / "ohr" / parse).glob("*/*.json")
    }
    rows: list[dict[str, Any]] = []
    pages = []
    for record in json.loads((quotes / "ohr" / "qas.json").read_text()):
        given = record["evidence_context"]
        for quote in given if isinstance(given, list) else [given]:
            rows.append({"topic": str(len(rows)), "doc": record["doc_name"], "quote": quote})
            pages.append(record["evidence_page_no"])
    placed = _placed(rows, texts)
    assert sum(place.placed for place in placed) >= least * len(rows)
    off = [
        _pages_off(texts[row["doc"]], place.places[0], page)
        for row, place, page in zip(rows, placed, pages, strict=True)
        if place.outcome == "approximate"
    ]
    assert sum(pages > 1 for pages in off) <= 0.05 * len(off)
    with_pages = _placed([row | {"page": page + 1} for row, page in zip(rows, pages, strict=True)], texts)
    assert sum(place.placed for place in with_pages) > sum(place.placed for place in placed)
