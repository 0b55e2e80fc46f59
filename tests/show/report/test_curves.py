"""Curves: every point of every measure over every axis is what eval gives there."""

from __future__ import annotations

import json
import random
import re
import sys
import warnings
from dataclasses import replace
from typing import Any, cast

import polars
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.core.units import OF_STEPS, OF_TEXT, UNITS
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from doxeval.measurement.base import measure_named
from doxeval.measurement.ip import CharacterPrecision
from doxeval.show.curves import AXES, curves_over
from doxeval.show.points import CurvePoint
from tests.measurement.test_invariants import DOCUMENTS as SMALL
from tests.measurement.test_invariants import SCORED, evaluate, evaluations, judged, options_for

CASES = {"ranges": evaluations(), "nodes": judged()}
FEW = settings(
    max_examples=1, suppress_health_check=list(HealthCheck), deadline=None, phases=[Phase.generate]
)
FILES = [str(path) for path in sorted(RUNS.glob("*.jsonl"))[:3]]
ALWAYS = "nDCG@5", "Bpref", "IPrec[0.5]", "PRUM(ideals=cover)", "EPRUM(r=2)"
DRAWN = {"rank": 50, "recall": 4, "ideals": 2} | {unit: 40 for unit in UNITS if unit != "ranks"}
"""The least number of measures, of either kind of assessments, that can be drawn over each axis."""


REFUSED = (
    "no curve over|summed over|cut-off in ranks|taken over ranks|either r or recall|takes no cut-off|"
    "area under a curve is not known"
)


def drawable(name: str, over: str) -> str | None:
    """A measure as it is typed for a curve over an axis; None if it has none.

    The area is known over text only in the unit of the evaluation, and tested on its own.
    """
    if name.startswith("Area") and over in OF_TEXT:
        return None
    text = str(replace(measure_named(name).expression, cutoff=None))
    try:
        curves_over(text, over)
    except dx.UsageError as problem:
        assert re.search(REFUSED, str(problem)), problem
        return None
    return text


def as_steps(results: list[dict]) -> list[dict]:
    """Results as a trajectory of reading steps that state what they spend."""
    rows = sorted(results, key=lambda row: (row["topic"], row["rank"]))
    spent = {"tokens": 30, "seconds": 0.5, "cost": 0.25, "action": "read"}
    left_out = ("rank", "score")
    return [
        {"step": row["rank"], **spent} | {key: row[key] for key in row if key not in left_out} for row in rows
    ]


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("over", AXES)
@FEW
@given(data=st.data())
def test_every_point_is_what_eval_gives_there(kind: str, over: str, data: st.DataObject) -> None:
    qrels, results = data.draw(CASES[kind])
    results = as_steps(results) if over in OF_STEPS else results
    shuffled = random.Random(data.draw(st.integers(0, 999))).sample(SCORED[kind], len(SCORED[kind]))
    firsts = {measure_named(name).name: name for name in shuffled}
    found = (drawable(name, over) for name in [*firsts.values(), *ALWAYS])
    names = [name for name in found if name is not None]
    assert len(names) >= DRAWN[over]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        drawn = dx.curve({"run": results}, qrels, names, SMALL, over=over, **options_for(qrels))
    cuts = {one.measure for one in drawn.curves if one.cuts_list}
    asked: dict[int | None, list[CurvePoint]] = {}
    for point in drawn.means:
        asked.setdefault(int(point.at) if point.curve in cuts else None, []).append(point)
    for depth, points in asked.items():
        options = {} if depth is None else {"depth": depth}
        scores = evaluate(results, qrels, list(dict.fromkeys(point.measure for point in points)), **options)
        means = {(row["measure"]): row for row in scores.mean.to_dicts()}
        for point in points:
            row = means[point.measure]
            assert point.topics == row["topics"], point
            assert point.value == pytest.approx(row["value"], abs=1e-12, nan_ok=True), point


@pytest.mark.parametrize("kind", CASES)
@FEW
@given(data=st.data(), amount=st.integers(1, 3))
def test_a_cutoff_in_documents_keeps_the_results_in_the_first_of_them(
    kind: str, data: st.DataObject, amount: int
) -> None:
    qrels, results = data.draw(CASES[kind])
    opened: dict[str, dict[str, None]] = {}
    for row in results:
        opened.setdefault(row["topic"], {})[row["doc"]] = None
    kept = [row for row in results if row["doc"] in list(opened[row["topic"]])[:amount]]
    names = [
        str(measure_named(name).expression.call)
        for name in SCORED[kind]
        if measure_named(name).cutoff == "optional"
    ]
    in_ranks = [name for name in names if measure_named(name).ranks_documents]
    others = [name for name in names if name not in in_ranks]
    found = evaluate(results, qrels, [f"{name}@{amount}d" for name in names])
    cut = evaluate(kept, qrels, others)
    ranked = evaluate(results, qrels, [f"{name}@{amount}" for name in in_ranks])
    assert len(others) > 40 and len(in_ranks) > 3
    for name in names:
        expected = cut.value("run", name) if name in others else ranked.value("run", f"{name}@{amount}")
        assert found.value("run", f"{name}@{amount}d") == pytest.approx(expected, abs=1e-12), name


def test_points_typed_with_a_measure_are_those_of_its_curve() -> None:
    drawn = dx.curve(FILES[0], ANSWERS, "iP@2,7 iR@4 F(beta=2)", over="rank")
    points = {one.measure: drawn.line(drawn.runs[0], one)[0] for one in drawn.curves}
    assert points["iP"] == [2, 7] and points["iR"] == [1, 2, 3, 4]
    assert points["F(beta=2)"] == list(range(1, 11))
    found = dx.curve(FILES[0], ANSWERS, "GRP EPRUM(recall=0.5)", DOCUMENTS, over="recall")
    assert found.line(found.runs[0], found.curves[0])[0] == [step / 20 for step in range(1, 21)]
    assert found.line(found.runs[0], found.curves[1])[0][-1] == 0.5


def test_the_curves_of_effort_are_those_in_print() -> None:
    """Effort 4.2.2: ES = 1, 2, 5, 1, 5 with three relevant documents."""
    places = {"a": (0, 10), "b": (400, 700), "c": (0, 10), "d": (0, 10), "e": (0, 10)}
    answers = [{"topic": "t", "doc": doc, "start": 0, "end": 10, "length": 5000} for doc in "abd"]
    results = [
        {"topic": "t", "doc": doc, "rank": rank, "start": start, "end": end}
        for rank, (doc, (start, end)) in enumerate(places.items(), 1)
    ]
    lengths = [{"doc": doc, "length": 5000} for doc in places]
    for over in ("rank", "documents"):
        drawn = dx.curve({"run": results}, answers, "CE NCE", lengths, over=over)
        effort, normalised = (drawn.line("run", one)[1] for one in drawn.curves)
        assert effort == [0, 1, 5, 5, 9]
        assert normalised == pytest.approx([0, 1, 5, 4.2, 4.2])


def test_several_models_give_a_curve_each() -> None:
    models = ["none", "hierarchical"]
    drawn = dx.curve(FILES[0], ANSWERS, "EPRUM PRUM", DOCUMENTS, models, over="ideals")
    assert [one.measure for one in drawn.curves] == [
        f"{name}(nav={model})" for name in ("EPRUM", "PRUM") for model in models
    ]
    one = dx.curve(FILES[0], ANSWERS, "PRUM", DOCUMENTS, models[1], over="ideals")
    assert (
        one.frame["value"].to_list()
        == drawn.frame.filter(polars.col("curve") == "PRUM(nav=hierarchical)")["value"].to_list()
    )


def test_what_the_means_are_over_stands_below_a_figure_if_it_varies() -> None:
    pytest.importorskip("matplotlib")
    notes = {}
    for over in ("ideals", "recall", "rank"):
        figure = dx.plot(FILES[0], ANSWERS, "PRUM", DOCUMENTS, figure=None, over=over)
        notes[over] = [" ".join(text.get_text().split()) for text in figure.texts]
    assert "mean over 3 to 15 topics that have a value there" in notes["ideals"][0]
    assert notes["recall"] == [] and "the list itself is cut at each rank for PRUM" in notes["rank"][0]


def test_the_numbers_need_no_matplotlib_and_are_those_of_python(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    common = [*FILES, "-q", str(ANSWERS), "-m", "iR@1,3d gP", "--over", "documents"]
    expected = dx.curve(FILES, ANSWERS, "iR@1,3d gP", over="documents")
    for suffix in ("csv", "jsonl", "parquet"):
        target = tmp_path / f"points.{suffix}"
        done = CliRunner().invoke(group, ["plot", *common, "-o", str(target)], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        readers = {"csv": polars.read_csv, "jsonl": polars.read_ndjson, "parquet": polars.read_parquet}
        assert cast(Any, readers[suffix])(target).rows() == expected.frame.rows()
    printed = CliRunner().invoke(group, ["plot", *common], catch_exceptions=False)
    assert printed.stdout.strip() == repr(expected)


def test_an_infinite_mean_is_valid_json() -> None:
    arguments = ["plot", FILES[0], "-q", str(ANSWERS), "-m", "Reach", "--over", "recall", "-f", "jsonl"]
    lines = CliRunner().invoke(group, arguments, catch_exceptions=False).stdout.splitlines()
    values = [json.loads(line, parse_constant=pytest.fail)["value"] for line in lines]
    assert values[0] == 0 and values[-1] == float("inf")


def test_ranks_and_recall_points_of_one_measure_share_its_terms(monkeypatch) -> None:
    calls, honest = [], CharacterPrecision.terms

    def counted(self, topics):
        calls.append(self)
        return honest(self, topics)

    monkeypatch.setattr(CharacterPrecision, "terms", counted)
    dx.evaluate(FILES[0], ANSWERS, "iP@1..50 iP(alpha=1)@3,5 iP[0] iP[0.1] iP iP@500c iP[0.1]@500c")
    assert len(calls) == 4


def test_each_run_is_shown_in_each_shape() -> None:
    """Effort's figures show runs of passages beside the same as runs of documents."""
    common = ["plot", *FILES[:2], "-q", str(ANSWERS), "-d", str(DOCUMENTS), "-m", "gP NCE@3", "-f", "csv"]
    both = CliRunner().invoke(group, [*common, "--over", "rank", "--as", "given", "--as", "documents"])
    found = polars.read_csv(both.stdout.encode()).to_dicts()
    for shape in (None, "documents"):
        alone = dx.curve(FILES[:2], ANSWERS, "gP NCE@3", DOCUMENTS, shape=shape)
        named = [{**row, "run": f"{row['run']} as {shape or 'given'}"} for row in alone.frame.to_dicts()]
        assert [row for row in found if row["run"].endswith(f" as {shape or 'given'}")] == named
