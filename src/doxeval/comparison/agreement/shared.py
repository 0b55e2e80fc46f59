"""The text that two assessors judged, cut wherever one of them begins or ends a highlight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from doxeval.core.catalogue import some
from doxeval.core.errors import UsageError
from doxeval.core.keys import find_keys, first_of_equals, key_width, keys
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.core.ragged import sums_by
from doxeval.core.strings import index_of
from doxeval.ground.document_names import assessed_codes
from doxeval.ground.ground import Ground
from doxeval.kernels.stretches import paint_first
from doxeval.tables.assessments import UNKNOWN

JUDGED = ("both", "either")


@dataclass(eq=False)
class Sections:
    """Stretches of text, `[start, end)`, that an assessor marked (`marked`) or left between marks.

    `of` is the section that each segment belongs to. A section ends where its document does.
    """

    topic: np.ndarray
    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    marked: np.ndarray
    of: np.ndarray


@dataclass(eq=False)
class Shared:
    """Segments `[start, end)` of documents that two assessors judged for the same topic.

    `document` numbers the documents of topics, whose names are `names`, and `topic` the `topics`, both in
    ascending order. `labels` is each assessor's label of a segment: 0 if it is irrelevant, else the number of
    its grade among `grades`, from 1. `unknown` are documents of unknown length; they end with their last
    highlight.
    """

    topics: list[str]
    names: list[str]
    grades: list[float]
    topic: np.ndarray
    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    labels: tuple[np.ndarray, np.ndarray]
    unknown: list[str]

    @cached_property
    def tables(self) -> np.ndarray:
        """For each topic the characters with each label of the first assessor and each of the second."""
        size = 1 + len(self.grades)
        cell = (self.topic * size + self.labels[0]) * size + self.labels[1]
        cells = len(self.topics) * size * size
        return sums_by(cell, self.end - self.start, cells).reshape(len(self.topics), size, size)

    def sections(self, marked: np.ndarray) -> Sections:
        """Neighbouring segments joined if both are marked, or both are not."""
        first = first_of_equals(self.document, marked)
        begin = np.flatnonzero(first)
        return Sections(
            self.topic[begin], self.document[begin], self.start[begin],
            self.end[np.append(begin[1:], len(first))[: len(begin)] - 1], marked[begin], np.cumsum(first) - 1,
        )  # fmt: skip

    def units(self, assessor: int) -> Iterator[tuple[int, int, int, int, int]]:
        """The highlights of an assessor (0 or 1): topic, document, start, end, and number of the grade."""
        for grade in range(1, 1 + len(self.grades)):
            found = self.sections(self.labels[assessor] == grade)
            columns = (found.topic, found.document, found.start, found.end)
            for unit in zip(*(column[found.marked].tolist() for column in columns), strict=True):
                yield *unit, grade

    def judged(self) -> Iterator[tuple[int, int, int]]:
        """The topic, number and end of each document."""
        last = np.flatnonzero(np.diff(self.document, append=-1))
        columns = (self.topic, self.document, self.end)
        return zip(*(column[last].tolist() for column in columns), strict=True)

    def require_lengths(self, what: str) -> None:
        """Raise an error if irrelevant text counts but its amount is unknown."""
        if self.unknown:
            raise UsageError(
                f"{what} compares irrelevant text too, but the length of "
                f"{counted(len(self.unknown), 'document')} is unknown ({some(self.unknown)}); give the "
                "documents (--docs FILE), or only overlap and F1 "
                "(-c overlap -c F1)"
            )


def shared_text(
    first: Ground, second: Ground, names: tuple[str, str], judged: str, grades: bool, notices: Notices
) -> Shared:
    """The text that two assessors judged, in documents judged by both, or by either, for a topic.

    In a document judged by only one of them, nothing is relevant to the other.
    """
    topics = [topic for topic in first.topics if topic in second.topic_codes]
    if not topics:
        raise UsageError(
            f"{names[0]} and {names[1]} judged no topic in common: {some(first.topics)}, and "
            f"{some(second.topics)}"
        )
    _note_topics(first, second, names, notices)
    docs, codes = _documents(first, second)
    width = max(1, len(docs))
    known = index_of(topics)
    pairs = [
        _pair_keys(ground, known, code, width) for ground, code in zip((first, second), codes, strict=True)
    ]
    own = [column[column >= 0] for column in pairs]
    chosen = np.intersect1d(own[0], own[1]) if judged == "both" else np.union1d(own[0], own[1])
    alone = len(np.setxor1d(own[0], own[1]))
    if not len(chosen):
        raise UsageError(
            f"{names[0]} and {names[1]} judged no document of a topic in common; with --judged either, a "
            "document that one of them did not judge counts as irrelevant to that one"
        )
    if alone:
        told = "left out" if judged == "both" else "irrelevant to the other"
        notices.add(
            f"{{count}} {{document of a topic was|documents of topics were}} judged by only one of "
            f"{names[0]} and {names[1]} and {{is|are}} "
            f"{told}",
            count=alone, harmless=True, lasting=True,
        )  # fmt: skip
    length = _lengths(first, second, codes, docs, notices)[chosen % width]
    units = [
        _units(ground, column, chosen, length) for ground, column in zip((first, second), pairs, strict=True)
    ]
    return _cut(topics, docs, chosen, width, length, units, grades)


def _note_topics(first: Ground, second: Ground, names: tuple[str, str], notices: Notices) -> None:
    notices.add_names(
        f"{{count}} {{topic was|topics were}} judged by only one of {names[0]} and {names[1]} and {{is|are}} "
        "left out",
        sorted(first.topic_codes.keys() ^ second.topic_codes.keys()),
        harmless=True,
        lasting=True,
    )


def _documents(first: Ground, second: Ground) -> tuple[list[str], tuple[np.ndarray, np.ndarray]]:
    """The documents of both by the names of the first, and the number of each one's documents among them."""
    docs = list(first.assessments.docs)
    code = assessed_codes(first, second.assessments.docs).astype(np.int64)
    new = np.flatnonzero(code < 0)
    code[new] = len(docs) + np.arange(len(new))
    return [*docs, *(second.assessments.docs[at] for at in new.tolist())], (np.arange(len(docs)), code)


def _pair_keys(ground: Ground, topics: dict[str, int], code: np.ndarray, width: int) -> np.ndarray:
    """One number for the topic and the document of each pair, -1 if the topic is not among these."""
    number = np.array([topics.get(topic, -1) for topic in ground.topics], dtype=np.int64)
    topic = number[ground.assessments.pair_topic]
    return np.where(topic >= 0, topic * width + code[ground.assessments.pair_doc], -1)


def _lengths(
    first: Ground, second: Ground, codes: tuple[np.ndarray, np.ndarray], docs: list[str], notices: Notices
) -> np.ndarray:
    """The length of each document, from the documents or either assessor."""
    lengths = np.full((2, len(docs)), UNKNOWN, dtype=np.int64)
    for row, ground, code in zip(lengths, (first, second), codes, strict=True):
        row[code] = ground.length
    notices.add_names(
        "{count} {document has|documents have} different lengths in different assessments; the largest is "
        "used",
        (docs[at] for at in np.flatnonzero((lengths[0] != lengths[1]) & (lengths >= 0).all(axis=0))),
        lasting=True,
    )
    return lengths.max(axis=0)


def _units(
    ground: Ground, pair_key: np.ndarray, chosen: np.ndarray, length: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Highlights in the chosen documents: document, start, end, grade; best grades first."""
    ground.require_highlights("agreement")
    ground.require_lengths("agreement")
    document = find_keys(chosen, pair_key)[ground.unit_pair]
    order = np.argsort(-ground.unit_grade, kind="stable")
    order = order[document[order] >= 0]
    document = document[order]
    end = ground.unit_end[order]
    end = np.where(length[document] == UNKNOWN, end, np.minimum(end, length[document]))
    return document, np.minimum(ground.unit_start[order], end), end, ground.unit_grade[order]


def _cut(
    topics: list[str], docs: list[str], chosen: np.ndarray, width: int, length: np.ndarray,
    units: list[Any], grades: bool,
) -> Shared:  # fmt: skip
    """The chosen documents cut at every boundary of a highlight, with each assessor's labels."""
    reach = length.copy()
    for document, _, end, _ in units:
        np.maximum.at(reach, document, end)
    reach = np.maximum(reach, 0)
    span = key_width(reach)
    every = np.arange(len(chosen))
    bounds = [keys(every, np.zeros_like(reach), span), keys(every, reach, span)]
    bounds += [keys(document, place, span) for document, *ends, _ in units for place in ends]
    cuts = np.unique(np.concatenate(bounds))
    known = np.unique(np.concatenate([unit[3] for unit in units])) if grades else np.ones(1)
    labels = []
    for document, start, end, grade in units:
        begin, stop = (np.searchsorted(cuts, keys(document, place, span)) for place in (start, end))
        owner = np.searchsorted(known, grade) if grades else np.zeros(len(grade), dtype=np.int64)
        labels.append(paint_first(begin, stop, owner, len(cuts)) + 1)
    document, start = cuts // span, cuts % span
    inside = np.flatnonzero(document[:-1] == document[1:])
    document = document[inside]
    used, topic = np.unique(chosen // width, return_inverse=True)
    return Shared(
        [topics[at] for at in used.tolist()], [docs[at] for at in (chosen % width).tolist()], known.tolist(),
        topic[document], document, start[inside], start[inside + 1], (labels[0][inside], labels[1][inside]),
        [docs[at] for at in np.unique(chosen[length == UNKNOWN] % width).tolist()],
    )  # fmt: skip
