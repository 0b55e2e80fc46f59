"""A corrected p-value is never below its own pair's, and a copy of a run changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.comparison.compare import compare
from doxeval.comparison.difference import Difference
from doxeval.comparison.family import originals
from doxeval.comparison.gate import gate
from doxeval.comparison.verdict import verdict
from doxeval.extend import CORRECTIONS, TESTS
from doxeval.lab.studies.error_rates import FAMILIES, METHODS, simulate_families
from doxeval.scoring.scores import RunScores, Scores
from tests.comparison.scores import random_scores

QUICK = {"draws": 200, "interval": "t"}


def with_copy(scores: Scores, run: int, noise: float = 0.0) -> Scores:
    """The scores with another run that has the values of one of them."""
    one = scores.runs[run]
    values = one.values + noise * np.random.default_rng(5).normal(size=one.values.shape)
    copy = RunScores("copy", values, one.counted, one.results, one.unjudged)
    return Scores(scores.measures, scores.topics, [*scores.runs, copy])


def named(comparison: dx.Comparison, **other: str) -> dict[tuple[str, str, str, str], Difference]:
    every = [*comparison.differences, *comparison.slices]
    return {(d.measure, d.slice, d.baseline, d.run): d for d in every if "copy" not in (d.baseline, d.run)}


def sliced(scores: Scores) -> Scores:
    return scores.with_topics({topic: {"half": str(at % 2)} for at, topic in enumerate(scores.topics)})


@pytest.mark.parametrize("correction", list(CORRECTIONS))
@pytest.mark.parametrize("test", list(TESTS))
@pytest.mark.parametrize("by", [None, "half"])
@given(seed=st.integers(0, 999), runs=st.integers(2, 4), topics=st.integers(4, 12))
@settings(max_examples=3, deadline=None)
def test_no_corrected_p_is_below_that_of_its_pair(correction, test, by, seed, runs, topics) -> None:
    scores = sliced(random_scores(runs, topics, 2, seed))
    alone: dict[tuple[str, str, str, str], float] = {}
    for pair in [(f"r{one}", f"r{other}") for one in range(runs) for other in range(one + 1, runs)]:
        both = dx.Scores(scores.measures, scores.topics, [scores.runs[int(name[1])] for name in pair])
        single = "randomisation" if test == "tukey" else test
        found = compare(sliced(both), test=single, correction="none", by=by, **QUICK)
        alone |= {key: one.p for key, one in named(found).items()}
    together = named(compare(scores, test=test, correction=correction, by=by, **QUICK))
    assert together.keys() == alone.keys()
    for key, one in together.items():
        assert one.adjusted_p >= one.p and one.adjusted_p >= alone[key], key


@pytest.mark.parametrize("correction", list(CORRECTIONS))
@pytest.mark.parametrize("test", [*TESTS, None])
@pytest.mark.parametrize("way", ["all pairs", "baseline", "slices"])
@given(seed=st.integers(0, 999), runs=st.integers(2, 4), copied=st.integers(0, 3))
@settings(max_examples=3, deadline=None)
def test_a_copy_changes_nothing(correction, test, way, seed, runs, copied) -> None:
    scores = sliced(random_scores(runs, 9, 2, seed))
    more = {"baseline": {"baseline": "r0"}, "slices": {"by": "half"}}.get(way, {})
    if way == "baseline" and test == "tukey":
        return
    asked = {"test": test, "correction": correction, **more, **QUICK}
    before = named(compare(scores, **asked))
    copied = sliced(with_copy(scores, copied % runs))
    found = compare(copied, **asked)
    after = named(found)
    assert {key: (one.p, one.adjusted_p) for key, one in before.items()} == {
        key: (one.p, one.adjusted_p) for key, one in after.items()
    }
    assert "1 run has the same value as another for every topic and counts once" in repr(found)


@given(seed=st.integers(0, 999), runs=st.integers(2, 4), copied=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_a_copy_changes_neither_verdict_nor_gate(seed, runs, copied) -> None:
    scores = random_scores(runs, 8, 1, seed)
    more = with_copy(scores, copied % runs)
    best = int(np.argmax([run.values.mean() for run in scores.runs]))
    if copied % runs != best:
        said, again = verdict(scores)[0], verdict(more)[0]
        assert said.partition("(")[0] == again.partition("(")[0]
    was = {v.difference.run: v.failed for v in gate(scores, baseline="r0", **QUICK).verdicts}
    now = {v.difference.run: v.failed for v in gate(more, baseline="r0", **QUICK).verdicts}
    assert now.items() >= was.items()


LEADER = [[0.9, 0.8, 0.7, 0.9], [0.5, 0.5, 0.4, 0.3]]


def test_a_copy_of_the_winner_does_not_make_its_lead_significant() -> None:
    gold = [{"topic": f"t{at}", "doc": "d", "start": 0, "end": 10} for at in range(4)]
    rows = {
        name: [
            {"topic": f"t{at}", "doc": "d", "rank": 1, "start": 0, "end": int(10 * value)}
            for at, value in enumerate(values)
        ]
        for name, values in zip("abc", [*LEADER, LEADER[0]], strict=True)
    }
    alone, both = (
        dx.evaluate({name: rows[name] for name in "ab"}, gold, "iR@1"),
        dx.evaluate(rows, gold, "iR@1"),
    )
    (single,) = alone.compare().differences
    assert single.p == 0.125
    assert {d.adjusted_p for d in both.compare().differences} == {0.125, 1.0}
    assert not any("significant" in line for line in both.verdict())
    assert "(c = a)" in repr(both.compare())


def test_runs_are_copies_by_every_value_and_by_measure() -> None:
    scores = random_scores(3, 6, 2, seed=4)
    scores.runs[2].values[0] = scores.runs[0].values[0]
    found = compare(scores, **QUICK)
    assert "(r2 = r0 by AiP)" in repr(found)
    values = np.array([[0.0, np.nan], [-0.0, np.nan], [0.0, 0.0]])
    assert originals(values).tolist() == [0, 0, 2]


def below(error: float, experiments: int, level: float = 0.05) -> bool:
    return error <= level + 4 * (level * (1 - level) / experiments) ** 0.5


def test_the_error_of_families_stays_at_its_level_quickly() -> None:
    found = simulate_families(experiments=60, topics=20, draws=200, seed=2)
    for family in FAMILIES:
        for method in [*METHODS][:-1]:
            assert below(found.of(family.title, method), 60), (family.title, method)
    copied = "two, one of them five times"
    assert found.of(copied, "shuffles alone") > found.of(copied, "tukey")


@pytest.mark.simulation
def test_the_error_of_families_stays_at_its_level() -> None:
    found = simulate_families(experiments=1000, topics=40, draws=500)
    print(found.table().plain())
    for family in FAMILIES:
        for method in [*METHODS][:-1]:
            assert below(found.of(family.title, method), 1000), (family.title, method)
    assert found.of("two, one of them five times", "shuffles alone") > 0.08
