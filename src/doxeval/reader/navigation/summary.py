"""Readers who wander over kinds of nodes, and visit each more or less often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter, choice
from doxeval.reader.navigation.model import Array, Navigation
from doxeval.reader.summaries.partition import partition_nodes, partition_parameter
from doxeval.reader.summaries.steps import Steps
from doxeval.reader.summaries.structure import node_steady_states
from doxeval.tables.documents import Documents

if TYPE_CHECKING:
    from doxeval.reader.navigation.logs import Sessions
    from doxeval.reader.summaries.structure import Summary


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


class SteadyState(Navigation):
    """p(e; f) = 1 - pi(class of e), pi the steady state of the walk on a structural summary (SR Eqs. 7, 8).

    The summary is that of the whole collection, or the one in `file`. With `partition=node` every document
    is its own summary; a document of one node has pi = 1. `weight=routes` uses the steps observed in `file`
    instead of the tree's edges; the end of a session is followed by the beginning of another.
    """

    name = "summary"
    reader = "Wanders over the kinds of nodes, and meets those rarely visited only on purpose."
    paper = "SR section 5, Eqs. 7, 8"
    parameters = (
        partition_parameter("path"),
        choice("weight", "extent length depth routes", "the weight of an edge"),
        Parameter("file", "text", "", "a saved summary (doxeval summary), or the log for weight=routes"),
    )
    example = "summary(partition=path,weight=extent)"

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        self.learns = self.given.weight == "routes"
        self._code, self._steady = self._classes()

    def learn(self, sessions: Sessions) -> None:
        self._code, self._steady = self._classes(sessions)

    def _classes(self, sessions: Sessions | None = None) -> tuple[Array | None, Array]:
        """The class of each node (None: its own) and pi of each class."""
        given = self.given
        if given.partition == "node" and given.weight != "routes" and not given.file:
            return None, np.zeros(0)
        summary, code = self._summary(sessions)
        return np.where(code >= 0, code, len(summary.names)), np.append(summary.steady, 0.0)

    def _summary(self, sessions: Sessions | None = None) -> tuple[Summary, Array]:
        """The summary, and the class of each node in it, -1 if it has none."""
        from doxeval.reader.summaries.structure import assign, read_summary, summarise

        documents = self.tree()
        if self.given.weight == "routes" and sessions is None:
            if not self.given.file:
                raise UsageError(f"{str(self.call)!r}: weight=routes needs the log, as in file=log.jsonl")
            from doxeval.reader.navigation.logs import read_sessions

            sessions = read_sessions(self.given.file, documents)
            self.notices.extend(sessions.notices)
        elif self.given.file and sessions is None:
            summary = read_summary(self.given.file)
            return summary, assign(documents, summary)
        summary, classes = summarise(documents, self.given.partition, self.given.weight, sessions)
        return summary, classes.code

    def steps(self) -> Steps:
        return self._summary()[0].steps()

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return self.chance_of_target(doc, target)

    def chance_of_target(self, doc: Array, target: Array) -> Array:
        documents = self.tree()
        if self._code is not None:
            return 1.0 - self._steady[self._code[documents.rows(doc, target)]]
        docs, place = np.unique(doc, return_inverse=True)
        steady, first = node_steady_states(documents, docs, self.given.weight)
        return 1.0 - steady[first[place] + target]
