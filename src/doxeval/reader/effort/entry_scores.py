"""Document scores for finding the way in: effort until relevant text, distance from a best entry point."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.parameters import Parameter, choice
from doxeval.core.ragged import quotient, sums_by
from doxeval.reader.effort.along_scores import AlongAnOrder
from doxeval.reader.effort.opened import Opened
from doxeval.reader.effort.reading_orders import ORDER, PASSAGE, START
from doxeval.reader.effort.score import DocumentScore, EffortScore


class LocalisingEffort(EffortScore, AlongAnOrder):
    """Effort by the screen on which the first relevant character is read.

    `scale` holds the efforts of the first, second, ... screen, the last but one for all later screens, and
    then NR, the effort of a document with nothing relevant: 1/2/3/4/5 in the paper.
    """

    name = "LE"
    user = "Scrolls through screens of text until the first relevant character appears."
    paper = "Effort sections 4.2.1, 5.2"
    parameters = (
        Parameter("screen", "integer", 300, "characters on a screen", low=1, in_characters=True),
        Parameter("scale", "text", "1/2/3/4/5", "efforts of the screens, then of an irrelevant document"),
        ORDER,
        START,
        PASSAGE,
    )

    def score(self, opened: Opened) -> np.ndarray:
        reading = self.reading(opened)
        found = np.flatnonzero(reading.is_relevant)
        document, first = np.unique(reading.document[found], return_index=True)
        before = np.zeros(len(opened), dtype=np.int64)
        before[document] = reading.before[found[first]]
        screens = np.array(self.steps[:-1])
        return screens[np.minimum(before // self.given.screen, len(screens) - 1)]


def distance_to_target(opened: Opened) -> np.ndarray:
    """Characters between the start of the best-ranked passage and the best entry point."""
    return np.abs(opened.entry - opened.target)


class EntryPoint(DocumentScore):
    """(n - d) / n, 0 for a distance d of n characters or more; 1 at the right point even if n is 0.

    d is measured from the start of the best-ranked passage to the best entry point, or to the first relevant
    character if no best entry point was set.
    """

    name = "BEP"
    of_documents = True
    user = "Starts at the point offered and looks around for the right one, up to n characters away."
    paper = "INEX best in context (n = 500)"
    parameters = (
        Parameter(
            "n", "integer", 500, "characters beyond which the entry is worthless", low=0, in_characters=True
        ),
    )

    def score(self, opened: Opened) -> np.ndarray:
        distance = distance_to_target(opened)
        left = np.maximum(self.given.n - distance, 0)
        return quotient(left, np.full(len(left), self.given.n), np.where(distance == 0, 1.0, 0.0))


class EntryPointDistance(DocumentScore):
    """A L / (A L + d): near 1 while the distance d is small compared to A times the length L.

    `length=document` takes L from the document itself, `length=mean` the mean over the topic's assessed
    documents.
    """

    name = "BEPD"
    of_documents = True
    user = "Starts at the point offered, and tolerates a longer way to the right one in longer documents."
    paper = "INEX 2006-07 best in context"
    parameters = (
        Parameter("A", "number", Fraction(10), "tolerance in document lengths", low=0),
        choice("length", "document mean", "which length L is"),
    )

    def score(self, opened: Opened) -> np.ndarray:
        length = opened.length if self.given.length == "document" else _mean_length(opened)[opened.topic]
        scaled = float(self.given.A) * length
        distance = distance_to_target(opened)
        return np.where(distance == 0, 1.0, quotient(scaled, scaled + distance))


def _mean_length(opened: Opened) -> np.ndarray:
    """The mean length of each topic's assessed documents, retrieved or not."""
    ground = opened.ground
    doc = ground.assessments.pair_doc
    length = np.where(ground.length[doc] >= 0, ground.length[doc], ground.furthest_end[doc])
    topic, topics = ground.assessments.pair_topic, len(ground.topics)
    return quotient(sums_by(topic, length, topics), np.bincount(topic, minlength=topics))
