"""Pairs with different outcomes, against loops over all pairs and against scipy."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, mannwhitneyu

from doxeval.comparison.outcomes.cases import Cases
from doxeval.comparison.outcomes.pairs import OutcomePairs, pairs_apart
from doxeval.comparison.outcomes.resampled import Sampler
from doxeval.comparison.outcomes.within import permutation_p, signs_within, within_topics

CASES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=25
).map(lambda rows: [np.array(column, dtype=float) for column in zip(*rows, strict=True)])
"""Topic, value and outcome of each case, with many ties."""


def by_pairs(values, outcomes, weight=None, stratum=None):
    """Weights of pairs with different outcomes whose better case has the higher, lower and equal value."""
    weight = np.ones(len(values)) if weight is None else weight
    found = np.zeros(3)
    for one, other in combinations(range(len(values)), 2):
        if outcomes[one] == outcomes[other] or (stratum is not None and stratum[one] != stratum[other]):
            continue
        better, worse = (one, other) if outcomes[one] > outcomes[other] else (other, one)
        which = 0 if values[better] > values[worse] else 1 if values[better] < values[worse] else 2
        found[which] += weight[one] * weight[other]
    return found


def cases_of(topic, outcome, *values) -> Cases:
    """Cases with a run for each place of a topic."""
    run = [int((topic[:at] == topic[at]).sum()) for at in range(len(topic))]
    topics = [f"t{number}" for number in range(int(max(topic)) + 1)]
    runs = [f"r{number}" for number in range(max(run) + 1)]
    measures = [f"iP@{number}" for number in range(1, len(values) + 1)]
    codes = np.array(topic, dtype=np.int64)
    return Cases(
        "solved", topics, runs, measures, codes, np.array(run), np.array(outcome), np.array(values),
        set(outcome) <= {0.0, 1.0},
    )  # fmt: skip


@given(CASES)
def test_pairs_are_those_of_a_loop(columns) -> None:
    topic, value, outcome = columns
    pairs = OutcomePairs(value, outcome)
    assert [pairs.higher, pairs.lower, pairs.equal] == by_pairs(value, outcome).tolist()
    within = OutcomePairs(value, outcome, topic)
    assert [within.higher, within.lower, within.equal] == by_pairs(value, outcome, stratum=topic).tolist()


@given(CASES, st.data())
def test_drawn_topics_count_as_often_as_they_were_drawn(columns, data) -> None:
    topic, value, outcome = columns
    counts = np.array(
        data.draw(st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=5, max_size=5)),
        float,
    )
    codes = topic.astype(np.int64)
    pairs = OutcomePairs(value, outcome)
    between = pairs.between(codes, 5)
    for draw in range(2):
        higher, lower, equal = by_pairs(value, outcome, counts[codes, draw])
        one = counts[:, draw : draw + 1]
        assert pairs.weighted(codes, one).tolist() == [higher + equal / 2]
        assert (one[:, 0] @ between @ one[:, 0]) == higher + equal / 2
        assert pairs_apart(outcome, codes, one).tolist() == [higher + lower + equal]


@given(CASES)
def test_auc_and_tau_are_those_of_scipy(columns) -> None:
    topic, value, outcome = columns
    for one in (outcome, (outcome > 1).astype(float)):
        if len(set(one)) < 2:
            continue
        cases = cases_of(topic, one, value)
        sample = Sampler(cases, 0, 0).sample(0, np.ones(len(topic), dtype=bool))
        if cases.yes_no:
            statistic = mannwhitneyu(value[one == 1], value[one == 0]).statistic
            assert sample.value == pytest.approx(statistic / ((one == 1).sum() * (one == 0).sum()))
        elif len(set(value)) > 1:
            assert sample.tau == pytest.approx(kendalltau(value, one).statistic, abs=1e-12)
            higher, lower, equal = by_pairs(value, one)
            assert sample.value == pytest.approx((higher + equal / 2) / (higher + lower + equal))


@pytest.mark.parametrize("levels", [2, 7])
@pytest.mark.parametrize("runs", [1, 12])
def test_every_draw_is_the_value_of_the_cases_drawn(levels: int, runs: int) -> None:
    """With one run, pairs are counted case by case; with many, by topics."""
    random = np.random.default_rng(levels)
    topic = np.repeat(np.arange(30), runs).astype(float)
    outcome = random.integers(levels, size=len(topic)).astype(float)
    value = np.round(random.random(len(topic)) + 0.1 * outcome, 1)
    sampler = Sampler(cases_of(topic, outcome, value), 20, 3)
    sample = sampler.sample(0, np.ones(len(topic), dtype=bool))
    for draw in range(20):
        rows = np.repeat(np.arange(len(topic)), sampler._counts[topic.astype(int), draw])
        higher, lower, equal = by_pairs(value[rows], outcome[rows])
        assert sample.drawn[draw] == pytest.approx((higher + equal / 2) / (higher + lower + equal))
        if levels > 2:
            assert sample.tau_drawn[draw] == pytest.approx(kendalltau(value[rows], outcome[rows]).statistic)


def test_draws_with_one_outcome_are_drawn_again_and_counted() -> None:
    """With 5 topics of 60 that succeeded, about (55 / 60)^60 of the draws have no success."""
    topic, outcome = np.arange(60.0), (np.arange(60) < 5).astype(float)
    sampler = Sampler(cases_of(topic, outcome, topic), 4_000, 0)
    assert sampler._counts.shape == (60, 4_000)
    assert (sampler._counts[:5].sum(axis=0) > 0).all()
    assert sampler.redrawn == pytest.approx(4_000 * 0.0054, abs=15)
    again = Sampler(cases_of(topic, outcome, topic), 4_000, 0)
    assert (again._counts == sampler._counts).all()


@given(CASES)
def test_signs_within_topics_are_those_of_a_loop(columns) -> None:
    topic, value, outcome = columns
    wanted = [np.sign(value[at] - value[topic == topic[at]]).sum() for at in range(len(topic))]
    assert signs_within(value, topic).tolist() == wanted
    if set(outcome) <= {0.0, 1.0}:
        size = np.array([(topic == one).sum() for one in topic])
        higher, lower, _ = by_pairs(value, outcome, stratum=topic)
        statistic = (signs_within(value, topic) * signs_within(outcome, topic) / size).sum()
        assert statistic == pytest.approx(higher - lower)


def test_permutation_within_topics_is_exact_in_the_limit() -> None:
    """Three topics of three runs, one success each: the 27 equally likely outcomes can be listed."""
    topic = np.repeat(np.arange(3.0), 3)
    value = np.array([0.1, 0.2, 0.9, 0.3, 0.3, 0.8, 0.5, 0.4, 0.7])
    outcome = np.array([0.0, 0, 1, 0, 0, 1, 0, 1, 0])

    def statistic(successes):
        new = np.zeros(9)
        new[successes] = 1
        higher, lower, _ = by_pairs(value, new, stratum=topic)
        return higher - lower

    listed = [statistic([a, 3 + b, 6 + c]) for a in range(3) for b in range(3) for c in range(3)]
    exact = np.mean(np.abs(listed) >= abs(statistic([2, 5, 7])))
    cases = cases_of(topic, outcome, value)
    assert within_topics(cases, 0) == (4, 2, 0)
    assert permutation_p(cases, 20_000, 1)[0] == pytest.approx(exact, abs=0.012)
    same = cases_of(topic, np.repeat([0.0, 1.0, 1.0], 3), value)
    assert permutation_p(same, 100, 1) == [None]
