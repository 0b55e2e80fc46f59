"""Every paired test against scipy, or against all or many permutations one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from doxeval.comparison import resampling
from doxeval.comparison.paired import bootstrap_test as paired_bootstrap
from doxeval.comparison.paired import randomisation_test, sign_test, t_test, wilcoxon_test
from doxeval.comparison.tests import TESTS

seeds = st.integers(0, 10_000)


def drawn(seed: int, comparisons: int, topics: int, decimals: int | None = None) -> np.ndarray:
    values = np.random.default_rng(seed).normal(0.05, 0.2, (comparisons, topics))
    return values if decimals is None else values.round(decimals)


@given(seeds, st.integers(2, 40))
def test_t_is_scipys(seed: int, topics: int) -> None:
    rows = drawn(seed, 3, topics)
    wanted = [stats.ttest_1samp(row, 0).pvalue for row in rows]
    assert t_test(rows) == pytest.approx(wanted, rel=1e-9)


@given(seeds, st.integers(1, 30))
def test_sign_is_scipys_binomial(seed: int, topics: int) -> None:
    rows = drawn(seed, 3, topics, decimals=1)
    for row, p in zip(rows, sign_test(rows), strict=True):
        wins, losses = int((row > 0).sum()), int((row < 0).sum())
        wanted = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
        assert p == pytest.approx(wanted, rel=1e-9)


@given(seeds, st.integers(2, 30), st.sampled_from([None, 1]))
def test_wilcoxon_is_scipys(seed: int, topics: int, decimals: int | None) -> None:
    rows = drawn(seed, 3, topics, decimals)
    for row, p in zip(rows, wilcoxon_test(rows), strict=True):
        told = row[row != 0]
        assert p == (pytest.approx(stats.wilcoxon(told).pvalue) if len(told) else 1.0)


@given(seeds, st.integers(1, 9), st.sampled_from([None, 1]))
def test_randomisation_is_exact_when_small(seed: int, topics: int, decimals: int | None) -> None:
    rows = drawn(seed, 2, topics, decimals)
    for row, p in zip(rows, randomisation_test(rows), strict=True):
        seen = abs(row.sum())
        sums = [abs(np.dot(signs, row)) for signs in itertools.product((1, -1), repeat=topics)]
        assert p == pytest.approx(np.mean([value >= seen - 1e-12 for value in sums]), abs=1e-12)


def test_randomisation_by_chance_agrees_with_scipy_and_with_all_permutations() -> None:
    rows = drawn(3, 4, 12)
    exact = randomisation_test(rows, draws=10_000)
    sampled = randomisation_test(rows, draws=4_000)
    assert sampled == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 4_000))
    large = drawn(4, 1, 30)
    wanted = stats.permutation_test(
        (large[0],), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(0)
    ).pvalue
    assert randomisation_test(large, draws=20_000)[0] == pytest.approx(wanted, abs=0.015)


def test_bootstrap_test_is_what_resampling_one_by_one_gives() -> None:
    row = drawn(5, 1, 15)
    centred = row[0] - row[0].mean()
    seen = abs(stats.ttest_1samp(row[0], 0).statistic)
    random = np.random.default_rng(1)
    hits = 0
    for _ in range(20_000):
        sample = random.choice(centred, 15)
        hits += abs(sample.mean() / (sample.std(ddof=1) / np.sqrt(15))) >= seen
    assert paired_bootstrap(row, draws=20_000)[0] == pytest.approx(hits / 20_000, abs=0.015)


@pytest.mark.parametrize("name", [name for name, test in TESTS.all().items() if not test.joint])
def test_missing_topics_are_as_if_they_were_not_there(name: str) -> None:
    rows = drawn(6, 2, 12)
    with_gaps = np.insert(rows, [3, 7], np.nan, axis=1)
    tolerance = 0.05 if name == "bootstrap" else 1e-12
    assert TESTS[name](with_gaps, 5_000, 0) == pytest.approx(TESTS[name](rows, 5_000, 0), abs=tolerance)


@pytest.mark.parametrize("name", [name for name, test in TESTS.all().items() if not test.joint])
def test_no_difference_is_never_significant(name: str) -> None:
    assert TESTS[name](np.zeros((2, 10)), 500, 0).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", ["randomisation", "bootstrap"])
def test_the_size_of_blocks_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = drawn(7, 5, 30)
    wanted = TESTS[name](rows, 1_000, 3)
    monkeypatch.setattr(resampling, "BLOCK_NUMBERS", 97)
    assert TESTS[name](rows, 1_000, 3).tolist() == wanted.tolist()
    assert TESTS[name](rows, 1_000, 4).tolist() != wanted.tolist()


def test_the_same_difference_everywhere_is_certain() -> None:
    rows = np.full((1, 8), 0.1)
    assert t_test(rows)[0] == 0.0
    assert randomisation_test(rows)[0] == pytest.approx(2 / 2**8)
