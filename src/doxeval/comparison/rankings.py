"""Correlations of two rankings of the same systems, for many pairs of score vectors at once.

Every function takes `x[..., system]` and `y[..., system]`, larger meaning better, and returns one value for
each leading index. If a ranking is constant, a coefficient that divides by its spread is NaN.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from doxeval.comparison.kendall import counted_pairs, kendall_p_value, places_in_order
from doxeval.comparison.methods import Coefficient
from doxeval.core.registry import Registry

MOST_BY_PAIRS = 16
"""The most systems whose pairs are all looked at; rankings of more are put in order."""


def _signs(values: np.ndarray) -> np.ndarray:
    """`sign(values_i - values_j)` for all pairs of systems; two infinite values tie."""
    one, other = values[..., :, None], values[..., None, :]
    with np.errstate(invalid="ignore"):
        return np.where(one == other, 0.0, np.sign(one - other))


def _quotient(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)


def kendall_tau_b(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's tau-b: concordant minus discordant pairs, adjusted for ties in either ranking."""
    if x.shape[-1] > MOST_BY_PAIRS:
        if np.array_equal(x, y):
            return np.where((x == x[..., :1]).all(axis=-1), np.nan, 1.0)
        undefined = np.isnan(x).any(axis=-1) | np.isnan(y).any(axis=-1)
        return np.where(undefined, np.nan, counted_pairs(x, y).tau_b)
    sx, sy = _signs(x), _signs(y)
    agreeing = (sx * sy).sum(axis=(-2, -1))
    return _quotient(agreeing, np.sqrt((sx**2).sum(axis=(-2, -1)) * (sy**2).sum(axis=(-2, -1))))


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1 (the least), ties sharing their mean."""
    if values.shape[-1] > MOST_BY_PAIRS:
        first, last = places_in_order(values)
        return (first + last) / 2 + 1
    return (values.shape[-1] + 1 + _signs(values).sum(axis=-1)) / 2


def spearman_rho(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's rho: Pearson's r of the ranks."""
    return pearson_r(average_ranks(x), average_ranks(y))


def pearson_r(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's product-moment correlation of the scores themselves."""
    dx = x - x.mean(axis=-1, keepdims=True)
    dy = y - y.mean(axis=-1, keepdims=True)
    return _quotient((dx * dy).sum(axis=-1), np.sqrt((dx**2).sum(axis=-1) * (dy**2).sum(axis=-1)))


def tau_ap(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """AP correlation (Yilmaz, Aslam, Robertson, SIGIR 2008) of ranking `x` with the reference `y`.

    For every system but the first of `x`: the share of those above it that belong there according to `y`;
    the mean of these shares, scaled to [-1, 1]. Ties count as if broken at random: a tie in `y` is half
    right, and a group tied in `x` takes the mean over its orders, which has a closed form because any two
    of its members are right one way in two.
    """
    systems = x.shape[-1]
    above = _signs(x) < 0
    right = np.where(above, (1 - _signs(y)) / 2, 0.0).sum(axis=-1)
    before = above.sum(axis=-1)
    tied = (_signs(x) == 0).sum(axis=-1)
    harmonic = np.concatenate([[0.0, 0.0], np.cumsum(1.0 / np.arange(1, systems + 1))])
    reciprocals = (harmonic[before + tied] - harmonic[before]) / tied
    inside = np.where(before > 0, 1 - before * reciprocals, (tied - 1) / tied) / 2
    shares = right * reciprocals * (before > 0) + inside
    return 2 * shares.sum(axis=-1) / (systems - 1) - 1


PERSISTENCE = 0.9


def rank_biased_overlap(x: np.ndarray, y: np.ndarray, persistence: float = PERSISTENCE) -> np.ndarray:
    """Rank-biased overlap, extrapolated (Webber, Moffat, Zobel, TOIS 2010, Eq. 23; ties as in their 4.4).

    Tied systems enter together, at the depth of the first of them; agreement at a depth is twice the
    overlap divided by the number of systems that have entered both lists.
    """
    systems = x.shape[-1]
    depth = np.arange(1, systems + 1)
    enters_x = (_signs(x) < 0).sum(axis=-1)[..., None, :] < depth[:, None]
    enters_y = (_signs(y) < 0).sum(axis=-1)[..., None, :] < depth[:, None]
    overlap = (enters_x & enters_y).sum(axis=-1)
    agreement = 2 * overlap / (enters_x.sum(axis=-1) + enters_y.sum(axis=-1))
    weights = persistence ** depth.astype(float)
    seen = (1 - persistence) / persistence * (agreement * weights).sum(axis=-1)
    return seen + agreement[..., -1] * weights[-1]


def _p_value_of_scipy(test: str) -> Callable[[np.ndarray, np.ndarray], float]:
    """The p-value of a test of scipy.stats."""

    def p_value(x: np.ndarray, y: np.ndarray) -> float:
        from doxeval.core.scipy_here import stats

        return float(getattr(stats, test)(x, y).pvalue)

    return p_value


COEFFICIENTS = Registry(
    "coefficient",
    Coefficient("tau", "Kendall's tau-b", kendall_tau_b, kendall_p_value),
    Coefficient("tauap", "AP correlation (column: reference)", tau_ap),
    Coefficient("spearman", "Spearman's rho", spearman_rho, _p_value_of_scipy("spearmanr")),
    Coefficient("pearson", "Pearson's r", pearson_r, _p_value_of_scipy("pearsonr")),
    Coefficient("rbo", f"rank-biased overlap (p = {PERSISTENCE})", rank_biased_overlap),
)
