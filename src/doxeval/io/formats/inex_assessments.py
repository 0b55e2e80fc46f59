"""INEX assessments of 2008-10: ``topic Q0 file relevant-chars document-length [bep [offset:length]...]``."""

from __future__ import annotations

from dataclasses import replace
from typing import IO

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.core.strings import Strings
from doxeval.io.formats.field_lines import FieldColumns, note_repeated, read_columns
from doxeval.io.formats.format import Format, Options
from doxeval.io.source import Source
from doxeval.kernels import scan
from doxeval.tables.assessments import UNKNOWN, Assessments, Ranges, build_assessments
from doxeval.tables.file_text import FileText

FIRST_RANGE_FIELD = 7
ASSESSMENT_LAYOUT = "topic - file relevant:int length:int bep:int? ranges:rest?"


def sniff(head: bytes) -> bool:
    """At least five fields, Q0 the second, the fourth to sixth integers, ranges (if any) as offset:length."""
    fields = head.split(b"\n", 1)[0].split()
    if len(fields) < 5 or (len(fields) < FIRST_RANGE_FIELD and fields[1] not in (b"Q0", b"0")):
        return False
    if not all(field.removeprefix(b"-").isdigit() for field in fields[3:6]):
        return False
    return all(field.replace(b":", b"", 1).isdigit() and b":" in field for field in fields[6:])


def read(source: Source, options: Options) -> Assessments:
    """Read INEX assessments; overlapping ranges of a document are united when they are scored."""
    notices, text = Notices(), source.read()
    columns = read_columns(Source(text, source.name, source.lines), ASSESSMENT_LAYOUT, notices)
    relevant, length, bep = (columns.numbers[name] for name in ("relevant", "length", "bep"))
    negative = (relevant < 0) | (length < 0) | (bep < UNKNOWN)
    columns = columns.without(negative, "relevant characters, a length and an entry point of at least 0")
    columns = columns.without(_parsed_ranges(columns)[3], "ranges as offset:length from field 7 on", "ranges")
    ranges, start, size, _ = _parsed_ranges(columns)
    _check_sums(columns, ranges.sum(size))
    topic, doc = columns.text["topic"], columns.text["file"]
    note_repeated((doc.codes, topic.codes), columns.line, "their ranges are united", source, notices)
    table = build_assessments(
        topic.table,
        doc.table,
        topic.codes,
        doc.codes,
        Ranges(ranges.row, start, start + size, np.ones(len(start))),
        length=columns.numbers["length"],
        bep=columns.numbers["bep"],
        source=source.name,
        notices=notices,
    )
    return replace(table, written=FileText("inex-assessments", source.mark + text, source.encoding))


def _parsed_ranges(columns: FieldColumns) -> tuple[Ragged, np.ndarray, np.ndarray, np.ndarray]:
    """The ranges of each row, their starts and lengths, and which rows have a list that is malformed."""
    text = columns.text["ranges"]
    lists = text.table if isinstance(text.table, Strings) else Strings.of(text.table)
    bounds = lists.offset.astype(np.int32)
    row, start, length, bad = scan.parse_ranges(lists.blob.tobytes(), bounds[:-1], bounds[1:])
    ranges, at = Ragged.of_rows(row, len(lists)).take(text.codes)
    return ranges, start[at], length[at], bad.astype(bool)[text.codes]


def _check_sums(columns: FieldColumns, found: np.ndarray) -> None:
    """Report lines whose stated number of relevant characters is not that of their ranges."""
    announced = columns.numbers["relevant"]
    columns.notices.add_each(
        "{count} {assessment states|assessments state} a number of relevant characters other than that of "
        "{its|their} ranges; "
        "the ranges are used",
        np.flatnonzero(found != announced),
        lambda row: (
            f"{columns.source.place(columns.line[row])}: {announced[row]} stated, {found[row]} in ranges"
        ),
    )


def write(assessments: Assessments, stream: IO[str], options: Options) -> None:
    """Write highlighted ranges and the lengths of their documents, at least the furthest end of a range.

    An unknown best entry point is written as -1.
    """
    ranges = assessments.ranges
    order = np.lexsort((ranges.start, ranges.pair))
    pairs = ranges.pair[order]
    bounds = np.searchsorted(pairs, np.arange(len(assessments.pair_doc) + 1))
    lengths = np.maximum(assessments.length, 0)
    np.maximum.at(lengths, assessments.pair_doc[ranges.pair], ranges.end)
    for pair, topic in enumerate(assessments.pair_topic):
        doc = assessments.pair_doc[pair]
        rows = order[bounds[pair] : bounds[pair + 1]]
        spans = [(int(ranges.start[r]), int(ranges.end[r])) for r in rows]
        fields = [
            assessments.topics[topic],
            "Q0",
            assessments.docs[doc],
            sum(e - s for s, e in spans),
            lengths[doc],
        ]
        if spans or assessments.bep[pair] >= 0:
            fields += [assessments.bep[pair], *(f"{s}:{e - s}" for s, e in spans)]
        stream.write(" ".join(map(str, fields)) + "\n")


FORMAT = Format(
    name="inex-assessments",
    kind="assessments",
    summary="INEX assessments 2008-10: topic Q0 file relevant length [bep [offset:length]...]",
    sniff=sniff,
    read=read,
    write=write,
    holds=lambda options: frozenset({"ranges", "irrelevant", "lengths", "beps"}),
    sample=b"1 Q0 d1 30 100 10 10:20 50:10\n1 Q0 d2 0 80\n",
    broken=(b"1 Q0 d1", b"1 Q0 d1 x 100 10 10:20", b"1 Q0 d1 30 100 10 10-20"),
)
