"""Models of distances in the text: gaps between nodes, and sums over the characters of a gap."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter
from doxeval.reader.navigation.model import NORMALISE, Array, Navigation
from doxeval.tables.documents import Documents


def node_gaps(documents: Documents, doc: Array, source: Array, target: Array) -> Array:
    """Characters between two nodes of a document, 0 if they are nested or touch."""
    source_start, source_end = documents.extent(doc, source)
    target_start, target_end = documents.extent(doc, target)
    return np.maximum(0, np.maximum(target_start - source_end, source_start - target_end))


def count_within(low: Array, high: Array, first: Array | int, after: Array | int) -> Array:
    """The number of integers of `[low, high)` in `[first, after)`."""
    return np.maximum(0, np.minimum(high, after) - np.maximum(low, first))


def digamma(x: Array) -> Array:
    """The digamma function for x > 0, to about 1e-15: shifted up to 10, then its asymptotic series.

    >>> round(float(digamma(np.array([1.0]))[0]), 12)
    -0.577215664902
    """
    x = np.asarray(x, dtype=np.float64)
    shift = np.zeros_like(x)
    for step in range(10):
        small = x + step < 10
        shift -= np.where(small, 1.0 / (x + step), 0.0)
    x = np.where(x < 10, x + np.ceil(10 - x), x)
    square = 1.0 / (x * x)
    series = square * (
        1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square * (1 / 132))))
    )
    return shift + np.log(x) - 0.5 / x - series


def harmonic(low: Array, high: Array, shift: Array | float = 0.0) -> Array:
    """The sum of 1 / (g + shift) over the integers g of `[low, high)`, all terms positive."""
    empty = high <= low
    low, high = np.where(empty, 1.0, low), np.where(empty, 1.0, high)
    return np.where(empty, 0.0, digamma(high + shift) - digamma(low + shift))


class DistanceNavigation(Navigation):
    """A model in which the chance depends on the number of characters between two places.

    :meth:`of_gap` is the chance to cross a gap, forward or backward. Between nested nodes the gap is 0; in
    text mode it counts from the nearest text shown, whose adjoining character has gap 0. :meth:`sum_one` and
    :meth:`sum_both` add chances over many characters, in closed form.
    """

    reads_back = True

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        self.by_distance = getattr(self.given, "normalise", "none") == "none"

    @abstractmethod
    def of_gap(self, gap: Array, forward: Array, doc_length: Array) -> Array:
        """The chance to cross gaps, in characters, in documents of given lengths."""

    @abstractmethod
    def sum_one(self, low: Array, high: Array, forward: bool, doc_length: Array) -> Array:
        """The sum of :meth:`of_gap` over the gaps `low`, `low + 1`, ... below `high`."""

    @abstractmethod
    def sum_both(self, low: Array, high: Array, span: Array, doc_length: Array) -> Array:
        """The sum over g in `[low, high)` of the forward chance over g times the backward over span - g."""

    def seen_in_gap(
        self,
        first: Array,
        last: Array,
        gap_start: Array,
        gap_end: Array,
        doc_length: Array,
    ) -> Array:
        """Expected characters seen of `[first, last)` in the gap `[gap_start, gap_end)` between shown text.

        A character is seen with chance 1 - (1 - p_f)(1 - p_b). No text is shown before a gap that begins with
        the document, nor after one that ends with it.
        """
        left, right = gap_start > 0, (gap_end < doc_length) & self.reads_back
        low, high, span = first - gap_start, last - gap_start, gap_end - 1 - gap_start
        before = np.where(left, self.sum_one(low, high, True, doc_length), 0.0)
        after = np.where(right, self.sum_one(gap_end - last, gap_end - first, False, doc_length), 0.0)
        both = np.where(left & right, self.sum_both(low, high, span, doc_length), 0.0)
        return before + after - both

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        documents = self.tree()
        gap = node_gaps(documents, doc, source, target)
        nested = documents.nested(doc, source, target)
        ahead = documents.extent(doc, target)[0] >= documents.extent(doc, source)[0]
        return self.of_gap(np.where(nested, 0, gap), ahead | nested, documents.length[doc])


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


class ToleranceToIrrelevance(DistanceNavigation):
    """1 if the gap is at most the tolerance, else 0; with `scale`, min(1, scale / gap) (PRUM section 2.2).

    A reader who only goes forward enters a node at its start and counts from there to the start of another.
    """

    name = "t2i"
    reader = "Reads on past what was retrieved for a fixed number of characters."
    paper = "PRUM section 2.2"
    parameters = (
        Parameter("tolerance", "number", None, "the widest gap crossed, in characters", low=0),
        Parameter(
            "scale", "number", None, "instead: the gap up to which the chance is 1; then scale / gap", low=0
        ),
        Parameter("forward", "flag", False, "whether the reader only goes forward"),
        NORMALISE,
    )
    example = "t2i(tolerance=300)"

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        if (self.given.tolerance is None) == (self.given.scale is None):
            raise UsageError(f"{str(call)!r}: give either a tolerance or a scale, as in t2i(tolerance=300)")
        self.reads_back = not self.given.forward

    def of_gap(self, gap: Array, forward: Array, doc_length: Array) -> Array:
        if self.given.tolerance is not None:
            chance = (gap <= float(self.given.tolerance)).astype(np.float64)
        else:
            scale = float(self.given.scale)
            chance = np.divide(scale, gap, out=np.ones(len(gap)), where=gap > scale)
        return np.where(forward | (not self.given.forward), chance, 0.0)

    def sum_one(self, low: Array, high: Array, forward: bool, doc_length: Array) -> Array:
        reach = self._reach
        near = count_within(low, high, 0, reach + 1)
        if self.given.tolerance is not None:
            return near.astype(np.float64)
        return near + float(self.given.scale) * harmonic(np.maximum(low, reach + 1), high)

    def sum_both(self, low: Array, high: Array, span: Array, doc_length: Array) -> Array:
        reach = self._reach
        both = count_within(low, high, np.maximum(0, span - reach), np.minimum(span, reach) + 1)
        if self.given.tolerance is not None:
            return both.astype(np.float64)
        scale = float(self.given.scale)
        middle_low, middle_high = np.maximum(low, reach + 1), np.minimum(high, span - reach)
        near_high = np.minimum(high, np.minimum(reach + 1, span - reach))
        far_low = np.maximum(low, np.maximum(reach + 1, span - reach))
        near = harmonic(span - near_high + 1, span - low + 1)
        far = harmonic(far_low, high)
        middle = harmonic(middle_low, middle_high) + harmonic(span - middle_high + 1, span - middle_low + 1)
        near = np.where(near_high > low, near, 0.0)
        middle = np.where(middle_high > middle_low, middle / np.maximum(span, 1), 0.0)
        return both + scale * (near + far) + scale**2 * middle

    @property
    def _reach(self) -> int:
        """The widest gap that is crossed for certain."""
        return int(self.given.tolerance if self.given.tolerance is not None else self.given.scale)

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        if not self.given.forward:
            return super().pairs(doc, source, target, coverage)
        documents = self.tree()
        ahead = documents.extent(doc, target)[0] - documents.extent(doc, source)[0]
        return self.of_gap(np.maximum(ahead, 0), ahead >= 0, documents.length[doc])
