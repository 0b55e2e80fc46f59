"""Exposure by distance: readers who read on from shown text, character by character, in closed form.

Here p depends on the distance to the nearest text shown, whichever result showed it, so there are no meetings
of units with results. Instead there are *gaps*: the text between what was shown. A result that shows part of
a gap ends it, and makes smaller ones of what remains; while a gap exists, the chances of its characters stay
the same. So each gap is summed once, not once for every rank. In a document of 100 characters with [40, 50)
relevant:

    result 1 shows [0, 30)      ends [0, 100),    makes [30, 100)
    result 2 shows [45, 60)     ends [30, 100),   makes [30, 45) and [60, 100)

From rank 1 on, the 10 relevant characters are near misses by the chances to read on from 30. Result 2 takes
these back, and adds those of [40, 45), by the chances to read on from 30, or back from 45. Its hits are what
it shows, [45, 50), as far as readers had not got there from 30: all that was missed in the gap it ended, less
what readers of that gap missed of the gaps that remain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.core.facts import once
from doxeval.core.ragged import sums_by
from doxeval.ground.aligned import Aligned
from doxeval.kernels.exposure import gaps_over_time
from doxeval.reader.consulted import results_by_pair
from doxeval.reader.exposure.in_text import total_worth, with_repetition
from doxeval.reader.exposure.meeting_chances import blocks_of
from doxeval.reader.exposure.meetings import Changes, Reader
from doxeval.reader.navigation.distance import DistanceNavigation
from doxeval.reader.relevant_text import relevant_text


class Gaps(NamedTuple):
    """Gaps `[start, end)` in the document of a `pair`, which is `length` characters long.

    `made` and `ended` are the results between which each gap exists: -1 if it was there from the start, or is
    there at the end. `parent` is the gap it remains of, -1 if there is none. If a result has several ranges,
    a gap may be made and ended by the same one: it exists at no rank, but is the parent of others.
    """

    pair: np.ndarray
    length: np.ndarray
    start: np.ndarray
    end: np.ndarray
    made: np.ndarray
    ended: np.ndarray
    parent: np.ndarray

    @property
    def exists(self) -> np.ndarray:
        """Whether each gap exists at any rank."""
        return (self.made != self.ended) | (self.made < 0)

    def before(self) -> np.ndarray:
        """For each gap the one that existed before it: its nearest ancestor that exists at any rank."""
        own, exists = np.arange(len(self.start)), self.exists
        nearest = own.copy()
        while (passing := ~exists[nearest]).any():
            nearest[passing] = self.parent[nearest[passing]]
        return np.where(self.parent >= 0, nearest[np.maximum(self.parent, 0)], own)


def changes_by_distance(aligned: Aligned, reader: Reader, model: DistanceNavigation) -> Changes:
    """The changes by each result: gaps that it ends or makes, and what it shows of them."""
    gaps = gaps_of(aligned)
    reached, missed = _worth_of(gaps, np.arange(len(gaps.start)), aligned, reader, model)
    _, missed_before = _worth_of(gaps, gaps.before(), aligned, reader, model)

    def by_result(result: np.ndarray, values: np.ndarray) -> np.ndarray:
        return sums_by(result[result >= 0], values[result >= 0], len(aligned))

    made, ended, exists = gaps.made, gaps.ended, gaps.exists
    hits = by_result(ended, np.where(exists, missed, missed_before)) - by_result(made, missed_before)
    near = by_result(made, reached * exists) - by_result(ended, reached * exists)
    misses = by_result(made, missed * exists) - by_result(ended, missed * exists)
    return Changes(
        with_repetition(aligned, reader, hits), near, misses, total_worth(aligned.ground, reader.rel)
    )


def _worth_of(
    gaps: Gaps, readers: np.ndarray, aligned: Aligned, reader: Reader, model: DistanceNavigation
) -> tuple[np.ndarray, np.ndarray]:
    """The worth of the text of every gap that readers of another gap, `readers`, reach and miss."""
    pieces, sums = relevant_text(aligned.ground), []
    worth = pieces.worth(reader.rel)
    for part in blocks_of(pieces.how_many_shared(gaps.pair, gaps.start, gaps.end)):
        gap, piece, first, last = pieces.shared_with(gaps.pair[part], gaps.start[part], gaps.end[part])
        of = readers[part][gap]
        reached = model.seen_in_gap(first, last, gaps.start[of], gaps.end[of], gaps.length[part][gap])
        amounts = worth[piece] * reached, worth[piece] * (last - first - reached)
        sums.append([sums_by(gap, amount, len(gaps.start[part])) for amount in amounts])
    reached, missed = (np.concatenate(column) for column in zip(*sums, strict=True))
    return reached, missed


@once
def gaps_of(aligned: Aligned) -> Gaps:
    """The gaps over the ranks of all documents with relevant text and results."""
    by_pair, by_rank = results_by_pair(aligned)
    pair = np.flatnonzero((aligned.ground.pair_relevant > 0) & (by_pair.counts > 0))
    length = aligned.doc_length[aligned.doc[by_rank[by_pair.first[pair]]]]
    met, rows = by_pair.take(pair)
    ranges, span = aligned.spans.take(by_rank[rows])
    shows = aligned.end[span] > aligned.start[span]
    by_document, result, span = (
        met.over(ranges).keep_items(shows),
        ranges.expand(by_rank[rows])[shows],
        span[shows],
    )
    document, *columns = gaps_over_time(
        by_document.offset, aligned.start[span], aligned.end[span], result, length
    )
    return Gaps(pair[document], length[document], *columns)
