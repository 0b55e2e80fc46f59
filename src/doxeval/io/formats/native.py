"""The native format: JSON Lines, one result or one assessment per line.

Runs: ``{"topic": "t1", "doc": "d1", "rank": 1, "score": 3.2, "start": 10, "end": 60}``; instead of a range
`node`, `path`, `nodes` or `spans`, or lines from 1 on, both ends included (`start_line`, `end_line`, `lines`,
or a name such as ``a.py:12-30``), or the `text` (also `content`, `page_content`) to find in the documents,
or nothing for the whole document; `added` is text shown that is in no document. The first line may hold the
run's parameters: ``{"run": "bm25", "parameters": {"size": 200}}``. A line with only a topic
was asked, with nothing returned. A `run` key gives the run's tag; several tags in a file are read as one run,
with a notice. Assessments: a range, a node with `rel` or `code`, a `quote` (also `answer`, `text`), a `page`
or a `box` on it, a `bep`, a `length`, or nothing for a document that was assessed and holds nothing relevant;
`rel` without a place grades the whole document. The need that a place answers is its `need` (several:
`aspects`); the `spans` of a line are one place. Places of one `set` answer the topic together, and any one
set is enough; `assessor` says whose a place is. A range with ``"optional": true`` is text whose reading is
neither rewarded nor punished. Other keys, on lines with or without a document, are
attributes of the topic.
"""

from __future__ import annotations

import json
import re
from typing import IO, Any

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.quick_class import dataclass
from doxeval.core.strings import Strings
from doxeval.io.encodings import is_utf8
from doxeval.io.formats.build_tables import build_run, collect_assessments
from doxeval.io.formats.columns import (
    KIND_OF_KEY,
    Column,
    Rows,
    checked_numbers,
    columns_from_dicts,
    join_columns,
)
from doxeval.io.formats.field_lines import topics_of_objects
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.rows_out import assessment_rows, result_rows
from doxeval.io.json_text import NotJson, json_value
from doxeval.io.run_descriptions import header_of, parameters_at_head
from doxeval.io.source import Source
from doxeval.kernels import scan
from doxeval.kernels.lines import survey
from doxeval.kernels.template import places_in_lines
from doxeval.tables.assessments import Assessments
from doxeval.tables.runs import Run

READ_AT_ONCE = 4 << 20
JSON_KEY = re.compile(rb'"(\w+)"\s*:')
ONLY_IN_RUNS = {b"rank", b"score", b"run"}
IN_STEPS = {b"topic", b"step", b"action"}
"""The keys by which lines are steps of a trajectory."""
ONLY_IN_ANSWERS = {b"references", b"answer", b"citations"}
"""Keys that together are those of a system's answer, whose `topic` is a wording."""
ONLY_IN_ASSESSMENTS = {b"rel", b"quote", b"answer", b"code", b"bep", b"need", b"aspects", b"query"}


def keys_of_first_line(head: bytes) -> set[bytes]:
    """The keys of a JSON object that fills the first line after the head of a run; none if it is not one."""
    line, newline, rest = head.partition(b"\n")
    if b'"parameters"' in line and is_head(line):
        line, newline, _ = rest.partition(b"\n")
    fills = line.startswith(b"{") and (line.rstrip().endswith(b"}") or not newline)
    return set(JSON_KEY.findall(line)) if fills else set()


def is_head(line: bytes) -> bool:
    """Whether a line is the head of a run, with its parameters."""
    try:
        return header_of(json_value(line))
    except NotJson:
        return False


def sniff_run(head: bytes) -> bool:
    """JSON objects with a topic, and nothing that only assessments have."""
    keys = keys_of_first_line(head)
    placed = keys & {b"doc", b"text", b"content", b"page_content"} or keys <= {b"topic", b"run"}
    return b"topic" in keys and bool(placed) and not keys & ONLY_IN_ASSESSMENTS and not keys >= IN_STEPS


def sniff_assessments(head: bytes) -> bool:
    """JSON objects with a topic, and nothing that only runs have."""
    keys = keys_of_first_line(head)
    others = keys >= IN_STEPS or keys >= ONLY_IN_ANSWERS
    return b"topic" in keys and not keys & ONLY_IN_RUNS and not others


def read_rows(source: Source, of_run: bool = False) -> Rows:
    """All lines as typed columns; lines that are not JSON objects are refused.

    The head of a run, if it has one, is no row: it holds the run's parameters.
    """
    notices = Notices()
    parameters = parameters_at_head(source) if of_run else {}
    parts, sizes, numbers = [], [], []
    before = 0
    for data, newlines, _ in source.surveyed_blocks(READ_AT_ONCE):
        columns = uniform_columns(data)
        if columns is not None:
            places = np.arange(newlines + (not data.endswith(b"\n")))
        else:
            columns, places = _careful_columns(data, before, source, notices, of_run)
        parts.append(columns)
        sizes.append(len(places))
        numbers.append(source.line_numbers(places + before))
        before += newlines
    columns = join_columns(parts, sizes) if parts else {}
    line = np.concatenate(numbers) if numbers else np.zeros(0, dtype=np.int64)
    columns.pop("line", None)
    return Rows(sum(sizes), columns, source.name, line, notices, parameters=parameters)


def _careful_columns(
    data: bytes, before: int, source: Source, notices: Notices, of_run: bool
) -> tuple[dict[str, Column], np.ndarray]:
    """The columns of any lines, and the positions of the good ones; the others are reported."""
    lines = data.split(b"\n")
    places = [at for at, line in enumerate(lines) if line and not line.isspace()]
    objects = _parse_together([lines[at] for at in places])
    if objects is None:
        objects, places = _parse_each(lines, places, before, source, notices)
    if of_run and any(map(header_of, objects)):
        places = [at for at, value in zip(places, objects, strict=True) if not header_of(value)]
        objects = [value for value in objects if not header_of(value)]
    return columns_from_dicts(objects), np.array(places, dtype=np.int64)


def _parse_together(lines: list[bytes]) -> list[dict[str, Any]] | None:
    """The objects of all lines, parsed at once; None if some line is not exactly one object."""
    if not all(line.startswith(b"{") for line in lines):
        return None
    try:
        objects = json_value(b"[" + b",".join(lines) + b"]")
    except NotJson:
        return None
    return objects if len(objects) == len(lines) else None


def _parse_each(
    lines: list[bytes], places: list[int], before: int, source: Source, notices: Notices
) -> tuple[list[dict[str, Any]], list[int]]:
    """The objects of the good lines and their positions; the others are reported."""
    objects, good = [], []
    for at in places:
        try:
            value = json_value(lines[at])
            problem = "" if isinstance(value, dict) else f"found {type(value).__name__}"
        except NotJson as error:
            problem = str(error)
        if problem:
            notices.add(
                f"{source.name}: {{count}} {{line|lines}} refused, expected a JSON object",
                f"{source.name}:{source.line_numbers(before + at)}: {problem}",
            )
        else:
            objects.append(value)
            good.append(at)
    return objects, good


def read_run(source: Source, options: Options) -> Run:
    """Read a native run."""
    return build_run(read_rows(source, of_run=True), options.named_after(source))


def read_assessments(source: Source, options: Options) -> Assessments:
    """Read native assessments."""
    return collect_assessments(read_rows(source))


def write_head(run: Run, stream: IO[str]) -> None:
    """Write the line that holds the parameters of a run, if it has any."""
    if run.parameters:
        told = {"run": run.tag or run.name, "parameters": run.parameters}
        stream.write(json.dumps(told, ensure_ascii=False) + "\n")


def write_run(run: Run, stream: IO[str], options: Options) -> None:
    """Write a run, one result per line, after its parameters."""
    write_head(run, stream)
    for row in result_rows(run):
        stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_assessments(assessments: Assessments, stream: IO[str], options: Options) -> None:
    """Write assessments, one range, node or quote per line."""
    for row in assessment_rows(assessments):
        stream.write(json.dumps(row, ensure_ascii=False) + "\n")


EVERYTHING = frozenset({
    "ranges", "spans", "nodes", "trees", "whole", "blanks", "grades", "aspects", "beps", "lengths",
    "lengthless", "quotes", "queries", "attributes", "irrelevant", "texts", "added", "asked", "lines",
    "seconds", "area", "optional", "own", "labels", "parameters",
})  # fmt: skip
FORMATS = (
    Format(
        name="native-run",
        kind="run",
        summary="JSON Lines: topic, doc, rank, score, and a range, spans, lines, node(s), path or nothing",
        sniff=sniff_run,
        read=read_run,
        write=write_run,
        holds=lambda options: EVERYTHING,
        suffixes=(".jsonl", ".ndjson"),
        sample=(
            b'{"topic": "1", "doc": "d1", "rank": 1, "score": 9.5, "start": 10, "end": 40}\n'
            b'{"topic": "1", "doc": "d2", "rank": 2, "score": 8, "path": "/a[1]/b[2]"}\n'
        ),
        broken=(
            b'{"topic": "1", "doc": "d1", ',
            b'["topic", "doc"]',
            b'{"topic": "1", "doc": "d\xff", "rank": 1}',
            b'{"topic": "1", "doc": "d1", "rank": 1, "score": NaN}',
            b'{"topic": "1", "doc": "d1", "rank": 1, "score": 1, "start": -1, "end": 4}',
        ),
        cut=topics_of_objects,
    ),
    Format(
        name="native-assessments",
        kind="assessments",
        summary="JSON Lines: topic, doc, and a range, lines, node with rel or code, quote, bep, length or "
        "nothing",
        sniff=sniff_assessments,
        read=read_assessments,
        write=write_assessments,
        holds=lambda options: EVERYTHING,
        suffixes=(".jsonl", ".ndjson"),
        priority=1,
        sample=(
            b'{"topic": "1", "doc": "d1", "start": 10, "end": 40, "rel": 2, "aspects": ["A", "B"]}\n'
            b'{"topic": "1", "doc": "d2", "node": "e2", "rel": 0.5}\n{"topic": "1", "doc": "d3"}\n'
        ),
        broken=(b"{", b'{"topic": "1"}', b'{"topic": "1", "doc": "d1", "start": 4, "end": 2}'),
    ),
)


QUOTE = ord('"')
JSON_MEMBER = re.compile(rb'[ \t]*"(\w+)"[ \t]*:[ \t]*("[^"\\]*"|[-+.\w]+)[ \t]*([,}])')
LINE_END = re.compile(rb"[ \t]*\r?\n")
VALUE_CODES = {("text", True): b"s", ("text", False): b"i", ("integer", False): b"i", ("number", False): b"f"}
"""The kernel's code of a value, by the kind of its key and whether it is between quotation marks."""


@dataclass(frozen=True)
class LineShape:
    """The shape of a line: `keys[i]` has the value between `literals[i]` and `literals[i + 1]`."""

    keys: tuple[str, ...]
    values: bytes
    literals: list[bytes]


def layout_of(data: bytes) -> LineShape | None:
    """The shape of the first line; None if it holds something only the careful reader can parse."""
    if not data.startswith(b"{"):
        return None
    keys, values, literals, at, behind = [], b"", [], 1, b"{"
    while member := JSON_MEMBER.match(data, at):
        key, begin, end = member[1].decode(), *member.span(2)
        is_quoted = data[begin] == QUOTE
        value = VALUE_CODES.get((KIND_OF_KEY.get(key, ""), is_quoted))
        if value is None or key in keys:
            return None
        keys.append(key)
        values += value
        literals.append(behind + data[at : begin + is_quoted])
        behind, at = data[end - is_quoted : member.end()], member.end()
        if member[3] == b"}":
            break
    last = LINE_END.match(data, at)
    if not keys or not behind.endswith(b"}") or last is None:
        return None
    return LineShape(tuple(keys), values, [*literals, behind + last[0]])


def uniform_columns(data: bytes) -> dict[str, Column] | None:
    """The columns of whole lines of the same shape as the first; None if their shapes differ."""
    if not data.endswith(b"\n"):
        data += b"\n"
    layout = layout_of(data)
    if layout is None or not is_utf8(data):
        return None
    places = places_in_lines(data, layout.literals, layout.values, survey(data)[0])
    if places is None:
        return None
    return {
        key: _uniform_column(KIND_OF_KEY[key], data, begin, end)
        for key, begin, end in zip(layout.keys, *places, strict=True)
    }


def _uniform_column(kind: str, data: bytes, begin: np.ndarray, end: np.ndarray) -> Column:
    if kind == "text":
        return _uniform_text(data, begin, end)
    parse = scan.parse_integers if kind == "integer" else scan.parse_floats
    values, _ = parse(data, begin, end)
    return checked_numbers(values, np.ones(len(values), dtype=bool), kind)


def _uniform_text(data: bytes, begin: np.ndarray, end: np.ndarray) -> Column:
    """Strings as codes, the empty string as none."""
    table, codes = Strings.distinct_at(data, begin, end)
    empty = np.flatnonzero(np.diff(table.offset) == 0)
    if not len(empty):
        return Column(codes, np.ones(len(codes), dtype=bool), table=table)
    codes = np.where(codes == empty[0], -1, codes - (codes > empty[0])).astype(np.int32)
    return Column(codes, codes >= 0, table=[name for name in table if name])
