"""Relevant text in the order in which a run first shows it, and sums of precision over it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.facts import once
from doxeval.core.ragged import Ragged, running_totals
from doxeval.ground.aligned import Aligned

FEW_TERMS = 32
_HARMONIC = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, FEW_TERMS + 1))])


def harmonic_difference(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """H(high) - H(low) for whole numbers 0 <= low <= high, H(n) = 1 + 1/2 + ... + 1/n.

    From a table up to 32, beyond it from the asymptotic series of H, with each term as a difference: the
    logarithm as log1p of the relative step. Errors stay near 1e-16 of the value, for any length.

    >>> harmonic_difference(np.array([0, 2]), np.array([3, 2])).tolist()
    [1.8333333333333333, 0.0]
    """
    low, high = np.asarray(low), np.asarray(high)
    small = _HARMONIC[np.minimum(high, FEW_TERMS)] - _HARMONIC[np.minimum(low, FEW_TERMS)]
    a, b = np.maximum(low, FEW_TERMS).astype(np.float64), np.maximum(high, FEW_TERMS).astype(np.float64)
    u, v = 1 / (a * a), 1 / (b * b)
    series = np.log1p((b - a) / a) - (b - a) / (2 * a * b) + (u - v) / 12
    return small + series - (u**2 - v**2) / 120 + (u**3 - v**3) / 252 - (u**4 - v**4) / 240


def summed_precision(before: np.ndarray, relevant_before: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Sum of precision at every character of a relevant stretch met after `before` characters.

    sum over i = 1..L of (r + i) / (p + i) = L + (r - p)(H(p + L) - H(p)).
    """
    return length + (relevant_before - before) * harmonic_difference(before, before + length)


@dataclass(eq=False)
class Arrivals:
    """Stretches of relevant text where they are first shown, in reading order.

    `span` is the range that shows a stretch first, `start` and `length` its place in the document. Before it
    the topic's reader was shown `shown` characters, `relevant_shown` of them relevant (including repeated
    ones), of which `fresh` were seen for the first time.
    """

    topic: np.ndarray
    span: np.ndarray
    start: np.ndarray
    length: np.ndarray
    shown: np.ndarray
    relevant_shown: np.ndarray
    fresh: np.ndarray


@once
def arrivals(aligned: Aligned) -> Arrivals:
    """The relevant text of a run in the order in which it is first shown."""
    stretches = aligned.stretches
    fresh = np.flatnonzero((stretches.first >= 0) & (stretches.weight > 0))
    fresh = fresh[np.lexsort((stretches.start[fresh], stretches.first[fresh]))]
    result, start = stretches.first[fresh], stretches.start[fresh]
    width = 1 + int(max(aligned.end.max(initial=0), stretches.end.max(initial=0)))
    span = np.searchsorted(aligned.result * width + aligned.start, result * width + start, side="right") - 1

    spans_by_topic = aligned.by_topic.over(aligned.spans)
    shown_before = spans_by_topic.before(aligned.end - aligned.start)
    shown_before += aligned.cumulated(aligned.added_size)[aligned.result]
    relevant_before = spans_by_topic.before(stretches.relevant_in_span)
    relevant_so_far = running_totals(stretches.weight)
    place = stretches.pair * width + stretches.start
    span_begins = np.searchsorted(place, aligned.pair[result] * width + aligned.start[span])
    length = stretches.weight[fresh]
    topic = aligned.topic[result]
    return Arrivals(
        topic,
        span,
        start,
        length,
        shown_before[span] + start - aligned.start[span],
        relevant_before[span] + relevant_so_far[fresh] - relevant_so_far[span_begins],
        Ragged.of_rows(topic, len(aligned.count)).before(length),
    )
