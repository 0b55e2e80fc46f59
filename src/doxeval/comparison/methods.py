"""Statistical methods by name: the name typed, the title shown, and the function that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from doxeval.comparison.pair_differences import PairDifferences
from doxeval.core.quick_class import dataclass


@dataclass(frozen=True)
class Method:
    """One method; `title` is its name in a table's footer."""

    name: str
    title: str
    compute: Callable[..., Any] = field(repr=False)

    def __call__(self, *given: Any) -> Any:
        return self.compute(*given)


@dataclass(frozen=True)
class OfDifferences(Method):
    """A method that takes `differences[comparison, topic]`, of many comparisons some at a time.

    One that is `drawn` depends on draws and seed; one that works `by_pairs` takes :class:`PairDifferences`.
    """

    drawn: bool = False
    by_pairs: bool = False

    def __call__(self, differences: Any, *given: Any) -> Any:
        if self.by_pairs or not isinstance(differences, PairDifferences):
            return self.compute(differences, *given)
        parts = [self.compute(differences[rows], *given) for rows in differences.slabs()]
        return np.concatenate(parts, axis=-1)


@dataclass(frozen=True)
class SignificanceTest(OfDifferences):
    """`compute(differences, draws, seed)` returns two-sided p-values.

    A `joint` one takes `values[system, topic]` without NaN and returns p-values of all pairs of systems,
    which need no correction.
    """

    joint: bool = False


@dataclass(frozen=True)
class Interval(OfDifferences):
    """`compute(differences, confidence, draws, seed)` returns both ends of intervals of mean differences."""


@dataclass(frozen=True)
class Correction(Method):
    """`compute(p)` returns p-values to compare with the level itself."""


@dataclass(frozen=True)
class Coefficient(Method):
    """`compute(x, y)` correlates rankings; `p_value(x, y)` tests two of them, if that needs no draws."""

    p_value: Callable[[np.ndarray, np.ndarray], float] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Agreeing(Method):
    """`compute(shared, seed)` returns the agreement of two assessors on each topic, NaN if undefined.

    One that needs the `extent` of irrelevant text needs the documents' lengths; one that is `drawn` depends
    on the seed.
    """

    extent: bool = False
    drawn: bool = False
