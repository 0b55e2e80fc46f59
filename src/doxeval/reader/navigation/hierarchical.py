"""The reader who goes up and down the tree, preferring nodes that share more text."""

from __future__ import annotations

import numpy as np

from doxeval.reader.navigation.base import NORMALISE, Array, Navigation
from doxeval.tables.documents import Documents


def length_ratio(documents: Documents, doc: Array, source: Array, target: Array) -> Array:
    """Length of the inner node / length of the outer one if they are nested, else (and without text) 0."""
    nested = documents.nested(doc, source, target)
    first, second = documents.lengths(doc, source), documents.lengths(doc, target)
    outer = np.maximum(first, second)
    return np.divide(np.minimum(first, second), outer, out=np.zeros(len(nested)), where=nested & (outer > 0))


class Hierarchical(Navigation):
    """p(e; f) = length of the inner node / length of the outer one if nested, else 0 (PRUM Eq. 9)."""

    name = "hierarchical"
    reader = "Goes from a node to its ancestors and descendants, the more likely the more text they share."
    paper = "PRUM Eq. 9"
    parameters = (NORMALISE,)
    leads = "branch"
    example = "hierarchical"

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return length_ratio(self.tree(), doc, source, target)
