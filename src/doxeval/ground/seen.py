"""Relevant text in stretches, cut wherever a result or a highlight begins or ends, and who shows it first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.keys import key_width, keys
from doxeval.core.quick_class import dataclass
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

    `further` are more places to cut at, as columns of pairs and characters; their pairs count as touched.
    Inside a stretch nothing changes: all of it is relevant or none, and every result shows all of it or none.
    So the paper's overlap terms (ESR Eq. 15) become sums over stretches. If [10, 30) is relevant, and result
    0 shows [0, 20) and result 1 shows [15, 40):

        cuts      0    10    15    20    30    40
        weight       0     5     5    10     0        result 0 has 10 relevant characters, result 1 has 15,
        first        0     0     0     1     1        of which 5 were shown before
    """
    nowhere = np.zeros(0, dtype=np.int64)
    further_pair, further_place = further or (nowhere, nowhere)
    ground, result = aligned.ground, aligned.result
    pair = aligned.pair[result]
    useful = (pair >= 0) & (aligned.end > aligned.start)
    useful[useful] = ground.pair_relevant[pair[useful]] > 0
    spans = np.flatnonzero(useful)

    touched = np.zeros(len(ground.pair_relevant), dtype=bool)
    touched[pair[spans]] = touched[further_pair] = True
    relevant = ground.relevant_by_pair.expand(touched)
    relevant_pair = ground.relevant_by_pair.row[relevant]
    relevant_start, relevant_end = (column[relevant] for column in ground.relevant[1:])

    # Places are keys `pair * width + character`: one sort handles all topics and documents at once.
    width = key_width(aligned.end[spans], relevant_end, further_place)
    begins, ends = (keys(pair[spans], place[spans], width) for place in (aligned.start, aligned.end))
    pieces = [keys(relevant_pair, place, width) for place in (relevant_start, relevant_end)]
    cuts = distinct(np.concatenate([begins, ends, *pieces, keys(further_pair, further_place, width)]))
    length = np.diff(cuts)
    weight = np.where(_inside(cuts, *pieces), length, 0)

    first_piece, piece_after = np.searchsorted(cuts, begins), np.searchsorted(cuts, ends)
    relevant_so_far = running_totals(weight)
    relevant_in_span = np.zeros(len(aligned.start), dtype=np.int64)
    relevant_in_span[spans] = relevant_so_far[piece_after] - relevant_so_far[first_piece]
    return Stretches(
        pair=cuts[:-1] // width,
        start=cuts[:-1] % width,
        end=cuts[:-1] % width + length,
        weight=weight,
        first=paint_first(first_piece, piece_after, result[spans], len(weight)),
        relevant_in_span=relevant_in_span,
    )


def _inside(cuts: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Whether each stretch between two cuts lies in a range; ranges are disjoint, and end at cuts."""
    steps = np.zeros(len(cuts) + 1, dtype=np.int64)
    steps[np.searchsorted(cuts, begins)] += 1
    steps[np.searchsorted(cuts, ends)] -= 1
    return np.cumsum(steps)[: max(0, len(cuts) - 1)] > 0
