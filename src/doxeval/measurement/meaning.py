"""The meaning of a column of scores, even if only its name is known."""

from __future__ import annotations

from dataclasses import field
from functools import cache

from doxeval.core.errors import DoxevalError
from doxeval.core.quick_class import dataclass
from doxeval.measurement.base import Measure, measure_named


@dataclass(frozen=True)
class Meaning:
    """A measure's canonical form, its direction (None if unknown), its range and its unit.

    `summed` says that it counts something, so topics are summed instead of averaged.
    """

    canonical: str
    higher_is_better: bool | None = None
    low: float = float("-inf")
    high: float = float("inf")
    unit: str = ""
    summed: bool = field(default=False, repr=False)


def meaning_of(measure: Measure | str) -> Meaning:
    """The meaning of a measure or of a name; a name that is not a measure's has no other meaning.

    >>> meaning_of("iP(.5)@5")
    Meaning(canonical='iP(alpha=0.5)@5', higher_is_better=True, low=0.0, high=1.0, unit='share')
    >>> meaning_of("cost in euros")
    Meaning(canonical='cost in euros', higher_is_better=None, low=-inf, high=inf, unit='')
    """
    if isinstance(measure, str):
        return _meaning_of_name(measure)
    return Meaning(
        measure.canonical, measure.higher_is_better, measure.low, measure.high, measure.unit, measure.summed
    )


@cache
def _meaning_of_name(name: str) -> Meaning:
    try:
        return meaning_of(measure_named(name))
    except DoxevalError:
        return Meaning(name)
