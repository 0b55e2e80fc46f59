"""Relevant text in the order in which a run first shows it, and what was shown before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.facts import once
from doxeval.core.ragged import Ragged, running_totals
from doxeval.ground.aligned import Aligned


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
