"""Exposure by distance: readers who read on from shown text, character by character, in closed form."""

from __future__ import annotations

import numpy as np

from doxeval.alignment.aligned import Aligned
from doxeval.exposure.exposure import Changes, Reader
from doxeval.exposure.grouping import expand, keys, offsets, overlaps, sums, width_of
from doxeval.exposure.results import results_by_pair
from doxeval.exposure.text import plain_text, total_worth, with_repetition
from doxeval.kernels.exposure import gaps_over_time
from doxeval.navigation.base import Navigation


def changes_by_distance(topics: Aligned, reader: Reader, model: Navigation) -> Changes:
    """Gaps between shown text come and go with the ranks; each is summed once for its own readers.

    A gap's characters are near-misses while it lasts. What a result shows of a gap becomes hits, discounted
    by what was reached before: the gap's own sum, less that over the rests it leaves.
    """
    pair, columns = _gaps(topics)
    slot, start, end, born, died, parent = columns
    length = _lengths(topics, pair)[slot]
    own = np.arange(len(slot))
    lasting = born != died
    lasting[born < 0] = True
    context = own.copy()
    while (fleeting := ~lasting[context]).any():
        context[fleeting] = parent[context[fleeting]]
    above = np.where(parent >= 0, context[np.maximum(parent, 0)], own)

    def unseen(gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _summed(topics, reader, model, pair[slot], start, end, start[gap], end[gap], length)

    reached, missed = unseen(own)
    _, missed_above = unseen(above)
    results = len(topics)

    def at(result: np.ndarray, values: np.ndarray) -> np.ndarray:
        return sums(result[result >= 0], values[result >= 0], results)

    hits = at(died, np.where(lasting, missed, missed_above)) - at(born, missed_above)
    near = at(born, reached * lasting) - at(died, reached * lasting)
    misses = at(born, missed * lasting) - at(died, missed * lasting)
    return Changes(with_repetition(topics, reader, hits), near, misses, total_worth(topics, reader.rel))


def _gaps(topics: Aligned) -> tuple[np.ndarray, np.ndarray]:
    """The pairs that have relevant text and results, and the gaps of each over time."""

    def make() -> tuple[np.ndarray, np.ndarray]:
        offset, by_pair = results_by_pair(topics)
        pair = np.flatnonzero((topics.ground.pair_relevant > 0) & (np.diff(offset) > 0))
        slot, at = expand(offset[pair], np.diff(offset)[pair])
        result = by_pair[at]
        row, span = expand(*topics.spans_of(result))
        shows = topics.end[span] > topics.start[span]
        row, span = row[shows], span[shows]
        per_pair = offsets(np.bincount(slot[row], minlength=len(pair)))
        columns = gaps_over_time(
            per_pair, topics.start[span], topics.end[span], result[row], _lengths(topics, pair)
        )
        return pair, columns

    return topics.shared("gaps", make)


def _lengths(topics: Aligned, pair: np.ndarray) -> np.ndarray:
    """The length of each pair's document, as this run sees it."""
    offset, by_pair = results_by_pair(topics)
    return topics.doc_length[topics.doc[by_pair[offset[pair]]]]


def _summed(topics, reader, model, pair, start, end, gap_start, gap_end, length):  # type: ignore[no-untyped-def]
    """Worth reached and not reached of the relevant text in `[start, end)`, reading on into a gap."""
    pieces = plain_text(topics.ground)
    worth = pieces.worth(reader.rel)
    width = width_of(end, pieces.end)
    row, piece = overlaps(
        keys(pair, start, width), keys(pair, end, width),
        keys(pieces.pair, pieces.start, width), keys(pieces.pair, pieces.end, width),
    )  # fmt: skip
    first = np.maximum(start[row], pieces.start[piece])
    last = np.minimum(end[row], pieces.end[piece])
    chance = model.seen_in_gap(first, last, gap_start[row], gap_end[row], length[row])
    reached = sums(row, worth[piece] * chance, len(start))
    missed = sums(row, worth[piece] * ((last - first) - chance), len(start))
    return reached, missed
