"""Statistical methods by name: the name typed, the title shown, and the function that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Method:
    """One method; `title` is its name in a table's footer."""

    name: str
    title: str
    compute: Callable[..., Any] = field(repr=False)

    def __call__(self, *given: Any) -> Any:
        return self.compute(*given)


@dataclass(frozen=True)
class SignificanceTest(Method):
    """`compute(differences, draws, seed)` returns two-sided p-values of `differences[comparison, topic]`.

    One that is `drawn` depends on draws and seed. A `joint` one takes `values[system, topic]` without NaN
    and returns p-values of all pairs of systems, which need no correction.
    """

    drawn: bool = False
    joint: bool = False


@dataclass(frozen=True)
class Interval(Method):
    """`compute(differences, confidence, draws, seed)` returns the lower and upper ends of mean differences.

    One that is `drawn` depends on draws and seed.
    """

    drawn: bool = False


@dataclass(frozen=True)
class Correction(Method):
    """`compute(p)` returns p-values to compare with the level itself."""


@dataclass(frozen=True)
class Coefficient(Method):
    """`compute(x, y)` correlates rankings; `p_value` is the function of scipy.stats that tests it, if any."""

    p_value: str = ""


@dataclass(frozen=True)
class Agreeing(Method):
    """`compute(shared, seed)` returns the agreement of two assessors on each topic, NaN if undefined.

    One that needs the `extent` of irrelevant text needs the documents' lengths; one that is `drawn` depends
    on the seed.
    """

    extent: bool = False
    drawn: bool = False
