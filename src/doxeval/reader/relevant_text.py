"""Relevant text in pieces: highlights merged into units, cut where grades change and at node boundaries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import key_width, keys, met_by, overlaps
from doxeval.core.ragged import Ragged, sums_by
from doxeval.core.strings import distinct
from doxeval.ground.ground import Ground


@dataclass(eq=False)
class RelevantText:
    """Relevant text: piece i is `[start, end)` of pair `pair`, in order; `node` is the deepest that holds it.

    `unit_length` is the length of the unit (merged highlight) it belongs to. Documents without a tree are one
    node, 0.
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
        """The worth of one character of each piece.

        `length`: 1; `grade`: its grade; `binary`: a unit is worth 1, spread evenly over its characters.
        """
        if rel == "length":
            return np.ones(len(self))
        if rel == "grade":
            return self.grade
        assert rel == "binary", rel
        return 1.0 / self.unit_length

    def shared_with(
        self, pair: np.ndarray, start: np.ndarray, end: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Text shared by ranges and pieces, one row each: the range, the piece, its start and end."""
        row, piece = overlaps(*self._keys(pair, start, end))
        return row, piece, np.maximum(start[row], self.start[piece]), np.minimum(end[row], self.end[piece])

    def how_many_shared(self, pair: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """The number of pieces that each range shares text with."""
        return met_by(*self._keys(pair, start, end))[1]

    def _keys(self, pair: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, ...]:
        width = key_width(end, self.end)
        columns = ((pair, start), (pair, end), (self.pair, self.start), (self.pair, self.end))
        return tuple(keys(group, place, width) for group, place in columns)

    def cut(self, cuts: np.ndarray, width: int) -> RelevantText:
        """The same text cut at the given keys (sorted, `pair * width + place`)."""
        begin, stop = keys(self.pair, self.start, width), keys(self.pair, self.end, width)
        first = np.searchsorted(cuts, begin, side="right")
        parts = Ragged.of_counts(np.searchsorted(cuts, stop, side="left") - first + 1)
        cut = np.concatenate([[0], cuts, [0]])[parts.expand(first) + parts.place]
        start, end = cut.copy(), np.append(cut[1:], 0)
        start[parts.first] = begin
        end[parts.offset[1:] - 1] = stop
        pair = self.pair[parts.row]
        return RelevantText(
            pair, start - pair * width, end - pair * width, self.grade[parts.row],
            self.unit_length[parts.row], self.node[parts.row],
        )  # fmt: skip


@once
def relevant_text(ground: Ground) -> RelevantText:
    """The relevant text of all topics: overlapping highlights are one unit, touching ones are separate."""
    units, start, end, grade = ground.units_by_pair(ground.unit_start, ground.unit_end, ground.unit_grade)
    merged, unit_start, unit_end = units.merge(start, end, touching=False)
    nodes = np.zeros(merged.items, dtype=np.int64)
    text = RelevantText(merged.row, unit_start, unit_end, np.ones(merged.items), unit_end - unit_start, nodes)
    if (grade == 1).all():
        return text
    width = key_width(end)
    begins, ends = keys(units.row, start, width), keys(units.row, end, width)
    text = text.cut(distinct(np.concatenate([begins, ends])), width)
    begin = keys(text.pair, text.start, width)
    first = np.searchsorted(begin, begins)
    held = Ragged.of_counts(np.searchsorted(begin, ends) - first)
    text.grade = np.zeros(len(text))
    np.maximum.at(text.grade, held.place + held.expand(first), held.expand(grade))
    return text


@dataclass(eq=False)
class OwnedText:
    """Relevant text by the deepest node that holds it: a row per (pair, node), and the row of every piece."""

    pieces: RelevantText
    owner: np.ndarray
    pair: np.ndarray
    node: np.ndarray

    def per_owner(self, values: np.ndarray) -> np.ndarray:
        """Sums of a column over pieces, for each owner."""
        return sums_by(self.owner, values, len(self.pair))


@once
def owned_text(ground: Ground) -> OwnedText:
    """The relevant text of all topics by owner."""
    pieces = _cut_at_nodes(relevant_text(ground), ground)
    width = key_width(pieces.node)
    group, owner = np.unique(keys(pieces.pair, pieces.node, width), return_inverse=True)
    return OwnedText(pieces, owner, group // width, group % width)


def _cut_at_nodes(text: RelevantText, ground: Ground) -> RelevantText:
    """The same text cut at every node boundary, each piece with the deepest node that holds it."""
    documents = ground.documents
    if documents is None or not len(text):
        return text
    doc = ground.doc_index[ground.assessments.pair_doc]
    pairs = distinct(text.pair)
    pairs = pairs[doc[pairs] >= 0]
    nodes, row = documents.nodes.take(doc[pairs])
    width, pair = key_width(text.end, documents.end[row]), nodes.expand(pairs)
    cuts = [keys(pair, documents.start[row], width), keys(pair, documents.end[row], width)]
    cut = text.cut(distinct(np.concatenate(cuts)), width)
    cut.node = np.maximum(documents.deepest(doc[cut.pair], cut.start, cut.end), 0)
    return cut
