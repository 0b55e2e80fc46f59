"""Correlations of rankings against scipy, or against the definition worked through item by item."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from doxeval.comparison.correlation import correlate
from doxeval.comparison.kendall import counted_pairs, kendall_p_value
from doxeval.comparison.rankings import (
    COEFFICIENTS,
    kendall_tau_b,
    pearson_r,
    rank_biased_overlap,
    spearman_rho,
    tau_ap,
)
from doxeval.core.errors import UsageError

from .scores import random_scores

scores_lists = st.lists(st.integers(0, 6), min_size=2, max_size=7)
pairs = scores_lists.flatmap(
    lambda x: st.tuples(st.just(x), st.lists(st.integers(0, 6), min_size=len(x), max_size=len(x)))
)


@given(pairs)
def test_tau_b_rho_and_r_are_scipys(pair: tuple[list[int], list[int]]) -> None:
    x, y = (np.array(side, dtype=float) for side in pair)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(kendall_tau_b(x, y))
        return
    assert float(kendall_tau_b(x, y)) == pytest.approx(stats.kendalltau(x, y).statistic)
    assert float(spearman_rho(x, y)) == pytest.approx(stats.spearmanr(x, y).statistic)
    assert float(pearson_r(x, y)) == pytest.approx(stats.pearsonr(x, y).statistic)


@given(
    st.integers(0, 10**6), st.integers(2, 45), st.sampled_from([2, 5, 40, 10**6]), st.sampled_from([0, 1, 9])
)
def test_pairs_counted_by_sorting_and_their_p_are_scipys(
    seed: int, systems: int, values: int, noise: int
) -> None:
    random = np.random.default_rng(seed)
    x = random.integers(0, values, systems) / 3
    y = random.choice([-1, 1]) * x + noise * random.integers(0, 2 + values // 3, systems)
    wanted = stats.kendalltau(x, y)
    assert float(counted_pairs(x, y).tau_b) == pytest.approx(wanted.statistic, abs=1e-15, nan_ok=True)
    if not np.isnan(wanted.statistic):
        assert kendall_p_value(x, y) == pytest.approx(wanted.pvalue, rel=1e-10, nan_ok=True)


def tau_ap_of_orders(x: list[int], y: list[int]) -> float:
    """Yilmaz et al. by their definition, `x` and `y` being items from best to worst."""
    place = {item: at for at, item in enumerate(y)}
    shares = [sum(place[above] < place[item] for above in x[:at]) / at for at, item in enumerate(x) if at]
    return 2 * sum(shares) / (len(x) - 1) - 1


def broken_ties(values: list[int]) -> list[list[int]]:
    """Every order from best to worst that breaking ties can give."""
    return [
        list(order)
        for order in itertools.permutations(range(len(values)))
        if all(values[a] >= values[b] for a, b in itertools.pairwise(order))
    ]


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=5).flatmap(
        lambda x: st.tuples(st.just(x), st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x)))
    )
)
def test_tau_ap_is_the_mean_over_all_ways_to_break_ties(pair: tuple[list[int], list[int]]) -> None:
    x, y = pair
    wanted = np.mean([tau_ap_of_orders(a, b) for a in broken_ties(x) for b in broken_ties(y)])
    assert float(tau_ap(np.array(x, dtype=float), np.array(y, dtype=float))) == pytest.approx(wanted)


def rbo_of_orders(x: list[int], y: list[int], p: float) -> float:
    """Webber et al. Eq. 23 on two complete lists without ties."""
    agreements = [len(set(x[:d]) & set(y[:d])) / d for d in range(1, len(x) + 1)]
    seen = sum((1 - p) * p ** (d - 1) * value for d, value in enumerate(agreements, 1))
    return seen + agreements[-1] * p ** len(x)


@given(st.permutations(range(6)), st.permutations(range(6)), st.floats(0.1, 0.95))
def test_rbo_by_its_definition(x: list[int], y: list[int], p: float) -> None:
    one, other = (-np.argsort(np.array(order)).astype(float) for order in (x, y))
    assert float(rank_biased_overlap(one, other, persistence=p)) == pytest.approx(rbo_of_orders(x, y, p))


def test_rbo_of_the_same_ranking_is_1_with_and_without_ties() -> None:
    for values in ([3.0, 2.0, 1.0], [2.0, 2.0, 1.0], [1.0, 1.0, 1.0]):
        assert float(rank_biased_overlap(np.array(values), np.array(values))) == pytest.approx(1.0)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_many_at_once_are_the_same_as_one_by_one(name: str) -> None:
    random = np.random.default_rng(0)
    x, y = random.integers(0, 5, (2, 20, 8)).astype(float)
    together = COEFFICIENTS[name](x, y)
    alone = [float(COEFFICIENTS[name](a, b)) for a, b in zip(x, y, strict=True)]
    assert together == pytest.approx(alone, nan_ok=True)


def test_correlate_has_scipys_p_values_and_intervals_around_the_value() -> None:
    scores = random_scores(12, 30, 3)
    found = correlate(scores, coefficient="tau", draws=300)
    means = np.array([[values.mean() for values in run.values] for run in scores.runs]).T
    wanted = stats.kendalltau(means[0], means[1])
    assert found.at("AiP", "iR@10") == pytest.approx((wanted.statistic, wanted.pvalue))
    assert (found.low <= found.value + 1e-12).all() and (found.high >= found.value - 0.3).all()
    assert (found.value == found.value.T).all()


def test_bootstrap_intervals_are_those_of_resampling_one_by_one() -> None:
    scores = random_scores(6, 12, 2)
    found = correlate(scores, coefficient="spearman", draws=3_000)
    values = np.array([run.values for run in scores.runs])
    random = np.random.default_rng(1)
    drawn = []
    for _ in range(3_000):
        topics = random.integers(0, 12, 12)
        means = values[:, :, topics].mean(axis=2)
        drawn.append(stats.spearmanr(means[:, 0], means[:, 1]).statistic)
    wanted = np.quantile(drawn, [0.025, 0.975])
    assert (found.low[0, 1], found.high[0, 1]) == pytest.approx(wanted, abs=0.08)


def test_a_part_of_a_table_has_the_values_and_intervals_of_the_whole() -> None:
    scores = random_scores(6, 20, 3)
    whole = correlate(scores, draws=100)
    part = correlate(scores, rows=["iP@10", "AiP"], columns=["iR@10"], draws=100)
    for name in ("value", "p", "low", "high"):
        assert getattr(part, name).tolist() == getattr(whole, name)[[2, 0]][:, [1]].tolist(), name


def test_permutation_p_of_tau_ap_and_rbo_over_all_orders() -> None:
    scores = random_scores(6, 10, 2)
    means = np.array([[values.mean() for values in run.values] for run in scores.runs]).T
    for name in ("tauap", "rbo"):
        orders = [list(order) for order in itertools.permutations(range(6))]
        every = np.array([float(COEFFICIENTS[name](means[0][order], means[1])) for order in orders])
        seen = float(COEFFICIENTS[name](means[0], means[1]))
        wanted = np.mean(np.abs(every - every.mean()) >= abs(seen - every.mean()) - 1e-12)
        assert correlate(scores, coefficient=name, draws=0).p[0, 1] == pytest.approx(wanted, abs=0.02)


def test_lower_is_better_turns_a_ranking_round() -> None:
    scores = random_scores(6, 10, 2)
    scores.measures[1] = "cost"
    plain = correlate(scores, coefficient="tau", draws=0, higher_is_better=["cost"])
    turned = correlate(scores, coefficient="tau", draws=0, lower_is_better=["cost"])
    assert turned.value[0, 1] == pytest.approx(-plain.value[0, 1])


def test_what_cannot_be_correlated_is_told() -> None:
    with pytest.raises(UsageError, match="at least 3"):
        correlate(random_scores(2, 5))
    with pytest.raises(UsageError, match="did you mean 'tau'"):
        correlate(random_scores(3, 5), coefficient="taub")


def test_infinite_values_tie_with_each_other() -> None:
    x, y = np.array([np.inf, np.inf, 1.0]), np.array([3.0, 3.0, 2.0])
    assert kendall_tau_b(x, y) == 1 and spearman_rho(x, y) == 1
