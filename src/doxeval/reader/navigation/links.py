"""Readers who follow the steps of a file: from node to node, or along links between documents."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.grammar import Call
from doxeval.core.keys import find_keys
from doxeval.core.parameters import Parameter
from doxeval.core.ragged import sums_by
from doxeval.reader.navigation.logs import StepChances, read_steps
from doxeval.reader.navigation.mix import canonical_sum, weighted_names
from doxeval.reader.navigation.model import NORMALISE, Array, Navigation
from doxeval.tables.documents import Documents


class Matrix(Navigation):
    """p(e; f) from a CSV file with the columns doc, from, to, p; 0 for pairs that are not listed."""

    name = "matrix"
    reader = "Goes where the file says, with the chance it gives."
    paper = "all: the given table of chances"
    parameters = (Parameter("file", "text", "", "CSV with the columns doc, from, to, p"), NORMALISE)
    example = "matrix(file=nav.csv)"

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        if not self.given.file:
            raise UsageError(f"{str(call)!r}: name the file, as in matrix(file=nav.csv)")
        steps = read_steps(self.given.file, self.tree())
        self.notices.extend(steps.notices)
        inside = steps.source_doc == steps.target_doc
        self._width = 1 + len(self.tree().parent)
        keys = steps.source_row[inside] * self._width + steps.target_row[inside]
        order = np.argsort(keys, kind="stable")
        self._keys, self._chances = keys[order], np.append(steps.chance[inside][order], 0.0)

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        documents = self.tree()
        keys = documents.rows(doc, source) * self._width + documents.rows(doc, target)
        return self._chances[find_keys(self._keys, keys)]


LARGEST_DENSE_SYSTEM = 500


class Links(Navigation):
    """p(e; f) = the chance that a first-order walk from f ever comes to e (PRUM sections 2.1, 3.2).

    The file gives the chance of each single step; the remainder to 1 is the chance to stop there. For a
    target e the chances h satisfy h(f) = sum over steps f -> n of p(n) * (1 if n = e else h(n)); only nodes
    from which e can be reached take part, which makes the solution unique. A document without a named node is
    its root.

    `types` weighs links by the file's column `type`, as in RDF: a reader follows some link of a type with the
    chance that is the type's weight, each of those that leave the node equally often, or by the shares in the
    column p if there is one. Links of other types are not followed.
    """

    name = "links"
    reader = "Follows links one after the other, from one document to the next, and may stop at each."
    paper = "PRUM sections 2.1, 3.2, Fig. 2"
    parameters = (
        Parameter("file", "text", "", "CSV with the columns from_doc, from, to_doc, to, p (or type)"),
        Parameter(
            "types", "text", "", "weights of types of links, as in 0.5*cites+0.2*related",
            canonical=canonical_sum,
        ),
    )  # fmt: skip
    crosses = True
    example = "links(file=links.csv)"

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        if not self.given.file:
            raise UsageError(f"{str(call)!r}: name the file, as in links(file=links.csv)")
        steps = read_steps(self.given.file, self.tree(), typed=bool(self.given.types))
        self.notices.extend(steps.notices)
        self._places, both = np.unique(
            np.concatenate([steps.source_row, steps.target_row]), return_inverse=True
        )
        self._from, self._to = both[: len(steps.chance)], both[len(steps.chance) :]
        self._chance = self._weighed(steps) if self.given.types else steps.chance
        if (self._leaving_chance() > 1 + 1e-9).any():
            node = self.tree().node_told(int(self._places[np.argmax(self._leaving_chance())]))
            raise UsageError(f"{self.given.file}: the steps that leave {node} add up to more than 1")
        self._hitting: dict[int, tuple[Array, Array]] = {}

    def _weighed(self, steps: StepChances) -> Array:
        """The chance of each link by the weight of its type."""
        weights = dict[str, float]()
        for weight, name in weighted_names(self.given.types, str(self.call), "0.5*cites"):
            if name not in steps.kinds:
                raise UsageError(
                    f"{self.given.file}: no link has the type {name!r}{nearest(name, steps.kinds)}"
                )
            weights[name] = float(weight)
        others = [name for name in steps.kinds if name not in weights]
        left_out = int(np.isin(steps.kind, [steps.kinds.index(name) for name in others]).sum())
        if left_out:
            self.notices.add(
                f"{self.given.file}: {{count}} {{link is|links are}} not followed: {{its|their}} type has no "
                "weight",
                *others, count=left_out, lasting=True, harmless=True,
            )  # fmt: skip
        _, alike, many = np.unique(
            self._from * len(steps.kinds) + steps.kind, return_inverse=True, return_counts=True
        )
        share = np.where(np.isnan(steps.chance), 1.0 / many[alike], steps.chance)
        return np.array([weights.get(name, 0.0) for name in steps.kinds])[steps.kind] * share

    def _leaving_chance(self) -> Array:
        return np.bincount(self._from, weights=self._chance, minlength=len(self._places))

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return self.chance_between(doc, source, doc, target)

    def chance_between(
        self,
        source_doc: Array,
        source: Array,
        target_doc: Array,
        target: Array,
        coverage: Array | None = None,
    ) -> Array:
        documents = self.tree()
        chances = np.zeros(len(source))
        here = self._place(documents.rows(source_doc, source))
        there = self._place(documents.rows(target_doc, target))
        for goal in np.unique(there[(here >= 0) & (there >= 0)]):
            asked = np.flatnonzero((there == goal) & (here >= 0))
            reaching, hit = self._walks_to(int(goal))
            chances[asked] = np.append(hit, 0.0)[find_keys(reaching, here[asked])]
        return chances

    def is_start(self, doc: Array, node: Array) -> Array:
        """Whether links leave each node."""
        return np.isin(self._place(self.tree().rows(doc, node)), self._from)

    def is_goal(self, doc: Array, node: Array) -> Array:
        """Whether links lead to each node."""
        return np.isin(self._place(self.tree().rows(doc, node)), self._to)

    def _place(self, rows: Array) -> Array:
        """The index of each node among those that links touch, -1 for others."""
        return find_keys(self._places, rows)

    def _walks_to(self, goal: int) -> tuple[Array, Array]:
        """The indices from which walks reach `goal`, and the chance that they do."""
        if goal not in self._hitting:
            reaching = self._reaching(goal)
            number = np.full(len(self._places), -1)
            number[reaching] = np.arange(len(reaching))
            inside = (number[self._from] >= 0) & (number[self._to] >= 0)
            last = (number[self._from] >= 0) & (self._to == goal)
            arriving = sums_by(number[self._from[last]], self._chance[last], len(reaching))
            rows, columns = number[self._from[inside]], number[self._to[inside]]
            self._hitting[goal] = reaching, _solve(rows, columns, self._chance[inside], arriving)
        return self._hitting[goal]

    def _reaching(self, goal: int) -> Array:
        """The indices other than `goal` from which it can be reached."""
        reached = np.zeros(len(self._places), dtype=bool)
        reached[goal] = True
        count = 0
        while count != (count := int(reached.sum())):
            reached[self._from[reached[self._to] & (self._chance > 0)]] = True
        reached[goal] = False
        return np.flatnonzero(reached)


def _solve(rows: Array, columns: Array, chance: Array, arriving: Array) -> Array:
    """h with h = Q h + arriving, Q given by its entries."""
    size = len(arriving)
    if size <= LARGEST_DENSE_SYSTEM:
        system = np.eye(size)
        np.subtract.at(system, (rows, columns), chance)
        return np.linalg.solve(system, arriving)
    from doxeval.core.scipy_here import solvers, sparse

    entries = sparse.csc_array((chance, (rows, columns)), shape=(size, size))
    return solvers.spsolve(sparse.csc_array(sparse.eye_array(size) - entries), arriving)
