"""Relevant lines of code by instance.

``{"instance_id": "a__b-1", "file": "x.py", "start_line": 3, "end_line": 9}``: lines are those
before the change, counted from 1, both included. Each row is a need of its own; its other keys are attributes
of the topic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.core.notices import Notices
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.native import keys_of_first_line
from doxeval.io.formats.other_tools import Line, ToolFile, assessments_of_lines, record_attributes
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments

KEYS = {b"instance_id", b"file", b"start_line", b"end_line"}
NOT_ATTRIBUTES = ("instance_id", "file", "start_line", "end_line")


def sniff(head: bytes) -> bool:
    """JSON objects that name an instance, a file and lines."""
    keys = keys_of_first_line(head)
    return keys >= KEYS and b"topic" not in keys


def read(source: Source, options: Options) -> Assessments:
    """Read relevant lines."""
    file = ToolFile(source, Notices())

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        first, last = record["start_line"], record["end_line"]
        if not isinstance(record["file"], str):
            raise TypeError("a file that is no name")
        yield {
            "topic": str(record["instance_id"]), "doc": record["file"],
            "need": f"{record['file']}:{first}-{last}", "start_line": first, "end_line": last,
            "attributes": record_attributes(record, NOT_ATTRIBUTES),
        }  # fmt: skip

    expected = "an instance_id, a file, a start_line and an end_line"
    return assessments_of_lines(list(file.lines(file.records(), lines_of, expected)), file)


FORMAT = Format(
    name="gold-lines",
    kind="assessments",
    summary="JSON Lines: instance_id, file, start_line, end_line: relevant lines of code",
    sniff=sniff,
    read=read,
    sample=(
        b'{"instance_id": "tea__tea-1", "file": "src/tea.py", "start_line": 3, "end_line": 4, "hunk": 1}\n'
        b'{"instance_id": "tea__tea-1", "file": "src/cup.py", "start_line": 9, "end_line": 9, "hunk": 2}\n'
    ),
    broken=(
        b"{",
        b'{"instance_id": "tea__tea-1", "file": "src/tea.py", "start_line": 3}',
        b'{"instance_id": "tea__tea-1", "file": 3, "start_line": 3, "end_line": 4}',
    ),
)
