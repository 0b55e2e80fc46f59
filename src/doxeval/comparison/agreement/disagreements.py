"""Disagreements of two assessors, passage by passage: whether, where it begins and ends, or which grade.

A passage is text without a gap that one of two assessors, or both, highlighted. They disagree *whether* it is
relevant if they have no character of it in common; *where* it begins and ends if they have some, but not all;
about its *grade* if they highlighted the same text and graded some of it differently. A passage counts once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.comparison.agreement.shared import Shared
from doxeval.core.ragged import sums_by

SAME, *KINDS = ("same", "whether", "where", "grade")
"""Passages marked alike, and the kinds of disagreement."""


@dataclass(frozen=True)
class Disagreement:
    """A passage of a document that two assessors marked differently, and in how many characters."""

    first: str
    second: str
    topic: str
    doc: str
    start: int
    end: int
    kind: str
    characters: int


@dataclass(eq=False)
class MarkedPassages:
    """The passages that two assessors highlighted, as columns; `kind` is 0 if alike, else one of `KINDS`.

    `document` and `topic` are numbers of `shared`; `characters` are those marked differently.
    """

    shared: Shared
    topic: np.ndarray
    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    kind: np.ndarray
    characters: np.ndarray

    def counts(self) -> dict[str, int]:
        """How many passages there are: alike, and of each kind of disagreement."""
        found = np.bincount(self.kind, minlength=1 + len(KINDS)).tolist()
        return dict(zip((SAME, *KINDS), found, strict=True))

    def disagreements(self, first: str, second: str) -> list[Disagreement]:
        """Those that are not alike, in the order of topics and documents."""
        columns = (self.topic, self.document, self.start, self.end, self.kind, self.characters)
        rows = zip(*(column[self.kind > 0].tolist() for column in columns), strict=True)
        topics, names = self.shared.topics, self.shared.names
        return [
            Disagreement(first, second, topics[topic], names[doc], start, end, KINDS[kind - 1], characters)
            for topic, doc, start, end, kind, characters in rows
        ]


def marked_passages(shared: Shared) -> MarkedPassages:
    """The passages of text that two assessors judged; `shared` distinguishes grades."""
    one, other = shared.labels
    found = shared.sections((one > 0) | (other > 0))
    length, size = shared.end - shared.start, len(found.start)
    both, either = (one > 0) & (other > 0), (one > 0) | (other > 0)
    common, apart, graded = (
        sums_by(found.of, np.where(chosen, length, 0), size)
        for chosen in (both, either & ~both, both & (one != other))
    )
    kind = np.select([common == 0, apart > 0, graded > 0], [1, 2, 3], 0)
    columns = (found.topic, found.document, found.start, found.end, kind, apart + graded)
    return MarkedPassages(shared, *(np.asarray(column[found.marked], dtype=np.int64) for column in columns))
