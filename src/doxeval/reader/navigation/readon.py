"""The reader who reads on past the end of a result, and sometimes back before its start."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter
from doxeval.reader.navigation.base import Array
from doxeval.reader.navigation.distance import DistanceNavigation
from doxeval.tables.documents import Documents


class ReadOn(DistanceNavigation):
    """exp(-gap / mean) forward, exp(-gap / back) backward: memoryless reading on, in characters."""

    name = "readon"
    reader = "Reads on from what was retrieved, giving up at every character with the same small chance."
    paper = "ours, for flat text"
    parameters = (
        Parameter("mean", "number", Fraction(500), "mean characters read on", low=Fraction(1, 1000),
                  in_characters=True),
        Parameter(
            "back", "number", None, "mean characters read backwards; by default mean / 4",
            low=Fraction(1, 1000),
        ),
    )  # fmt: skip
    example = "readon(mean=500)"

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        self._ahead = float(self.given.mean)
        self._behind = float(self.given.back) if self.given.back is not None else self._ahead / 4

    def of_gap(self, gap: Array, forward: Array, doc_length: Array) -> Array:
        return np.exp(-gap / np.where(forward, self._ahead, self._behind))

    def sum_one(self, low: Array, high: Array, forward: bool, doc_length: Array) -> Array:
        return _geometric(
            np.exp(-low / (mean := self._ahead if forward else self._behind)), 1 / mean, high - low
        )

    def sum_both(self, low: Array, high: Array, span: Array, doc_length: Array) -> Array:
        """exp(-g/mean - (span - g)/back) is geometric too; added up from its larger end."""
        fall = 1 / self._ahead - 1 / self._behind
        largest = low if fall >= 0 else high - 1
        return _geometric(
            np.exp(-largest / self._ahead - (span - largest) / self._behind), abs(fall), high - low
        )


def _geometric(largest: Array, rate: float, terms: Array) -> Array:
    """The sum of largest * exp(-rate * t) over t = 0, ..., terms - 1."""
    if rate == 0:
        return largest * terms
    return largest * np.expm1(-rate * terms) / np.expm1(-rate)
