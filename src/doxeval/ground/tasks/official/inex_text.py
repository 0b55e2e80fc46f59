"""The text of a run as INEX scores it in the thorough and the focused task.

What was shown of a document is forgotten only at the first line of a topic: in a run whose topics are not
together, later lines of a topic go on from the topic in between, as they do in the scorer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.tasks.official.inex_files import (
    JudgedTopic,
    JudgedTopics,
    Returned,
    check_passage,
    judged_topics,
    returned_by,
    spelled,
)
from doxeval.tables.quotes import Extent
from doxeval.tables.runs import Run

PERCENT = 100


@dataclass(eq=False)
class TopicText:
    """The text of a topic's passages so far, and the highest precision at each percent of recall."""

    retrieved: int = 0
    relevant: int = 0
    precision: list[float] = field(default_factory=lambda: [0.0] * (PERCENT + 1))

    def add(self, size: int, relevant: int, wanted: int) -> None:
        """Add a passage; the level of recall is the floor of its percentage in double precision.

        Overlapping ranges can make recall exceed 1: such a level does not exist, and is left out.
        """
        self.retrieved += size
        self.relevant += relevant
        level = math.floor(PERCENT * (self.relevant / wanted)) if wanted else 0
        if self.retrieved and level <= PERCENT:
            self.precision[level] = max(self.precision[level], self.relevant / self.retrieved)


class TextFigures:
    """The figures printed of the text: a value for each topic, 0 for one without passages."""

    def __init__(self, topics: Sequence[TopicText | None], wanted: Sequence[int], notices: Notices) -> None:
        self.notices = notices
        self.present = np.array([topic is not None for topic in topics], dtype=bool)
        read = [topic or TopicText() for topic in topics]
        precision = np.array([topic.precision for topic in read]).reshape(len(read), PERCENT + 1)
        self.interpolated = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
        relevant = np.array([topic.relevant for topic in read], dtype=np.float64)
        retrieved = np.array([topic.retrieved for topic in read])
        self.precision = quotient(relevant, retrieved)
        self.recall = quotient(relevant, np.array(wanted), math.nan)
        self.f1 = quotient(2 * relevant, retrieved + np.array(wanted))

    @property
    def average(self) -> np.ndarray:
        """The mean of precision over the percents of recall."""
        return self.interpolated.mean(axis=1)


def score_text(run: Run, aligned: Aligned, thorough: bool) -> TextFigures:
    """The figures of a run of the thorough or the focused task."""
    judged, names = judged_topics(aligned.ground), spelled(aligned.ground, aligned.ground.topics)
    returned = returned_by(run, aligned, judged)
    found = read_text(returned, judged, thorough)
    wanted = [judged.get(name, JudgedTopic()).relevant_size for name in names]
    return TextFigures([found.get(name) for name in names], wanted, returned.notices)


def read_text(returned: Returned, judged: JudgedTopics, thorough: bool) -> dict[bytes, TopicText]:
    """The text of each topic.

    In the thorough task, text of a relevant document counts only where it was not shown before.
    """
    found: dict[bytes, TopicText] = {}
    shown: dict[bytes, list[Extent]] = {}
    for passage in returned:
        if passage.topic not in found:
            found[passage.topic], shown = TopicText(), {}
        topic, earlier = judged[passage.topic], shown.setdefault(passage.doc, [])
        document = topic.documents.get(passage.doc)
        relevant = document if document is not None and document.announced > 0 else None
        check_passage(passage, () if thorough else earlier, returned)
        extents: Sequence[Extent] = passage.extents
        size = passage.size
        if thorough and relevant:
            extents = _unseen(extents, earlier)
            size = sum(end - start for start, end in extents)
        gain = sum(relevant.relevant_in(*extent) for extent in extents) if relevant else 0
        found[passage.topic].add(size, gain, topic.relevant_size)
        earlier += passage.extents
    return found


def _unseen(extents: Sequence[Extent], seen: Iterable[Extent]) -> Sequence[Extent]:
    """The parts of some extents that are in none of those seen."""
    for first, last in seen:
        parts = [((start, min(end, first)), (max(start, last), end)) for start, end in extents]
        extents = [(start, end) for pair in parts for start, end in pair if start < end]
    return extents
