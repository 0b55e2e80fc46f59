"""The reader who wanders over a structural summary and visits each kind of node more or less often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter, choice
from doxeval.core.ragged import quotient
from doxeval.reader.navigation.base import Array, Navigation
from doxeval.reader.summaries.partition import partition_parameter
from doxeval.tables.documents import Documents

if TYPE_CHECKING:
    from doxeval.reader.navigation.files import Sessions


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
        self._code, self._steady = self._classes()

    def _classes(self) -> tuple[Array | None, Array]:
        """The class of each node (None: its own) and pi of each class."""
        from doxeval.reader.summaries.structure import assign, read_summary, summarise

        documents = self.tree()
        if self.given.weight == "routes":
            return self._observed()
        if self.given.file:
            summary = read_summary(self.given.file)
            code = assign(documents, summary)
            return np.where(code >= 0, code, len(summary.names)), np.append(summary.steady, 0.0)
        if self.given.partition == "node":
            return None, np.zeros(0)
        summary, classes = summarise(documents, self.given.partition, self.given.weight)
        return classes.code, summary.steady

    def _observed(self) -> tuple[Array, Array]:
        """Classes and pi of the walk that a log of sessions shows."""
        from doxeval.reader.navigation.files import read_sessions

        if not self.given.file:
            raise UsageError(f"{str(self.call)!r}: weight=routes needs the log, as in file=log.jsonl")
        if self.given.partition == "node":
            raise UsageError(
                f"{str(self.call)!r}: weight=routes needs classes of nodes: tag, path, depth, ..."
            )
        sessions = read_sessions(self.given.file, self.tree())
        self.notices.extend(sessions.notices)
        self.learns = True
        return self._walk_of(sessions)

    def learn(self, sessions: Sessions) -> None:
        self._code, self._steady = self._walk_of(sessions)

    def _walk_of(self, sessions: Sessions) -> tuple[Array, Array]:
        from doxeval.reader.summaries.partition import partition_nodes
        from doxeval.reader.summaries.steady import steady_state

        classes = partition_nodes(self.tree(), self.given.partition)
        code = classes.code[sessions.row].astype(np.int64)
        step = np.flatnonzero(~sessions.ends)
        begins, ends = code[sessions.steps.first], code[sessions.ends]
        starts, share = np.unique(begins, return_counts=True)
        source = np.concatenate([code[step], np.repeat(ends, len(starts))])
        target = np.concatenate([code[step + 1], np.tile(starts, len(ends))])
        weight = np.concatenate([np.ones(len(step)), np.tile(share / max(1, len(begins)), len(ends))])
        return classes.code, steady_state(source, target, weight, len(classes.names))

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return self.chance_of_target(doc, target)

    def chance_of_target(self, doc: Array, target: Array) -> Array:
        documents = self.tree()
        if self._code is not None:
            return 1.0 - self._steady[self._code[documents.rows(doc, target)]]
        docs, place = np.unique(doc, return_inverse=True)
        steady, first = node_steady_states(documents, docs, self.given.weight)
        return 1.0 - steady[first[place] + target]


def node_steady_states(documents: Documents, docs: Array, weight: str) -> tuple[Array, Array]:
    """pi of every node of some documents, each its own graph; and the start of each document's nodes."""
    from doxeval.reader.summaries.structure import node_weights

    nodes, row = documents.nodes.take(docs)
    node = nodes.place
    below = node > 0
    parent = np.where(below, nodes.expand(nodes.first) + documents.parent[row], 0)
    own = node_weights(weight, documents.lengths(nodes.expand(docs), node), documents.depth[row])
    ends = np.where(below, own, 0.0) + np.bincount(parent[below], weights=own[below], minlength=len(row))
    total = nodes.expand(nodes.add(ends))
    return quotient(ends, total, 1.0 / nodes.expand(nodes.counts)), nodes.first
