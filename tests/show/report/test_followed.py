"""Trajectories in the data of a report: what finds no room is counted, and numbers are those of eval."""

from __future__ import annotations

import random

import pytest

import doxeval as dx
from tests.show.report.test_report import data_of

GOLD = [{"topic": f"q{topic}", "doc": "d", "start_line": 1, "end_line": 2} for topic in range(1, 41)]


def test_trajectories_that_do_not_fit_are_counted(tmp_path) -> None:
    rng = random.Random(0)
    steps = [
        {"topic": line["topic"], "step": step, "action": "search", "query": f"{rng.getrandbits(1500):x}"}
        for line in GOLD
        for step in range(1, 60)
    ]
    written = dx.write_report({"r": steps}, GOLD, "iR", path=tmp_path / "report.html", max_megabytes=0.6)
    pages = len(data_of(tmp_path / "report.html")["pages"])
    assert 0 < pages < 40
    assert f"{40 - pages} trajectories have no page: the report may take 0.6 MB" in written.told()
    assert written.size <= 600_000


def test_amounts_are_those_of_explain_and_curves_those_of_eval(tmp_path) -> None:
    rng = random.Random(1)
    steps = [
        {"topic": line["topic"], "step": step, "action": "read", "doc": rng.choice("de"), "start_line": first,
         "end_line": first + 3, "cost": 0.1}
        for line in GOLD[:3]
        for step, first in enumerate((rng.randint(1, 9) for _ in range(8)), 1)
    ]  # fmt: skip
    dx.write_report({"r": steps}, GOLD[:3], "iR", path=tmp_path / "report.html")
    data = data_of(tmp_path / "report.html")
    for page in data["pages"]:
        told = dx.explain({"r": steps}, GOLD[:3], "iR", topic=data["topics"][page["topic"]][0]).rows["steps"]
        for column, name in (("number", "step"), ("shown", "shown"), ("new", "new"), ("again", "again")):
            assert page[column] == [row[name] for row in told]
        assert page["amounts"] == {"cost": [0.1] * 8}
    curves = {curve["name"]: curve["series"][0] for curve in data["efforts"]}
    assert list(curves) == ["gain-steps", "gain-cost"]
    points = curves["gain-steps"]["x"]
    assert points == list(range(1, 9))
    scores = dx.evaluate({"r": steps}, GOLD[:3], [f"iR@{point:g}steps" for point in points])
    assert curves["gain-steps"]["y"] == pytest.approx(
        [scores.value("r", measure) for measure in scores.measures], abs=1e-6
    )


def test_runs_without_steps_have_no_pages(tmp_path) -> None:
    run = [{"topic": "q1", "doc": "d", "start_line": 1, "end_line": 2, "rank": 1}]
    dx.write_report({"r": run}, GOLD[:1], "iR", path=tmp_path / "report.html")
    data = data_of(tmp_path / "report.html")
    assert (data["pages"], data["trajectories"], data["losses"], data["efforts"]) == ([], [False], None, [])


def test_chances_of_lines_are_those_of_the_measure(tmp_path) -> None:
    texts = {"d": "".join(f"line {line}\n" for line in range(1, 601))}
    steps = [{"topic": "q1", "step": 1, "action": "open", "doc": "d", "start_line": 1, "end_line": 120}]
    gold = [{"topic": "q1", "doc": "d", "start_line": 301, "end_line": 304}]
    model = "readon(mean=100)"
    dx.write_report({"r": steps}, gold, "iR", texts, path=tmp_path / "report.html", navigation=model)
    [[_, _, _, _, near, *_]] = data_of(tmp_path / "report.html")["views"][0]
    value = dx.evaluate({"r": steps}, gold, f"ESRR(nav={model})", texts).value("r", f"ESRR(nav={model})")
    assert 0.1 < value < 0.2
    assert near == [[0, 300, 304, pytest.approx(value, abs=1e-4)]]
