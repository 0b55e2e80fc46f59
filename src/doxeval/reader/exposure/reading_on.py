"""Exposure by distance: readers who read on from shown text, character by character, in closed form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from doxeval.core.facts import once
from doxeval.core.ragged import sums_by
from doxeval.ground.aligned import Aligned
from doxeval.kernels.exposure import gaps_over_time
from doxeval.reader.consulted import results_by_pair
from doxeval.reader.exposure.chances import blocks_of
from doxeval.reader.exposure.in_text import total_worth, with_repetition
from doxeval.reader.exposure.meetings import Changes, Reader
from doxeval.reader.navigation.distance import DistanceNavigation
from doxeval.reader.relevant_text import relevant_text

Seen = Callable[..., np.ndarray]
"""Characters seen of `[first, last)`, given the gap's number, start, end and the document's length."""


def changes_by_distance(
    aligned: Aligned, reader: Reader, model: DistanceNavigation, seen: Seen | None = None
) -> Changes:
    """Changes by distance: gaps between shown text come and go with the ranks; each is summed once.

    The characters of a gap are near-misses while it exists. What a result shows of a gap becomes hits,
    discounted by what was reached before: the sum of the gap, less that over what remains of it. `seen`
    replaces the model's closed form, to play readers one by one.
    """
    pair, columns = gaps_of(aligned)
    slot, start, end, born, died, parent = columns
    length = _lengths(aligned, pair)[slot]
    seen = seen or (lambda _, *places: model.seen_in_gap(*places))
    own = np.arange(len(slot))
    lasting = (born != died) | (born < 0)
    context = own.copy()
    while (fleeting := ~lasting[context]).any():
        context[fleeting] = parent[context[fleeting]]
    above = np.where(parent >= 0, context[np.maximum(parent, 0)], own)
    pieces = relevant_text(aligned.ground)
    worth = pieces.worth(reader.rel)

    def unseen(gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Worth reached and not reached of the text of every gap, by the readers of another gap."""
        sums = []
        for part in blocks_of(pieces.how_many_shared(pair[slot], start, end)):
            row, piece, first, last = pieces.shared_with(pair[slot[part]], start[part], end[part])
            of, value = gap[part][row], worth[piece]
            reached = seen(of, first, last, start[of], end[of], length[part][row])
            amounts = value * reached, value * (last - first - reached)
            sums.append([sums_by(row, amount, len(start[part])) for amount in amounts])
        reached, missed = (np.concatenate(column) for column in zip(*sums, strict=True))
        return reached, missed

    reached, missed = unseen(own)
    _, missed_above = unseen(above)

    def at(result: np.ndarray, values: np.ndarray) -> np.ndarray:
        return sums_by(result[result >= 0], values[result >= 0], len(aligned))

    hits = at(died, np.where(lasting, missed, missed_above)) - at(born, missed_above)
    near = at(born, reached * lasting) - at(died, reached * lasting)
    misses = at(born, missed * lasting) - at(died, missed * lasting)
    return Changes(
        with_repetition(aligned, reader, hits), near, misses, total_worth(aligned.ground, reader.rel)
    )


@once
def gaps_of(aligned: Aligned) -> tuple[np.ndarray, np.ndarray]:
    """The pairs with relevant text and results, and the gaps of each over the ranks."""
    by_pair, by_rank = results_by_pair(aligned)
    pair = np.flatnonzero((aligned.ground.pair_relevant > 0) & (by_pair.counts > 0))
    met, at = by_pair.take(pair)
    ranges, span = aligned.spans.take(by_rank[at])
    shows = aligned.end[span] > aligned.start[span]
    per_pair, result, span = (
        met.over(ranges).keep_items(shows),
        ranges.expand(by_rank[at])[shows],
        span[shows],
    )
    columns = gaps_over_time(
        per_pair.offset, aligned.start[span], aligned.end[span], result, _lengths(aligned, pair)
    )
    return pair, columns


def _lengths(aligned: Aligned, pair: np.ndarray) -> np.ndarray:
    """The length of each pair's document, for this run."""
    by_pair, by_rank = results_by_pair(aligned)
    return aligned.doc_length[aligned.doc[by_rank[by_pair.first[pair]]]]
