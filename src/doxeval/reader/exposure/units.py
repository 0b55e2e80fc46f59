"""Assessed trees: judged node sets with their values, and the nodes that own highlighted text."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.ground.ground import Ground
from doxeval.ground.places import find_names
from doxeval.reader.exposure.grouping import expand, offsets, sums
from doxeval.reader.exposure.pieces import cut_at_nodes, text_pieces
from doxeval.reader.ideals.quantisation import coverage_of

EX_SPEC = re.compile(r"E?(\d)S(\d)")
POSITIVE_CODE = re.compile(r"E?[1-9].*")


@dataclass(eq=False)
class Trees:
    """Sets of nodes: tree t is the nodes `node[offset[t]:offset[t + 1]]` (ascending) of document `doc[t]`."""

    doc: np.ndarray
    offset: np.ndarray
    node: np.ndarray

    def __len__(self) -> int:
        return len(self.doc)

    @property
    def count(self) -> np.ndarray:
        """How many nodes each has."""
        return np.diff(self.offset)

    @property
    def owner(self) -> np.ndarray:
        """The tree each node belongs to."""
        return np.repeat(np.arange(len(self)), self.count)

    def take(self, rows: np.ndarray) -> Trees:
        """The trees with these numbers, in this order."""
        count = self.count[rows]
        _, at = expand(self.offset[:-1][rows], count)
        return Trees(self.doc[rows], offsets(count), self.node[at])


def make_trees(doc: np.ndarray, owner: np.ndarray, node: np.ndarray) -> Trees:
    """Trees from rows (tree, node) in any order, each node counted once."""
    order = np.lexsort((node, owner))
    owner, node = owner[order], node[order]
    fresh = np.ones(len(node), dtype=bool)
    fresh[1:] = (np.diff(owner) != 0) | (np.diff(node) != 0)
    return Trees(doc, offsets(np.bincount(owner[fresh], minlength=len(doc))), node[fresh])


@dataclass(eq=False)
class Units:
    """Assessed trees, in order of pairs, and what each is worth under every reading of relevance."""

    trees: Trees
    pair: np.ndarray
    grade: np.ndarray
    length: np.ndarray
    specificity: np.ndarray

    def in_pairs(self, topics) -> np.ndarray:  # type: ignore[no-untyped-def]
        """Which pairs have an assessed tree."""
        marked = np.zeros(len(topics.ground.assessments.pair_doc), dtype=bool)
        marked[self.pair] = True
        return marked

    def worth(self, rel: str) -> np.ndarray:
        """The value of each unit: its grade, 1, its relevant characters, or their share of its text."""
        if rel == "binary":
            return (self.grade > 0).astype(np.float64)
        return {"grade": self.grade, "length": self.length, "specificity": self.specificity}[rel].astype(
            np.float64
        )


def assessed_units(ground: Ground) -> Units:
    """The assessed trees of all topics.

    Judged nodes and trees are taken as they are; of highlighted ranges every character belongs to its deepest
    node, and those owners are the assessed nodes.
    """
    if ground.documents is None:
        raise UsageError("mode=trees needs the documents' trees (--docs FILE)")
    if ground.assessments.nodes is None:
        units = _owners(ground)
    else:
        units = _judged(ground)
        if len(ground.assessments.ranges):
            ground.notices.add(
                "{count} highlighted ranges are left out: mode=trees takes judged nodes where there are any",
                count=len(ground.assessments.ranges),
            )
    kept = np.flatnonzero((units.grade > 0) & (units.trees.count > 0))
    kept = kept[np.argsort(units.pair[kept], kind="stable")]
    return Units(
        units.trees.take(kept),
        units.pair[kept],
        units.grade[kept],
        units.length[kept],
        units.specificity[kept],
    )


def _judged(ground: Ground) -> Units:
    judged, documents = ground.assessments.nodes, ground.documents
    assert judged is not None and documents is not None
    doc = ground.doc_index[ground.assessments.pair_doc[judged.pair]]
    node, _, _ = find_names(documents, doc, judged.nodes)
    owner = np.repeat(np.arange(len(judged)), np.diff(judged.nodes.offset))
    whole = np.bincount(owner[node < 0], minlength=len(judged)) == 0
    known = whole[owner]
    trees = make_trees(doc, owner[known], node[known])
    grade = np.where(np.isnan(judged.value), [_grade_of_code(code) for code in judged.code], judged.value)
    specificity = np.array([_specificity_of_code(code) for code in judged.code], dtype=np.float64)
    return Units(trees, judged.pair, grade, tree_sizes(documents, trees), specificity)


def _owners(ground: Ground) -> Units:
    documents = ground.documents
    assert documents is not None
    pieces = cut_at_nodes(text_pieces(ground), ground)
    doc = ground.doc_index[ground.assessments.pair_doc]
    known = doc[pieces.pair] >= 0
    width = 1 + int(pieces.node.max(initial=0))
    group, at = np.unique(pieces.pair[known] * width + pieces.node[known], return_inverse=True)
    pair, node = group // width, group % width
    characters = sums(at, (pieces.end - pieces.start)[known], len(group))
    grade = np.zeros(len(group))
    np.maximum.at(grade, at, pieces.grade[known])
    trees = Trees(doc[pair], np.arange(len(group) + 1), node)
    size = documents.lengths(doc[pair], node)
    return Units(
        trees, pair, grade, characters, np.divide(characters, size, out=np.zeros(len(size)), where=size > 0)
    )


def _grade_of_code(code: str) -> float:
    """1 for an INEX code that says relevant to some degree, else 0."""
    return 1.0 if POSITIVE_CODE.fullmatch(code) else 0.0


def _specificity_of_code(code: str) -> float:
    """The third digit's share of an ExSy code; a node judged without one is all relevant."""
    match = EX_SPEC.fullmatch(code)
    return int(match[2]) / 3 if match else 1.0


def coverage_letters(ground: Ground, pair: np.ndarray, node: np.ndarray) -> np.ndarray | None:
    """The coverage of nodes as INEX 2002 wrote it: E, L, S, or N where not judged; None if no node was."""
    judged, documents = ground.assessments.nodes, ground.documents
    if judged is None or documents is None:
        return None

    def table() -> tuple[np.ndarray, np.ndarray, int]:
        doc = ground.doc_index[ground.assessments.pair_doc[judged.pair]]
        found, _, _ = find_names(documents, doc, judged.nodes)
        owner = np.repeat(np.arange(len(judged)), np.diff(judged.nodes.offset))[found >= 0]
        width = 1 + int(np.diff(documents.node_offset).max(initial=0))
        letters = np.array([coverage_of(code) for code in judged.code], dtype="U1")[owner]
        keys, first = np.unique(judged.pair[owner] * width + found[found >= 0], return_index=True)
        return keys, letters[first], width

    keys, letters, width = ground.shared("coverage", table)
    if not len(keys):
        return None
    wanted = pair * width + node
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, letters[at], "N")


def tree_sizes(documents, trees: Trees, size: str = "sum") -> np.ndarray:  # type: ignore[no-untyped-def]
    """The sizes of trees: the sum of their nodes' lengths, or `union`, where nested text counts once."""
    owner, known = trees.owner, trees.doc >= 0
    doc = np.maximum(trees.doc[owner], 0)
    length = np.where(known[owner], documents.lengths(doc, trees.node), 0) if len(owner) else np.zeros(0)
    if size == "union" and (trees.count > 1).any():
        length = np.where(_topmost(documents, doc, owner, trees.node), length, 0)
    return sums(owner, length, len(trees)).astype(np.int64)


def _topmost(documents, doc: np.ndarray, owner: np.ndarray, node: np.ndarray) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Which nodes of trees have no ancestor in their own tree: climb until a member or the root is met."""
    width = 1 + int(np.diff(documents.node_offset).max(initial=0))
    members = owner * width + node
    top = np.ones(len(node), dtype=bool)
    climber = documents.parent[documents.rows(doc, node)].astype(np.int64)
    while (going := np.flatnonzero(top & (climber >= 0))).size:
        wanted = owner[going] * width + climber[going]
        at = np.minimum(np.searchsorted(members, wanted), len(members) - 1)
        top[going[members[at] == wanted]] = False
        climber[going] = documents.parent[documents.rows(doc[going], climber[going])]
    return top
