"""Relevant text in stretches, cut wherever a result or a highlight begins or ends, and who shows it first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.ragged import running_totals
from doxeval.core.strings import distinct
from doxeval.kernels.stretches import paint_first

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned


@dataclass(eq=False)
class Stretches:
    """Pieces of the assessed documents that results touch.

    Piece i lies in pair `pair[i]` at `[start[i], end[i])`; `weight[i]` is its length if it is relevant, else
    0; `first[i]` the first result to show it, -1 for none. `relevant_in_span` holds the relevant characters
    in each range of the results.
    """

    pair: np.ndarray
    start: np.ndarray
    end: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    relevant_in_span: np.ndarray

    def first_shown(self, results: int) -> np.ndarray:
        """For each result the relevant characters that it is the first to show."""
        shown = (self.first >= 0) & (self.weight > 0)
        sums = np.bincount(self.first[shown], weights=self.weight[shown], minlength=results)
        return sums.astype(np.int64)


def cut_into_stretches(aligned: Aligned, further: tuple[np.ndarray, np.ndarray] | None = None) -> Stretches:
    """Cut the relevant documents that the run touches into stretches.

    Places are integers `pair * width + character`, so one sort handles all topics and documents; the
    paper's overlap terms (ESR Eq. 15) become sums over stretches. `further` are more places to cut at, as
    columns of pairs and characters; their pairs count as touched.
    """
    nowhere = np.zeros(0, dtype=np.int64)
    further_pair, further_place = further or (nowhere, nowhere)
    ground = aligned.ground
    result = aligned.result
    pair_of_span = aligned.pair[result]
    useful = (pair_of_span >= 0) & (aligned.end > aligned.start)
    useful[useful] = ground.pair_relevant[pair_of_span[useful]] > 0
    spans = np.flatnonzero(useful)
    pair, start, end = pair_of_span[spans], aligned.start[spans], aligned.end[spans]

    _, relevant_start, relevant_end = ground.relevant
    touched = np.zeros(len(ground.pair_relevant), dtype=bool)
    touched[pair] = True
    touched[further_pair] = True
    relevant = ground.relevant_by_pair.expand(touched)
    relevant_pair = ground.relevant_by_pair.row[relevant]
    width = 1 + int(max(ends.max(initial=0) for ends in (end, relevant_end, further_place)))
    if width * max(1, len(touched)) >= 1 << 62:
        raise UsageError("the documents are too long and too many to be scored at once; split the topics")

    begins, ends = pair * width + start, pair * width + end
    relevant_begins = relevant_pair * width + relevant_start[relevant]
    relevant_ends = relevant_pair * width + relevant_end[relevant]
    further_cuts = further_pair * width + further_place
    cuts = distinct(np.concatenate([begins, ends, relevant_begins, relevant_ends, further_cuts]))
    first_piece, piece_after = np.searchsorted(cuts, begins), np.searchsorted(cuts, ends)

    steps = np.zeros(len(cuts) + 1, dtype=np.int64)
    steps[np.searchsorted(cuts, relevant_begins)] += 1
    steps[np.searchsorted(cuts, relevant_ends)] -= 1
    is_relevant = np.cumsum(steps)[: max(0, len(cuts) - 1)] > 0
    weight = np.where(is_relevant, np.diff(cuts), 0)
    total = running_totals(weight)

    relevant_in_span = np.zeros(len(aligned.start), dtype=np.int64)
    relevant_in_span[spans] = total[piece_after] - total[first_piece]
    first = paint_first(first_piece, piece_after, result[spans], len(weight))
    return Stretches(
        pair=cuts[:-1] // width,
        start=cuts[:-1] % width,
        end=cuts[:-1] % width + np.diff(cuts),
        weight=weight,
        first=first,
        relevant_in_span=relevant_in_span,
    )
