"""Intervals of correlations of rankings from resampled topics, and p-values from random orders."""

from __future__ import annotations

import numpy as np

from doxeval.comparison.intervals import resampled_means
from doxeval.comparison.methods import Coefficient
from doxeval.comparison.resampling import monte_carlo_p, order_blocks, reaches

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
    drawn = resampled_means(values.reshape(runs * measures, topics), draws, seed)
    drawn = np.round(drawn.reshape(draws, runs, measures).transpose(2, 0, 1), TIE_DECIMALS)
    step = max(1, NUMBERS_AT_ONCE // (runs * runs))
    low, high = (np.empty((len(picked[0]), len(picked[1]))) for _ in range(2))
    for r, row in enumerate(picked[0]):
        for c, column in enumerate(picked[1]):
            found = np.concatenate(
                [
                    compute(drawn[row, at : at + step], drawn[column, at : at + step])
                    for at in range(0, draws, step)
                ]
            )
            defined = found[~np.isnan(found)]
            shares = [(1 - confidence) / 2, (1 + confidence) / 2]
            low[r, c], high[r, c] = np.quantile(defined, shares) if len(defined) else (np.nan, np.nan)
    return low, high


def ranking_p_values(
    coefficient: Coefficient, x: np.ndarray, y: np.ndarray, found: np.ndarray, seed: int
) -> np.ndarray:
    """P-values of the hypothesis that the rankings are unrelated.

    scipy's for tau-b, rho and r; for the others the share of random orders whose coefficient is as far from
    its mean over all orders.
    """
    import scipy

    p = np.full(found.shape, np.nan)
    for r, c in np.argwhere(~np.isnan(found)):
        if coefficient.p_value:
            p[r, c] = getattr(scipy.stats, coefficient.p_value)(x[r], y[c]).pvalue
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
