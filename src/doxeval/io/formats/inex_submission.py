"""INEX submissions: ``<inex-submission run-id><topic topic-id><result><file/><path/><rank/><rsv/>``.

Those of the efficiency track begin with ``<efficiency-submission run-id>``; the times in them are ignored.

A result is the element named by `path`, or the passage ``<fol offset length/>``, or the passage from one
path to another, ``<passage start end/>``, which is named ``passage:START..END`` (see
:mod:`doxeval.tables.runs`). Without any of them it is the whole file. Several paths or several passages in
one result are a set of nodes or of ranges.
"""

from __future__ import annotations

from itertools import pairwise
from typing import IO, Any

import numpy as np

from doxeval.core.values import integer_in, number_in
from doxeval.io.formats.build_tables import build_run
from doxeval.io.formats.columns import Rows, columns_from_dicts, join_columns
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.rows_out import rank_column, score_column
from doxeval.io.formats.xml_events import all_text, child_text, escaped, release, written, xml_events
from doxeval.io.source import Source
from doxeval.tables.runs import WHOLE, Run, passage_name, passage_points

ROWS_AT_ONCE = 20_000
ROOTS = ("inex-submission", "efficiency-submission")


def sniff(head: bytes) -> bool:
    """XML with the name of the root element."""
    return head.startswith(b"<") and any(f"<{root}".encode() in head for root in ROOTS)


def read(source: Source, options: Options) -> Run:
    """Read a submission."""
    name, topic = "", ""
    rows: list[dict[str, Any]] = []
    parts, sizes, lines = [], [], []
    for event, element in xml_events(source, ("start", "end"), (*ROOTS, "topic", "result")):
        if event == "start":
            if element.tag in ROOTS:
                name = element.get("run-id", "")
            elif element.tag == "topic":
                topic = element.get("topic-id", "")
            continue
        if element.tag == "result":
            rows.append(_result(topic, element, source))
            lines.append(element.sourceline)
            release(element)
        if len(rows) >= ROWS_AT_ONCE:
            parts.append(columns_from_dicts(rows))
            sizes.append(len(rows))
            rows = []
    columns = join_columns([*parts, columns_from_dicts(rows)], [*sizes, len(rows)])
    table = Rows(len(lines), columns, source.name, np.array(lines, dtype=np.int64))
    return build_run(table, Options(name=options.name or source.stem), tag=name)


def _result(topic: str, element: Any, source: Source) -> dict[str, Any]:
    """One result as a row of the native format."""
    row: dict[str, Any] = {"topic": topic, "doc": child_text(element, "file", source)}
    if rank := child_text(element, "rank", source):
        row["rank"] = _number_or_text(rank)
    if score := child_text(element, "rsv", source):
        row["score"] = _number_or_text(score)
    passages = [
        passage_name(item.get("start", ""), item.get("end", "")) for item in element.findall("passage")
    ]
    nodes = [all_text(item, source) for item in element.findall("path")] + passages
    spans = [_range_of_passage(item) for item in element.findall("fol")]
    if spans:
        row["spans"] = spans
    elif len(nodes) == 1:
        row["node"] = nodes[0]
    elif nodes:
        row["nodes"] = nodes
    return row


def _number_or_text(text: str) -> int | float | str:
    """A text as a number; if it is none, the text, to be refused with its place."""
    integer, number = integer_in(text), number_in(text)
    return integer if integer is not None else text if number is None else number


def _range_of_passage(element: Any) -> list[Any]:
    start, length = _number_or_text(element.get("offset", "")), _number_or_text(element.get("length", ""))
    return [start, start + length] if isinstance(start, int) and isinstance(length, int) else [start, length]


def write(run: Run, stream: IO[str], options: Options) -> None:
    """Write a submission, topic by topic."""
    kind = "element" if run.nodes is not None else "FOL"
    stream.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<inex-submission participant-id="0" run-id="{escaped(run.tag or run.name)}" task="Thorough" '
        f'query="automatic" result-type="{kind}">\n'
    )
    rank, score = rank_column(run), score_column(run)
    order = np.argsort(run.topic, kind="stable")
    bounds = np.flatnonzero(np.diff(run.topic[order], prepend=-1, append=-1)).tolist()
    for first, last in pairwise(bounds):
        stream.write(f'<topic topic-id="{escaped(run.topics[run.topic[order[first]]])}">\n')
        for row in order[first:last].tolist():
            stream.write(
                f"<result>{written('file', run.docs[run.doc[row]])}{_written_place(run, row)}"
                f"<rank>{rank[row]}</rank><rsv>{float(score[row])!r}</rsv></result>\n"
            )
        stream.write("</topic>\n")
    stream.write("</inex-submission>\n")


def _written_place(run: Run, row: int) -> str:
    """The place of a result, as elements of the submission."""
    text = ""
    for name in run.nodes.of(row) if run.nodes is not None else []:
        points = passage_points(name)
        if points is None:
            text += written("path", name)
        else:
            text += f'<passage start="{escaped(points[0])}" end="{escaped(points[1])}"/>'
    for start, end in run.spans_of(row):
        if end < WHOLE:
            text += f'<fol offset="{start}" length="{end - start}"/>'
    return text


SAMPLE = b"""<?xml version="1.0"?>
<!DOCTYPE inex-submission SYSTEM "inex.dtd">
<inex-submission participant-id="7" run-id="sys" task="Focused" query="automatic">
<description>one run</description>
<topic topic-id="1">
<result><file>d1</file><path>/a[1]/b[2]</path><rank>1</rank><rsv>0.5</rsv></result>
<result><file>d2</file><fol offset="10" length="30"/><rank>2</rank><rsv>0.25</rsv></result>
<result><file>d3</file><passage start="/a[1]/p[1]" end="/a[1]/p[2]/text()[1].7"/><rank>3</rank></result>
</topic>
</inex-submission>
"""

FORMAT = Format(
    name="inex-submission",
    kind="run",
    summary="INEX submission XML: elements by path, passages by offset and length or from path to path",
    sniff=sniff,
    read=read,
    write=write,
    holds=lambda options: frozenset({"ranges", "spans", "nodes", "trees", "whole", "blanks"}),
    suffixes=(".xml",),
    sample=SAMPLE,
)
