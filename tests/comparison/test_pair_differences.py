"""Pairs of runs, whose draws are differences of those of the runs, against their differences themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxeval.comparison.intervals import INTERVALS
from doxeval.comparison.pair_differences import PairDifferences
from doxeval.comparison.paired import randomisation_tests
from doxeval.comparison.tests import TESTS


def all_pairs(values: np.ndarray) -> PairDifferences:
    return PairDifferences(values, *np.triu_indices(len(values), 1))


@st.composite
def runs(draw: st.DrawFn) -> np.ndarray:
    """Values of runs: with ties, near ties, infinite ones, topics without a value for one run or for all."""
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    values = random.integers(0, 12, (draw(st.integers(2, 7)), draw(st.integers(3, 30)))) / 11
    kind = draw(st.sampled_from(["plain", "nearly", "rounded", "all", "one", "infinite"]))
    if kind in ("nearly", "rounded"):
        values += random.integers(0, 2, values.shape) * (1e-16 if kind == "rounded" else 4e-13)
    values[:, 0] = np.nan if kind == "all" else values[:, 0]
    values[0, 0] = {"one": np.nan, "infinite": np.inf}.get(kind, values[0, 0])
    return values


@given(runs())
@settings(max_examples=25, deadline=None)
def test_draws_of_runs_are_those_of_their_differences(values):
    pairs = all_pairs(values)
    for mine, theirs in zip(
        randomisation_tests(pairs, 300, 5), randomisation_tests(pairs[:], 300, 5), strict=True
    ):
        assert mine.tolist() == theirs.tolist()
    mine, theirs = (INTERVALS["bootstrap"](given, 0.9, 300, 5) for given in (pairs, pairs[:]))
    assert np.array(mine) == pytest.approx(np.array(theirs), abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("method", [TESTS["t"], TESTS["sign"], TESTS["bootstrap"], INTERVALS["t"]])
def test_pairs_looked_at_some_at_a_time_are_the_same(method, monkeypatch):
    monkeypatch.setattr("doxeval.comparison.pair_differences.BLOCK_NUMBERS", 40)
    pairs = all_pairs(np.random.default_rng(1).random((6, 17)))
    assert len(list(pairs.slabs())) > 3
    given = (0.95, 300, 5) if method in INTERVALS.all().values() else (300, 5)
    assert np.array(method(pairs, *given)) == pytest.approx(np.array(method(pairs[:], *given)), abs=1e-12)


def test_runs_are_drawn_from_once_where_that_is_the_same():
    values = np.random.default_rng(1).random((4, 9))
    assert all_pairs(values).linear
    assert not all_pairs(np.where(values > values.max() - 1e-9, np.inf, values)).linear
    assert not all_pairs(np.where(values > values.max() - 1e-9, np.nan, values)).linear
    assert not all_pairs(np.vstack([values, values + 5e-13])).linear
    assert all_pairs(np.vstack([values, values + 1e-16])).linear
