"""Relevant text in pieces: highlights merged into units, cut where grades change and at nodes' bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.strings import group_offsets
from doxeval.ground.ground import Ground
from doxeval.kernels.stretches import merge_ranges
from doxeval.reader.exposure.grouping import distinct, expand, keys, width_of


@dataclass(eq=False)
class Pieces:
    """Relevant text: piece i is `[start, end)` of pair `pair`, in order; `node` is the deepest that holds it.

    `unit_length` is the length of the unit (merged highlight) it belongs to. Documents nobody gave a tree are
    one node, 0.
    """

    pair: np.ndarray
    start: np.ndarray
    end: np.ndarray
    grade: np.ndarray
    unit_length: np.ndarray
    node: np.ndarray

    def __len__(self) -> int:
        return len(self.pair)

    def worth(self, rel: str) -> np.ndarray:
        """What one character of each piece is worth.

        `length`: 1; `grade`: its grade; `binary`: a unit is worth 1, spread evenly over its characters.
        """
        if rel == "length":
            return np.ones(len(self))
        if rel == "grade":
            return self.grade
        assert rel == "binary", rel
        return 1.0 / self.unit_length


def text_pieces(ground: Ground) -> Pieces:
    """The relevant text of all topics: overlapping highlights are one unit, touching ones are not."""
    order = np.lexsort((ground.unit_start, ground.unit_pair))
    pair, start, end = ground.unit_pair[order], ground.unit_start[order], ground.unit_end[order]
    grade = ground.unit_grade[order]
    pairs = len(ground.assessments.pair_doc)
    offset, unit_start, unit_end = merge_ranges(group_offsets(pair, pairs), start, end, False)
    unit_pair = np.repeat(np.arange(pairs), np.diff(offset))
    pieces = Pieces(
        unit_pair, unit_start, unit_end, np.ones(len(unit_pair)), unit_end - unit_start,
        np.zeros(len(unit_pair), dtype=np.int64),
    )  # fmt: skip
    if (grade == 1).all():
        return pieces
    width = width_of(end)
    pieces = _cut(pieces, distinct(np.concatenate([keys(pair, start, width), keys(pair, end, width)])), width)
    begin = keys(pieces.pair, pieces.start, width)
    first = np.searchsorted(begin, keys(pair, start, width))
    owner, held = expand(first, np.searchsorted(begin, keys(pair, end, width)) - first)
    pieces.grade = np.zeros(len(pieces))
    np.maximum.at(pieces.grade, held, grade[owner])
    return pieces


def cut_at_nodes(pieces: Pieces, ground: Ground) -> Pieces:
    """The same text cut at every node boundary, each piece with the deepest node that holds it."""
    documents = ground.documents
    if documents is None or not len(pieces):
        return pieces
    doc = ground.doc_index[ground.assessments.pair_doc]
    pairs = distinct(pieces.pair)
    pairs = pairs[doc[pairs] >= 0]
    owner, row = expand(documents.node_offset[doc[pairs]], np.diff(documents.node_offset)[doc[pairs]])
    width = width_of(pieces.end, documents.end[row])
    cuts = np.concatenate(
        [keys(pairs[owner], documents.start[row], width), keys(pairs[owner], documents.end[row], width)]
    )
    cut = _cut(pieces, distinct(cuts), width)
    cut.node = np.maximum(documents.deepest(doc[cut.pair], cut.start, cut.end), 0)
    return cut


def _cut(pieces: Pieces, cuts: np.ndarray, width: int) -> Pieces:
    """Pieces cut at the given keys (sorted, `pair * width + place`)."""
    begin, stop = keys(pieces.pair, pieces.start, width), keys(pieces.pair, pieces.end, width)
    first = np.searchsorted(cuts, begin, side="right")
    count = np.searchsorted(cuts, stop, side="left") - first
    owner, at = expand(first - 1, count + 1)
    is_first = np.diff(owner, prepend=-1) > 0
    is_last = np.diff(owner, append=len(pieces)) > 0
    padded = np.concatenate([[0], cuts, [0]])
    start = np.where(is_first, begin[owner], padded[at + 1])
    end = np.where(is_last, stop[owner], padded[np.minimum(at + 2, len(padded) - 1)])
    pair = pieces.pair[owner]
    return Pieces(
        pair, start - pair * width, end - pair * width, pieces.grade[owner], pieces.unit_length[owner],
        pieces.node[owner],
    )  # fmt: skip
