"""The best intersection over union that a chunker allows."""

from __future__ import annotations

import numpy as np

from doxeval.core.facts import once
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.naming import assessed_codes
from doxeval.kernels.stretches import merge_ranges
from doxeval.measurement.base import Measure, register
from doxeval.measurement.families.characters import ratio


@register
class IntersectionOverUnionOfChunks(Measure):
    """Intersection over union of the relevant text and all chunks that touch any of it.

    A chunk that merely adjoins a highlighted passage counts too; overlapping chunks count once. It depends on
    the chunks alone (``--chunks FILE``), not on the run: what a retriever that finds everything would get.
    """

    name = "IoUomega"
    user = "Has a perfect retriever and asks what the chunker alone costs."
    paper = "chunk evaluation (precision omega), in characters"
    needs = frozenset({"chunks"})
    no_sum = "it looks at the chunks alone, and at no result"
    example = "IoUomega"

    def score(self, topics: Aligned) -> np.ndarray:
        return iou_of_chunks(topics.ground)


@once
def iou_of_chunks(ground: Ground) -> np.ndarray:
    """Per topic, the IoU of all chunks that touch or adjoin a highlighted passage."""
    chunks = ground.chunks
    assert chunks is not None
    doc = assessed_codes(ground, chunks.docs)[chunks.doc]
    known = np.flatnonzero((doc >= 0) & (chunks.end > chunks.start))
    known = known[np.argsort(doc[known], kind="stable")]
    by_doc = Ragged.of_rows(doc[known], len(ground.length)).offset

    pair = np.flatnonzero(ground.pair_relevant > 0)
    chunks_of_pair = np.diff(by_doc)[ground.assessments.pair_doc[pair]]
    first = by_doc[ground.assessments.pair_doc[pair]]
    pair = np.repeat(pair, chunks_of_pair)
    at = np.arange(len(pair)) - np.repeat(np.cumsum(chunks_of_pair) - chunks_of_pair - first, chunks_of_pair)
    start, end = chunks.start[known[at]], chunks.end[known[at]]
    touching = _touches(ground, pair, start, end)
    pair, start, end = pair[touching], start[touching], end[touching]

    order = np.lexsort((start, pair))
    groups = Ragged.of_rows(pair, len(ground.pair_relevant)).offset
    offset, start, end = merge_ranges(groups, start[order], end[order], True)
    pair = np.repeat(np.arange(len(ground.pair_relevant)), np.diff(offset))
    both = _relevant_before(ground, pair, end) - _relevant_before(ground, pair, start)
    topic = ground.assessments.pair_topic[pair]
    count = len(ground.topics)
    gain = np.bincount(topic, weights=both, minlength=count)
    size = np.bincount(topic, weights=end - start, minlength=count)
    return ratio(gain, size + ground.total_relevant - gain)


def _range_from(ground: Ground, pair: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The last relevant range of each pair that starts by a place; -1 or another pair's: none."""
    offset, start, end = ground.relevant
    owner = np.repeat(np.arange(len(offset) - 1), np.diff(offset))
    width = 1 + int(max(end.max(initial=0), place.max(initial=0)))
    return np.searchsorted(owner * width + start, pair * width + place, side="right") - 1


def _touches(ground: Ground, pair: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Whether ranges share a character, or just a boundary, with relevant text of their pair."""
    offset, _, relevant_end = ground.relevant
    last = _range_from(ground, pair, end)
    return (last >= offset[pair]) & (relevant_end[last] >= start)


def _relevant_before(ground: Ground, pair: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Relevant characters of a pair's document before a place, counted from the first pair on."""
    _, start, end = ground.relevant
    before = np.concatenate([[0], np.cumsum(end - start)])
    last = _range_from(ground, pair, place)
    if not len(start):
        return np.zeros(len(pair), dtype=np.int64)
    return before[last + 1] - np.maximum(end[last] - place, 0) * (last >= ground.relevant[0][pair])
