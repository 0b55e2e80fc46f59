"""ContextBench: the lines that must be read to solve an issue (JSON, JSON Lines or Parquet).

``{"instance_id", "repo", "base_commit", "gold_context": "[{file, start_line, end_line, content}]"}``; the
gold context is JSON text, or a list. Lines count from 1, both ends included. Paths of the annotators'
containers (``/workspace/repo__version/src/a.go``) are those of the repository. The content, without the line
numbers that some have, is compared with documents that are given; where it has another number of lines than
its place, only the place is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doxeval.io.formats.other_tools import Line, ToolFile, assessments_format, record_attributes
from doxeval.io.formats.patches import NOT_ATTRIBUTES
from doxeval.io.json_text import NotJson, parsed_json

KEY = re.compile(rb'"gold_context"\s*:')
CONTAINER = re.compile(r"/(?:workspace/[^/]+|testbed|repo|app)/(.+)")
NUMBERED = re.compile(r"\s*(\d+)\t(.*)", re.DOTALL)
OF_CONTAINER = (
    "{count} {path is that|paths are those} of the annotators' container, and {is|are} read as "
    "{one|those} of the repository"
)
OTHER_LENGTH = (
    "{count} {content has|contents have} another number of lines than {its|their} place: only the place is "
    "used"
)
LEFT_OUT = (*NOT_ATTRIBUTES, "gold_context", "f2p", "p2p")


def sniff(head: bytes) -> bool:
    """JSON objects with a gold context."""
    return head.startswith((b"{", b"[")) and b'"instance_id"' in head and bool(KEY.search(head))


def lines(file: ToolFile) -> Iterator[Line]:
    """A place for each range of the gold context."""
    return context_lines(file.records(), file)


def context_lines(records: list[tuple[int, Any]], file: ToolFile) -> Iterator[Line]:
    """A place for each range of the gold context of some records."""

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        topic = str(record["instance_id"])
        line = {"topic": topic, "attributes": record_attributes(record, LEFT_OUT)}
        asked = {"query": record["problem_statement"]} if record.get("problem_statement") else {}
        for place in _places(record["gold_context"]):
            first, last = place["start_line"], place["end_line"]
            words = _words(place.get("content"), first, last)
            if words is None:
                file.notices.add(OTHER_LENGTH, f"{topic}: {place['file']}:{first}-{last}", harmless=True)
            yield line | asked | {
                "doc": _path(place["file"], topic, file), "start_line": first, "end_line": last,
            } | ({"quote": words} if words else {})  # fmt: skip

    yield from file.lines(records, lines_of, "an instance_id and its gold_context")


def _places(given: Any) -> list[Any]:
    """The ranges of a gold context, which may be JSON text."""
    if isinstance(given, str):
        try:
            given = parsed_json(given)
        except NotJson as problem:
            raise ValueError(f"gold_context is not JSON: {problem}") from None
    if not isinstance(given, list) or not given:
        raise ValueError("gold_context is no list of places")
    return given


def _path(name: Any, topic: str, file: ToolFile) -> str:
    """The path of a file in its repository."""
    if not isinstance(name, str) or not name:
        raise TypeError("a file without a name")
    inside = CONTAINER.fullmatch(name)
    if inside:
        file.notices.add(OF_CONTAINER, f"{topic}: {name}", harmless=True)
    return inside[1] if inside else name.removeprefix("./")


def _words(content: Any, first: Any, last: Any) -> str | None:
    """The content of a place without line numbers; None if it is not as long as the place, "" if none."""
    if not isinstance(content, str) or not content.strip() or type(first) is not int or type(last) is not int:
        return ""
    listed = content.removesuffix("\n").split("\n")
    numbered = [NUMBERED.fullmatch(line) for line in listed]
    if numbered[0] is not None and int(numbered[0][1]) == first:
        cut = [match for match in numbered if match is not None]
        if len(cut) == len(listed) and [int(match[1]) for match in cut] == list(range(first, last + 1)):
            listed = [match[2] for match in cut]
        else:
            return None
    return "\n".join(listed) if len(listed) == last - first + 1 else None


_ROW = (
    b'{"instance_id": "%s", "repo": "o/tea", "base_commit": "c0ffee", "gold_context": "[{\\"file\\": '
    b'\\"/workspace/o__tea__0.1/src/pot.go\\", \\"start_line\\": 3, \\"end_line\\": 4, \\"content\\": '
    b'\\"3\\\\tpour()\\\\n4\\\\tdrink()\\"}]", "patch": "", "problem_statement": "Too hot."}\n'
)
FORMAT = assessments_format(
    "contextbench",
    "ContextBench: instance_id and gold_context (file, start_line, end_line, content)",
    sniff,
    lines,
    priority=3,
    holds_documents=False,
    sample=_ROW % b"t1" + _ROW % b"t2",
    broken=(
        b"{",
        b'{"instance_id": "t3"}',
        b'{"instance_id": "t3", "gold_context": "[{"}',
        b'{"instance_id": "t3", "gold_context": "[{\\"file\\": 7}]"}',
        b'{"instance_id": "t3", "gold_context": [{"file": "a.py", "start_line": 4, "end_line": 2}]}',
    ),
)
