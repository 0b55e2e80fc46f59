"""TREC runs ``topic Q0 doc rank score run`` and qrels ``topic 0 doc grade``.

A document id stands for the whole document, unless the option `ranges` says how ids carry ranges:
``doc_offset_length`` or ``doc#start-end``. In qrels a grade above 0 makes the document (or the range)
relevant, any other marks it as assessed and not relevant; a second column that differs between lines names
subtopics, which are the aspects of what is relevant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import IO

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.notices import Notices
from doxeval.core.quick_class import dataclass
from doxeval.core.values import number_in
from doxeval.io.formats.field_lines import (
    LARGEST_OFFSET,
    FieldColumns,
    TextColumn,
    note_repeated,
    read_columns,
    topics_of_fields,
)
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.rows_out import result_lines
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments, Ranges, build_assessments
from doxeval.tables.runs import WHOLE, Names, Run

RUN_LAYOUT = "topic - doc rank:int score:float run"
QRELS_LAYOUT = "topic subtopic doc grade:float"
RANGE_FORMS = {
    "doc_offset_length": re.compile(r"(.+)_(\d{1,13})_(\d{1,13})"),
    "doc#start-end": re.compile(r"(.+)#(\d{1,13})-(\d{1,13})"),
}


def range_pattern(ranges: str) -> re.Pattern[str]:
    """The pattern of document ids with ranges, by the name of the option."""
    if ranges not in RANGE_FORMS:
        raise UsageError(
            f"ranges in document ids are either {' or '.join(RANGE_FORMS)}, not {ranges!r}"
            f"{nearest(ranges, RANGE_FORMS)}"
        )
    return RANGE_FORMS[ranges]


def write_id(doc: str, start: int, end: int, ranges: str) -> str:
    """A document id that carries a range.

    >>> write_id("d1", 10, 60, "doc_offset_length"), write_id("d1", 10, 60, "doc#start-end")
    ('d1_10_50', 'd1#10-60')
    """
    range_pattern(ranges)
    return f"{doc}_{start}_{end - start}" if ranges == "doc_offset_length" else f"{doc}#{start}-{end}"


def _is_number(field: bytes) -> bool:
    return number_in(field.decode(errors="replace")) is not None


def sniff_run(head: bytes) -> bool:
    """Six fields, the fourth an integer, the fifth a number."""
    fields = head.split(b"\n", 1)[0].split()
    return len(fields) == 6 and fields[3].lstrip(b"-").isdigit() and _is_number(fields[4])


def sniff_qrels(head: bytes) -> bool:
    """Four fields, the second an iteration or Q0, the last a number."""
    fields = head.split(b"\n", 1)[0].split()
    return len(fields) == 4 and fields[1].removeprefix(b"Q").isdigit() and _is_number(fields[3])


@dataclass
class _Ids:
    """The meaning of document ids: a document and a range for every line, and whether it is kept."""

    docs: Sequence[str]
    doc: np.ndarray
    start: np.ndarray
    end: np.ndarray
    kept: np.ndarray


def _read_ids(
    columns: FieldColumns, wanted: np.ndarray, ranges: str, source: Source, notices: Notices
) -> _Ids:
    """The documents and ranges of all lines; ids without a range are refused on lines that need one."""
    column = columns.text["doc"]
    size = len(column.codes)
    if not ranges:
        _note_unread_ranges(column, source, notices)
        start, end = np.zeros(size, dtype=np.int64), np.full(size, WHOLE)
        return _Ids(column.table, column.codes, start, end, np.ones(size, dtype=bool))
    pattern = range_pattern(ranges)
    known: dict[str, int] = {}
    parts = []
    for name in column.table:
        match = pattern.fullmatch(name)
        doc, first, second = match.groups() if match else (name, "0", "0")
        last = int(first) + int(second) if ranges == "doc_offset_length" else int(second)
        fine = bool(match) and int(first) <= last <= LARGEST_OFFSET
        parts.append((known.setdefault(doc, len(known)), int(first), last, fine))
    docs, start, end, ranged = np.array(parts, dtype=np.int64).reshape(-1, 4)[column.codes].T
    notices.add_each(
        f"{source.name}: {{count}} {{line|lines}} refused, expected document ids as {ranges}",
        np.flatnonzero(wanted & (ranged == 0)),
        lambda row: f"{source.place(columns.line[row])}: found {column.table[column.codes[row]]!r}",
    )
    return _Ids(list(known), docs.astype(np.int32), start, end, ranged.astype(bool))


def _note_unread_ranges(column: TextColumn, source: Source, notices: Notices) -> None:
    """Report ids that all look like ranges where the option `ranges` was not given."""
    for form, pattern in RANGE_FORMS.items():
        if column.table and all(pattern.fullmatch(column.table[at]) for at in range(len(column.table))):
            notices.add(
                f"{source.name}: all document ids look like {form} but are read as whole documents; if they "
                f"carry ranges, use --ranges '{form}'",
                column.table[0],
            )


def read_run(source: Source, options: Options) -> Run:
    """Read a run."""
    notices = Notices()
    columns = read_columns(source, RUN_LAYOUT, notices)
    topic = columns.text["topic"]
    ids = _read_ids(columns, np.ones(len(columns.line), dtype=bool), options.ranges, source, notices)
    keep = ids.kept
    return Run(
        name=options.name or source.stem,
        topics=list(topic.table),
        docs=ids.docs,
        topic=topic.codes[keep],
        doc=ids.doc[keep],
        start=ids.start[keep],
        end=ids.end[keep],
        rank=columns.numbers["rank"][keep].astype(np.int64),
        score=columns.numbers["score"][keep],
        tag=next(iter(columns.text["run"].table), ""),
        line=columns.line[keep],
        source=source.name,
        notices=notices,
    )


def read_qrels(source: Source, options: Options) -> Assessments:
    """Read qrels."""
    notices = Notices()
    columns = read_columns(source, QRELS_LAYOUT, notices)
    topic, doc, subtopic = (columns.text[name].codes for name in ("topic", "doc", "subtopic"))
    grade = columns.numbers["grade"]
    relevant = grade > 0
    ids = _read_ids(columns, relevant, options.ranges, source, notices)
    relevant &= ids.kept
    fate = "the highest grade counts"
    note_repeated((subtopic, doc, topic), columns.line, fate, source, notices)
    judged = relevant | (grade <= 0)
    row, aspects = (np.cumsum(judged) - 1)[relevant], _subtopics(columns.text["subtopic"], relevant)
    return build_assessments(
        columns.text["topic"].table,
        ids.docs,
        topic[judged],
        ids.doc[judged],
        Ranges(row, ids.start[relevant], ids.end[relevant], grade[relevant], aspects),
        floor=np.minimum(grade[judged], 0),
        source=source.name,
        notices=notices,
    )


def _subtopics(column: TextColumn, rows: np.ndarray) -> Names | None:
    """The subtopics of some rows, None if all lines have the same."""
    if len(column.table) < 2:
        return None
    return Names(list(column.table), np.arange(int(rows.sum()) + 1), column.codes[rows])


def write_run(run: Run, stream: IO[str], options: Options) -> None:
    """Write a run: documents, or with the option `ranges` a line for each range."""
    tag = run.tag or run.name
    for topic, doc, rank, score, start, end in result_lines(run):
        shown = write_id(doc, start, end, options.ranges) if options.ranges else doc
        stream.write(f"{topic} Q0 {shown} {rank} {score!r} {tag}\n")


def write_qrels(assessments: Assessments, stream: IO[str], options: Options) -> None:
    """Write qrels: each document with its highest grade, or with the option `ranges` each range."""
    ranges = assessments.ranges
    best = assessments.highest_grades(ranges.pair, ranges.grade)
    topics = [assessments.topics[topic] for topic in assessments.pair_topic]
    docs = [assessments.docs[doc] for doc in assessments.pair_doc]
    if options.ranges:
        for row, pair in enumerate(ranges.pair.tolist()):
            shown = write_id(docs[pair], int(ranges.start[row]), int(ranges.end[row]), options.ranges)
            stream.write(f"{topics[pair]} 0 {shown} {_grade(ranges.grade[row])}\n")
    for pair, grade in enumerate(best.tolist()):
        if not (options.ranges and grade > 0):
            stream.write(f"{topics[pair]} 0 {docs[pair]} {_grade(grade)}\n")


def _grade(grade: float) -> str:
    return str(int(grade)) if grade == int(grade) else repr(float(grade))


FORMATS = (
    Format(
        name="trec-run",
        kind="run",
        summary="TREC run: topic Q0 doc rank score run; ranges in the document id with --ranges",
        sniff=sniff_run,
        read=read_run,
        write=write_run,
        holds=lambda options: frozenset({"ranges"} if options.ranges else {"whole"}),
        suffixes=(".run", ".trec"),
        sample=b"1 Q0 d1 1 9.5 sys\n1 Q0 d2 2 8 sys\n",
        broken=(b"1 Q0 d1 1 9.5", b"1 Q0 d1 1 -nan sys", b"1 Q0 d1 1.5 9 sys", b"1 Q0 \xc3\x28 1 9 sys"),
        cut=topics_of_fields,
    ),
    Format(
        name="trec-qrels",
        kind="assessments",
        summary="TREC qrels: topic 0 doc grade; ranges in the document id with --ranges",
        sniff=sniff_qrels,
        read=read_qrels,
        write=write_qrels,
        holds=lambda options: frozenset(
            {"grades", "irrelevant", "lengthless"} | ({"ranges"} if options.ranges else {"whole"})
        ),
        suffixes=(".qrels",),
        sample=b"1 0 d1 2\n1 0 d2 0\n1 0 d3 -1\n",
        broken=(b"1 0 d1", b"1 0 d1 yes"),
    ),
)
