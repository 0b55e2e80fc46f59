"""The reader who goes to nearby text, where near is relative to the document's length."""

from __future__ import annotations

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.reader.navigation.base import NORMALISE, Array
from doxeval.reader.navigation.distance import DistanceNavigation, harmonic


class Proximity(DistanceNavigation):
    """A L / (A L + gap), L the document's length.

    ESR section 7.3 names EPRUM's A without a formula; this form, that of INEX's BEPD, is our choice.
    """

    name = "proximity"
    reader = "Goes to what is near; the longer the document and the larger A, the further away that may be."
    paper = "ESR section 7.3 (name only); our formula"
    parameters = (
        Parameter("A", "number", 1, "the gap crossed half the time, in lengths of the document", low=0),
        NORMALISE,
    )
    example = "proximity(A=10)"

    def _half(self, doc_length: Array) -> Array:
        """The gap that is crossed half the time."""
        return float(self.given.A) * doc_length

    def of_gap(self, gap: Array, forward: Array, doc_length: Array) -> Array:
        half = self._half(doc_length)
        return np.divide(half, half + gap, out=np.zeros(len(gap)), where=half > 0)

    def sum_one(self, low: Array, high: Array, forward: bool, doc_length: Array) -> Array:
        half = self._half(doc_length)
        return half * harmonic(low, high, np.maximum(half, 1e-300))

    def sum_both(self, low: Array, high: Array, span: Array, doc_length: Array) -> Array:
        """1/((h + g)(h + s - g)) in partial fractions: (1/(h + g) + 1/(h + s - g)) / (2h + s)."""
        half = self._half(doc_length)
        shift = np.maximum(half, 1e-300)
        parts = harmonic(low, high, shift) + harmonic(span - high + 1, span - low + 1, shift)
        return half**2 * parts / (2 * shift + span)
