"""Corrections against their definitions and scipy; intervals against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from doxeval.comparison.corrections import benjamini_hochberg, bonferroni, holm
from doxeval.comparison.intervals import bootstrap_interval, t_interval

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(np.array)


@given(p_values)
def test_holm_by_its_definition(p: np.ndarray) -> None:
    for level in (0.01, 0.05, 0.2):
        order = np.argsort(p, kind="stable")
        rejected: set[int] = set()
        for step, at in enumerate(order):
            if p[at] * (len(p) - step) > level:
                break
            rejected.add(int(at))
        assert set(np.flatnonzero(holm(p) <= level).tolist()) == rejected


@given(p_values)
def test_benjamini_hochberg_is_scipys(p: np.ndarray) -> None:
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p))


@given(p_values)
def test_corrections_only_raise_and_bonferroni_most(p: np.ndarray) -> None:
    assert (holm(p) >= p - 1e-15).all() and (benjamini_hochberg(p) >= p - 1e-15).all()
    assert (bonferroni(p) >= holm(p) - 1e-15).all()


@given(st.integers(0, 1000), st.integers(2, 30))
def test_t_interval_is_scipys(seed: int, topics: int) -> None:
    rows = np.random.default_rng(seed).normal(0.1, 1, (3, topics))
    low, high = t_interval(rows, 0.9, 0, 0)
    for at, row in enumerate(rows):
        wanted = stats.ttest_1samp(row, 0).confidence_interval(0.9)
        assert (low[at], high[at]) == pytest.approx((wanted.low, wanted.high), rel=1e-9)


def test_bootstrap_interval_is_near_scipys() -> None:
    rows = np.random.default_rng(2).gamma(1.0, 1.0, (3, 25))
    low, high = bootstrap_interval(rows, 0.95, 20_000, 1)
    for at, row in enumerate(rows):
        found = stats.bootstrap(
            (row,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(0)
        ).confidence_interval
        assert (low[at], high[at]) == pytest.approx((found.low, found.high), abs=0.03 * np.ptp(row) / 2)


def test_bootstrap_interval_of_equal_differences_is_a_point() -> None:
    low, high = bootstrap_interval(np.full((1, 9), 0.25), 0.95, 500, 0)
    assert (low[0], high[0]) == (0.25, 0.25)


def test_bootstrap_intervals_do_not_depend_on_what_is_compared_beside() -> None:
    """Differences that tie often: whether a drawn mean equals theirs must not hang on rounding."""
    rows = np.random.default_rng(4).choice([-0.2, -0.1, 0.0, 0.1, 0.3], size=(7, 12))
    together = bootstrap_interval(rows, 0.95, 2000, 3)
    alone = [bootstrap_interval(rows[at : at + 1], 0.95, 2000, 3) for at in range(len(rows))]
    np.testing.assert_allclose(np.array(together), np.concatenate(alone, axis=1), rtol=0, atol=1e-12)
