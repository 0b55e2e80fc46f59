"""Files of documents, questions and marks from other tools, read as native lines.

Each format is a generator: from the records of a :class:`ToolFile` it makes native assessments, which have a
`topic` or at least a `query`, and native documents, which have neither. Where the file holds the text, the
words that a tool gives for a mark are compared with it (:meth:`ToolFile.marked`), in any unit; a mark takes
its words along, to be compared with the documents it is scored on.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.io.formats.build_tables import collect_assessments
from doxeval.io.formats.chunking import numbered_topic
from doxeval.io.formats.columns import rows_of_dicts
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.rows_out import assessment_rows
from doxeval.io.json_text import NotJson, has_escaped_halves, is_whole_text, parsed_json
from doxeval.io.placing.place_quotes import same_words
from doxeval.io.placing.text_index import TextIndex
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments

Line = dict[str, Any]

UNFORESEEN = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""Exceptions raised by records of an unexpected shape; only that record is refused."""

UNLABELLED = "marked"
"""The topic of marks without a label."""

LONGEST_ATTRIBUTE = 80
LINE_KEYS = ("topic", "doc", "query", "line", "quote", "answer", "text")
"""Keys that say what a line is about, wherever they stand."""
MARKS_MOVED = (
    "{count} {mark is|marks are} not at {its|their} offsets; the nearest place with {its|their} words is used"
)
WORDS_LOST = "{count} {mark|marks} refused: {its|their} words are not in the text"
MARKS_OUTSIDE = "{count} {mark|marks} refused, expected offsets within the text"


def assessments_format(
    name: str,
    summary: str,
    sniff: Callable[[bytes], bool],
    lines: Callable[[ToolFile], Iterable[Line]],
    **more: Any,
) -> Format:
    """A format of assessments defined by its lines; the documents in it can be read too."""

    def read(source: Source, options: Options) -> Assessments:
        file = ToolFile(source, Notices())
        return assessments_of_lines([line for line in lines(file) if is_assessment(line)], file)

    def documents(source: Source, notices: Notices) -> Iterator[Line]:
        file = ToolFile(source, Notices())
        yield from (line for line in lines(file) if not is_assessment(line))
        for notice in file.notices.refusals:
            notices.adopt(notice)

    return Format(name, "assessments", summary, sniff, read, documents=documents, **more)


def joined_assessments(tables: Iterable[Assessments], source: str) -> Assessments:
    """Assessments of several files as one table."""
    rows, notices, attributes = [], Notices(), {}
    for table in tables:
        rows += [{"line": 0} | row for row in assessment_rows(table)]
        notices.extend(table.notices)
        attributes.update(table.attributes)
    return collect_assessments(rows_of_dicts(rows, source, notices), attributes=attributes)


def is_assessment(line: Mapping[str, Any]) -> bool:
    """Whether a line is an assessment rather than a document."""
    return "topic" in line or "query" in line


def assessments_of_lines(lines: list[Line], file: ToolFile) -> Assessments:
    """Build assessments from native lines; questions without a name are numbered."""
    unnamed = [line for line in lines if line.get("topic") is None and isinstance(line.get("query"), str)]
    queries = {query: at for at, query in enumerate(dict.fromkeys(line["query"] for line in unnamed))}
    for line in unnamed:
        line["topic"] = numbered_topic(queries[line["query"]], len(queries))
    attributes: dict[str, dict[str, str]] = {}
    for line in lines:
        if given := line.pop("attributes", None):
            attributes.setdefault(str(line["topic"]), {}).update(given)
    rows = rows_of_dicts(lines, file.source.name, file.notices)
    return collect_assessments(rows, attributes=attributes)


class ToolFile:
    """A file of another tool while it is read; `annotators` are the people who have marked each text."""

    def __init__(self, source: Source, notices: Notices) -> None:
        self.source = source
        self.notices = notices
        self.annotators: dict[str, set[str]] = {}

    def refuse(self, what: str, expected: str, number: int, found: str = "") -> None:
        """Report a line or record that is left out."""
        message = f"{self.source.name}: {{count}} {{{what}|{what}s}} refused, expected {expected}"
        self.notices.add(message, self.source.place(number) + (f": {found}" if found else ""))

    def records(self) -> list[tuple[int, Any]]:
        """The records of the file with their line or number: a JSON list, one per line, or a single one."""
        data = self.source.read()
        try:
            whole = parsed_json(data)
        except NotJson as problem:
            found = list(self._records_in_lines(data))
            if not found:
                raise InputError(f"{self.source.name}: not JSON: {problem}") from None
        else:
            listed = isinstance(whole, list)
            found = list(enumerate(whole, start=1)) if listed else [(self.source.line_numbers(0), whole)]
        return list(self._without_half_pairs(found)) if has_escaped_halves(data) else found

    def _records_in_lines(self, data: bytes) -> Iterator[tuple[int, Any]]:
        for at, line in enumerate(data.split(b"\n")):
            if not line or line.isspace():
                continue
            number = int(self.source.line_numbers(at))
            try:
                record = parsed_json(line)
                if not isinstance(record, dict):
                    raise NotJson(f"found {type(record).__name__}")
            except NotJson as problem:
                self.refuse("line", "a JSON object", number, str(problem))
            else:
                yield number, record

    def _without_half_pairs(self, records: list[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
        """The records without those that have half a surrogate pair as an escape."""
        for number, record in records:
            if is_whole_text(record):
                yield number, record
            else:
                self.refuse("record", "text, found half a surrogate pair", number)

    def lines(
        self,
        records: Iterable[tuple[int, Any]],
        lines_of: Callable[[Any, int], Iterable[Line]],
        expected: str,
    ) -> Iterator[Line]:
        """The lines of each record, with its place; records of another shape are refused."""
        for number, record in records:
            try:
                lines = list(lines_of(record, number))
            except UNFORESEEN as problem:
                found = f"no {problem}" if isinstance(problem, KeyError) else str(problem)
                self.refuse("record", expected, number, found)
            else:
                yield from ({"line": number} | line for line in lines)

    def marked(self, text: str, start: Any, end: Any, words: str | None, where: str | int) -> list[Line]:
        """A mark as a native range; where its words are not there, the nearest place that has them.

        White space is ignored; marks that are nowhere in the text are reported, with their place or the
        number of their record, and left out.
        """
        where = where if isinstance(where, str) else self.source.place(where)
        start, end = operator.index(start), operator.index(end)
        within = 0 <= start <= end <= len(text)
        if within and (words is None or same_words(text[start:end], words)):
            return [_range_with_words(text, start, end)]
        if words is None:
            self.notices.add(MARKS_OUTSIDE, f"{where}: {start} to {end} of {len(text):,}")
            return []
        _, places = TextIndex(text).places(words)
        example = f"{where}: {words[:40]!r}"
        if not places:
            self.notices.add(WORDS_LOST, example)
            return []
        self.notices.add(MARKS_MOVED, example, lasting=True)
        first, last = min(places, key=lambda place: abs(place[0] - start))
        return [_range_with_words(text, first, last)]

    def note_annotators(self) -> None:
        """Report texts that several people have marked."""
        self.notices.add_names(
            "{count} {text was|texts were} marked by several annotators; what any of them marked counts",
            [doc for doc, people in self.annotators.items() if len(people) > 1],
            harmless=True,
            lasting=True,
        )


def _range_with_words(text: str, start: int, end: int) -> Line:
    """A range of a text with its words."""
    return {"start": start, "end": end, "quote": text[start:end], "length": len(text)}


def question_of(record: Mapping[str, Any], labels: Iterable[Any]) -> list[Line]:
    """The topics of a mark: the question named by its record, or else each of its labels."""
    asked = {
        key: next((record[name] for name in names if isinstance(record.get(name), str | int)), None)
        for key, names in (("topic", ("topic", "question_id", "query_id")), ("query", ("query", "question")))
    }
    given = {key: value for key, value in asked.items() if value not in (None, "")}
    return [given] if given else [{"topic": str(label)} for label in labels] or [{"topic": UNLABELLED}]


def record_attributes(record: Mapping[str, Any], leave_out: Iterable[str] = ()) -> dict[str, str]:
    """The short texts, numbers and flags of a record, usable as attributes of its topic."""
    return {
        name: str(value)
        for name, value in record.items()
        if name not in (*leave_out, *LINE_KEYS)
        and isinstance(value, str | int | float)
        and 0 < len(str(value)) <= LONGEST_ATTRIBUTE
    }
