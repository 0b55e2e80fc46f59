"""Confidence intervals of mean differences, many comparisons at once."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from doxeval.comparison.methods import Interval
from doxeval.comparison.paired import COMPARISONS_AT_ONCE, moments, where_finite
from doxeval.comparison.resampling import ROUNDING, count_blocks
from doxeval.core.registry import Registry

Ends = tuple[np.ndarray, np.ndarray]


def t_interval(differences: np.ndarray, level: float, draws: int, seed: int) -> Ends:
    """Student's interval."""
    import scipy

    count, mean, deviation = moments(where_finite(differences))
    width = (
        scipy.special.stdtrit(np.maximum(1, count - 1), (1 + level) / 2)
        * deviation
        / np.sqrt(np.maximum(1, count))
    )
    width = np.where(count > 1, width, np.nan)
    return mean - width, mean + width


def bootstrap_interval(differences: np.ndarray, level: float, draws: int, seed: int) -> Ends:
    """Efron's bias-corrected and accelerated interval; its acceleration is that of a mean, in closed form."""
    low, high = np.full(len(differences), np.nan), np.full(len(differences), np.nan)
    for first in range(0, len(differences), COMPARISONS_AT_ONCE):
        rows = slice(first, first + COMPARISONS_AT_ONCE)
        low[rows], high[rows] = _bca(where_finite(differences[rows]), level, draws, seed)
    return low, high


def resampled_means(values: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """`means[draw, row]` of bootstrap samples of topics; NaN if a sample has no defined topic."""
    defined = ~np.isnan(values)
    partly, filled = not defined.all(), np.where(defined, values, 0.0)
    parts = []
    for counts in count_blocks(draws, values.shape[1], seed):
        number = counts @ defined.T if partly else np.float64(values.shape[1])
        parts.append(np.where(number > 0, counts @ filled.T, np.nan) / np.maximum(1, number))
    return np.concatenate(parts)


def _bca(differences: np.ndarray, level: float, draws: int, seed: int) -> Ends:
    count, mean, deviation = moments(differences)
    drawn = np.sort(resampled_means(differences, draws, seed), axis=0)
    centred = np.nan_to_num(differences - mean[:, None])
    cubes, squares = (centred**3).sum(axis=1), (centred**2).sum(axis=1)
    acceleration = np.where(squares > 0, cubes / (6 * np.where(squares > 0, squares, 1.0) ** 1.5), 0.0)
    low, high = corrected_ends(drawn, mean, acceleration, level)
    fixed = deviation == 0
    usable = count > 1
    low, high = (np.where(usable, np.where(fixed, mean, bound), np.nan) for bound in (low, high))
    return low, high


def corrected_ends(drawn: np.ndarray, value: np.ndarray, acceleration: np.ndarray, level: float) -> Ends:
    """The bias-corrected and accelerated interval of each column of sorted draws, `drawn[draw, column]`."""
    ndtr, ndtri = (np.vectorize(one, otypes=[float]) for one in (NormalDist().cdf, NormalDist().inv_cdf))
    draws = len(drawn)
    near = ROUNDING * np.maximum(1.0, np.abs(value))
    below = ((drawn < value - near).sum(axis=0) + (drawn <= value + near).sum(axis=0)) / (2 * draws)
    bias = ndtri(np.clip(below, 1 / (draws + 1), draws / (draws + 1)))
    bounds = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        z = bias + ndtri(share)
        place = ndtr(bias + z / (1 - acceleration * z)) * (draws - 1)
        before = np.clip(place.astype(np.int64), 0, draws - 2)
        columns = np.arange(drawn.shape[1])
        step = drawn[before + 1, columns] - drawn[before, columns]
        bounds.append(drawn[before, columns] + (place - before) * step)
    return bounds[0], bounds[1]


INTERVALS = Registry(
    "interval",
    Interval("bootstrap", "bootstrap (BCa)", bootstrap_interval, drawn=True),
    Interval("t", "Student's", t_interval),
)
