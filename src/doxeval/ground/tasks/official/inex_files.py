"""Assessments and runs as the scorer of the INEX ad hoc track reads them, line by line.

Names are bytes and compared as such. A line of a run has eight fields, of which rank, score and tag are never
read; lines of topics without assessments are skipped. Nothing is clipped, sorted or united.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from doxeval.core.errors import InputError
from doxeval.core.facts import once
from doxeval.core.notices import Notices
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.tables.file_text import FileText
from doxeval.tables.quotes import Extent
from doxeval.tables.runs import NOWHERE, UNFOUND_SIZE, Run

NUMBER = re.compile(rb"[+-]?[0-9]+")
LARGEST_INT = (1 << 31) - 1
FIELDS_OF_RUN = 8
LEAST_OF_JUDGEMENT, ENTRY = 5, 5
NO_PLACE = (b"X", b"-1")
NO_ENTRY = -1
WITHOUT_PLACE = (
    "{count} {result has|results have} no offset (X or -1) and {shows|show} nothing; {it counts|they count} "
    "as in the official scorer"
)


@dataclass(eq=False)
class JudgedDocument:
    """A document of a topic: relevant characters `announced` and size by its first line, ranges by all.

    The best `entry` is that of the last line with ranges.
    """

    announced: int
    size: int
    entry: int = NO_ENTRY
    ranges: list[Extent] = field(default_factory=list)

    def relevant_in(self, start: int, end: int) -> int:
        """Relevant characters between two offsets; those in several ranges count in each."""
        return sum(max(0, min(end, last) - max(start, first)) for first, last in self.ranges)


@dataclass(eq=False)
class JudgedTopic:
    """The documents of a topic, and the characters and documents that its lines announce as relevant."""

    documents: dict[bytes, JudgedDocument] = field(default_factory=dict)
    relevant_size: int = 0
    relevant_documents: int = 0

    def add(self, doc: bytes, announced: int, size: int) -> JudgedDocument:
        """Add a line, and return its document."""
        if announced > 0:
            self.relevant_size += announced
            self.relevant_documents += 1
        return self.documents.setdefault(doc, JudgedDocument(announced, size))


JudgedTopics = dict[bytes, JudgedTopic]


class Passage(NamedTuple):
    """A line of a run, the `at`-th; a passage without a place has no `start`."""

    at: int
    topic: bytes
    doc: bytes
    start: int | None
    size: int

    @property
    def extents(self) -> list[Extent]:
        """Its place, from its start to its end; empty if it has no place."""
        return [] if self.start is None else [(self.start, self.start + self.size)]


@dataclass(frozen=True)
class Returned:
    """The passages of the run `name` in the order of its lines, and `where` each is.

    `notices` report those without a place once they have been read.
    """

    name: str
    passages: Iterable[Passage]
    where: Callable[[int], str]
    notices: Notices = field(default_factory=Notices)

    def __iter__(self) -> Iterator[Passage]:
        for passage in self.passages:
            if passage.start is None:
                self.notices.add(f"{self.name}: {WITHOUT_PLACE}", self.where(passage.at))
            yield passage


def check_passage(passage: Passage, earlier: Iterable[Extent], returned: Returned) -> None:
    """Refuse a passage of negative size, or one that overlaps an earlier one.

    An earlier one begins or ends in it, or lies around it: empty ones can overlap, too, but not each other.
    """
    if passage.size < 0:
        raise passage_refused(passage, returned, f"its size is negative ({passage.size})")
    for start, end in passage.extents:
        for first, last in earlier:
            if start <= first < end or start < last <= end or (first < start and end < last):
                raise passage_refused(passage, returned, "it overlaps an earlier result in the same document")


def passage_refused(passage: Passage, returned: Returned, why: str) -> InputError:
    """The error for a run that the scorer refuses because of a passage."""
    topic, doc = (name.decode(errors="replace") for name in (passage.topic, passage.doc))
    where = f"{returned.where(passage.at)}: topic {topic}, document {doc}"
    return InputError(f"{where}: the official scorer refuses the run: {why}")


@once
def judged_topics(ground: Ground) -> JudgedTopics:
    """The assessments by topic, from the lines of their file if they are in the format of INEX."""
    written = _file_of(ground)
    return _judged_in_table(ground) if written is None else judged_in(written, ground.assessments.source)


def topics_judged(ground: Ground) -> list[str]:
    """The names of the topics in the assessments."""
    written = _file_of(ground)
    encoding = written.encoding if written is not None else ""
    return [name.decode(encoding or "utf-8", "replace") for name in judged_topics(ground)]


def _file_of(ground: Ground) -> FileText | None:
    """The text of the assessments, if they are from a file of INEX."""
    written = ground.assessments.written
    return written if written is not None and written.format == "inex-assessments" else None


def judged_in(written: FileText, name: str) -> JudgedTopics:
    """The assessments in the text of a file."""
    judged: JudgedTopics = {}
    for number, line in enumerate(written.original.splitlines(), start=1):
        fields, place = line.split(), f"{name}:{number}"
        if len(fields) < LEAST_OF_JUDGEMENT or line[:1].isspace():
            raise InputError(f"{place}: the official scorer breaks off at an empty, short or indented line")
        topic = judged.setdefault(fields[0], JudgedTopic())
        document = topic.add(fields[2], _number(fields[3], place), _number(fields[4], place))
        if len(fields) > ENTRY + 1:
            document.entry = _number(fields[ENTRY], place)
            document.ranges += [_range(text, place) for text in fields[ENTRY + 1 :]]
    return judged


def _range(text: bytes, place: str) -> Extent:
    offset, _, size = text.partition(b":")
    start = _number(offset, place)
    return start, start + _number(size.partition(b":")[0], place)


def _number(field: bytes, place: str) -> int:
    if NUMBER.fullmatch(field) and abs(int(field)) <= LARGEST_INT:
        return int(field)
    shown = field.decode(errors="replace")
    raise InputError(f"{place}: the official scorer breaks off: {shown!r} is not a number")


def _judged_in_table(ground: Ground) -> JudgedTopics:
    """Assessments that are not from a file of INEX, as if written to one: a line for each document."""
    ground.require_highlights("the official scorer")
    table = ground.assessments
    topics, docs = spelled(ground, table.topics), spelled(ground, table.docs)
    judged = {topic: JudgedTopic() for topic in topics}
    _, starts, ends = (column.tolist() for column in ground.relevant)
    for pair, (topic, doc) in enumerate(zip(table.pair_topic.tolist(), table.pair_doc.tolist(), strict=True)):
        at = ground.relevant_by_pair.slice(pair)
        ranges = list(zip(starts[at], ends[at], strict=True))
        size = int(ground.length[doc]) if ground.length[doc] >= 0 else int(ground.furthest_end[doc])
        document = judged[topics[topic]].add(docs[doc], sum(end - start for start, end in ranges), size)
        document.ranges, document.entry = ranges, int(table.bep[pair])
    return judged


def spelled(ground: Ground, names: Iterable[str]) -> list[bytes]:
    """Names of topics or documents as they are written in the file of the assessments."""
    written = _file_of(ground)
    return [name.encode() if written is None else written.spelled(name) for name in names]


def returned_by(run: Run, aligned: Aligned, topics: Container[bytes]) -> Returned:
    """The passages of a run for some topics, from the lines of its file if they were kept.

    `aligned` is the same run with its results placed in the documents.
    """
    if run.written is not None and run.written.format == "inex-fol":
        place = f"{run.source}:{{}}".format
        return Returned(run.source, _passages_in(run.written, topics, place), place)
    if run.notices.refusals:
        raise InputError(
            f"{'; '.join(map(str, run.notices.refusals))}; the official scorer would look at these lines: "
            "give the file instead of a table, or read it with verbatim=True"
        )
    return Returned(run.source or run.name, _passages_of_table(run, aligned), run.where)


def _passages_in(
    written: FileText, topics: Container[bytes], place: Callable[[int], str]
) -> Iterator[Passage]:
    for number, line in enumerate(written.original.splitlines(), start=written.first_line):
        fields = line.split()
        found = len(fields) + line[:1].isspace()
        if found != FIELDS_OF_RUN:
            blank = " (one of them the blank at the beginning)" * line[:1].isspace()
            raise InputError(
                f"{place(number)}: the official scorer refuses the run: expected {FIELDS_OF_RUN} fields, "
                f"found {found}{blank}"
            )
        topic, _, doc, *_, offset, size = fields
        if topic not in topics:
            continue
        if offset in NO_PLACE:
            yield Passage(number, topic, doc, None, UNFOUND_SIZE)
        else:
            yield Passage(number, topic, doc, _number(offset, place(number)), _number(size, place(number)))


def _passages_of_table(run: Run, aligned: Aligned) -> Iterator[Passage]:
    """The passages of a run that is not from a file of INEX, as if written to one: a line for each range."""
    named = run if run.texts is None else aligned.run
    topics, docs = spelled(aligned.ground, aligned.ground.topics), spelled(aligned.ground, named.docs)
    topic, start, end = aligned.topic.tolist(), aligned.start.tolist(), aligned.end.tolist()
    for result in aligned.row.argsort().tolist():
        row, ranges = int(aligned.row[result]), aligned.spans.slice(result)
        names = topics[topic[result]], docs[named.doc[row]]
        extents = zip(start[ranges], end[ranges], strict=True)
        placed = [(first, last) for first, last in extents if first < NOWHERE]
        for first, last in placed:
            yield Passage(row, *names, first, last - first)
        if not placed:
            yield Passage(row, *names, None, UNFOUND_SIZE)
