"""The reader with some tolerance to irrelevance."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter
from doxeval.reader.navigation.base import NORMALISE, Array
from doxeval.reader.navigation.distance import DistanceNavigation, count_within, harmonic
from doxeval.tables.documents import Documents


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
