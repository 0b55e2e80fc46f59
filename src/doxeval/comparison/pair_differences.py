"""Differences of pairs of runs, topic by topic: of many pairs, never all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from doxeval.comparison.resampling import BLOCK_NUMBERS, ROUNDING
from doxeval.kernels.draws import subtract_rows


def differences_of(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The differences, topic by topic; 0 if both values are the same infinity."""
    with np.errstate(invalid="ignore"):
        differences: np.ndarray = np.where(after == before, 0.0, after - before)
    differences[np.abs(differences) <= ROUNDING] = 0.0
    return differences


class PairDifferences:
    """Stands for `differences[pair, topic]` of runs with `values[run, topic]`: rows are computed when taken.

    >>> pairs = PairDifferences(np.array([[0.1, 0.5], [0.4, 0.5]]), np.array([0]), np.array([1]))
    >>> pairs.shape, pairs[:].round(3).tolist()
    ((1, 2), [[0.3, 0.0]])
    """

    def __init__(self, values: np.ndarray, before: np.ndarray, after: np.ndarray) -> None:
        self.values, self.before, self.after = values, before, after

    @property
    def shape(self) -> tuple[int, int]:
        """The number of pairs, and of topics."""
        return len(self.before), self.values.shape[1]

    def __len__(self) -> int:
        return len(self.before)

    def __getitem__(self, rows: slice) -> np.ndarray:
        return differences_of(self.values[self.before[rows]], self.values[self.after[rows]])

    def slabs(self) -> Iterator[slice]:
        """Rows to look at together."""
        step = max(1, BLOCK_NUMBERS // max(1, self.shape[1]))
        return (slice(first, first + step) for first in range(0, len(self), step))

    @cached_property
    def alike(self) -> bool:
        """Whether all runs have a value for the same topics."""
        undefined = np.isnan(self.values)
        return bool((undefined == undefined[:1]).all())

    @cached_property
    def linear(self) -> bool:
        """Whether sums of differences are differences of sums, apart from rounding.

        They are not if values are infinite or missing here and there, or if differences that count as none
        would add up.
        """
        if not self.alike or np.isinf(self.values).any():
            return False
        gaps = np.diff(np.sort(np.nan_to_num(self.values), axis=0), axis=0)
        return bool(np.where(gaps <= ROUNDING, gaps, 0.0).max(axis=0, initial=0.0).sum() <= ROUNDING / 10)


Drawing = Callable[[np.ndarray], np.ndarray]
"""Draws a number of sums or means of each row of values: a linear function."""


def drawn_of(
    differences: np.ndarray | PairDifferences, draw: Drawing, prepared: Drawing = lambda rows: rows
) -> Callable[[slice], np.ndarray]:
    """A function that gives the draws of some comparisons: `draw` draws of every run once where it can.

    Differences are `prepared` where they themselves are drawn from.
    """
    if not isinstance(differences, PairDifferences):
        return lambda rows: draw(prepared(differences[rows]))
    pairs = differences
    if len(pairs) <= len(pairs.values) or not pairs.linear:
        return lambda rows: draw(prepared(pairs[rows]))
    of_runs = draw(pairs.values)

    return lambda rows: subtract_rows(of_runs, pairs.before[rows], pairs.after[rows], ROUNDING)
