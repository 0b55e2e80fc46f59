"""The reader who goes where logged readers went."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.keys import find_keys
from doxeval.core.parameters import Parameter, choice
from doxeval.core.ragged import quotient, sums_by
from doxeval.reader.navigation.logs import Sessions, read_sessions
from doxeval.reader.navigation.model import Array, Navigation
from doxeval.reader.summaries.partition import partition_nodes, partition_parameter
from doxeval.reader.summaries.steps import Steps, class_labels
from doxeval.tables.documents import Documents


class Routes(Navigation):
    """p(e; f) = the share of the observed steps leaving f's class that go to e's class (ESR Tables 2, 3).

    Sessions of clicks or scrolls come from JSON Lines: {"doc": "d1", "route": ["e3", "e1", "e2"]}. With
    `weight=dwell` a step counts as much as the time then spent where it led to, `"dwell": [2.5, 10, 4]` (ESR
    section 4.2, footnote 4). With `abandonment` the end of a session is a step that stays where it is (ESR
    footnote 4). `smoothing` is added to the count of every step between classes that occur in the log.

    A log is too sparse for every node (ESR section 4.2). `prior` shrinks the shares towards those between the
    classes of a coarser partition, spread evenly over the members of a class (over the document's nodes in it
    if classes are nodes), or towards `uniform` ones; it counts as much as `strength` observed steps. A coarse
    class that no reader left is taken as uniform.
    """

    name = "routes"
    reader = "Goes where the readers of a log went, as often as they did."
    paper = "ESR section 4.2, Tables 2, 3; prior: ours"
    parameters = (
        Parameter("file", "text", "", "the log: JSON Lines with doc and route"),
        partition_parameter("node"),
        Parameter("abandonment", "flag", False, "whether the end of a session counts as a step to itself"),
        Parameter("smoothing", "number", Fraction(0), "added to the count of every step", low=0),
        choice("weight", "steps dwell", "whether steps count once, or by the time then spent"),
        replace(partition_parameter(""), name="prior", help="a coarser partition to shrink to, or uniform"),
        Parameter("strength", "number", Fraction(1), "the number of steps that the prior counts for", low=0),
    )
    learns = True
    example = "routes(file=log.jsonl,partition=tag)"

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        if not self.given.file:
            raise UsageError(f"{str(call)!r}: name the log, as in routes(file=log.jsonl)")
        if self.given.smoothing and self.given.prior:
            raise UsageError(f"{str(call)!r}: give either smoothing or a prior, not both")
        if self.given.strength != 1 and not self.given.prior:
            raise UsageError(f"{str(call)!r}: strength is that of a prior, as in prior=uniform")
        by_node = self.given.partition == "node"
        self._code = None if by_node else partition_nodes(self.tree(), self.given.partition).code
        self._coarse = self._coarser() if self.given.prior else None
        sessions = read_sessions(self.given.file, self.tree())
        self.notices.extend(sessions.notices)
        self._note_times(sessions)
        self.learn(sessions)

    def _note_times(self, sessions: Sessions) -> None:
        """Report sessions without times where these are needed, and times that are not."""
        timed, file = int(sessions.timed.sum()), self.given.file
        if self.given.weight == "steps" and timed:
            words = (
                f"{file}: the dwell times of {{count}} {{session|sessions}} are not used; weight=dwell "
                "counts them"
            )
            self.notices.add(words, count=timed, harmless=True)
        if self.given.weight == "dwell" and not timed:
            raise UsageError(f'{file}: no session has times, such as "dwell": [2.5, 10], for weight=dwell')
        if self.given.weight == "dwell" and timed < len(sessions):
            words = f"{file}: {{count}} {{session|sessions}} without dwell times {{is|are}} not counted"
            self.notices.add(words, count=len(sessions) - timed, lasting=True)

    def learn(self, sessions: Sessions) -> None:
        """Count the steps of sessions, replacing what was learned before."""
        if self.given.weight == "dwell":
            sessions = sessions.select(sessions.timed)
        ends = sessions.ends
        at = np.flatnonzero(~ends)
        source, target = at, at + 1
        if self.given.abandonment:
            last = np.flatnonzero(ends)
            source, target = np.concatenate([source, last]), np.concatenate([target, last])
        weight = sessions.dwell[target] if self.given.weight == "dwell" else np.ones(len(target))
        places = self._class_of(sessions.row)
        self._known = np.unique(places)
        self._steps = StepWeights.of(places[source], places[target], weight)
        if self._coarse is not None:
            coarse = self._coarse[sessions.row]
            self._coarse_steps = StepWeights.of(coarse[source], coarse[target], weight)

    def _class_of(self, rows: Array) -> Array:
        return rows if self._code is None else self._code[rows].astype(np.int64)

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return quotient(*self._between(self.tree().rows(doc, source), self.tree().rows(doc, target)))

    def _between(self, from_row: Array, to_row: Array) -> tuple[Array, Array]:
        """The weights of steps between the classes of nodes, and of all that leave the first."""
        here, there = self._class_of(from_row), self._class_of(to_row)
        above, below = self._steps.between(here, there), self._steps.leaving(here)
        if self._coarse is not None:
            strength = float(self.given.strength)
            return above + strength * self._shrunk_to(from_row, to_row), below + strength
        smoothing = float(self.given.smoothing)
        known, goal = np.isin(here, self._known), np.isin(there, self._known)
        above = np.where(known & goal, above + smoothing, 0.0)
        return above, below + np.where(known, smoothing * len(self._known), 0.0)

    def staying(self, doc: Array, node: Array) -> Array:
        """p(e; e): the share of the steps that stay (ESR footnote 4)."""
        return self.pairs(doc, node, node, None)

    def steps(self) -> Steps:
        """The steps of the log between the nodes or classes that occur in it (ESR Tables 2, 3)."""
        source, target = np.divmod(self._steps.key, self._steps.width)
        if self.given.smoothing or self.given.prior:
            source, target = map(np.ravel, np.meshgrid(self._known, self._known, indexing="ij"))
        if self._code is None:
            same = self._doc_of(source) == self._doc_of(target)
            from_row, to_row = source, target = source[same], target[same]
        else:
            classes, first = np.unique(self._code, return_index=True)
            from_row, to_row = (first[np.searchsorted(classes, one)] for one in (source, target))
        weight, leaving = self._between(from_row, to_row)
        labels, names = self._states()
        source, target = np.searchsorted(self._known, source), np.searchsorted(self._known, target)
        return Steps(labels, names, source, target, weight, quotient(weight, leaving))

    def _states(self) -> tuple[list[str], list[str]]:
        """Labels and names of the classes or nodes that occur in the log."""
        documents, codes = self.tree(), self._known.tolist()
        if self._code is not None:
            names = partition_nodes(documents, self.given.partition).names
            labels = class_labels(len(names))
            return [labels[code] for code in codes], [names[code] for code in codes]
        names = list(map(documents.node_told, codes))
        doc = self._doc_of(self._known)
        if len(np.unique(doc)) > 1:
            return names, names
        return [documents.labels(int(doc[0]))[code - documents.node_offset[doc[0]]] for code in codes], names

    def _doc_of(self, rows: Array) -> Array:
        return np.searchsorted(self.tree().node_offset, rows, side="right") - 1

    def _coarser(self) -> Array:
        """The coarse class of each node; each class must lie in one of them."""
        if self.given.prior == "uniform":
            return np.zeros(len(self.tree().parent), dtype=np.int64)
        coarse = partition_nodes(self.tree(), self.given.prior).code.astype(np.int64)
        if self._code is not None:
            pairs = np.unique(np.stack([self._code, coarse]), axis=1)
            if len(np.unique(pairs[0])) < pairs.shape[1]:
                raise UsageError(
                    f"{str(self.call)!r}: prior={self.given.prior} is not coarser than "
                    f"partition={self.given.partition}: it divides some of its classes"
                )
        return coarse

    def _shrunk_to(self, from_row: Array, to_row: Array) -> Array:
        """The prior's share of steps: that of the coarse class, divided by the number of its members."""
        assert self._coarse is not None
        here, there = self._coarse[from_row], self._coarse[to_row]
        members, all_members = self._members(self._doc_of(to_row), there)
        left = self._coarse_steps.leaving(here)
        share = quotient(self._coarse_steps.between(here, there), left)
        return np.where(left > 0, share / members, 1.0 / all_members)

    def _members(self, doc: Array, coarse: Array) -> tuple[Array, Array]:
        """The number of members of each coarse class, in its document if these are nodes, and of all."""
        assert self._coarse is not None
        width = 1 + int(self._coarse.max())
        if self._code is not None:
            fine, first = np.unique(self._code, return_index=True)
            return np.bincount(self._coarse[first], minlength=width)[coarse], np.full(len(doc), len(fine))
        docs, place = np.unique(doc, return_inverse=True)
        nodes, row = self.tree().nodes.take(docs)
        held = np.bincount(nodes.row * width + self._coarse[row], minlength=len(docs) * width)
        return held[place * width + coarse], nodes.counts[place]


@dataclass(eq=False)
class StepWeights:
    """Weights of observed steps between classes, and of all steps that leave a class."""

    width: int
    key: Array
    weight: Array
    left: Array
    leaves: Array

    @classmethod
    def of(cls, source: Array, target: Array, weight: Array) -> StepWeights:
        """Add up the weights of equal steps."""
        width = 1 + int(max(source.max(initial=0), target.max(initial=0)))
        key, step = np.unique(source * width + target, return_inverse=True)
        left, at = np.unique(source, return_inverse=True)
        weights, leaves = sums_by(step, weight, len(key)), sums_by(at, weight, len(left))
        return cls(width, key, np.append(weights, 0.0), left, np.append(leaves, 0.0))

    def between(self, source: Array, target: Array) -> Array:
        """The weight of the steps from one class to another."""
        inside = (source < self.width) & (target < self.width)
        return self.weight[find_keys(self.key, np.where(inside, source * self.width + target, -1))]

    def leaving(self, source: Array) -> Array:
        """The weight of all steps that leave a class."""
        return self.leaves[find_keys(self.left, source)]
