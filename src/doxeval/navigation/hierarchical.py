"""The reader who goes up and down the tree, drawn by length."""

from __future__ import annotations

import numpy as np

from doxeval.navigation.base import Navigation, register


@register
class Hierarchical(Navigation):
    """p(e; f) = length of the inner node / length of the outer one where they are nested, else 0 (PRUM Eq. 9)."""

    name = "hierarchical"
    reader = "Goes from a node to its ancestors and descendants, the more likely the more text they share."
    paper = "PRUM Eq. 9"
    example = "hierarchical"

    def chance(self, doc: np.ndarray, source: np.ndarray, target: np.ndarray) -> np.ndarray:
        documents = self.documents
        assert documents is not None
        nested = documents.nested(doc, source, target)
        first, second = documents.lengths(doc, source), documents.lengths(doc, target)
        outer = np.maximum(first, second)
        return np.divide(np.minimum(first, second), outer, out=np.zeros(len(nested)), where=nested & (outer > 0))
