"""The reader who is less likely to return to nodes high in the tree."""

from __future__ import annotations

import numpy as np

from doxeval.core.grammar import Call
from doxeval.reader.navigation.base import Array, Navigation
from doxeval.reader.summaries.partition import partition_nodes, partition_parameter
from doxeval.tables.documents import Documents


class DepthWeighted(Navigation):
    """p(e; f) = 1 - w(class of e), w = 1 / (mean depth of the class), divided by its sum over the classes.

    ESR section 4.2 names a depth-weighted summary model without a formula; this is our choice, and nothing
    computed with it reproduces ESR's section 7.
    """

    name = "depthweighted"
    reader = "Wanders over kinds of nodes, which weigh less the deeper they are."
    paper = "ESR section 4.2 (name only); our formula"
    parameters = (partition_parameter("depth"),)
    example = "depthweighted"

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        tree = self.tree()
        classes = partition_nodes(tree, self.given.partition)
        count = np.bincount(classes.code, minlength=len(classes.names))
        weight = count / np.bincount(classes.code, weights=tree.depth, minlength=len(classes.names))
        self._code, self._share = classes.code, weight / weight.sum()

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return self.chance_of_target(doc, target)

    def chance_of_target(self, doc: Array, target: Array) -> Array:
        return 1.0 - self._share[self._code[self.tree().rows(doc, target)]]
