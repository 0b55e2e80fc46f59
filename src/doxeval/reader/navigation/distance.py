"""Shared by the models on distances: gaps between nodes, and sums over the characters of a gap."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from doxeval.core.grammar import Call
from doxeval.reader.navigation.base import Array, Navigation
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
