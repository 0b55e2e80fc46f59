"""Assessed elements: nodes with what they are worth, from judged nodes, INEX codes or highlights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.strings import group_offsets
from doxeval.ground.ground import Ground
from doxeval.ground.places import find_names
from doxeval.kernels.gains import parents_among
from doxeval.kernels.stretches import merge_ranges
from doxeval.reader.ideals.quantisation import coverage_of, quantise

if TYPE_CHECKING:
    from doxeval.tables.documents import Documents

IDEALS = ("auto", "judged", "cover")


@dataclass(eq=False)
class Elements:
    """Nodes of assessed documents, sorted by pair (and so by topic), then in document order.

    `doc` is the row of the document, `node` the node in it, `value` what it is worth (0 for nodes judged
    worthless), `coverage` the INEX letter that ERR's reader minds.
    """

    pair: np.ndarray
    doc: np.ndarray
    node: np.ndarray
    value: np.ndarray
    coverage: np.ndarray
    pair_offset: np.ndarray
    topic_offset: np.ndarray

    def __len__(self) -> int:
        return len(self.pair)

    @cached_property
    def topic(self) -> np.ndarray:
        """The topic of each element."""
        return np.repeat(np.arange(len(self.topic_offset) - 1), np.diff(self.topic_offset))

    @cached_property
    def total(self) -> np.ndarray:
        """Per topic the sum of the values."""
        return np.bincount(self.topic, weights=self.value, minlength=len(self.topic_offset) - 1)

    @cached_property
    def positive(self) -> Elements:
        """Only the elements that are worth something: the ideal ones."""
        return self.select(self.value > 0)

    def select(self, keep: np.ndarray) -> Elements:
        """Only the elements marked."""
        before = np.concatenate([[0], np.cumsum(keep)])
        return Elements(
            self.pair[keep], self.doc[keep], self.node[keep], self.value[keep], self.coverage[keep],
            before[self.pair_offset], before[self.topic_offset],
        )  # fmt: skip

    @cached_property
    def _keys(self) -> tuple[np.ndarray, int]:
        width = 1 + int(self.node.max(initial=0))
        return self.pair * width + self.node, width

    def find(self, pair: np.ndarray, node: np.ndarray) -> np.ndarray:
        """The place of each node (in the document of a pair) among the elements, -1 where it is none."""
        keys, width = self._keys
        if not len(keys):
            return np.full(len(pair), -1)
        wanted = pair * width + node
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where((keys[at] == wanted) & (pair >= 0) & (node < width), at, -1)

    def value_at(self, others: Elements) -> np.ndarray:
        """What other elements are worth here; 0 for those that are not here."""
        at = self.find(others.pair, others.node)
        return np.where(at >= 0, self.value[at] if len(self) else 0.0, 0.0)


def assessed_elements(
    ground: Ground, ideals: str = "auto", quantisation: str = "gen", by_code: bool = False
) -> Elements:
    """The elements of all topics, made once.

    `judged`: nodes with a value, or with a code under a quantisation. `cover`: relevant text, merged where it
    touches, as the maximal nodes inside each range, else the deepest node around it; each is worth 1 and has
    exact coverage. `auto`: judged nodes, and the cover of what was highlighted. A node that has both a value
    and a code counts with its value, or else `by_code`.
    """
    key = ("elements", ideals, quantisation, by_code)
    return ground.shared(key, lambda: _make(ground, ideals, quantisation, by_code))


def ancestors_among(ground: Ground, elements: Elements) -> np.ndarray:
    """For each element the place of its nearest ancestor among the elements, -1 where it has none."""
    documents = tree_of(ground)
    held = np.flatnonzero(np.diff(elements.pair_offset))
    offset = np.append(elements.pair_offset[held], len(elements))
    doc = ground.doc_index[ground.assessments.pair_doc[held]]
    above = parents_among(documents.node_offset, documents.parent, doc, offset, elements.node)
    return np.where(above >= 0, above + np.repeat(offset[:-1], np.diff(offset)), -1)


def tree_of(ground: Ground) -> Documents:
    """The documents, or an error that says why they are needed."""
    if ground.documents is None:
        raise UsageError("measures of elements need the documents' trees (--docs FILE)")
    return ground.documents


def _make(ground: Ground, ideals: str, quantisation: str, by_code: bool) -> Elements:
    tree_of(ground)
    parts = []
    if ideals != "cover" and ground.assessments.nodes is not None:
        parts.append(_judged(ground, quantisation, by_code))
    if ideals == "cover":
        offset, start, end = ground.relevant
        pair = np.repeat(np.arange(len(offset) - 1), np.diff(offset))
        parts.append(_covered(ground, pair, start, end))
    elif ideals == "auto":
        ranges = ground.assessments.ranges
        useful = ranges.grade > 0
        parts.append(_covered(ground, ranges.pair[useful], ranges.start[useful], ranges.end[useful]))
    pair, node, value, coverage = (
        (np.concatenate(columns) for columns in zip(*parts, strict=True))
        if parts
        else (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0, dtype="U1"))
    )
    return _sorted(ground, pair, node, value, coverage)


def _judged(ground: Ground, quantisation: str, by_code: bool) -> tuple[np.ndarray, ...]:
    """Pair, node, value and coverage of the judged nodes; a judged passage stands for its cover."""
    judged = ground.assessments.nodes
    assert judged is not None
    codes, code = np.unique(np.array(judged.code, dtype="U4"), return_inverse=True)
    given = ~np.isnan(judged.value) & ~(by_code & (codes[code] != ""))
    value = np.where(given, judged.value, quantise(codes.tolist(), quantisation)[code])
    letters = np.array([coverage_of(text) for text in codes.tolist()], dtype="U1")[code]

    doc = ground.doc_index[ground.assessments.pair_doc[judged.pair]]
    node, start, end = find_names(tree_of(ground), doc, judged.nodes)
    row = np.repeat(np.arange(len(judged)), np.diff(judged.nodes.offset))
    passage = (node < 0) & (start >= 0)
    offset, around = tree_of(ground).cover(doc[row[passage]], start[passage], end[passage])
    rows = np.concatenate([row[node >= 0], np.repeat(row[passage], np.diff(offset))])
    return judged.pair[rows], np.concatenate([node[node >= 0], around]), value[rows], letters[rows]


def _covered(ground: Ground, pair: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, ...]:
    """Pair, node, value and coverage of the nodes that cover ranges."""
    doc = ground.doc_index[ground.assessments.pair_doc]
    known = doc[pair] >= 0
    pair, start, end = pair[known], start[known], end[known]
    limit = tree_of(ground).length[doc[pair]]
    order = np.lexsort((start, pair))
    offset, start, end = merge_ranges(
        group_offsets(pair, len(doc)), np.minimum(start, limit)[order], np.minimum(end, limit)[order], True
    )
    pair = np.repeat(np.arange(len(doc)), np.diff(offset))
    offset, node = tree_of(ground).cover(doc[pair], start, end)
    pair = np.repeat(pair, np.diff(offset))
    return pair, node, np.ones(len(node)), np.full(len(node), "E", dtype="U1")


def _sorted(ground: Ground, pair, node, value, coverage) -> Elements:  # type: ignore[no-untyped-def]
    """The elements in order; a node assessed twice counts with its higher value."""
    order = np.lexsort((-value, node, pair))
    pair, node = pair[order], node[order]
    first = np.ones(len(pair), dtype=bool)
    first[1:] = (np.diff(pair) != 0) | (np.diff(node) != 0)
    order, pair, node = order[first], pair[first], node[first]
    pair_offset = group_offsets(pair, len(ground.assessments.pair_doc))
    doc = ground.doc_index[ground.assessments.pair_doc[pair]]
    return Elements(
        pair,
        doc,
        node,
        value[order],
        coverage[order],
        pair_offset,
        pair_offset[ground.assessments.pair_offset],
    )
