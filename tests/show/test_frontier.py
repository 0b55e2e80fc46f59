"""The frontier of quality against what it takes: a brute-force twin, the text shown, and the figure."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.io.json_text import json_value
from doxeval.show.frontier import on_frontier
from doxeval.show.plot import asked_figure

points = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=9)
GOLD = [{"topic": t, "doc": "d", "start": 0, "end": 100} for t in ("t1", "t2")]


def run(length: int, **told: object) -> list[dict[str, object]]:
    """Two results of a size for each topic."""
    rows: list[dict[str, object]] = [
        {"topic": t, "doc": "d", "rank": rank, "start": 50 * rank - 50, "end": 50 * rank - 50 + length}
        for t in ("t1", "t2")
        for rank in (1, 2)
    ]
    return [{"run": "", "parameters": told}, *rows]


@given(points, st.sampled_from([1, -1]))
def test_a_run_is_on_the_frontier_if_no_other_is_better_in_both(found, direction) -> None:
    values, amounts = (np.array(side, dtype=float) for side in zip(*found, strict=True))
    wanted = [
        not any(
            direction * v >= direction * value and a <= amount and (v != value or a != amount)
            for v, a in found
        )
        for value, amount in found
    ]
    assert on_frontier(values, amounts, direction).tolist() == wanted


def test_text_shown_is_that_of_the_first_results() -> None:
    asked = asked_figure("pareto", measures="iR@1")
    scores = asked.scores({"a": run(10), "b": run(30)}, GOLD, None, None, (), {})
    rows = asked.numbers(scores).rows
    assert [(row["run"], row["amount"], row["value"], row["frontier"]) for row in rows] == [
        ("a", 10.0, 0.1, True),
        ("b", 30.0, 0.3, True),
    ]


def test_numbers_given_with_runs_are_weighed_and_missing_ones_stated() -> None:
    runs = {"a": run(10, cost=2), "b": run(30, cost=1), "c": run(40)}
    asked = asked_figure("pareto", measures="iR@2", against="cost")
    found = asked.numbers(asked.scores(runs, GOLD, None, None, (), {}))
    assert [row["run"] for row in found.rows if row["frontier"]] == ["b"]
    assert "1 run has no number 'cost' (c)" in repr(found)
    drawn = dx.plot(runs, GOLD, "iR@2", figure="pareto", against="cost")
    assert any("1 of 3 runs on the frontier: `b`" in text.get_text() for text in drawn.texts)
    with pytest.raises(dx.UsageError, match="no run has a number 'seconds'"):
        dx.plot(runs, GOLD, "iR@2", figure="pareto", against="seconds")
    with pytest.raises(dx.UsageError, match="only the figure pareto weighs"):
        dx.plot(runs, GOLD, "iR@2", figure="means", against="cost")


def page_data(path: Path) -> dict[str, Any]:
    """What the scripts of a report draw."""
    (block,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', path.read_text(), re.DOTALL)
    return json_value(block.encode())


def test_a_report_has_labels_parameters_effects_and_frontiers(tmp_path) -> None:
    runs = {f"r{size}": run(size, size=size, cost=size) for size in (10, 30)}
    dx.write_report(runs, GOLD, "iR@2", path=tmp_path / "r.html", baseline="r30")
    data = page_data(tmp_path / "r.html")
    assert data["labels"] == ["r10", "r30"] and data["baseline"] == "r30"
    assert data["parameters"][0] == {"name": "size", "values": ["10", "30"]}
    assert data["effects"][0]["title"] == "Effects"
    weighed = {one["against"]: one for one in data["pareto"]}
    assert weighed["characters"]["x"] == [20, 60] and weighed["cost"]["frontier"] == [0, 1]
    assert weighed["characters"]["depth"] == 2 and weighed["cost"]["depth"] == 0


@pytest.mark.parametrize("measures", ["iR@1 iR@2", "AiP iR@1", "CE@1", "iR@30c iR@2"])
def test_a_report_weighs_as_the_figure_does(tmp_path, measures) -> None:
    runs = {f"r{size}": run(size, cost=cost) for size, cost in ((10, 3), (30, 2), (40, 2.5))}
    dx.write_report(runs, GOLD, measures, path=tmp_path / "r.html")
    lead = measures.split()[0]
    found = page_data(tmp_path / "r.html")["pareto"]
    assert [one["against"] for one in found] == (["cost"] if lead == "iR@30c" else ["characters", "cost"])
    for one in found:
        asked = asked_figure("pareto", measures=lead, against=one["against"])
        rows = asked.numbers(asked.scores(runs, GOLD, None, None, (), {})).rows
        by_run = {row["run"]: row for row in rows}
        assert one["x"] == [by_run[name]["amount"] for name in runs]
        assert one["y"] == [by_run[name]["value"] for name in runs]
        assert [list(runs)[at] for at in one["frontier"]] == [row["run"] for row in rows if row["frontier"]]


def test_of_many_runs_on_the_frontier_a_figure_names_some() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    runs = {f"r{size:02d}": run(size) for size in range(1, 14)}
    drawn = dx.plot(runs, GOLD, "iR@1", figure="pareto")
    told = " ".join(" ".join(text.get_text().split()) for text in drawn.texts)
    assert "13 of 13 runs on the frontier, of which 12 are named" in told
    few = dx.plot(dict(list(runs.items())[:12]), GOLD, "iR@1", figure="pareto")
    assert not any("are named" in text.get_text() for text in few.texts)
