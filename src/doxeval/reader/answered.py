"""The needs a reader has met, and when: places shown by all results so far, or by one result alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import key_width, keys, overlaps
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.ground.needs import Needs, needs_of
from doxeval.ground.seen import cut_into_stretches


@once
def met_at(aligned: Aligned, part: Fraction) -> np.ndarray:
    """For each need the result that meets it: then `part` of the text of one of its places has been shown.

    All results so far count together; a need that is never met gets the number of results.
    """
    needs, never = needs_of(aligned.ground), len(aligned)
    pair = needs.pair[needs.pieces.row]
    cut = cut_into_stretches(aligned, (np.tile(pair, 2), np.append(needs.start, needs.end)))
    width = key_width(cut.start, needs.start, needs.end)
    begins = keys(cut.pair, cut.start, width)
    first, after = (np.searchsorted(begins, keys(pair, place, width)) for place in (needs.start, needs.end))
    within = Ragged.of_counts(after - first)
    stretch = within.place + within.expand(first)
    shown = cut.first[stretch] >= 0
    stretch, place = stretch[shown], within.expand(needs.pieces.row)[shown]

    order = np.lexsort((cut.first[stretch], place))
    stretch, place = stretch[order], place[order]
    length = cut.end[stretch] - cut.start[stretch]
    so_far = Ragged.of_rows(place, len(needs.pair)).cumulate(length)
    enough = so_far >= needs.enough(part)[place]
    shown_at = np.full(len(needs.pair), never, dtype=np.int64)
    np.minimum.at(shown_at, place[enough], cut.first[stretch[enough]])
    met = np.full(len(needs.topic), never, dtype=np.int64)
    np.minimum.at(met, needs.need, needs.answers.expand(shown_at))
    return met


def covered(
    needs: Needs, part: Fraction, item: np.ndarray, pair: np.ndarray, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """All pairs (item, need), sorted by need, in which the item alone shows `part` of a place of the need.

    An item is a result or a place; its ranges `[start, end)` of the pair's document are disjoint.
    """
    width = key_width(end, needs.end)
    begins, ends = (keys(needs.pair[needs.pieces.row], at, width) for at in (needs.start, needs.end))
    order = np.argsort(begins, kind="stable")
    begins, ends, of_place = begins[order], ends[order], needs.pieces.row[order]
    read = (pair >= 0) & (end > start)
    item, start, end = item[read], keys(pair[read], start[read], width), keys(pair[read], end[read], width)
    span, piece = overlaps(start, end, begins, np.maximum.accumulate(ends))
    shared = np.maximum(np.minimum(end[span], ends[piece]) - np.maximum(start[span], begins[piece]), 0)

    places, items = max(1, len(needs.pair)), 1 + int(item.max(initial=0))
    met, meeting = np.unique(item[span] * places + of_place[piece], return_inverse=True)
    shown = np.bincount(meeting, weights=shared, minlength=len(met))
    met = met[shown >= needs.enough(part)[met % places]]
    answers, at = needs.answers.take(met % places)
    found = np.unique(needs.need[at] * items + answers.expand(met // places))
    return found % items, found // items
