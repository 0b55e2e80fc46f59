"""Runs with one thing mended: results reordered, or without what they repeat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.comparison.diagnosis.classes import relevant_nodes
from doxeval.core.errors import UsageError
from doxeval.core.facts import Facts
from doxeval.core.keys import first_of_equals, key_width, keys, overlaps
from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.core.strings import distinct
from doxeval.ground.aligned import Aligned
from doxeval.kernels.stretches import paint_first

LAST = 1 << 40


class CannotMend(UsageError):
    """An error: something that mending needs was not given."""


def in_topics(aligned: Aligned, topics: np.ndarray) -> Aligned:
    """Only the results of some topics, without notices; ranks and scores are as the order says."""
    run = replace(aligned.run, rank=None, score=None)
    return replace(aligned.select(topics[aligned.topic]), run=run, notices=Notices(), facts=Facts())


def reordered(aligned: Aligned, in_trees: bool) -> Aligned:
    """The results of each topic ordered greedily by new relevant text; those without any come last."""
    result, piece, weight = _relevant_in_results(aligned, in_trees)
    place = greedy_places(aligned.topic, result, piece, weight)
    order = np.lexsort((np.arange(len(aligned)), place, aligned.topic))
    return aligned.rearranged(order, aligned.by_topic)


def greedy_places(topic: np.ndarray, result: np.ndarray, piece: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The place of each result if the one with the most new weight always comes next, the first of equals.

    Rows (result, piece) say which pieces a result shows. Results that show nothing new are left at `LAST`.

    >>> result, piece, weight = np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1]), np.array([2, 3])
    >>> (greedy_places(np.zeros(3, dtype=np.int64), result, piece, weight) < LAST).tolist()
    [False, True, False]
    """
    place, left = np.full(len(topic), LAST, dtype=np.int64), weight.astype(np.float64)
    step = 0
    while len(result):
        some, at = np.unique(result, return_inverse=True)
        gain = np.bincount(at, weights=left[piece], minlength=len(some))
        order = np.lexsort((some, -gain, topic[some]))
        best = order[first_of_equals(topic[some[order]])]
        place[some[best]] = step
        chosen = np.zeros(len(some), dtype=bool)
        chosen[best] = True
        left[piece[chosen[at]]] = 0.0
        keep = ~chosen[at] & (left[piece] > 0)
        result, piece = result[keep], piece[keep]
        step += 1
    return place


def _relevant_in_results(aligned: Aligned, in_trees: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows (result, piece) of the relevant pieces that results show, and the weight of each piece."""
    if in_trees:
        result, node, pair = relevant_nodes(aligned)
        return result, node, np.ones(len(pair))
    cut = aligned.stretches
    relevant = np.flatnonzero(cut.weight > 0)
    span = np.flatnonzero((aligned.end > aligned.start) & (aligned.pair[aligned.result] >= 0))
    pair, width = aligned.pair[aligned.result[span]], key_width(aligned.end, cut.end)
    pieces = [keys(cut.pair[relevant], place[relevant], width) for place in (cut.start, cut.end)]
    row, piece = overlaps(
        keys(pair, aligned.start[span], width), keys(pair, aligned.end[span], width), *pieces
    )
    return aligned.result[span[row]], piece, cut.weight[relevant]


def without_repetition(aligned: Aligned) -> Aligned:
    """Every result without the text that earlier results of the topic have shown; an emptied one stays."""
    span = np.flatnonzero(aligned.end > aligned.start)
    group = np.unique(aligned.article, return_inverse=True)[1][aligned.result[span]]
    width = key_width(aligned.end)
    begins, ends = (keys(group, place[span], width) for place in (aligned.start, aligned.end))
    cuts = distinct(np.append(begins, ends))
    first = paint_first(
        np.searchsorted(cuts, begins), np.searchsorted(cuts, ends), aligned.result[span], len(cuts)
    )
    new = np.flatnonzero(first >= 0)
    begin = cuts[new] % width
    spans, start, end = Ragged.gathered(first[new], len(aligned), begin, begin + cuts[new + 1] - cuts[new])
    spans, start, end = spans.merge(start, end)
    return replace(aligned, start=start, end=end, spans=spans, nodes=None, facts=Facts())
