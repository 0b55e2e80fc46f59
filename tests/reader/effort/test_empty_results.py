"""Results without text: they keep their rank and their place, and touch nothing."""

from __future__ import annotations

import pytest

import doxeval as dx

QRELS = [
    {"topic": "t", "doc": "d", "start": 0, "end": 8, "aspects": ["A"]},
    {"topic": "t", "doc": "d", "start": 90, "end": 100, "aspects": ["B"]},
]
EMPTY = {"topic": "t", "doc": "d", "rank": 1, "start": 7, "end": 7}
SPANS = {"topic": "t", "doc": "d", "rank": 2, "spans": [[90, 92], [95, 97]]}
RANGE = {"topic": "t", "doc": "d", "rank": 2, "start": 90, "end": 92}


@pytest.mark.parametrize("other", [SPANS, RANGE])
@pytest.mark.parametrize("empty", [EMPTY, {**EMPTY, "spans": [[20, 20], [7, 7]], "start": None, "end": None}])
def test_an_empty_result_is_entered_where_it_is(other, empty):
    row = {key: value for key, value in empty.items() if value is not None}
    scores = dx.evaluate({"run": [row, other]}, QRELS, "BEP(n=10)@doc")
    assert scores.value("run", "BEP(n=10)@doc") == pytest.approx(0.3)


@pytest.mark.parametrize("other", [SPANS, RANGE])
def test_an_empty_result_touches_no_passage(other):
    scores = dx.evaluate({"run": [EMPTY, other]}, QRELS, "PsgAP AspectAP")
    assert scores.value("run", "PsgAP") == pytest.approx(1 / 2)
    assert scores.value("run", "AspectAP") == pytest.approx(1 / 2 / 2)


def test_ties_fall_to_the_place_of_empty_results_too():
    tied = [{**EMPTY, "start": 30, "end": 30}, {**SPANS, "rank": 1, "spans": [[5, 6], [10, 12]]}]
    scores = dx.evaluate({"run": tied}, QRELS, "iP@1")
    assert scores.value("run", "iP@1") == pytest.approx(1 / 3)
