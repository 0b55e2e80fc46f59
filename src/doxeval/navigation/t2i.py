"""The reader with some tolerance to irrelevance."""

from __future__ import annotations

import numpy as np

from doxeval.errors import UsageError
from doxeval.navigation.base import NORMALISE, register
from doxeval.navigation.distance import DistanceNavigation
from doxeval.parameters import Parameter


@register
class ToleranceToIrrelevance(DistanceNavigation):
    """1 where the gap is at most the tolerance, else 0; with `scale`, min(1, scale / gap) (PRUM section 2.2).

    The reader who goes forward only enters a node at its start and counts from there to the start of another.
    """

    name = "t2i"
    reader = "Reads on past what was retrieved until so many characters have gone by."
    paper = "PRUM section 2.2"
    parameters = (
        Parameter("tolerance", "number", None, "the widest gap, in characters, that is crossed", low=0),
        Parameter(
            "scale", "number", None, "instead: the gap up to which the chance is 1; then scale / gap", low=0
        ),
        Parameter("forward", "flag", False, "whether the reader goes forward only"),
        NORMALISE,
    )
    example = "t2i(tolerance=300)"

    def __init__(self, call, documents) -> None:  # type: ignore[no-untyped-def]
        super().__init__(call, documents)
        if (self.given.tolerance is None) == (self.given.scale is None):
            raise UsageError(f"{str(call)!r}: give either a tolerance or a scale, as in t2i(tolerance=300)")
        self.by_distance = self.given.normalise == "none"

    def of_gap(self, gap, forward, doc_length) -> np.ndarray:  # type: ignore[no-untyped-def]
        if self.given.tolerance is not None:
            chance = (gap <= float(self.given.tolerance)).astype(np.float64)
        else:
            scale = float(self.given.scale)
            chance = np.divide(scale, gap, out=np.ones(len(gap)), where=gap > scale)
        return np.where(forward | (not self.given.forward), chance, 0.0)

    def pairs(self, doc, source, target, coverage) -> np.ndarray:  # type: ignore[no-untyped-def]
        if not self.given.forward:
            return super().pairs(doc, source, target, coverage)
        documents = self.tree()
        ahead = documents.extent(doc, target)[0] - documents.extent(doc, source)[0]
        return self.of_gap(np.maximum(ahead, 0), ahead >= 0, documents.length[doc])
