"""Statistical methods by name: what users type, what readers see, and the function that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Method:
    """One method; `title` is how a table's footer calls it."""

    name: str
    title: str
    compute: Callable[..., Any] = field(repr=False)

    def __call__(self, *given: Any) -> Any:
        return self.compute(*given)


@dataclass(frozen=True)
class SignificanceTest(Method):
    """`compute(differences, draws, seed)` gives two-sided p-values of `differences[comparison, topic]`.

    One that is `drawn` depends on draws and seed. A `joint` one is given `values[system, topic]` without NaN
    and returns p-values of all pairs of systems, which need no correction.
    """

    drawn: bool = False
    joint: bool = False


@dataclass(frozen=True)
class Interval(Method):
    """`compute(differences, confidence, draws, seed)` gives the lower and upper ends of mean differences.

    One that is `drawn` depends on draws and seed.
    """

    drawn: bool = False


@dataclass(frozen=True)
class Correction(Method):
    """`compute(p)` gives p-values that can be held against the level itself."""


@dataclass(frozen=True)
class Coefficient(Method):
    """`compute(x, y)` correlates rankings; `p_value` is the function of scipy.stats that tests it, if any."""

    p_value: str = ""


@dataclass(frozen=True)
class Agreeing(Method):
    """`compute(shared, seed)` gives a value for each topic of what two assessors judged, NaN if undefined.

    One that needs the `extent` of irrelevant text needs the documents' lengths; one that is `drawn` depends
    on the seed.
    """

    extent: bool = False
    drawn: bool = False
