"""Runs of parts taken as runs of documents: each distinct document once, whole, where it first appears."""

from __future__ import annotations

import pytest
from hypothesis import given

import doxeval as dx
from doxeval.core.errors import UsageError
from tests.cases import LENGTHS, UNKNOWN, Case, cases

MEASURES = (
    "AiP iP@1..4 iR@2 F@3 IoU@2 iR@50c gP@2 AgP CE(screen=10)@2 T2I@doc tRBP Judged@2 ESRP@2 SRiP[0.5] "
    "CharAP PsgAP"
)
LENGTHS_TOO = {**LENGTHS, UNKNOWN: 30}


def known(case: Case) -> Case:
    return Case(case.relevant, case.results, dict(LENGTHS_TOO))


@given(cases())
def test_it_scores_as_a_run_of_those_documents(case: Case) -> None:
    case = known(case)
    docs = dict.fromkeys(doc for doc, _ in case.results)
    whole = [
        {"topic": "t1", "doc": doc, "rank": rank, "start": 0, "end": LENGTHS_TOO[doc]}
        for rank, doc in enumerate(docs, 1)
    ]
    found = dx.evaluate({"run": case.run()}, case.qrels(), MEASURES, shape="documents")
    expected = dx.evaluate({"run": whole}, case.qrels(), MEASURES)
    for measure in found.measures:
        assert found.value("run", measure, "t1") == expected.value("run", measure, "t1"), measure


def test_nodes_become_the_root_of_their_document(tmp_path) -> None:
    qrels = [{"topic": "t", "doc": "d", "node": "/a[1]", "rel": 1}]
    rows = [{"topic": "t", "doc": "d", "rank": 1, "node": "/a[1]/p[2]"}]
    given_whole = [{"topic": "t", "doc": "d", "rank": 1}]
    (tmp_path / "d.xml").write_text("<a><p>one</p><p>two</p></a>")
    texts = dx.read_documents(tmp_path)
    score = {
        name: dx.evaluate({"r": run}, qrels, "ESRP@1 ERRU@1", texts, **options).value("r", "ESRP@1", "t")
        for name, run, options in (
            ("parts", rows, {}), ("documents", rows, {"shape": "documents"}), ("whole", given_whole, {}),
        )
    }  # fmt: skip
    assert score["documents"] == score["whole"] == 1 and score["parts"] == 0


def test_a_document_of_unknown_length_is_refused() -> None:
    qrels = [{"topic": "t", "doc": "d", "start": 0, "end": 9, "length": 20}]
    rows = [
        {"topic": "t", "doc": doc, "rank": rank, "start": 0, "end": 5} for rank, doc in enumerate("de", 1)
    ]
    with pytest.raises(UsageError, match=r"length is known, and it is not for 'e'.*--docs"):
        dx.evaluate({"r": rows}, qrels, "AiP", shape="documents")
    assert dx.evaluate({"r": rows[:1]}, qrels, "iP@1", shape="documents").value("r", "iP@1", "t") == 9 / 20


def test_text_in_no_document_is_no_part_of_the_documents_it_was_shown_beside() -> None:
    qrels = [{"topic": "t", "doc": "d", "start": 0, "end": 10, "length": 20}]
    rows = [
        {"topic": "t", "doc": "d", "rank": rank, "start": 0, "end": 5, "added": added}
        for rank, added in enumerate(("four", "and 6."), 1)
    ]
    found = dx.evaluate({"r": rows}, qrels, "iP@1 iR@1", shape="documents")
    assert [found.value("r", measure, "t") for measure in found.measures] == [10 / 20, 1.0]
    assert dx.evaluate({"r": rows}, qrels, "iP@2").value("r", "iP@2", "t") == 5 / 20
