"""Files of documents, questions and marks from other tools, read as native lines.

Each format is a generator: from the records of a file (see :func:`records_of`) it makes native assessments,
which have a `topic` or at least a `query`, and native documents, which have neither. Where the file holds the
text, the words that a tool gives for a mark are compared with it (:func:`checked_range`), in any unit.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.io.formats.base import Format, Options
from doxeval.io.formats.build import collect_assessments
from doxeval.io.formats.chunking import topic_name
from doxeval.io.formats.columns import KINDS, rows_of_dicts
from doxeval.io.formats.rows_out import assessment_rows
from doxeval.io.json_text import NotJson, has_escaped_halves, is_whole_text, parsed_json
from doxeval.io.placing.text_index import TextIndex
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments

Line = dict[str, Any]
Lines = Callable[[Source, Notices], Iterable[Line]]

UNFORESEEN = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""Exceptions raised by records of an unexpected shape; only that record is refused."""

UNLABELLED = "marked"
"""The topic of marks without a label."""

LONGEST_ATTRIBUTE = 80
MOVED = (
    "{count} {mark is|marks are} not at {its|their} offsets; the nearest place with {its|their} words is used"
)
LOST = "{count} {mark|marks} refused: {its|their} words are not in the text"
OUTSIDE = "{count} {mark|marks} refused, expected offsets within the text"


def gold_format(name: str, summary: str, sniff: Callable[[bytes], bool], lines: Lines, **more: Any) -> Format:
    """A format of assessments defined by its lines; the documents in it can be read too."""

    def read(source: Source, options: Options) -> Assessments:
        notices = Notices()
        return assessments_of([line for line in lines(source, notices) if is_gold(line)], source, notices)

    def documents(source: Source, notices: Notices) -> Iterator[Line]:
        found = Notices()
        yield from (line for line in lines(source, found) if not is_gold(line))
        for notice in found.refusals:
            notices.adopt(notice)

    return Format(name, "assessments", summary, sniff, read, documents=documents, **more)


def joined(tables: Iterable[Assessments], source: str) -> Assessments:
    """Assessments of several files as one table."""
    rows, notices, attributes = [], Notices(), {}
    for table in tables:
        rows += [{"line": 0} | row for row in assessment_rows(table)]
        notices.extend(table.notices)
        attributes.update(table.attributes)
    return collect_assessments(rows_of_dicts(rows, source, notices), attributes=attributes)


def is_gold(line: Mapping[str, Any]) -> bool:
    """Whether a line is an assessment rather than a document."""
    return "topic" in line or "query" in line


def assessments_of(lines: list[Line], source: Source, notices: Notices) -> Assessments:
    """Build assessments from native lines; questions without a name are numbered."""
    unnamed = [line for line in lines if line.get("topic") is None and isinstance(line.get("query"), str)]
    queries = {query: at for at, query in enumerate(dict.fromkeys(line["query"] for line in unnamed))}
    for line in unnamed:
        line["topic"] = topic_name(queries[line["query"]], len(queries))
    attributes: dict[str, dict[str, str]] = {}
    for line in lines:
        if told := line.pop("attributes", None):
            attributes.setdefault(str(line["topic"]), {}).update(told)
    return collect_assessments(rows_of_dicts(lines, source.name, notices), attributes=attributes)


def records_of(source: Source, notices: Notices) -> list[tuple[int, Any]]:
    """The records of a file with their line or number: a JSON list, one per line, or a single one."""
    data = source.read()
    found: list[tuple[int, Any]] = []
    try:
        whole = parsed_json(data)
    except NotJson as problem:
        for at, line in enumerate(data.split(b"\n")):
            if line and not line.isspace():
                _take_line(line, int(source.line_numbers(at)), found, source, notices)
        if not found:
            raise InputError(f"{source.name}: not JSON: {problem}") from None
    else:
        listed = isinstance(whole, list)
        found = list(enumerate(whole, start=1)) if listed else [(source.line_numbers(0), whole)]
    return list(_sound(found, source, notices)) if has_escaped_halves(data) else found


def _take_line(
    line: bytes, number: int, found: list[tuple[int, Any]], source: Source, notices: Notices
) -> None:
    try:
        record = parsed_json(line)
        if not isinstance(record, dict):
            raise NotJson(f"found {type(record).__name__}")
    except NotJson as problem:
        told = f"{source.name}: {{count}} {{line|lines}} refused, expected a JSON object"
        notices.add(told, f"{source.place(number)}: {problem}")
    else:
        found.append((number, record))


def _sound(records: list[tuple[int, Any]], source: Source, notices: Notices) -> Iterator[tuple[int, Any]]:
    """The records without those that have half a surrogate pair as an escape."""
    for number, record in records:
        if is_whole_text(record):
            yield number, record
        else:
            told = (
                f"{source.name}: {{count}} {{record|records}} refused, expected text, found half a surrogate "
                "pair"
            )
            notices.add(told, source.place(number))


def lines_of_records(
    records: Iterable[tuple[int, Any]],
    lines_of: Callable[[Any, int], Iterable[Line]],
    expected: str,
    source: Source,
    notices: Notices,
) -> Iterator[Line]:
    """The lines of each record, with its place; records of another shape are refused."""
    for number, record in records:
        try:
            lines = list(lines_of(record, number))
        except UNFORESEEN as problem:
            found = f"no {problem}" if isinstance(problem, KeyError) else str(problem)
            told = f"{source.name}: {{count}} {{record|records}} refused, expected {expected}"
            notices.add(told, f"{source.place(number)}: {found}")
        else:
            yield from ({"line": number} | line for line in lines)


def checked_range(
    text: str, start: Any, end: Any, words: str | None, where: str, notices: Notices
) -> list[Line]:
    """A mark as a native range; where its words are not there, the nearest place that has them.

    White space is ignored; marks that are nowhere in the text are reported and left out.
    """
    start, end = operator.index(start), operator.index(end)
    within = 0 <= start <= end <= len(text)
    if within and (words is None or same_words(text[start:end], words)):
        return [{"start": start, "end": end, "length": len(text)}]
    if words is None:
        notices.add(OUTSIDE, f"{where}: {start} to {end} of {len(text):,}")
        return []
    _, places = TextIndex(text).places(words)
    shown = repr(words[:40])
    if not places:
        notices.add(LOST, f"{where}: {shown}")
        return []
    notices.add(MOVED, f"{where}: {shown}", lasting=True)
    first, last = min(places, key=lambda place: abs(place[0] - start))
    return [{"start": first, "end": last, "length": len(text)}]


def same_words(text: str, words: str) -> bool:
    """Whether two texts are equal apart from white space."""
    return text == words or text.split() == words.split()


def question_of(record: Mapping[str, Any], labels: Iterable[Any]) -> list[Line]:
    """The topics of a mark: the question named by its record, or else each of its labels."""
    asked = {
        key: next((record[name] for name in names if isinstance(record.get(name), str | int)), None)
        for key, names in (("topic", ("topic", "question_id", "query_id")), ("query", ("query", "question")))
    }
    given = {key: value for key, value in asked.items() if value not in (None, "")}
    return [given] if given else [{"topic": str(label)} for label in labels] or [{"topic": UNLABELLED}]


def attributes_of(record: Mapping[str, Any], leave_out: Iterable[str] = ()) -> dict[str, str]:
    """The short texts, numbers and flags of a record, usable as attributes of its topic."""
    return {
        name: str(value)
        for name, value in record.items()
        if name not in leave_out
        and name not in KINDS
        and isinstance(value, str | int | float)
        and 0 < len(str(value)) <= LONGEST_ATTRIBUTE
    }
