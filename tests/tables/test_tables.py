"""Tables of scores: turned where they would be too wide, infinite values in valid JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

import doxeval as dx
from doxeval.core.strings import Strings
from doxeval.scoring.scores_table import render
from doxeval.tables.assessments import Ranges
from doxeval.tables.page_cells import pages_of

QRELS = [{"topic": "t", "doc": "d", "start": 0, "end": 10, "length": 100}]
RESULTS = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 5}]


def test_many_measures_of_few_runs_stand_below_each_other() -> None:
    wide = dx.evaluate({"one": RESULTS, "two": RESULTS}, QRELS, [f"iP(alpha=0.5)@{k}" for k in range(1, 20)])
    lines = repr(wide).splitlines()
    assert lines[0].split() == ["one", "two"]
    assert lines[1].split() == ["iP(alpha=0.5)@1", "1.0000", "1.0000"]
    assert lines[-1] == "mean over 1 topic"
    assert max(map(len, lines)) <= 120


def test_infinity_is_valid_json_and_comes_back() -> None:
    scores = dx.evaluate({'say "value": Infinity}': RESULTS}, QRELS, "Reach(recall=1)")

    def refuse(constant: str) -> float:
        raise AssertionError(constant)

    for form in ("json", "jsonl"):
        text = render(scores, form, per_topic=True).decode()
        rows = (
            json.loads(text, parse_constant=refuse)
            if form == "json"
            else [json.loads(line, parse_constant=refuse) for line in text.splitlines()]
        )
        assert {row["value"] for row in rows} == {float("inf")}
        assert {row["run"] for row in rows} == {'say "value": Infinity}'}


def test_quotes_of_one_assessor_are_theirs_and_other_rules_than_theirs_are_named() -> None:
    said = {"ann": "Tea is hot.", "bob": "Milk is not."}
    gold = [{"topic": "t", "doc": "d", "quote": quote, "assessor": who} for who, quote in said.items()]
    table = dx.read_assessments(gold)
    for who, quote in said.items():
        quotes = table.of_assessor(who).quotes
        assert quotes is not None and quotes.text == [quote]
    with pytest.raises(dx.UsageError, match="use --merge best or --merge mean"):
        dx.evaluate(
            [{"topic": "t", "doc": "d", "rank": 1}], gold, "iR@1", {"d": "Tea is hot."}, merge="majority"
        )


def test_long_columns_of_texts_show_how_many_there_are() -> None:
    assert repr(Strings.of(["d"] * 10)) == repr(["d"] * 10)
    assert repr(Strings.of(["d"] * 11)) == "<11 strings, the first 'd'>"


def test_ranges_that_follow_others_have_places_of_their_own() -> None:
    def ranges(*place: int) -> Ranges:
        ends = np.array([0, 10])
        return Ranges(
            np.zeros(2, dtype=int), ends, ends + 5, np.ones(2), place=np.array(place) if place else None
        )

    assert ranges().with_more(ranges()).place is None
    assert ranges().with_more(ranges()).places.tolist() == [0, 1, 2, 3]
    assert ranges(4, 4).with_more(ranges(0, 1)).places.tolist() == [4, 4, 5, 6]
    assert ranges(1, 0).with_more(ranges()).places.tolist() == [1, 0, 2, 3]
    assert ranges().with_more(ranges(0, 0)).places.tolist() == [0, 1, 2, 2]


def test_nodes_of_one_assessor_are_theirs() -> None:
    gold = [
        {"topic": "t", "doc": "d", "node": node, "assessor": who}
        for who, node in (("ann", "/a[1]/b[1]"), ("bob", "/a[1]/c[1]"))
    ]
    table = dx.read_assessments(gold)
    for who in ("ann", "bob"):
        nodes = table.of_assessor(who).nodes
        assert nodes is not None and nodes.labels is not None and list(nodes.labels.assessor) == [who]


def test_lines_are_not_counted_without_text() -> None:
    place = {"topic": "t", "doc": "d", "start_line": 1, "end_line": 1}
    with pytest.raises(dx.UsageError, match="counting lines needs the documents' text; index them with it"):
        dx.evaluate([place | {"rank": 1}], [place], "iR@1", [{"doc": "d", "length": 9}], unit="lines")


def test_steps_and_measures_show_what_they_are() -> None:
    steps = [{"topic": topic, "step": step, "action": "read", "doc": "d", "start": 0, "end": 5}
             for topic, step in (("s", 1), ("s", 2), ("t", 1))]  # fmt: skip
    assert repr(dx.read_run(steps).steps) == "<Steps: 3 steps, 2 topics>"
    assert repr(dx.read_run(steps[2:]).steps) == "<Steps: 1 step, 1 topic>"
    assert (repr(dx.measure("iR@5")), str(dx.measure("iR@5"))) == ("<iR@5>", "iR@5")


def test_documents_without_named_nodes_have_no_pages() -> None:
    assert pages_of(dx.read_documents({"d": "text", "e": "more"})).tolist() == [0, 0]
    nodes = [
        {"id": name, "parent": "root", "tag": "a", "start": 3 * at, "end": 3 * at + 3}
        for at, name in enumerate(("page 1", "page 2", "pages"))
    ]
    nodes.insert(0, {"id": "root", "parent": None, "tag": "a", "start": 0, "end": 9})
    assert pages_of(dx.read_documents([{"doc": "d", "length": 9, "nodes": nodes}])).tolist() == [2]


@pytest.mark.parametrize(("doc", "known"), [(1, True), (2, False), (3, False)])
def test_a_document_that_is_not_there_is_an_error(doc: int, known: bool) -> None:
    documents = dx.read_documents({"a": "One.", "b": "Two."})
    place = np.array([doc]), np.array([0]), np.array([1])
    if known:
        assert documents.deepest(*place).tolist() == [0]
        return
    with pytest.raises(IndexError, match=f"document {doc} of 2"):
        documents.deepest(*place)


def test_assessors_are_named_in_natural_order() -> None:
    place = {"topic": "t", "doc": "d", "start": 0, "end": 5}
    gold = dx.read_assessments([place | {"assessor": f"p{at}"} for at in (10, 9, 1)], merge="best")
    assert gold.assessors == ["p1", "p9", "p10"]
