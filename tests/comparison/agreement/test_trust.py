"""Means corrected by a few trusted judgements: the formula, and how often intervals hold the truth."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import doxeval as dx
from doxeval.cli import group
from doxeval.comparison.trust import FEWEST_JUDGED_BY_BOTH, TrustedMean, trust
from doxeval.scoring.scores import RunScores, Scores

NAN = float("nan")


def scored(values: np.ndarray, measure: str = "AiP") -> Scores:
    topics = [f"t{number}" for number in range(len(values))]
    return Scores([measure], topics, [RunScores("a", values[None], np.ones(len(values), dtype=bool), 1, 0)])


def corrected(model: np.ndarray, trusted: np.ndarray, confidence: float = 0.95) -> TrustedMean:
    """The mean where the first topics are judged by both."""
    return trust(scored(model), trusted=scored(trusted), confidence=confidence).means[0]


@given(
    st.integers(0, 10_000), st.integers(FEWEST_JUDGED_BY_BOTH, 12), st.integers(1, 20), st.floats(0.0, 1.0)
)
def test_a_mean_is_that_of_the_papers(seed: int, judged: int, more: int, noise: float) -> None:
    """PPI++, Section 2 and Eq. 6: value, weight and variance, each written out."""
    rng = np.random.default_rng(seed)
    truth = rng.random(judged + more)
    model = truth + rng.normal(0.1, noise, judged + more)
    found = corrected(model, truth[:judged])
    y, f, elsewhere = truth[:judged], model[:judged], model[judged:]
    assert found.value == pytest.approx(np.mean(y - found.weight * f) + found.weight * np.mean(elsewhere))
    assert (found.topics, found.trusted) == (judged + more, judged)
    assert (found.human, found.model) == pytest.approx((y.mean(), model.mean()))
    tuned = np.cov(y, f)[0, 1] / ((1 + judged / more) * np.var(model, ddof=1))
    assert found.weight == pytest.approx(np.clip(tuned, 0, 1))
    left = judged - (2 if found.weight else 1)
    parts = np.array([
        np.var(y - found.weight * f, ddof=1) * (judged - 1) / left / judged,
        found.weight**2 * np.var(model, ddof=1) / more,
    ])  # fmt: skip
    freedom = parts.sum() ** 2 / (parts[0] ** 2 / left + parts[1] ** 2 / (judged + more - 1))
    width = stats.t.ppf(0.975, freedom) * parts.sum() ** 0.5
    assert (found.low, found.high) == pytest.approx((found.value - width, found.value + width))


def test_where_people_judged_everything_the_interval_is_students() -> None:
    y = np.array([0.1, 0.4, 0.5, 0.9, 0.2])
    found = corrected(y + 0.2, y)
    wanted = stats.t.interval(0.95, 4, y.mean(), stats.sem(y))
    assert (found.low, found.high) == pytest.approx(wanted) and found.weight == 0


def test_so_many_judged_topics_halve_the_interval() -> None:
    """Judging that many of topics spread alike does; one fewer does not."""
    rng = np.random.default_rng(3)
    truth = rng.random(20)
    model = truth + rng.normal(0, 0.2, 20)
    found = corrected(np.tile(model, 30), truth)
    needed = found.halving
    assert needed is not None and 40 < needed < 600

    def half_width(judged: int) -> float:
        """Of as many judged topics that have the moments of the twenty."""
        from doxeval.comparison.trust import Moments

        spread = np.cov(truth, model)
        everywhere = float(np.var(np.tile(model, 30), ddof=1))
        return Moments(spread[0, 0], spread[1, 1], everywhere, spread[0, 1]).half_width(judged, 600, 0.95)

    half = (found.high - found.low) / 4
    assert half_width(20) == pytest.approx(2 * half)
    assert half_width(needed) <= half < half_width(needed - 1)


def test_topics_without_a_value_are_told() -> None:
    model = np.array([0.5, NAN, 0.25, 0.75, 0.5, NAN, 0.5])
    found = trust(scored(model), trusted=scored(np.array([0.4, 0.3, 0.2, NAN, 0.6])))
    told = "\n".join(map(str, found.notices.lasting))
    assert (
        "2 topics have no value by the model's judgements, and are predicted to have its mean (t1; t5)"
        in told
    )
    assert "1 judged topic has no value by the trusted judgements and is not in the mean (t3)" in told
    assert found.means[0].human == pytest.approx(0.375) and found.means[0].trusted == 5
    few = trust(scored(model), trusted=scored(model[:2]))
    assert few.means[0].value is None and "1 mean is not corrected" in str(few.notices.lasting[-1])


def test_what_cannot_be_corrected_is_refused() -> None:
    other = Scores(["AiP"], ["q"], scored(np.ones(1)).runs)
    with pytest.raises(dx.UsageError, match="no topic in common"):
        trust(scored(np.ones(5)), trusted=other)
    with pytest.raises(dx.UsageError, match="NumRel is summed"):
        trust(scored(np.ones(5), "NumRel"), trusted=scored(np.ones(5), "NumRel"))


def coverage(judged: int, more: int, noise: float, repeats: int, seed: int) -> tuple[float, float, float]:
    """How often the interval holds the mean of all topics, and its width with and without a model."""
    rng = np.random.default_rng(seed)
    held, width, alone = 0, 0.0, 0.0
    for _ in range(repeats):
        truth = rng.beta(2, 3, judged + more)
        model = np.clip(0.2 + 0.7 * truth + rng.normal(0, noise, judged + more), 0, 1)
        found = corrected(model, truth[:judged])
        held += found.low <= 0.4 <= found.high
        width += found.high - found.low
        alone += 2 * stats.t.ppf(0.975, judged - 1) * stats.sem(truth[:judged])
    return held / repeats, width / repeats, alone / repeats


def test_intervals_cover_the_truth_at_their_rate() -> None:
    """By a model that errs in a known direction; within three deviations of 95% in so many experiments."""
    held, width, alone = coverage(20, 180, 0.05, 1_000, 0)
    assert abs(held - 0.95) < 3 * (0.95 * 0.05 / 1_000) ** 0.5
    assert width < 0.7 * alone


@pytest.mark.simulation
@pytest.mark.parametrize("noise", [0.02, 0.1, 0.5])
@pytest.mark.parametrize(("judged", "more"), [(10, 90), (20, 180), (50, 50), (100, 900)])
def test_intervals_cover_the_truth_whatever_the_model(judged: int, more: int, noise: float) -> None:
    held, width, alone = coverage(judged, more, noise, 4_000, judged)
    assert 0.93 < held < 0.965
    assert width < 1.1 * alone


@pytest.mark.simulation
def test_intervals_cover_the_truth_where_topics_have_no_value() -> None:
    """Small values are missing more often, by both judgements; the truth is the mean of those there are."""
    rng = np.random.default_rng(1)
    held, repeats, judged, topics = 0, 4_000, 50, 200
    for _ in range(repeats):
        value = rng.beta(1, 1.5, topics)
        model = np.where(rng.random(topics) < 0.5 + 0.5 * value, value + rng.normal(0.1, 0.1, topics), NAN)
        known = rng.random(judged) < 0.4 + 0.6 * value[:judged]
        found = corrected(model, np.where(known, value[:judged], NAN))
        held += found.low <= (0.4 * 0.4 + 0.6 * 8 / 35) / (0.4 + 0.6 * 0.4) <= found.high
    assert 0.93 < held / repeats < 0.965


def test_the_command_corrects_means(tmp_path: Path) -> None:
    """The model highlights ten characters too many everywhere; three quarters of the topics are its own."""
    gold: list[dict[str, Any]] = [
        {"topic": f"t{n}", "doc": "d", "start": 0, "end": 20 + 3 * (n % 5)} for n in range(40)
    ]
    run: list[dict[str, Any]] = [
        {"topic": f"t{n}", "doc": "d", "rank": 1, "start": 0, "end": 60 + n % 7} for n in range(40)
    ]
    tables = {"model": [{**row, "end": row["end"] + 10} for row in gold], "human": gold[::4], "run": run}
    for name, table in tables.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table))
    files = {name: str(tmp_path / f"{name}.jsonl") for name in tables}
    words = ["eval", files["run"], "-q", files["model"], "--trust", files["human"], "-m", "iP@1"]
    done = CliRunner().invoke(group, [*words, "-f", "csv"])
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert list(row) == [
        "run", "topic", "measure", "value", "low", "high", "model", "human", "weight", "topics", "trusted",
        "halving",
    ]  # fmt: skip
    truth = dx.evaluate(run, gold, "iP@1")["iP@1"]
    assert float(row["low"]) < truth < float(row["high"]) < float(row["model"])
    (same,) = json.loads(CliRunner().invoke(group, [*words, "-f", "json"]).stdout)
    assert {name: str(value) for name, value in same.items()} == row
    shown = CliRunner().invoke(group, words)
    assert shown.exit_code == 0 and f"{float(row['value']):.4f} [" in shown.stdout


def test_corrected_means_are_sorted_by_the_models() -> None:
    topics = [f"t{number}" for number in range(12)]
    rng = np.random.default_rng(0)
    values = {name: rng.random(12) * 0.1 + mean for name, mean in (("b", 0.2), ("c", 0.8), ("a", 0.5))}
    runs = [RunScores(name, of[None], np.ones(12, dtype=bool), 1, 0) for name, of in values.items()]
    model = Scores(["AiP"], topics, runs)
    judged = Scores(
        ["AiP"],
        topics[:6],
        [RunScores(run.name, run.values[:, :6], np.ones(6, dtype=bool), 1, 0) for run in runs],
    )
    found = trust(model, trusted=judged)
    assert [mean.run for mean in found.means] == ["b", "c", "a"]
    best = found.sort("AiP")
    assert [mean.run for mean in best.means] == best.scores.names == ["c", "a", "b"]
    assert [mean.run for mean in found.sort("name").means] == ["a", "b", "c"]
