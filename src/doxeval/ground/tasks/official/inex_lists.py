"""Lists of documents as INEX scores them: relevant in context, the same by tolerance to irrelevance, and best
in context.

Ranks are counted anew only at the first line of a topic: in a run whose topics are not together, later lines
of a topic go on from the topic in between, as they do in the scorer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.tasks.official.inex_articles import NOWHERE_TO_ENTER, Article, ArticleScore
from doxeval.ground.tasks.official.inex_files import (
    JudgedDocument,
    JudgedTopic,
    JudgedTopics,
    Passage,
    Returned,
    check_passage,
    judged_topics,
    passage_refused,
    returned_by,
    spelled,
)
from doxeval.tables.quotes import Extent
from doxeval.tables.runs import Run

TENTHS = 10


@dataclass(eq=False)
class TopicList:
    """The articles of a topic; the list ends at the rank reached `last`."""

    last: int = 0
    found: int = 0
    articles: list[Article] = field(default_factory=list)


class ListFigures:
    """The figures printed of lists of documents: a value for each topic, 0 for one without results."""

    def __init__(self, topics: Sequence[TopicList | None], wanted: Sequence[int], notices: Notices) -> None:
        self.notices = notices
        self.present = np.array([topic is not None for topic in topics], dtype=bool)
        self.lists = [topic.articles if topic else [] for topic in topics]
        self.wanted = np.array(wanted)
        self._precision: dict[ArticleScore, list[np.ndarray]] = {}

    def precision(self, score: ArticleScore) -> list[np.ndarray]:
        """gP at every rank of each topic."""
        if score not in self._precision:
            sums = [np.cumsum([score(article) for article in articles]) for articles in self.lists]
            self._precision[score] = [total / np.arange(1, len(total) + 1) for total in sums]
        return self._precision[score]

    def precision_at(self, rank: int, score: ArticleScore) -> np.ndarray:
        """gP at a rank, or at the last one of a shorter list."""
        return _at(rank, self.precision(score))

    def recall_at(self, rank: int) -> np.ndarray:
        """gR at a rank, or at the last one of a shorter list."""
        found = _at(rank, [[article.found for article in articles] for articles in self.lists])
        return np.where(self.present, quotient(found, self.wanted, math.nan), 0.0)

    def interpolated(self, tenths: int, score: ArticleScore) -> np.ndarray:
        """The largest gP at a rank where gR is at least some tenths, 0 if there is none."""
        best = np.zeros(len(self.lists))
        for topic, (articles, values) in enumerate(zip(self.lists, self.precision(score), strict=True)):
            wanted = int(self.wanted[topic])
            level = [math.floor(TENTHS * (one.found / wanted)) if wanted else 0 for one in articles]
            best[topic] = np.nanmax(values[np.array(level, dtype=np.int64) >= tenths], initial=0.0)
        return best

    def average(self, score: ArticleScore) -> np.ndarray:
        """The sum of gP at the ranks of relevant documents / relevant documents."""
        total = [
            sum(value for article, value in zip(articles, values.tolist(), strict=True) if article.announced)
            for articles, values in zip(self.lists, self.precision(score), strict=True)
        ]
        return quotient(np.array(total, dtype=np.float64), self.wanted, math.nan)


def _at(rank: int, lists: Iterable[Sequence[float] | np.ndarray]) -> np.ndarray:
    """The value of each list at a rank, or the last one of a shorter list; 0 for an empty one."""
    return np.array([float(values[min(rank, len(values)) - 1]) if len(values) else 0.0 for values in lists])


def score_lists(run: Run, aligned: Aligned, one_each: bool) -> ListFigures:
    """The figures of a run of a task in context; `one_each` allows one result in a document."""
    judged, names = judged_topics(aligned.ground), spelled(aligned.ground, aligned.ground.topics)
    returned = returned_by(run, aligned, judged)
    found = lists_by_topic(returned, judged, one_each)
    wanted = [judged.get(name, JudgedTopic()).relevant_documents for name in names]
    return ListFigures([found.get(name) for name in names], wanted, returned.notices)


def lists_by_topic(returned: Returned, judged: JudgedTopics, one_each: bool) -> dict[bytes, TopicList]:
    """The list of each topic."""
    lists = _Lists(returned, judged, one_each)
    for passage in returned:
        lists.add(passage)
    for name, topic in lists.topics.items():
        if topic.last > len(topic.articles):
            raise _broken_off(name, returned)
        del topic.articles[topic.last :]
    return lists.topics


class _Lists:
    """The lists of all topics, while the lines of a run are read."""

    def __init__(self, returned: Returned, judged: JudgedTopics, one_each: bool) -> None:
        self.returned, self.judged, self.one_each = returned, judged, one_each
        self.topics: dict[bytes, TopicList] = {}
        self.rank, self.previous = 0, b""
        self.shown: dict[bytes, list[Extent]] = {}

    def add(self, passage: Passage) -> None:
        """Add a line of the run."""
        if passage.topic not in self.topics:
            self.topics[passage.topic] = TopicList()
            self.rank, self.previous, self.shown = 0, b"", {}
        topic, document = self.topics[passage.topic], self.judged[passage.topic].documents.get(passage.doc)
        self._go_to_rank(passage, topic, document)
        shown = self.shown[passage.doc]
        check_passage(passage, () if self.one_each else shown, self.returned)
        shown += passage.extents
        article = self._article(passage, topic, document)
        article.document, article.passages = document, shown
        article.retrieved += passage.size
        if document is not None and document.announced > 0:
            article.relevant += sum(document.relevant_in(*extent) for extent in passage.extents)

    def _go_to_rank(self, passage: Passage, topic: TopicList, document: JudgedDocument | None) -> None:
        """Go to the next rank if this is another document than in the line before."""
        if passage.doc == self.previous:
            if self.one_each:
                raise passage_refused(passage, self.returned, "it is a further result in the same document")
            return
        if passage.doc in self.shown:
            raise passage_refused(
                passage, self.returned, "its document occurs before, with others in between"
            )
        self.rank += 1
        topic.last, self.previous, self.shown[passage.doc] = self.rank, passage.doc, []
        topic.found += document is not None and document.announced > 0

    def _article(self, passage: Passage, topic: TopicList, document: JudgedDocument | None) -> Article:
        """The last article of the topic if there are as many as the rank, else a new one."""
        if self.rank == len(topic.articles) and not self.one_each:
            if topic.last > len(topic.articles):
                raise _broken_off(passage.topic, self.returned)
            return topic.articles[topic.last - 1]
        announced = max(0, document.announced) if document is not None else 0
        entry = NOWHERE_TO_ENTER if passage.start is None else passage.start
        topic.articles.append(Article(announced, topic.found, entry))
        return topic.articles[-1]


def _broken_off(topic: bytes, returned: Returned) -> InputError:
    return InputError(
        f"{returned.name}: the official scorer breaks off: the lines of a topic are not together, and ranks "
        f"go on from the topic in between; sort the run by topic (topic {topic.decode(errors='replace')})"
    )
