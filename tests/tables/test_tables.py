"""Tables of scores: turned where they would be too wide, infinite values in valid JSON."""

from __future__ import annotations

import json

import doxeval as dx
from doxeval.scoring.scores_table import render

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
