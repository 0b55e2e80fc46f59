"""Assessments: what is relevant, per topic and document, as columns.

One row a *pair* (topic, document) that was assessed, sorted by topic, then document; the highlighted ranges
and judged nodes of a pair hang off it in the order of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.core.strings import distinct, natural_key
from doxeval.tables.runs import Names

UNKNOWN = -1


@dataclass(eq=False)
class Ranges:
    """Highlighted ranges: `pair`, `[start, end)`, a grade (1 unless given), and aspects where given."""

    pair: np.ndarray
    start: np.ndarray
    end: np.ndarray
    grade: np.ndarray
    aspects: Names | None = None

    def __len__(self) -> int:
        return len(self.pair)


@dataclass(eq=False)
class JudgedNodes:
    """Judged nodes and trees: `pair`, the nodes by id or path, a value (NaN where only a code), a code."""

    pair: np.ndarray
    nodes: Names
    value: np.ndarray
    code: list[str]

    def __len__(self) -> int:
        return len(self.pair)


@dataclass(eq=False)
class Quotes:
    """Answers given as text, still to be located in their documents."""

    pair: np.ndarray
    text: list[str]
    grade: np.ndarray
    line: np.ndarray

    def __len__(self) -> int:
        return len(self.pair)


@dataclass(eq=False)
class Assessments:
    """Everything assessed. `pair_offset` groups pairs by topic; `length` is per document, -1 if not told.

    `floor` is the grade of each pair in which nothing is relevant: 0, or what TREC puts below (junk, not
    pooled), which some measures of documents tell apart.
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
    queries: dict[str, str] = field(default_factory=dict)
    source: str = ""
    notices: Notices = field(default_factory=Notices)

    def __repr__(self) -> str:
        kinds = [f"{len(self.ranges):,} ranges"]
        if self.nodes is not None:
            kinds.append(f"{len(self.nodes):,} judged nodes")
        if self.quotes is not None:
            kinds.append(f"{len(self.quotes):,} quotes")
        return (
            f"<Assessments: {len(self.topics):,} topics, {len(self.pair_doc):,} assessed documents, "
            f"{', '.join(kinds)}>"
        )

    def highest_grades(self, pair: np.ndarray, grade: np.ndarray) -> np.ndarray:
        """The highest of some grades in each pair, its floor where it has none of them."""
        highest = np.zeros(len(self.pair_doc))
        np.maximum.at(highest, pair, grade)
        return highest if self.floor is None else np.where(highest > 0, highest, self.floor)

    @property
    def pair_topic(self) -> np.ndarray:
        """The topic of each pair."""
        return self.by_topic.row

    @property
    def by_topic(self) -> Ragged:
        """Which pairs each topic has."""
        return Ragged(self.pair_offset)


@dataclass
class AssessmentRows:
    """What a reader has found, row by row in file order, before :func:`build_assessments` sorts it out.

    Every array is a column; `topic` and `doc` hold codes of `topics` and `docs`. `judged_*` rows say that a
    document was assessed (with its length and best entry point, -1 where not told). The other groups of
    rows imply it.
    """

    topics: list[str]
    docs: Sequence[str]
    judged_topic: np.ndarray
    judged_doc: np.ndarray
    judged_length: np.ndarray
    judged_bep: np.ndarray
    judged_floor: np.ndarray | None = field(default=None, kw_only=True)
    range_topic: np.ndarray
    range_doc: np.ndarray
    range_start: np.ndarray
    range_end: np.ndarray
    range_grade: np.ndarray | None = None
    range_aspects: Names | None = None
    node_topic: np.ndarray | None = None
    node_doc: np.ndarray | None = None
    node_names: Names | None = None
    node_value: np.ndarray | None = None
    node_code: list[str] | None = None
    quote_topic: np.ndarray | None = None
    quote_doc: np.ndarray | None = None
    quote_text: list[str] | None = None
    quote_grade: np.ndarray | None = None
    quote_line: np.ndarray | None = None
    queries: dict[str, str] = field(default_factory=dict)
    source: str = ""
    notices: Notices = field(default_factory=Notices)


def build_assessments(rows: AssessmentRows) -> Assessments:
    """Sort rows into pairs: topics in natural order, documents by first appearance."""
    order = sorted(range(len(rows.topics)), key=lambda code: natural_key(rows.topics[code]))
    new_topic = np.empty(len(order), dtype=np.int64)
    new_topic[order] = np.arange(len(order))
    width = max(1, len(rows.docs))

    def keys(topic: np.ndarray | None, doc: np.ndarray | None) -> np.ndarray:
        if topic is None or doc is None:
            return np.zeros(0, dtype=np.int64)
        return new_topic[topic] * width + doc

    judged = keys(rows.judged_topic, rows.judged_doc)
    ranged = keys(rows.range_topic, rows.range_doc)
    noded = keys(rows.node_topic, rows.node_doc)
    quoted = keys(rows.quote_topic, rows.quote_doc)
    pairs = distinct(np.concatenate([judged, ranged, noded, quoted]))

    bep, differing = merged_beps(np.searchsorted(pairs, judged), rows.judged_bep, len(pairs))
    note_differing_beps([rows.docs[at] for at in (pairs[differing] % width).tolist()], rows.notices)
    floor = None
    if rows.judged_floor is not None:
        floor = np.zeros(len(pairs))
        np.minimum.at(floor, np.searchsorted(pairs, judged), rows.judged_floor)
    length = np.full(len(rows.docs), UNKNOWN, dtype=np.int64)
    np.maximum.at(length, rows.judged_doc, rows.judged_length)
    _note_differing_lengths(rows, length)

    grade = rows.range_grade if rows.range_grade is not None else np.ones(len(ranged))
    return Assessments(
        topics=[rows.topics[code] for code in order],
        docs=rows.docs,
        pair_offset=Ragged.of_rows(pairs // width, len(order)).offset,
        pair_doc=(pairs % width).astype(np.int32),
        bep=bep,
        length=length,
        ranges=Ranges(
            np.searchsorted(pairs, ranged), rows.range_start, rows.range_end, grade, rows.range_aspects
        ),
        nodes=_judged_nodes(rows, np.searchsorted(pairs, noded)),
        floor=floor,
        quotes=_quotes(rows, np.searchsorted(pairs, quoted)),
        queries=rows.queries,
        source=rows.source,
        notices=rows.notices,
    )


def _judged_nodes(rows: AssessmentRows, pair: np.ndarray) -> JudgedNodes | None:
    if rows.node_names is None or rows.node_value is None or not len(pair):
        return None
    return JudgedNodes(pair, rows.node_names, rows.node_value, rows.node_code or [""] * len(pair))


def _quotes(rows: AssessmentRows, pair: np.ndarray) -> Quotes | None:
    if rows.quote_text is None or not len(pair):
        return None
    grade = rows.quote_grade if rows.quote_grade is not None else np.ones(len(pair))
    line = rows.quote_line if rows.quote_line is not None else np.zeros(len(pair), dtype=np.int64)
    return Quotes(pair, rows.quote_text, grade, line)


def merged_beps(pair: np.ndarray, bep: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The first best entry point of each pair, and the pairs that were told several."""
    told = bep >= 0
    first = np.full(size, np.iinfo(np.int64).max)
    last = np.full(size, UNKNOWN, dtype=np.int64)
    np.minimum.at(first, pair[told], bep[told])
    np.maximum.at(last, pair[told], bep[told])
    return np.minimum(first, last), np.flatnonzero(first < last)


def note_differing_beps(docs: Sequence[str], notices: Notices) -> None:
    """Tell where lines give one document of a topic different best entry points."""
    if docs:
        notices.add(
            "{count} documents have different best entry points on different lines; the first in the text is "
            "used",
            *docs[:3],
            count=len(docs),
        )


def _note_differing_lengths(rows: AssessmentRows, length: np.ndarray) -> None:
    """Tell where two lines give one document different lengths; the larger one is used."""
    differ = (rows.judged_length >= 0) & (rows.judged_length != length[rows.judged_doc])
    if differ.any():
        names = sorted({rows.docs[doc] for doc in rows.judged_doc[differ]})
        rows.notices.add(
            "{count} documents have different lengths on different lines; the largest is used",
            *names[:3],
            count=len(names),
        )
