"""Paired tests on differences per topic, many comparisons at once.

Every test takes `differences[comparison, topic]`, NaN if a topic has no value, and returns two-sided
p-values. Differences that are all zero give p = 1.
"""

from __future__ import annotations

import numpy as np

from doxeval.comparison.pair_differences import PairDifferences, drawn_of
from doxeval.comparison.resampling import (
    COMPARISONS_AT_ONCE,
    ROUNDING,
    count_blocks,
    held_or_drawn_again,
    just_reached,
    monte_carlo_p,
    over_blocks,
    reaches,
    sign_blocks,
)
from doxeval.kernels.draws import farthest

DRAWS = 10_000
DEFAULT_ALPHA = 0.05


@np.errstate(invalid="ignore")
def moments(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number of defined topics, mean and standard deviation (n - 1) of each comparison.

    If a difference is infinite, so is the mean, and there is no deviation.
    """
    defined = ~np.isnan(differences)
    count = defined.sum(axis=1)
    values = np.where(defined, differences, 0.0)
    mean = values.sum(axis=1) / np.maximum(1, count)
    squares = (np.where(defined, values - mean[:, None], 0.0) ** 2).sum(axis=1)
    deviation = np.sqrt(squares / np.maximum(1, count - 1))
    spread = np.abs(values).max(axis=1, initial=0.0)
    return count, mean, np.where(deviation <= ROUNDING * spread, 0.0, deviation)


def t_statistic(mean: np.ndarray, deviation: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Student's t; 0 if nothing differs, infinite if all topics differ by the same amount."""
    error = deviation / np.sqrt(np.maximum(1, count))
    constant = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(error > 0, mean / np.where(error > 0, error, 1.0), constant)


def t_test(differences: np.ndarray, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """Student's paired t-test."""
    from doxeval.core.scipy_here import special

    count, mean, deviation = moments(where_finite(differences))
    t = t_statistic(mean, deviation, count)
    return np.where(count > 1, 2 * special.stdtr(np.maximum(1, count - 1), -np.abs(t)), np.nan)


def where_finite(differences: np.ndarray) -> np.ndarray:
    """The differences, with comparisons that have an infinite one set to NaN."""
    return np.where(np.isinf(differences).any(axis=1, keepdims=True), np.nan, differences)


def outweighing(differences: np.ndarray) -> np.ndarray:
    """Infinite differences as finite ones larger than all others together, so sums can be compared."""
    rest = np.abs(np.where(np.isfinite(differences), differences, 0.0)).sum(axis=1, keepdims=True)
    return np.where(np.isinf(differences), np.copysign(2 * rest + 1, differences), differences)


def sign_test(differences: np.ndarray, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """The sign test: ties are left out, wins are binomial."""
    from doxeval.core.scipy_here import special

    wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    smaller = np.minimum(wins, losses)
    return np.minimum(1.0, 2 * special.bdtr(smaller.astype(float), wins + losses, 0.5))


def wilcoxon_test(differences: np.ndarray, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """Wilcoxon's signed rank test of scipy; zero differences are left out."""
    from doxeval.core.scipy_here import stats

    found = np.ones(len(differences))
    for at, row in enumerate(differences):
        told = row[~np.isnan(row) & (row != 0)]
        if len(told):
            found[at] = stats.wilcoxon(told).pvalue
    return found


def randomisation_test(
    differences: np.ndarray | PairDifferences, draws: int = DRAWS, seed: int = 0
) -> np.ndarray:
    """Fisher's randomisation test of the mean: every sign could have been the opposite.

    Exact if the sign patterns of the non-zero differences are no more than `draws`.
    """
    return randomisation_tests(differences, draws, seed)[0]


def randomisation_tests(
    differences: np.ndarray | PairDifferences, draws: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """P-values of comparisons on the same topics: each alone, and against the largest difference of any.

    The sign of all differences on a topic flips at once, which keeps comparisons as alike as they are. For
    the largest, each is measured by its own length, so that one of much variance does not hide the others
    (Westfall and Young).
    """
    topics = differences.shape[1]
    signs = held_or_drawn_again(lambda: sign_blocks(draws, topics, seed), draws * topics)
    flips = drawn_of(
        differences,
        lambda rows: np.concatenate([np.nan_to_num(rows) @ block.T for block in signs()], axis=1),
        outweighing,
    )

    def flipped(rows: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each comparison p and its size by its own length; the largest such size in each draw."""
        values = np.nan_to_num(outweighing(differences[rows]))
        length = np.sqrt(np.square(values).sum(axis=1))
        scale = 1.0 / np.where(length > 0, length, 1.0)
        seen = np.abs(values.sum(axis=1))
        hits, largest = farthest(flips(rows), just_reached(seen), scale)
        alone = monte_carlo_p(hits, draws)
        for at in np.flatnonzero((values != 0).sum(axis=1) <= np.log2(draws)):
            alone[at] = _exact_randomisation(values[at][values[at] != 0])
        return alone, seen * scale, largest

    alone, scaled = np.ones(len(differences)), np.zeros(len(differences))
    largest = np.zeros(draws)
    for rows, (p, size, top) in over_blocks(flipped, len(differences), "flipping signs of differences"):
        alone[rows], scaled[rows] = p, size
        np.maximum(largest, top, out=largest)
    largest.sort()
    hits = draws - np.searchsorted(largest, just_reached(scaled))
    return alone, monte_carlo_p(hits, draws)


def _exact_randomisation(values: np.ndarray) -> float:
    """The share of all sign patterns whose sum is at least as far from 0 as the observed one."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return float(reaches(np.abs(sums), np.abs(values.sum())).mean())


def bootstrap_test(differences: np.ndarray, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """The paired bootstrap test of Sakai (SIGIR 2006): Student's t of resampled, centred differences."""
    infinite = np.isinf(differences).any(axis=1)
    differences = where_finite(differences)
    defined = ~np.isnan(differences)
    count, mean, deviation = moments(differences)
    seen = np.abs(t_statistic(mean, deviation, count))
    centred = np.where(defined, differences - mean[:, None], 0.0)
    hits = np.zeros(len(differences), dtype=np.int64)
    for first in range(0, len(differences), COMPARISONS_AT_ONCE):
        rows = slice(first, first + COMPARISONS_AT_ONCE)
        for counts in count_blocks(draws, differences.shape[1], seed):
            number = np.maximum(1, counts @ defined[rows].T)
            drawn = (counts @ centred[rows].T) / number
            squares = counts @ (centred[rows] ** 2).T - number * drawn**2
            spread = np.sqrt(np.maximum(0.0, squares) / np.maximum(1, number - 1))
            drawn[np.abs(drawn) <= ROUNDING] = 0.0
            hits[rows] += reaches(np.abs(t_statistic(drawn, spread, number)), seen[rows]).sum(axis=0)
    return np.where(infinite, np.nan, np.where(seen == 0, 1.0, monte_carlo_p(hits, draws)))
