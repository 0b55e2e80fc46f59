"""Paired tests on differences per topic, many comparisons at once.

Every test takes `differences[comparison, topic]`, NaN if a topic has no value, and returns two-sided
p-values. Differences that are all zero give p = 1.
"""

from __future__ import annotations

import numpy as np

from doxeval.comparison.resampling import ROUNDING, count_blocks, monte_carlo_p, reaches, sign_blocks

DRAWS = 10_000
DEFAULT_ALPHA = 0.05
COMPARISONS_AT_ONCE = 256


def differences_of(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The differences, topic by topic; 0 if both values are the same infinity."""
    with np.errstate(invalid="ignore"):
        differences: np.ndarray = np.where(after == before, 0.0, after - before)
    differences[np.abs(differences) <= ROUNDING] = 0.0
    return differences


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
    import scipy

    count, mean, deviation = moments(where_finite(differences))
    t = t_statistic(mean, deviation, count)
    return np.where(count > 1, 2 * scipy.special.stdtr(np.maximum(1, count - 1), -np.abs(t)), np.nan)


def where_finite(differences: np.ndarray) -> np.ndarray:
    """The differences, with comparisons that have an infinite one set to NaN."""
    return np.where(np.isinf(differences).any(axis=1, keepdims=True), np.nan, differences)


def outweighing(differences: np.ndarray) -> np.ndarray:
    """Infinite differences as finite ones larger than all others together, so sums can be compared."""
    rest = np.abs(np.where(np.isfinite(differences), differences, 0.0)).sum(axis=1, keepdims=True)
    return np.where(np.isinf(differences), np.copysign(2 * rest + 1, differences), differences)


def sign_test(differences: np.ndarray, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """The sign test: ties are left out, wins are binomial."""
    import scipy

    wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    smaller = np.minimum(wins, losses)
    return np.minimum(1.0, 2 * scipy.special.bdtr(smaller.astype(float), wins + losses, 0.5))


def wilcoxon_test(differences: np.ndarray, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """Wilcoxon's signed rank test of scipy; zero differences are left out."""
    from scipy.stats import wilcoxon

    found = np.ones(len(differences))
    for at, row in enumerate(differences):
        told = row[~np.isnan(row) & (row != 0)]
        if len(told):
            found[at] = wilcoxon(told).pvalue
    return found


def randomisation_test(differences: np.ndarray, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """Fisher's randomisation test of the mean: every sign could have been the opposite.

    Exact if the sign patterns of the non-zero differences are no more than `draws`.
    """
    values = np.nan_to_num(outweighing(differences))
    small = (values != 0).sum(axis=1) <= np.log2(draws)
    found = np.empty(len(values))
    for at in np.flatnonzero(small):
        found[at] = _exact_randomisation(values[at][values[at] != 0])
    for first in range(0, len(values), COMPARISONS_AT_ONCE):
        rows = np.arange(first, min(first + COMPARISONS_AT_ONCE, len(values)))
        rows = rows[~small[rows]]
        if len(rows):
            seen = np.abs(values[rows].sum(axis=1))
            hits = np.zeros(len(rows), dtype=np.int64)
            for signs in sign_blocks(draws, values.shape[1], seed):
                hits += reaches(np.abs(signs @ values[rows].T), seen).sum(axis=0)
            found[rows] = monte_carlo_p(hits, draws)
    return found


def largest_randomisation_test(differences: np.ndarray, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """P-values of comparisons on the same topics, each against the largest difference of any of them.

    The sign of all differences on a topic flips at once, which keeps comparisons as alike as they are. Each
    is measured by its own length, so that one of much variance does not hide the others (Westfall and Young).
    """
    values = np.nan_to_num(outweighing(differences))
    length = np.sqrt(np.square(values).sum(axis=1, keepdims=True))
    values = values / np.where(length > 0, length, 1.0)
    seen = np.abs(values.sum(axis=1))
    hits = np.zeros(len(values), dtype=np.int64)
    for signs in sign_blocks(draws, values.shape[1], seed):
        largest = np.zeros(len(signs))
        for first in range(0, len(values), COMPARISONS_AT_ONCE):
            drawn = np.abs(signs @ values[first : first + COMPARISONS_AT_ONCE].T)
            largest = np.maximum(largest, drawn.max(axis=1))
        hits += len(signs) - np.searchsorted(np.sort(largest), seen - ROUNDING * np.maximum(1.0, seen))
    return monte_carlo_p(hits, draws)


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
