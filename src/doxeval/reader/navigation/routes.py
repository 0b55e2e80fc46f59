"""The reader who goes where logged readers went."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.keys import find_keys
from doxeval.core.parameters import Parameter
from doxeval.core.ragged import quotient
from doxeval.reader.navigation.base import Array, Navigation
from doxeval.reader.navigation.files import Sessions, read_sessions
from doxeval.reader.summaries.partition import partition_nodes, partition_parameter
from doxeval.reader.summaries.steps import Steps, class_labels
from doxeval.tables.documents import Documents


class Routes(Navigation):
    """p(e; f) = the share of the observed steps leaving f's class that go to e's class (ESR Tables 2, 3).

    Sessions of clicks or scrolls come from JSON Lines: {"doc": "d1", "route": ["e3", "e1", "e2"]}. With
    `abandonment` the end of a session is a step that stays where it is (ESR footnote 4). `smoothing` is added
    to the count of every step between classes that occur in the log.
    """

    name = "routes"
    reader = "Goes where the readers of a log went, as often as they did."
    paper = "ESR section 4.2, Tables 2, 3"
    parameters = (
        Parameter("file", "text", "", "the log: JSON Lines with doc and route"),
        partition_parameter("node"),
        Parameter("abandonment", "flag", False, "whether the end of a session counts as a step to itself"),
        Parameter("smoothing", "number", Fraction(0), "added to the count of every step", low=0),
    )
    example = "routes(file=log.jsonl,partition=tag)"

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        if not self.given.file:
            raise UsageError(f"{str(call)!r}: name the log, as in routes(file=log.jsonl)")
        by_node = self.given.partition == "node"
        self._code = None if by_node else partition_nodes(self.tree(), self.given.partition).code
        sessions = read_sessions(self.given.file, self.tree())
        self.notices.extend(sessions.notices)
        self.learn(sessions)

    def learn(self, sessions: Sessions) -> None:
        """Count the steps of sessions, replacing what was learned before."""
        places = self._class_of(sessions.row)
        ends = sessions.ends
        at = np.flatnonzero(~ends)
        source, target = places[at], places[at + 1]
        if self.given.abandonment:
            source, target = np.concatenate([source, places[ends]]), np.concatenate([target, places[ends]])
        self._known = np.unique(places)
        self._width = 1 + int(self._known.max(initial=0))
        self._steps, count = np.unique(source * self._width + target, return_counts=True)
        self._count = np.append(count, 0).astype(np.float64)
        leaving = np.bincount(np.searchsorted(self._known, source), minlength=len(self._known))
        self._left = np.append(leaving, 0).astype(np.float64)

    def _class_of(self, rows: Array) -> Array:
        return rows if self._code is None else self._code[rows].astype(np.int64)

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        documents = self.tree()
        here, there = self._class_of(documents.rows(doc, source)), self._class_of(documents.rows(doc, target))
        return quotient(*self._between(here, there))

    def _between(self, here: Array, there: Array) -> tuple[Array, Array]:
        """The weights of steps between classes, and of all that leave the first."""
        smoothing = float(self.given.smoothing)
        at, goal = find_keys(self._known, here), find_keys(self._known, there)
        known = (at >= 0) & (goal >= 0)
        steps = self._count[find_keys(self._steps, np.where(known, here * self._width + there, -1))]
        above = steps + np.where(known, smoothing, 0.0)
        return above, self._left[at] + np.where(at >= 0, smoothing * len(self._known), 0.0)

    def staying(self, doc: Array, node: Array) -> Array:
        """p(e; e): the share of the steps that stay (ESR footnote 4)."""
        return self.pairs(doc, node, node, None)

    def steps(self) -> Steps:
        """The steps of the log between the nodes or classes that occur in it (ESR Tables 2, 3)."""
        source, target = np.divmod(self._steps, self._width)
        if self.given.smoothing:
            source, target = map(np.ravel, np.meshgrid(self._known, self._known, indexing="ij"))
        weight, leaving = self._between(source, target)
        labels, names = self._states()
        source, target = np.searchsorted(self._known, source), np.searchsorted(self._known, target)
        return Steps(labels, names, source, target, weight, quotient(weight, leaving))

    def _states(self) -> tuple[list[str], list[str]]:
        """Labels and names of the classes or nodes that occur in the log."""
        documents, known = self.tree(), self._known.tolist()
        if self._code is not None:
            names = partition_nodes(documents, self.given.partition).names
            labels = class_labels(len(names))
            return [labels[at] for at in known], [names[at] for at in known]
        names = list(map(documents.node_told, known))
        doc = np.searchsorted(documents.node_offset, known, side="right") - 1
        if len(np.unique(doc)) > 1:
            return names, names
        return [documents.labels(int(doc[0]))[at - documents.node_offset[doc[0]]] for at in known], names
