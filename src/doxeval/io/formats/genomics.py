"""TREC Genomics 2007: gold passages ``topic doc offset length aspects`` and runs with passages.

Gold files are separated by tabs, aspects by ``|`` (their names may hold blanks). Runs are
``topic doc rank score offset length run``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import IO

import numpy as np

from doxeval.core.notices import Notices
from doxeval.io.formats.field_lines import read_columns, topics_of_fields
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.inex_fol import read_passages
from doxeval.io.formats.rows_out import result_lines
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments, Ranges, build_assessments
from doxeval.tables.runs import Names, Run

PASSAGE_LAYOUT = "topic doc rank:int score:float offset:int length:int run?"
GOLD_LAYOUT = "topic doc offset:int length:int aspects:rest?"
GOLD_FIELDS = 5
SCORE_FIELD = re.compile(rb"[-+]?[\d.]+([eE][-+]?\d+)?")
INEX_RANGE = re.compile(rb"\d+:\d+")


def sniff_run(head: bytes) -> bool:
    """Seven fields, the last possibly empty: integers as third, fifth and sixth, a number as fourth."""
    line = head.split(b"\n", 1)[0].rstrip(b"\r")
    fields = line.split(b"\t") if line.endswith(b"\t") else line.split()
    if len(fields) != 7 or INEX_RANGE.fullmatch(fields[6]):
        return False
    return all(fields[at].isdigit() for at in (2, 4, 5)) and bool(SCORE_FIELD.fullmatch(fields[3]))


def sniff_gold(head: bytes) -> bool:
    """Five fields between tabs, the third and fourth integers, the second a document, not Q0."""
    fields = head.split(b"\n", 1)[0].rstrip(b"\r").split(b"\t")
    if len(fields) != GOLD_FIELDS or fields[1] in (b"Q0", b"0"):
        return False
    return fields[2].isdigit() and fields[3].isdigit()


def read_run(source: Source, options: Options) -> Run:
    """Read a run of passages."""
    return read_passages(source, options, PASSAGE_LAYOUT, "doc")


def read_gold(source: Source, options: Options) -> Assessments:
    """Read gold passages with their aspects."""
    notices = Notices()
    columns = read_columns(source, GOLD_LAYOUT, notices)
    negative = (columns.numbers["offset"] < 0) | (columns.numbers["length"] < 0)
    columns = columns.without(negative, "an offset and a length of at least 0")
    topic, doc, aspect = (columns.text[name] for name in ("topic", "doc", "aspects"))
    start, length = columns.numbers["offset"], columns.numbers["length"]
    rows, aspects_of_row = np.arange(len(start)), _split_aspects(aspect.table, aspect.codes)
    ranges = Ranges(rows, start, start + length, np.ones(len(rows)), aspects_of_row)
    return build_assessments(
        topic.table, doc.table, topic.codes, doc.codes, ranges, source=source.name, notices=notices
    )


def _split_aspects(table: Sequence[str], codes: np.ndarray) -> Names:
    """The aspects of each line; each distinct list is split once."""
    lists = ([name.strip() for name in text.split("|") if name.strip()] for text in table)
    return Names.of_lists(lists).take(codes)


def write_run(run: Run, stream: IO[str], options: Options) -> None:
    """Write a run, one line per range."""
    tag = run.tag or run.name
    for topic, doc, rank, score, start, end in result_lines(run):
        stream.write(f"{topic} {doc} {rank} {score!r} {start} {end - start} {tag}\n")


def write_gold(assessments: Assessments, stream: IO[str], options: Options) -> None:
    """Write relevant ranges with their aspects."""
    ranges = assessments.ranges
    topics = assessments.pair_topic
    for row, pair in enumerate(ranges.pair.tolist()):
        topic, doc = assessments.topics[topics[pair]], assessments.docs[assessments.pair_doc[pair]]
        start, end = int(ranges.start[row]), int(ranges.end[row])
        aspects = "|".join(ranges.aspects.of(row)) if ranges.aspects is not None else ""
        stream.write(f"{topic}\t{doc}\t{start}\t{end - start}\t{aspects}\n")


FORMATS = (
    Format(
        name="genomics-run",
        kind="run",
        summary="TREC Genomics 2007 run: topic doc rank score offset length run",
        sniff=sniff_run,
        read=read_run,
        write=write_run,
        holds=lambda options: frozenset({"ranges"}),
        sample=b"200 d1 1 48.63 10 30 york\n200 d2 2 8 0 5 york\n",
        broken=(b"1 d1 1 9.5 10", b"1 d1 1 9.5 10 -1 sys", b"1 d1 1 x 10 30 sys"),
        cut=topics_of_fields,
    ),
    Format(
        name="genomics-gold",
        kind="assessments",
        summary="TREC Genomics 2007 gold passages: topic doc offset length aspects, between tabs",
        sniff=sniff_gold,
        read=read_gold,
        write=write_gold,
        holds=lambda options: frozenset({"ranges", "aspects", "lengthless"}),
        priority=2,
        sample=b"200\td1\t10\t30\tIFN ALPHA|TNF\n200\td2\t0\t5\tTNF\n",
        broken=(b"200\td1\t10", b"200\td1\tx\t30\tTNF", b"200\td1\t10\t-30\tTNF"),
    ),
)
