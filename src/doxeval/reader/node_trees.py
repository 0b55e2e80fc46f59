"""Trees: sets of nodes of one document, which readers look for and results show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.keys import find_keys, first_of_equals
from doxeval.core.ragged import OneEach, Ragged
from doxeval.tables.documents import Documents


@dataclass(eq=False)
class Trees:
    """Sets of nodes: tree t has some `nodes`, rows of the column `node`, ascending, in document `doc[t]`."""

    doc: np.ndarray
    nodes: Ragged
    node: np.ndarray

    @classmethod
    def single(cls, doc: np.ndarray, node: np.ndarray) -> Trees:
        """Trees of one node each."""
        return cls(doc, OneEach(len(node)), node)

    @classmethod
    def gathered(cls, doc: np.ndarray, owner: np.ndarray, node: np.ndarray) -> Trees:
        """Trees from rows (tree, node) in any order, each node counted once."""
        nodes, node = Ragged.gathered(owner, len(doc), node)
        fresh = first_of_equals(nodes.row, node)
        return cls(doc, nodes, node) if fresh.all() else cls(doc, nodes.keep_items(fresh), node[fresh])

    def __len__(self) -> int:
        return len(self.doc)

    @property
    def count(self) -> np.ndarray:
        """The number of nodes of each tree."""
        return self.nodes.counts

    @property
    def owner(self) -> np.ndarray:
        """The tree each node belongs to."""
        return self.nodes.row

    def take(self, trees: np.ndarray) -> Trees:
        """The trees with these numbers, in this order."""
        nodes, at = self.nodes.take(trees)
        return Trees(self.doc[trees], nodes, self.node[at])

    def told(self, documents: Documents, tree: int) -> str:
        """A tree for people: its document, and its nodes by id, else by path."""
        rows = documents.rows(self.doc[tree], self.node[self.nodes.slice(tree)])
        names = [documents.node_told(row) for row in rows.tolist()]
        within = f"{documents.ids[self.doc[tree]]}: " if names else ""
        return within + " ".join(name.removeprefix(within) for name in names)

    def sizes(self, documents: Documents, size: str = "sum") -> np.ndarray:
        """The sum of the nodes' lengths; with `union`, nested text counts once."""
        known = self.doc >= 0
        doc = np.maximum(self.doc[self.owner], 0)
        length = np.where(known[self.owner], documents.lengths(doc, self.node), 0) if len(doc) else doc
        if size == "union" and (self.count > 1).any():
            length = np.where(self._topmost(documents, doc), length, 0)
        return self.nodes.sum(length)

    def _topmost(self, documents: Documents, doc: np.ndarray) -> np.ndarray:
        """Whether each node has no ancestor in its own tree: climb to a member or the root."""
        width = 1 + int(documents.nodes.counts.max(initial=0))
        members = self.owner * width + self.node
        top = np.ones(len(members), dtype=bool)
        climber = documents.parent[documents.rows(doc, self.node)].astype(np.int64)
        while (going := np.flatnonzero(top & (climber >= 0))).size:
            met = find_keys(members, self.owner[going] * width + climber[going]) >= 0
            top[going[met]] = False
            climber[going] = documents.parent[documents.rows(doc[going], climber[going])]
        return top
