"""Confidence intervals of mean differences, many comparisons at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import NormalDist

import numpy as np

from doxeval.comparison.methods import Interval
from doxeval.comparison.pair_differences import PairDifferences, drawn_of
from doxeval.comparison.paired import moments, where_finite
from doxeval.comparison.resampling import (
    ROUNDING,
    block_sizes,
    count_blocks,
    held_or_drawn_again,
    over_blocks,
)
from doxeval.core.registry import Registry
from doxeval.kernels.draws import counts_below, neighbours

Ends = tuple[np.ndarray, np.ndarray]


def t_interval(differences: np.ndarray, level: float, draws: int, seed: int) -> Ends:
    """Student's interval."""
    from doxeval.core.scipy_here import special

    count, mean, deviation = moments(where_finite(differences))
    width = (
        special.stdtrit(np.maximum(1, count - 1), (1 + level) / 2) * deviation / np.sqrt(np.maximum(1, count))
    )
    width = np.where(count > 1, width, np.nan)
    return mean - width, mean + width


def bootstrap_interval(
    differences: np.ndarray | PairDifferences, level: float, draws: int, seed: int
) -> Ends:
    """Efron's bias-corrected and accelerated interval; its acceleration is that of a mean, in closed form."""
    topics = differences.shape[1]
    counts = held_or_drawn_again(lambda: count_blocks(draws, topics, seed), draws * topics)

    means = drawn_of(differences, lambda rows: resampled_means(rows, counts()), where_finite)
    low, high = np.empty(len(differences)), np.empty(len(differences))

    def ends(rows: slice) -> Ends:
        shapes = [_shape(where_finite(differences[some])) for some in _parts(rows, differences.shape)]
        count, mean, deviation, acceleration = (
            np.concatenate(column) for column in zip(*shapes, strict=True)
        )
        bounds = corrected_ends(means(rows), mean, acceleration, level)
        fixed, usable = deviation == 0, count > 1
        first, last = (np.where(usable, np.where(fixed, mean, bound), np.nan) for bound in bounds)
        return first, last

    for rows, found in over_blocks(ends, len(differences), "resampling topics"):
        low[rows], high[rows] = found
    return low, high


def resampled_means(values: np.ndarray, counts_of_draws: Iterable[np.ndarray]) -> np.ndarray:
    """`means[row, draw]` of bootstrap samples of topics; NaN if a sample has no defined topic."""
    defined = ~np.isnan(values)
    partly, filled = not defined.all(), np.where(defined, values, 0.0)
    parts = []
    for counts in counts_of_draws:
        drawn = filled @ counts.T
        if partly:
            number = defined @ counts.T
            drawn = np.where(number > 0, drawn, np.nan)
            drawn /= np.maximum(1, number)
        else:
            drawn /= values.shape[1]
        parts.append(drawn)
    return np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]


def _parts(rows: slice, shape: tuple[int, int]) -> Iterator[slice]:
    """Some rows, in parts that hold few numbers."""
    comparisons, topics = shape
    first, end, _ = rows.indices(comparisons)
    for size in block_sizes(end - first, topics):
        yield slice(first, first + size)
        first += size


def _shape(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of each comparison the number of topics, mean, deviation, and the acceleration of its interval."""
    count, mean, deviation = moments(differences)
    centred = np.nan_to_num(differences - mean[:, None])
    cubes, squares = (centred**3).sum(axis=1), (centred**2).sum(axis=1)
    acceleration = np.where(squares > 0, cubes / (6 * np.where(squares > 0, squares, 1.0) ** 1.5), 0.0)
    return count, mean, deviation, acceleration


def corrected_ends(drawn: np.ndarray, value: np.ndarray, acceleration: np.ndarray, level: float) -> Ends:
    """The bias-corrected and accelerated interval of each row of draws, `drawn[row, draw]`."""
    ndtr, ndtri = (np.vectorize(one, otypes=[float]) for one in (NormalDist().cdf, NormalDist().inv_cdf))
    draws = drawn.shape[1]
    near = ROUNDING * np.maximum(1.0, np.abs(value))
    below = counts_below(drawn, value - near, value + near).sum(axis=1) / (2 * draws)
    bias = ndtri(np.clip(below, 1 / (draws + 1), draws / (draws + 1)))
    places = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        z = bias + ndtri(share)
        places.append(ndtr(bias + z / (1 - acceleration * z)) * (draws - 1))
    low, high = values_at(drawn, *places)
    return low, high


def values_at(drawn: np.ndarray, *places: np.ndarray) -> list[np.ndarray]:
    """The value at a place of each row if it were in order, between two values if it is between two places.

    Draws without a value are left out: places in the lower half count from the least value, the others from
    the largest.

    >>> values_at(np.array([[3.0, 1.0, 2.0, 9.0]]), np.array([1.5]))[0].tolist()
    [2.5]
    """
    draws = drawn.shape[1]
    befores = [np.clip(place.astype(np.int64), 0, draws - 2) for place in places]
    from_either_end = [np.where(2 * before < draws, before, before - draws) for before in befores]
    found = neighbours(drawn, np.stack(from_either_end, axis=1))
    return [
        first + (place - before) * (after - first)
        for place, before, (first, after) in zip(places, befores, found.transpose(1, 2, 0), strict=True)
    ]


INTERVALS = Registry(
    "interval",
    Interval("bootstrap", "bootstrap (BCa)", bootstrap_interval, drawn=True, by_pairs=True),
    Interval("t", "Student's", t_interval),
)
