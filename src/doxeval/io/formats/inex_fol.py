"""INEX runs, file-offset-length: ``topic Q0 file rank score run offset length``.

An offset of X or -1, with any length, marks a passage that could not be located: a result that shows nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import IO

import numpy as np

from doxeval.core.notices import Notices
from doxeval.io.formats.field_lines import read_columns, refusal, topics_of_fields
from doxeval.io.formats.format import Format, Options
from doxeval.io.source import Source
from doxeval.tables.assessments import UNKNOWN
from doxeval.tables.file_text import FileText
from doxeval.tables.runs import NOWHERE, UNFOUND_SIZE, Run

FOL_LAYOUT = "topic - file rank:int score:float run offset:place length:place"


def sniff(head: bytes) -> bool:
    """Eight fields, the fourth an integer, the last two integers or X."""
    fields = head.split(b"\n", 1)[0].split()
    if len(fields) != 8 or not fields[3].lstrip(b"-").isdigit():
        return False
    return all(field == b"X" or field.lstrip(b"-").isdigit() for field in fields[6:])


def read(source: Source, options: Options) -> Run:
    """Read a file-offset-length run."""
    if not options.verbatim:
        return read_passages(source, options, FOL_LAYOUT, "file")
    text = source.read()
    lines = Source(text, source.name, source.lines)
    run = read_passages(lines, options.named_after(source), FOL_LAYOUT, "file")
    written = FileText("inex-fol", source.mark + text, source.encoding, int(source.line_numbers(0)))
    return replace(run, written=written)


def read_passages(source: Source, options: Options, layout: str, document: str) -> Run:
    """Read a run of passages given by offset and length; `document` is the column that names the document."""
    notices = Notices()
    columns = read_columns(source, layout, notices)
    offset, length = columns.numbers["offset"], columns.numbers["length"]
    lost = (offset == UNKNOWN) if "offset:place" in layout else np.zeros(len(offset), dtype=bool)
    notices.add_each(
        f"{source.name}: {{count}} {{result has|results have}} no offset (X or -1) and {{shows|show}} "
        "nothing",
        columns.line[lost],
        source.place,
    )
    if lost.any():
        offset = np.where(lost, NOWHERE + UNFOUND_SIZE * np.arange(len(lost)), offset)
        length = np.where(lost, UNFOUND_SIZE, length)
    negative = (offset < 0) | (length < 0)
    notices.add_each(
        refusal(source, "an offset and a length of at least 0"),
        columns.line[negative],
        source.place,
    )
    keep = slice(None) if not negative.any() else ~negative
    return Run(
        name=options.name or source.stem,
        topics=list(columns.text["topic"].table),
        docs=columns.text[document].table,
        topic=columns.text["topic"].codes[keep],
        doc=columns.text[document].codes[keep],
        start=offset[keep],
        end=(offset + length)[keep],
        rank=columns.numbers["rank"][keep],
        score=columns.numbers["score"][keep],
        tag=next(filter(None, columns.text["run"].table), ""),
        line=columns.line[keep],
        source=source.name,
        notices=notices,
    )


def write(run: Run, stream: IO[str], options: Options) -> None:
    """Write a run whose results are ranges; a result of several ranges takes several lines."""
    from doxeval.io.formats.rows_out import result_lines

    tag = run.tag or run.name
    for topic, doc, rank, score, start, end in result_lines(run):
        offset = start if start < NOWHERE else "X"
        stream.write(f"{topic} Q0 {doc} {rank} {score!r} {tag} {offset} {end - start}\n")


FORMAT = Format(
    name="inex-fol",
    kind="run",
    summary="INEX run, file-offset-length: topic Q0 file rank score run offset length",
    sniff=sniff,
    read=read,
    write=write,
    holds=lambda options: frozenset({"ranges"}),
    suffixes=(".fol",),
    sample=b"1 Q0 d1 1 9.5 sys 10 30\n1 Q0 d2 2 8 sys 0 5\n",
    broken=(
        b"1 Q0 d1 1",
        b"1 Q0 d1 1 nan sys 10 30",
        b"1 Q0 d1 1 9.5 sys -10 30",
        b"1 Q0 d\xff 1 9.5 sys 10 30",
    ),
    cut=topics_of_fields,
)
