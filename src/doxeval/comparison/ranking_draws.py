"""Intervals of correlations of rankings from resampled topics, and p-values from random orders."""

from __future__ import annotations

from itertools import product

import numpy as np

from doxeval.comparison.intervals import resampled_means
from doxeval.comparison.methods import Coefficient
from doxeval.comparison.resampling import count_blocks, monte_carlo_p, order_blocks, reaches
from doxeval.core.progress import each

PERMUTATIONS = 10_000
NUMBERS_AT_ONCE = 1 << 22
TIE_DECIMALS = 12
"""Means that agree to this many digits are ties: the order of a sum must not break one."""


def ranking_intervals(
    values: np.ndarray,
    picked: list[list[int]],
    compute: Coefficient,
    draws: int,
    confidence: float,
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Percentiles of the coefficient over bootstrap samples of topics; `values[run, measure, topic]`."""
    runs, measures, topics = values.shape
    samples = count_blocks(draws, topics, seed)
    drawn = resampled_means(values.reshape(runs * measures, topics), samples)
    drawn = np.round(drawn.reshape(runs, measures, draws).transpose(1, 2, 0), TIE_DECIMALS)
    step = max(1, NUMBERS_AT_ONCE // (runs * runs))
    low, high = (np.empty((len(picked[0]), len(picked[1]))) for _ in range(2))
    cells = list(product(enumerate(picked[0]), enumerate(picked[1])))
    for (r, row), (c, column) in each(cells, "resampling rankings"):
        parts = [
            compute(drawn[row, at : at + step], drawn[column, at : at + step]) for at in range(0, draws, step)
        ]
        found = np.concatenate(parts)
        defined = found[~np.isnan(found)]
        shares = [(1 - confidence) / 2, (1 + confidence) / 2]
        low[r, c], high[r, c] = np.quantile(defined, shares) if len(defined) else (np.nan, np.nan)
    return low, high


def ranking_p_values(
    coefficient: Coefficient, x: np.ndarray, y: np.ndarray, found: np.ndarray, seed: int
) -> np.ndarray:
    """P-values of the hypothesis that the rankings are unrelated.

    Those of scipy for tau-b, rho and r; for the others the share of random orders whose coefficient is as
    far from its mean over all orders.
    """
    p = np.full(found.shape, np.nan)
    for r, c in each(np.argwhere(~np.isnan(found)), "testing rankings"):
        if coefficient.p_value:
            p[r, c] = coefficient.p_value(x[r], y[c])
        else:
            p[r, c] = _permutation_p(coefficient, x[r], y[c], float(found[r, c]), seed)
    return p


def _permutation_p(coefficient: Coefficient, x: np.ndarray, y: np.ndarray, found: float, seed: int) -> float:
    drawn = []
    for orders in order_blocks(PERMUTATIONS, len(x), seed):
        step = max(1, NUMBERS_AT_ONCE // len(x) ** 2)
        for at in range(0, len(orders), step):
            shuffled = x[orders[at : at + step]]
            drawn.append(coefficient(shuffled, np.broadcast_to(y, shuffled.shape)))
    values = np.concatenate(drawn)
    centre = values.mean()
    hits = reaches(np.abs(values - centre), np.abs(found - centre)).sum()
    return float(monte_carlo_p(hits, PERMUTATIONS))
