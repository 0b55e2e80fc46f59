"""Assessments: what is relevant, per topic and document, as columns.

One row per *pair* (topic, document) that was assessed, sorted by topic, then document; the highlighted ranges
and judged nodes of a pair refer to it, in the order of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from itertools import islice
from typing import TypeVar

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged
from doxeval.core.strings import codes_in, distinct, index_of, natural_key, natural_order
from doxeval.tables.file_text import FileText
from doxeval.tables.glimpse import FirstRows, Glimpsed, ranges_shown
from doxeval.tables.labels import Labels, labels_in
from doxeval.tables.places import CHARACTERS, GRID
from doxeval.tables.quotes import Placement, Quotes
from doxeval.tables.runs import Names

UNKNOWN = -1


@dataclass(eq=False)
class Ranges:
    """Highlighted ranges: `pair`, `[start, end)`, a grade (by default 1).

    `aspects` are the needs that a range answers (hops, nuggets, subtopics), if given: ranges that answer the
    same one in a topic are alternatives. Ranges with the same number in `place` are parts of one place;
    without that column each is a place of its own. `words` is what a place is said to hold, stated with its
    first range and empty elsewhere, if anything was said: documents that are given must agree with it.
    `labels` say to which set each range belongs and whose it is, if any does.
    """

    pair: np.ndarray
    start: np.ndarray
    end: np.ndarray
    grade: np.ndarray
    aspects: Names | None = None
    place: np.ndarray | None = None
    words: np.ndarray | None = None
    labels: Labels | None = None

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def places(self) -> np.ndarray:
        """The number of each range's place."""
        return np.arange(len(self)) if self.place is None else self.place

    def with_more(self, more: Ranges) -> Ranges:
        """These ranges followed by others, which have places of their own."""
        place = None
        if self.place is not None or more.place is not None:
            place = np.append(self.places, more.places + self.places.max(initial=-1) + 1)
        words = None
        if self.words is not None or more.words is not None:
            words = np.append(self.words_or_none, more.words_or_none)
        return Ranges(
            np.append(self.pair, more.pair), np.append(self.start, more.start), np.append(self.end, more.end),
            np.append(self.grade, more.grade),
            Names.joined((self.aspects, len(self)), (more.aspects, len(more))), place, words,
            Labels.joined((self.labels, len(self)), (more.labels, len(more))),
        )  # fmt: skip

    @property
    def words_or_none(self) -> np.ndarray:
        """The words of each range, empty where there are none."""
        return np.full(len(self), "", dtype=object) if self.words is None else self.words

    def take(self, rows: np.ndarray) -> Ranges:
        """Some of the ranges, by index in the order given, or by a mask."""
        return Ranges(
            self.pair[rows], self.start[rows], self.end[rows], self.grade[rows],
            None if self.aspects is None else self.aspects.take(rows),
            None if self.place is None else self.place[rows],
            None if self.words is None else self.words[rows],
            None if self.labels is None else self.labels.take(rows),
        )  # fmt: skip


@dataclass(eq=False)
class JudgedNodes:
    """Judged nodes and trees: `pair`, the nodes by id or path, a value (NaN if only a code), a code.

    `aspects` and `labels` are as for :class:`Ranges`; `placed` says how each was carried over from older
    documents, if it was.
    """

    pair: np.ndarray
    nodes: Names
    value: np.ndarray
    code: list[str]
    aspects: Names | None = None
    placed: list[Placement | None] | None = None
    labels: Labels | None = None

    def __len__(self) -> int:
        return len(self.pair)

    def with_more(self, more: JudgedNodes) -> JudgedNodes:
        """These nodes followed by others."""
        aspects = Names.joined((self.aspects, len(self)), (more.aspects, len(more)))
        nodes = Names.joined((self.nodes, len(self)), (more.nodes, len(more))) or self.nodes
        return JudgedNodes(
            np.append(self.pair, more.pair), nodes, np.append(self.value, more.value),
            [*self.code, *more.code], aspects,
            labels=Labels.joined((self.labels, len(self)), (more.labels, len(more))),
        )  # fmt: skip

    def take(self, kept: np.ndarray) -> JudgedNodes:
        """The rows of a mask."""
        rows = np.flatnonzero(kept).tolist()
        return JudgedNodes(
            self.pair[kept], self.nodes.take(kept), self.value[kept], [self.code[row] for row in rows],
            None if self.aspects is None else self.aspects.take(kept),
            None if self.placed is None else [self.placed[row] for row in rows],
            None if self.labels is None else self.labels.take(kept),
        )  # fmt: skip


JudgedParts = TypeVar("JudgedParts", Ranges, JudgedNodes, Quotes)


@dataclass(eq=False)
class Assessments(Glimpsed):
    """Everything assessed. `pair_offset` groups pairs by topic; `length` is per document, -1 if unknown.

    `floor` is the grade of each pair in which nothing is relevant: 0, or the grades that TREC puts below
    (junk, not pooled), which some measures of documents distinguish. `optional` are ranges whose reading is
    neither rewarded nor punished. `attributes` are other facts about a topic, by name: question type,
    language, number of hops. Ranges and lengths count in `unit`, regions on a `grid`; regions beside text are
    `apart`. Where `counts_mark`, offsets count the byte order mark of a file as a character of its text.
    `written` is what the file says, in formats that official scorers read.
    """

    topics: list[str]
    docs: Sequence[str]
    pair_offset: np.ndarray
    pair_doc: np.ndarray
    bep: np.ndarray
    length: np.ndarray
    ranges: Ranges
    nodes: JudgedNodes | None = None
    quotes: Quotes | None = None
    floor: np.ndarray | None = None
    optional: Ranges | None = None
    queries: dict[str, str] = field(default_factory=dict)
    fingerprints: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    unit: str = CHARACTERS
    grid: int = GRID
    counts_mark: bool = False
    source: str = ""
    notices: Notices = field(default_factory=Notices)
    written: FileText | None = None
    apart: Assessments | None = None

    def __repr__(self) -> str:
        kinds = [counted(len(self.ranges), "range")]
        if self.nodes is not None:
            kinds.append(counted(len(self.nodes), "judged node"))
        if self.quotes is not None:
            kinds.append(counted(len(self.quotes), "quote"))
        return (
            f"<Assessments: {counted(len(self.topics), 'topic')}, "
            f"{counted(len(self.pair_doc), 'assessed document')}, "
            f"{', '.join(kinds)}>"
        )

    def _first_rows(self, count: int) -> FirstRows:
        """Documents with what is relevant in them, those with something first."""
        marked = np.unique(self.ranges.pair[: 50 * count])[:count].tolist()
        others = (pair for pair in range(len(self.pair_doc)) if pair not in marked)
        rows = []
        for pair in sorted([*marked, *islice(others, count - len(marked))]):
            at = self.ranges.pair == pair
            spans = list(zip(self.ranges.start[at].tolist(), self.ranges.end[at].tolist(), strict=True))
            topic = int(np.searchsorted(self.pair_offset, pair, side="right")) - 1
            rows.append([self.topics[topic], self.docs[self.pair_doc[pair]], ranges_shown(spans)])
        return ["topic", "document", f"relevant {self.unit}"], rows, len(self.pair_doc), "assessed documents"

    @property
    def assessors(self) -> list[str]:
        """The assessors, or references, that places are from, in natural order."""
        parts = (self.ranges, self.nodes, self.quotes)
        labels = labels_in(*(part.labels for part in parts if part is not None))
        return sorted({name for one in labels for name in one.assessor.tolist() if name}, key=natural_key)

    def of_assessor(self, name: str) -> Assessments:
        """The judgements of one assessor, and places that are nobody's; all documents stay assessed."""

        def own(judged: JudgedParts | None) -> JudgedParts | None:
            if judged is None or judged.labels is None:
                return judged
            return judged.take((judged.labels.assessor == name) | (judged.labels.assessor == ""))

        ranges = own(self.ranges)
        assert ranges is not None
        return replace(self, ranges=ranges, nodes=own(self.nodes), quotes=own(self.quotes))

    @property
    def states_words(self) -> bool:
        """Whether ranges come with something to compare with the documents: words, or counted marks."""
        return self.ranges.words is not None or self.counts_mark

    def highest_grades(self, pair: np.ndarray, grade: np.ndarray) -> np.ndarray:
        """The highest of some grades in each pair, its floor if it has none of them."""
        highest = np.zeros(len(self.pair_doc))
        np.maximum.at(highest, pair, grade)
        return highest if self.floor is None else np.where(highest > 0, highest, self.floor)

    def with_more_topics(self, names: Iterable[str]) -> Assessments:
        """The same with further topics, for which nothing was assessed."""
        topics = sorted({*self.topics, *names}, key=natural_key)
        counts = np.zeros(len(topics), dtype=np.int64)
        counts[codes_in(index_of(topics), self.topics)] = self.by_topic.counts
        return replace(self, topics=topics, pair_offset=Ragged.of_counts(counts).offset)

    @property
    def pair_topic(self) -> np.ndarray:
        """The topic of each pair."""
        return self.by_topic.row

    @property
    def by_topic(self) -> Ragged:
        """The pairs of each topic."""
        return Ragged(self.pair_offset)


def build_assessments(
    topics: Sequence[str],
    docs: Sequence[str],
    topic: np.ndarray,
    doc: np.ndarray,
    ranges: Ranges,
    *,
    length: np.ndarray | None = None,
    bep: np.ndarray | None = None,
    floor: np.ndarray | None = None,
    nodes: JudgedNodes | None = None,
    quotes: Quotes | None = None,
    optional: Ranges | None = None,
    queries: dict[str, str] | None = None,
    fingerprints: dict[str, str] | None = None,
    attributes: dict[str, dict[str, str]] | None = None,
    unit: str = CHARACTERS,
    counts_mark: bool = False,
    source: str = "",
    notices: Notices | None = None,
) -> Assessments:
    """Build assessments from judgements in the order of their file; topics are in natural order.

    Row i says that the document `docs[doc[i]]` was assessed for `topics[topic[i]]`, perhaps also its length
    and best entry point (-1 if unknown) and its floor. The `pair` of `ranges`, `nodes`, `quotes` and
    `optional` is the row that they belong to.
    """
    notices = notices or Notices()
    topics = list(topics)
    order = natural_order(topics)
    new_topic = np.empty(len(order), dtype=np.int64)
    new_topic[order] = np.arange(len(order))
    # A pair as one number, topic first, so that sorting the numbers sorts by topic, then by document; a row
    # is then found by its number, and a number taken apart by division.
    width = max(1, len(docs))
    keys = new_topic[topic] * width + doc
    pairs = distinct(keys)
    pair = np.searchsorted(pairs, keys)

    def placed(judged: JudgedParts | None) -> JudgedParts | None:
        return replace(judged, pair=pair[judged.pair]) if judged is not None and len(judged) else None

    beps = np.full(len(pairs), UNKNOWN, dtype=np.int64)
    if bep is not None:
        beps, differing = merged_beps(pair, bep, len(pairs))
        note_differing_beps([docs[at] for at in (pairs[differing] % width).tolist()], notices)
    floors = None
    if floor is not None:
        floors = np.zeros(len(pairs))
        np.minimum.at(floors, pair, floor)
    return Assessments(
        topics=[topics[code] for code in order],
        docs=docs,
        pair_offset=Ragged.of_rows(pairs // width, len(order)).offset,
        pair_doc=(pairs % width).astype(np.int32),
        bep=beps,
        length=_largest_lengths(docs, doc, length, notices),
        ranges=placed(ranges) or ranges,
        nodes=placed(nodes),
        quotes=placed(quotes),
        optional=placed(optional),
        floor=floors,
        queries=queries or {},
        fingerprints=fingerprints or {},
        attributes=attributes or {},
        unit=unit,
        counts_mark=counts_mark,
        source=source,
        notices=notices,
    )


def _largest_lengths(
    docs: Sequence[str], doc: np.ndarray, length: np.ndarray | None, notices: Notices
) -> np.ndarray:
    """The length of each document, -1 if unknown; documents with several lengths are reported."""
    lengths = np.full(len(docs), UNKNOWN, dtype=np.int64)
    if length is not None:
        np.maximum.at(lengths, doc, length)
        differ = (length >= 0) & (length != lengths[doc])
        notices.add_names(
            "{count} {document has|documents have} different lengths on different lines; the largest is used",
            sorted({docs[code] for code in doc[differ]}),
        )
    return lengths


def merged_beps(pair: np.ndarray, bep: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The first best entry point of each pair, and the pairs that have several."""
    told = bep >= 0
    first = np.full(size, np.iinfo(np.int64).max)
    last = np.full(size, UNKNOWN, dtype=np.int64)
    np.minimum.at(first, pair[told], bep[told])
    np.maximum.at(last, pair[told], bep[told])
    return np.minimum(first, last), np.flatnonzero(first < last)


def note_differing_beps(docs: Sequence[str], notices: Notices) -> None:
    """Report documents with different best entry points for one topic on different lines."""
    notices.add_names(
        "{count} {document has|documents have} different best entry points on different lines; the first in "
        "the text is used",
        docs,
    )
