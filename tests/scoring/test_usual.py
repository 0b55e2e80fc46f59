"""Measures that are scored where nobody names any."""

from __future__ import annotations

import sys

import pytest

import doxeval as dx
from doxeval.scoring.selection import lead_of
from tests.measurement.test_invariants import DOCUMENTS
from tests.measurement.test_judged_nodes import DEGREES, PLAIN

RANGE = {"topic": "t1", "doc": "d1", "start": 0, "end": 10}
OTHER = {"topic": "t1", "doc": "d1", "start": 20, "end": 30}
RESULT = {"topic": "t1", "doc": "d1", "rank": 1, "start": 5, "end": 25}
QRELS = "t1 0 d1 2\nt1 0 d2 1\nt2 0 d1 0\n"


def chosen(assessments, **options) -> tuple[list[str], str]:
    evaluation = dx.Evaluation(assessments, **options)
    said = [str(notice) for notice in evaluation.ground.notices if "no measure was named" in str(notice)]
    assert len(said) == 1 and all(notice.harmless for notice in evaluation.ground.notices)
    return [measure.label for measure in evaluation.measures], said[0]


def test_highlighted_text_is_scored_as_text() -> None:
    measures, said = chosen([RANGE, OTHER])
    assert measures == ["iR@2000c", "AiP", "iP@5", "iR@5", "IoU@5"]
    assert "the assessments highlight text: scored by iR@2000c AiP iP@5 iR@5 IoU@5 (-m names others)" in said


def test_needs_are_counted_where_they_are_named() -> None:
    measures, said = chosen([RANGE | {"need": "a"}, OTHER | {"need": "b"}])
    assert measures[-2:] == ["NeedRecall@5", "Complete@5"] and "name needs" in said


def test_whole_documents_are_scored_as_documents(tmp_path) -> None:
    (tmp_path / "qrels.txt").write_text(QRELS)
    measures, said = chosen(tmp_path / "qrels.txt")
    assert measures == ["nDCG@10", "AP", "P@5", "R@10"] and "judge whole documents" in said


def test_documents_without_the_library_of_document_measures(tmp_path, monkeypatch) -> None:
    (tmp_path / "qrels.txt").write_text(QRELS)
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    assert chosen(tmp_path / "qrels.txt")[0] == ["nDCG@10", "AP", "P@5", "R@10"]


@pytest.mark.parametrize("kind", DEGREES)
def test_nodes_judged_by_degrees_are_scored_as_nodes(kind: str) -> None:
    measures, said = chosen(DEGREES[kind], documents=DOCUMENTS)
    assert measures == ["nXCG@10", "AEP"] and "judge nodes by" in said
    assert chosen(DEGREES[kind], documents=DOCUMENTS, highlighted="any")[0][0] == "iR@2000c"
    assert chosen(PLAIN, documents=DOCUMENTS)[0][0] == "iR@2000c"


def test_what_leads_is_also_what_failures_are_told_by() -> None:
    runs = {"r": [RESULT], "s": [RESULT | {"end": 60}]}
    documents = {"d1": "x" * 5000}
    scores = dx.evaluate(runs, [RANGE], documents=documents)
    assert dx.diagnose(runs, [RANGE], documents=documents).measure == scores.measures[0] == lead_of(scores)
    assert dx.diagnose(scores).measure == scores.measures[0]


def test_what_is_named_is_scored_and_nothing_is_said_of_it() -> None:
    scores = dx.evaluate({"r": [RESULT]}, [RANGE], "iP@1")
    assert scores.measures == ["iP@1"] and not any("named" in str(one) for one in scores.notices)


def test_in_python_too() -> None:
    scores = dx.evaluate({"r": [RESULT]}, [RANGE])
    assert scores.value("r", "iP@5") == 0.25
    assert any("no measure was named" in str(notice) for notice in scores.notices)


def test_measures_of_a_task_come_first() -> None:
    assert [str(m) for m in dx.Evaluation([RANGE], task="bioasq").measures] == [
        "iP",
        "iR",
        "F(beta=1)",
        "SnipAP",
    ]


def test_sets_of_places_are_counted_where_there_are_some() -> None:
    measures, said = chosen([RANGE | {"set": "a"}, OTHER | {"set": "b"}])
    assert measures[0] == "iR@2000c" and measures[-3:] == ["NeedRecall@5", "Complete@5", "SetRecall@5"]
    assert "the assessments highlight sets of places: scored by" in said
