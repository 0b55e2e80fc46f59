"""Bounds in scores, comparisons, gates and reports, and what goes with none."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.core.errors import UsageError
from doxeval.measurement.characters import CharacterMeasure
from doxeval.measurement.families.bounds import Parts, _smallest
from doxeval.measurement.listed import chosen_measures
from doxeval.scoring.bounded import overall_bounds

QRELS = [
    {"topic": "q1", "doc": "a", "start": 0, "end": 10, "length": 100},
    {"topic": "q2", "doc": "a", "start": 0, "end": 10, "length": 100},
    {"topic": "q3", "doc": "a", "length": 100},
]
TOPICS = ("q1", "q2", "q3")


def run_of(*places: tuple[str, int, int]) -> list[dict[str, Any]]:
    return [
        {"topic": topic, "doc": doc, "rank": rank, "start": start, "end": end}
        for topic in TOPICS
        for rank, (doc, start, end) in enumerate(places, 1)
    ]


GOOD, POOR = run_of(("a", 0, 10), ("b", 0, 10)), run_of(("a", 50, 60), ("b", 5, 15))
RUNS = {"good": GOOD, "poor": POOR}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, rows in {**RUNS, "qrels": QRELS}.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def doxeval(*words: str) -> Result:
    return CliRunner().invoke(group, list(words))


SCORED = ("good.jsonl", "poor.jsonl", "-q", "qrels.jsonl", "--bounds")


def test_values_have_bounds_and_means_too() -> None:
    """In q1 and q2 ten characters of `b` may be relevant; q3 has a value only if something open is."""
    scores = dx.evaluate(RUNS, QRELS, "iP@2 iR@2", bounds=True)
    assert scores.bounds("good", "iP@2", "q1") == (0.5, 1.0)
    assert scores.bounds("good", "iR@2", "q1") == (10 / 15, 1.0)
    assert scores.bounds("poor", "iP@2", "q1") == (0.0, 0.5)
    assert scores.value("poor", "iP@2", "q3") is None
    assert scores.bounds("poor", "iP@2", "q3") == (0.0, 0.5), "the last open character is not shown by poor"
    assert scores.bounds("good", "iP@2") == (0.5 * 2 / 3, 1.0)
    assert scores.per_topic.columns == ["run", "topic", "measure", "value", "low", "high"]
    assert dx.evaluate(RUNS, QRELS, "iP@2").per_topic.columns == ["run", "topic", "measure", "value"]


def test_scores_without_bounds_say_so() -> None:
    with pytest.raises(UsageError, match="--bounds"):
        dx.evaluate(RUNS, QRELS, "iP@2").bounds("good", "iP@2")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"measures": "gP@5"}, "gP@5 has no bounds"),
        ({"measures": "iR(alpha=0.5)@5"}, "alpha=0"),
        ({"measures": "Bpref"}, "Bpref has no bounds"),
        ({"measures": "AP(judged_only=True)"}, "judged_only"),
        ({"unjudged": "skip"}, "unjudged"),
        ({"task": "thorough"}, "repeated text"),
        ({"task": "focused", "as_scored": True}, "as_scored"),
        ({"store": "kept"}, "store"),
        ({"bounds": False, "assessed": "highlights"}, "only with bounds"),
        ({"assessed": "x"}, "assessed must be"),
    ],
)
def test_what_has_no_bounds_is_refused(options: dict[str, Any], told: str, tmp_path: Path) -> None:
    if "store" in options:
        options = options | {"store": tmp_path}
    with pytest.raises(UsageError, match=told):
        dx.Evaluation(QRELS, **({"measures": "iP@2", "bounds": True} | options))


def test_grades_have_no_bounds_where_they_count() -> None:
    graded = [{**QRELS[0], "rel": 3}, *QRELS[1:]]
    with pytest.raises(UsageError, match="uses grades"):
        dx.Evaluation(graded, "nDCG@5", bounds=True)
    assert dx.evaluate(RUNS, graded, "P@5", bounds=True).bounded


def test_open_text_is_that_of_the_runs_or_of_a_pool() -> None:
    alone = dx.evaluate({"good": GOOD}, QRELS, "iR@2", bounds=True)
    assert alone.bounds("good", "iR@2", "q1") == (1.0, 1.0)
    pool = dx.pool(RUNS, QRELS)
    scores = dx.evaluate({"good": GOOD}, QRELS, "iR@2", bounds=True, pool=pool)
    assert scores.bounds("good", "iR@2", "q1") == (10 / 15, 1.0)
    open_rest = dx.evaluate({"poor": POOR}, QRELS, "iP@2", bounds=True, assessed="highlights")
    assert open_rest.bounds("poor", "iP@2", "q1") == (0.0, 1.0)


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "parquet"])
def test_files_of_scores_have_bounds_and_are_read_again(folder: Path, form: str) -> None:
    done = doxeval("eval", *SCORED, "-m", "iP@2", "--per-topic", "-o", f"scores.{form}")
    assert done.exit_code == 0, done.output
    found = dx.read_scores(f"scores.{form}")
    assert found.value("good", "iP@2", "q1") == 0.5
    if form == "csv":
        lines = (folder / "scores.csv").read_text().splitlines()
        assert lines[0] == "run,topic,measure,value,low,high"
        assert lines[1] == "good,q1,iP@2,0.5,0.5,1.0"
        assert lines[3] == "good,q3,iP@2,,0.0,0.5"


def test_bounds_are_the_same_however_they_are_worked_out(folder: Path) -> None:
    words = ("eval", *SCORED, "-m", "AiP iP@2 iR@2 AP", "--per-topic", "-f", "csv")
    plain = doxeval(*words)
    assert plain.exit_code == 0, plain.output
    assert doxeval(*words, "--jobs", "2").stdout == plain.stdout
    assert doxeval("--max-whole", "1K", *words).stdout == plain.stdout
    doxeval("pool", "good.jsonl", "poor.jsonl", "-q", "qrels.jsonl", "-o", "pool.jsonl")
    assert doxeval(*words, "--pool", "pool.jsonl").stdout == plain.stdout


def test_a_table_shows_bounds_and_what_they_are_about(folder: Path) -> None:
    told = doxeval("eval", *SCORED, "-m", "iP@2").stdout
    assert "0.5000 [0.3333, 1.0000]" in told
    assert "45 unjudged characters, in 3 documents" in told


def test_a_comparison_says_who_wins_whatever_is_relevant(folder: Path) -> None:
    """Under the same judgements `good` cannot lose by iP@2, although its bounds and those of `poor` meet."""
    done = doxeval("compare", *SCORED, "-m", "iP@2", "--draws", "100")
    assert "`good` beats `poor` whatever the unjudged text is" in done.stdout
    rows = doxeval("compare", *SCORED, "-m", "iP@2", "--draws", "100", "-f", "csv").stdout.splitlines()
    assert rows[0].endswith(",least,most")
    runs = {"good": GOOD, "poor": POOR, "other": run_of(("a", 50, 60), ("b", 0, 10))}
    scores = dx.evaluate(runs, QRELS, "iP@2", bounds=True)
    good, alike, other = scores.compare(draws=100).differences
    assert (good.least, good.most) == pytest.approx((-0.75, -1 / 12))
    assert good.whatever() == "`good` beats `poor` whatever the unjudged text is"
    assert (other.least, other.most, other.whatever()) == (-0.25, 0.25, "depends on the unjudged text")
    assert alike.whatever() == "`good` beats `other` whatever the unjudged text is"


def test_scores_of_files_have_no_bounds(folder: Path) -> None:
    doxeval("eval", "good.jsonl", "-q", "qrels.jsonl", "-m", "iP@2", "--per-topic", "-o", "scores.csv")
    done = doxeval("compare", "poor.jsonl", "scores.csv", "-q", "qrels.jsonl", "-m", "iP@2", "--bounds")
    assert "--bounds needs runs" in done.output


@pytest.mark.parametrize(
    ("run", "baseline", "drop", "status", "told"),
    [
        ("good", "poor", "0", 0, "whatever the unjudged text is"),
        ("poor", "good", "0", 1, "FAIL iP@2"),
        ("poor", "good", "0.6", 2, "judgements of the unjudged text could make the difference anything from"),
        ("poor", "good", "0.9", 0, "whatever the unjudged text is"),
        ("poor", "good", "0.083", 1, "FAIL iP@2"),
        ("poor", "good", repr(1 / 12), 2, "and it may fall by 0.0833333"),
        ("poor", "good", "0.749", 2, "and it may fall by 0.749"),
        ("poor", "good", "0.75", 0, "whatever the unjudged text is"),
    ],
)
def test_a_gate_passes_only_whatever_the_unjudged_text_is(
    folder: Path, run: str, baseline: str, drop: str, status: int, told: str
) -> None:
    words = ("gate", f"{run}.jsonl", "-b", f"{baseline}.jsonl", "-q", "qrels.jsonl", "-m", "iP@2", "--bounds")
    done = doxeval(*words, "--max-drop", drop, "--fail-on", "drop")
    assert done.exit_code == status, done.output
    assert told in done.output


def test_a_gate_with_bounds_wants_drops_as_amounts(folder: Path) -> None:
    words = ("gate", "good.jsonl", "-b", "poor.jsonl", "-q", "qrels.jsonl", "-m", "iP@2", "--bounds")
    assert "give an amount" in str(doxeval(*words, "--max-drop", "5%").exception)


def test_a_report_shows_bounds(folder: Path) -> None:
    done = doxeval("report", *SCORED, "-m", "iP@2", "-o", "report.html")
    assert done.exit_code == 0, done.output
    page = (folder / "report.html").read_text()
    assert "0.5000 [0.3333, 1.0000]" in page and "`good` beats `poor` whatever the unjudged text is" in page


optional = st.lists(st.tuples(st.booleans(), st.integers(0, 20)), min_size=1, max_size=7)


@given(optional)
def test_means_go_as_far_as_any_choice_of_optional_topics(topics: list[tuple[bool, int]]) -> None:
    sure = [value for is_sure, value in topics if is_sure]
    may = [value for is_sure, value in topics if not is_sure]
    means = [
        np.mean([*sure, *(value for value, taken in zip(may, chosen, strict=True) if taken)])
        for chosen in product((False, True), repeat=len(may))
        if sure or any(chosen)
    ]
    bounds = np.array([value for _, value in topics], dtype=float)
    values = np.array([value if is_sure else np.nan for is_sure, value in topics])
    assert overall_bounds(values, bounds, bounds) == pytest.approx((min(means), max(means)))


QUOTIENTS = chosen_measures("iP@5 iR@5 F(beta=1)@5 F(beta=2)@5 IoU@5")
few, many = st.integers(0, 3), st.integers(0, 99)


@given(st.sampled_from(QUOTIENTS), few, few, many, many, few, many, few, few, few, many)
@settings(max_examples=25, deadline=None)
def test_the_smallest_difference_is_smallest_over_all_amounts(
    measure: CharacterMeasure, mine: int, theirs: int, both: int, none: int, gain: int, other: int,
    shared: int, rest: int, waste: int, other_waste: int,
) -> None:  # fmt: skip
    """Of what each run sees alone, both see and none sees, any amount may be relevant."""
    known, empty = np.array([float(gain + other + shared + rest)]), np.zeros(0)
    seen = (empty, empty, empty, empty)

    def parts(gain: int, size: int) -> Parts:
        return Parts(measure.fraction, np.array([float(gain)]), np.array([float(size)]), known, known, seen)

    one = parts(gain + shared, gain + shared + mine + both + waste)
    two = parts(other + shared, other + shared + theirs + both + other_waste)
    amounts = [np.array([float(value)]) for value in (mine, theirs, both, none)]
    found = _smallest(one, two, *amounts)[0]
    x, y, z, w = (
        grid.ravel()
        for grid in np.meshgrid(*(np.arange(value + 1.0) for value in (mine, theirs, both, none)))
    )
    total = known + x + y + z + w
    differences = one.value(one.gain + x + z, total) - two.value(two.gain + y + z, total)
    differences = differences[total > 0]
    if not len(differences):
        assert np.isnan(found)
    else:
        assert found == pytest.approx(differences.min(), abs=1e-12)


def test_the_bounds_of_a_sum_include_topics_that_may_come_to_have_a_value() -> None:
    scores = dx.evaluate(RUNS, QRELS, "NumRel", bounds=True)
    assert [scores.bounds("good", "NumRel", topic) for topic in TOPICS] == [(1, 2), (1, 2), (0, 1)]
    assert scores.bounds("good", "NumRel") == (2.0, 5.0)
    sure, may = np.array([1.0, np.nan, np.nan]), np.array([1.0, 2.0, np.nan])
    assert overall_bounds(sure, may, 2 * may, summed=True) == (1.0, 6.0)


def test_a_difference_of_means_over_ranks_lies_between_the_bounds_of_both() -> None:
    """No quotient of counts: the runs need not be at their best under the same judgements."""
    found = dx.compare(RUNS, QRELS, "AiP", bounds=True, draws=100)
    (one,) = found.differences
    bounds = {run: np.array([found.scores.bounds(run, "AiP", topic) for topic in TOPICS]) for run in RUNS}
    low, high = (bounds["poor"][:, at] - bounds["good"][:, 1 - at] for at in (0, 1))
    values = np.array([[found.scores.value(run, "AiP", topic) for topic in TOPICS[:2]] for run in RUNS])
    unknown = np.append(values[1] - values[0], np.nan)
    assert (
        (one.least, one.most)
        == overall_bounds(unknown, low, high)
        == pytest.approx((-1.0, -0.02145), abs=1e-4)
    )
