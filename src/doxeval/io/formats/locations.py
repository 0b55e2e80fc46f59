"""Places where systems say that code must change: of LocAgent and Agentless, and plain lists.

LocAgent: ``{"instance_id", "found_files", "found_modules", "found_entities"}``, each list ranked, with names
such as ``file.py:Class.method``; its gold is ``{"instance_id", "file_changes": [{"file", "changes":
{"edited_modules", "edited_entities"}}]}``, also inside `meta_data` of its outputs. Agentless: `found_files`,
`found_related_locs` and `found_edit_locs`, by file, with lines such as ``function: A.b``, ``class: C`` and
``line: 217``. Which list counts depends on the level (`--level`): files, modules (outermost classes and
functions), or by default the finest. A list of places is ``{topic: ["file", "file:line", "file::symbol"]}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.io.formats.build_tables import build_run
from doxeval.io.formats.columns import rows_of_dicts
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.other_tools import Line, ToolFile, assessments_of_lines
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments
from doxeval.tables.runs import Run

FOUND = {"file": "found_files", "module": "found_modules"}
EDITED = {"module": "edited_modules"}
ENTITIES = re.compile(rb'"found_(?:entities|modules)"\s*:')
AGENTLESS = re.compile(rb'"found_(?:files|edit_locs|related_locs)"\s*:')
CHANGES = re.compile(rb'"(?:gt_)?file_changes"\s*:')
FILE_WITH_PLACES = re.compile(rb'[{,]\s*"(?:[^"\\]|\\.)+"\s*:\s*\[\s*(?:"(?:[^"\\]|\\.)*\.\w+[^"]*"|\])')
AT_LINE = re.compile(r"lines?:\s*(\d+)(?:\s*-\s*(\d+))?")
NAMED_PART = re.compile(r"(?:function|method|class|variable):\s*(\S+)")


def sniff_locagent(head: bytes) -> bool:
    """JSON objects with ranked entities or modules."""
    return head.startswith((b"{", b"[")) and bool(ENTITIES.search(head))


def sniff_agentless(head: bytes) -> bool:
    """JSON objects with files and locations in them, but no entities."""
    return head.startswith((b"{", b"[")) and bool(AGENTLESS.search(head)) and not ENTITIES.search(head)


def sniff_changes(head: bytes) -> bool:
    """JSON objects with the changes of files."""
    return head.startswith((b"{", b"[")) and bool(CHANGES.search(head))


def sniff_lists(head: bytes) -> bool:
    """One JSON object with a list of places for each topic."""
    return head.startswith(b"{") and bool(FILE_WITH_PLACES.match(head))


def read_locagent(source: Source, options: Options) -> Run:
    """Read the ranked list of the level."""
    key = FOUND.get(options.level, "found_entities")

    def rows_of(record: Any, number: int) -> Iterator[Line]:
        yield from _ranked(str(record["instance_id"]), ({"doc": _text(name)} for name in record[key]))

    file = ToolFile(source, Notices())
    return _run_of(file, file.lines(file.records(), rows_of, f"an instance_id and {key}"), options)


def read_agentless(source: Source, options: Options) -> Run:
    """Read the finest locations there are, or the files."""

    def rows_of(record: Any, number: int) -> Iterator[Line]:
        found = record.get("found_edit_locs") or record.get("found_related_locs")
        if options.level == "file" or not found:
            places = [{"doc": _text(name)} for name in record["found_files"]]
        else:
            places = [place for sample in (found if isinstance(found, list) else [found])
                      for file, texts in sample.items() for place in _locations(file, texts)]  # fmt: skip
        yield from _ranked(str(record["instance_id"]), places)

    file = ToolFile(source, Notices())
    return _run_of(file, file.lines(file.records(), rows_of, "an instance_id and found locations"), options)


def read_lists(source: Source, options: Options) -> Run:
    """Read the places of each topic."""
    file = ToolFile(source, Notices())
    records = [pair for _, whole in file.records() for pair in _pairs(whole, source)]

    def rows_of(record: Any, number: int) -> Iterator[Line]:
        topic, places = record
        yield from _ranked(topic, ({"doc": _text(name)} for name in places))

    return _run_of(file, file.lines(enumerate(records, start=1), rows_of, "a list of places"), options)


def _pairs(whole: Any, source: Source) -> list[tuple[str, Any]]:
    if not isinstance(whole, dict):
        raise InputError(f"{source.name}: expected an object with a list of places for each topic")
    return list(whole.items())


def _ranked(topic: str, places: Any) -> Iterator[Line]:
    """A result for each place; only the topic if there is none."""
    rank = 0
    for rank, place in enumerate(places, start=1):
        yield {"topic": topic, "rank": rank} | place
    if not rank:
        yield {"topic": topic}


def _locations(file: str, texts: Any) -> Iterator[Line]:
    """The locations that Agentless writes for a file, in their order."""
    for text in [texts] if isinstance(texts, str) else texts:
        for line in _text(text).splitlines():
            if match := AT_LINE.fullmatch(line.strip()):
                yield {"doc": file, "start_line": int(match[1]), "end_line": int(match[2] or match[1])}
            elif match := NAMED_PART.match(line.strip()):
                yield {"doc": file, "node": match[1]}


def _text(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a place that is {type(name).__name__}, not a string")
    return name


def _run_of(file: ToolFile, rows: Iterable[Line], options: Options) -> Run:
    table = rows_of_dicts(list(rows), file.source.name, file.notices)
    return build_run(table, options.named_after(file.source))


def read_changes(source: Source, options: Options) -> Assessments:
    """Read the files, modules or entities that were edited; added ones have no place before the change."""
    file = ToolFile(source, Notices())
    key = EDITED.get(options.level, "edited_entities")

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        told = record.get("meta_data") or {}
        topic = str(record["instance_id"])
        for change in record.get("file_changes") or told.get("gt_file_changes") or ():
            names = dict.fromkeys(change["changes"].get(key) or ())
            for name in names if options.level != "file" else ():
                yield {"topic": topic, "doc": _text(name), "rel": 1}
            if options.level == "file" or not names:
                grade = 1 if options.level == "file" else 0
                yield {"topic": topic, "doc": _text(change["file"]), "rel": grade}

    lines = file.lines(file.records(), lines_of, "an instance_id and file_changes")
    return assessments_of_lines(list(lines), file)


_FOUND = b'"found_files": ["tea.py"], "found_modules": ["tea.py:Pot"], "found_entities": ["tea.py:Pot.brew"]'
_EDITED = b'"changes": {"edited_modules": ["tea.py:Pot"], "edited_entities": ["tea.py:Pot.brew"]}'
FORMATS = (
    Format(
        name="locagent",
        kind="run",
        summary="LocAgent loc_outputs: instance_id, found_files, found_modules, found_entities (--level)",
        sniff=sniff_locagent,
        read=read_locagent,
        priority=3,
        sample=b'{"instance_id": "t1", ' + _FOUND + b'}\n{"instance_id": "t2", ' + _FOUND + b"}\n",
        broken=(b"{", b'{"instance_id": "t3"}', b'{"instance_id": "t3", "found_entities": [7]}'),
    ),
    Format(
        name="agentless",
        kind="run",
        summary="Agentless locations: instance_id, found_files, found_related_locs and found_edit_locs",
        sniff=sniff_agentless,
        read=read_agentless,
        priority=3,
        sample=(
            b'{"instance_id": "t1", "found_files": ["tea.py"], "found_edit_locs": '
            b'{"tea.py": ["function: Pot.brew\\nline: 7"]}}\n'
            b'{"instance_id": "t2", "found_files": ["tea.py"], "found_edit_locs": {"tea.py": ["line: 9"]}}\n'
        ),
        broken=(b"{", b'{"instance_id": "t3"}', b'{"instance_id": "t3", "found_edit_locs": {"a.py": [7]}}'),
    ),
    Format(
        name="place-lists",
        kind="run",
        summary='one JSON object: {topic: ["file", "file:line", "file::symbol"]}, ranked',
        sniff=sniff_lists,
        read=read_lists,
        priority=3,
        sample=b'{"t1": ["tea.py:7", "pot.py:3-5"],\n "t2": ["cup.py"]}\n',
    ),
    Format(
        name="locagent",
        kind="assessments",
        summary="LocAgent gold: instance_id and file_changes (edited_modules, edited_entities)",
        sniff=sniff_changes,
        read=read_changes,
        priority=3,
        sample=b'{"instance_id": "t1", "file_changes": [{"file": "tea.py", ' + _EDITED + b"}]}\n"
        b'{"instance_id": "t2", "file_changes": [{"file": "tea.py", ' + _EDITED + b"}]}\n",
        broken=(b"{", b'{"file_changes": []}', b'{"instance_id": "t3", "file_changes": [7]}'),
    ),
)
