"""The scores of an article in the tasks of INEX in context."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from doxeval.ground.tasks.official.inex_files import JudgedDocument
from doxeval.tables.quotes import Extent

NOWHERE_TO_ENTER = -10000
"""Where a passage without a place begins: further than any usual distance from an entry point."""


@dataclass(eq=False)
class Article:
    """A rank of a list: the document that was found there, and what was retrieved in it.

    `announced` are its relevant characters by the assessments and `found` the relevant documents so far, when
    the rank was reached; `document` and `passages` are those of the result that was put there last.
    """

    announced: int
    found: int
    entry: int
    document: JudgedDocument | None = None
    passages: list[Extent] = field(default_factory=list)
    retrieved: int = 0
    relevant: int = 0


@dataclass(frozen=True)
class ArticleF:
    """F of the characters retrieved and those announced, with the weight `beta` of recall."""

    beta: float

    def __call__(self, article: Article) -> float:
        """The score of one article."""
        if not article.relevant:
            return 0.0
        if not article.announced:
            return math.nan
        precision, recall = article.relevant / article.retrieved, article.relevant / article.announced
        squared = self.beta * self.beta
        return (1 + squared) * precision * recall / (squared * precision + recall)


@dataclass(frozen=True)
class ArticleEntry:
    """(most - d) / most for a distance d of at most `most` characters from the best entry point."""

    most: int

    def __call__(self, article: Article) -> float:
        """The score of one article."""
        if not article.announced or article.document is None or article.document.entry < 0:
            return 0.0
        distance = abs(article.document.entry - article.entry)
        if distance > self.most:
            return 0.0
        return (self.most - distance) / self.most if self.most else math.nan


@dataclass(frozen=True)
class ArticleTolerance:
    """Precision of what is read of a document until `most` irrelevant characters."""

    most: int

    def __call__(self, article: Article) -> float:
        """The score of one article."""
        if article.document is None or not article.document.ranges:
            return 0.0
        return _Reader(article.document, self.most).precision(sorted(article.passages))


ArticleScore = ArticleF | ArticleEntry | ArticleTolerance


class _Reader:
    """A reader of retrieved passages in document order, then of the text before, between and after them.

    They give up when irrelevant text has used up their patience; this is not asked inside relevant text.
    """

    def __init__(self, document: JudgedDocument, patience: int) -> None:
        self.ranges, self.size = sorted(document.ranges), document.size
        self.patience = patience
        self.relevant = self.irrelevant = 0

    def precision(self, passages: Sequence[Extent]) -> float:
        """The share of relevant characters among those read."""
        reached, rest = 0, []
        for start, end in (*passages, (self.size, self.size)):
            rest.append((reached, start))
            reached = max(reached, end)
        extents = [*passages, *((start, end) for start, end in rest if start < end)]
        if not all(self._reads(start, end) for start, end in extents):
            self.irrelevant = self.patience
        read = self.relevant + self.irrelevant
        return self.relevant / read if read else 0.0

    def _reads(self, start: int, end: int) -> bool:
        """Read on from one offset to another; whether there is patience left."""
        for first, last in self.ranges:
            if start <= first:
                if end <= first:
                    break
                if not self._bears(first - start):
                    return False
                start = first
            if start < last:
                reached = min(end, last)
                self.relevant += reached - start
                start = reached
        return self._bears(end - start)

    def _bears(self, irrelevant: int) -> bool:
        self.irrelevant += irrelevant
        return self.irrelevant < self.patience
