"""Relevant text in the order in which a run shows it for the first time, and what was shown before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.reader.effort.orders import sums_before


@dataclass(eq=False)
class Arrivals:
    """Stretches of relevant text at first sight, in the order of reading.

    `span` is the range that shows a stretch first, `start` and `length` its place in the document. Before it
    the topic's reader was shown `shown` characters, `relevant_shown` of them relevant (repeated ones too), of
    which `fresh` were seen for the first time.
    """

    topic: np.ndarray
    span: np.ndarray
    start: np.ndarray
    length: np.ndarray
    shown: np.ndarray
    relevant_shown: np.ndarray
    fresh: np.ndarray


def arrivals(aligned: Aligned) -> Arrivals:
    """Made once for all measures of a run."""
    return aligned.shared("arrivals", lambda: _arrivals(aligned))


def _arrivals(aligned: Aligned) -> Arrivals:
    stretches = aligned.stretches
    fresh = np.flatnonzero((stretches.first >= 0) & (stretches.weight > 0))
    fresh = fresh[np.lexsort((stretches.start[fresh], stretches.first[fresh]))]
    result, start = stretches.first[fresh], stretches.start[fresh]
    width = 1 + int(max(aligned.end.max(initial=0), stretches.end.max(initial=0)))
    span = np.searchsorted(aligned.result * width + aligned.start, result * width + start, side="right") - 1

    topic_of_span = aligned.topic[aligned.result]
    shown_before = sums_before(aligned.end - aligned.start, topic_of_span)
    relevant_before = sums_before(stretches.relevant_in_span, topic_of_span)
    relevant_so_far = np.concatenate([[0], np.cumsum(stretches.weight)])
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
        sums_before(length, topic),
    )
