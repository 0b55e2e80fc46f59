"""What the models on distances share: gaps between nodes, and sums over the characters of a stretch."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from doxeval.navigation.base import Navigation
from doxeval.tables.documents import Documents


def node_gaps(documents: Documents, doc: np.ndarray, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Characters between two nodes of a document, 0 where one holds the other or they touch."""
    source_start, source_end = documents.extent(doc, source)
    target_start, target_end = documents.extent(doc, target)
    return np.maximum(0, np.maximum(target_start - source_end, source_start - target_end))


class DistanceNavigation(Navigation):
    """A model in which the chance depends on the characters between here and there.

    :meth:`of_gap` is the chance over a gap, forward or backward. Between nodes the gap is 0 where they are
    nested; in text mode it counts from the nearest text shown, the adjoining character having gap 0.
    """

    by_distance = True

    @abstractmethod
    def of_gap(self, gap: np.ndarray, forward: np.ndarray, doc_length: np.ndarray) -> np.ndarray:
        """The chance to get over gaps of so many characters in documents so long."""

    def pairs(self, doc, source, target, coverage) -> np.ndarray:  # type: ignore[no-untyped-def]
        documents = self.tree()
        gap = node_gaps(documents, doc, source, target)
        nested = documents.nested(doc, source, target)
        ahead = documents.extent(doc, target)[0] >= documents.extent(doc, source)[0]
        return self.of_gap(np.where(nested, 0, gap), ahead | nested, documents.length[doc])
