"""The wording and the attributes of topics, from a small file or a mapping."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.values import is_text, quoted
from doxeval.io.encodings import GUESS
from doxeval.io.formats.build_tables import queries_of, topic_attributes
from doxeval.io.formats.columns import Rows
from doxeval.io.formats.csv_fields import decoded_text
from doxeval.io.formats.format import Format, Options, formats
from doxeval.io.formats.frames import rows_of
from doxeval.io.formats.native import keys_of_first_line, read_rows
from doxeval.io.source import UTF8_MARK, Source
from doxeval.tables.wordings import Topics

QUERY_KEYS = ("query", "question", "title", "text")
TOPIC_EXPECTED = 'a topic and its query, as in {"topic": "q1", "query": "..."} or q1<TAB>..., in UTF-8'


def topics_of(given: Topics | Mapping[str, Any] | str | Path | bytes | None) -> Topics:
    """Topics from JSON Lines (`topic`, `query`, attributes), lines `topic TAB query`, or a mapping.

    Files of other tools that hold topics, as BEIR's queries and gold files do, are read as well.

    >>> topics_of({"q1": "why?", "q2": {"query": "when?", "hops": 2}})
    <Topics: 2 topics, 1 attribute>
    """
    if given is None or isinstance(given, Topics):
        return given or Topics()
    if isinstance(given, Mapping):
        for name, value in given.items():
            if not isinstance(value, str | Mapping):
                raise InputError(f"topic {name}: expected its query or a dict, found {quoted(value)}")
        told = [value if isinstance(value, Mapping) else {"query": value} for value in given.values()]
        return _topics_of_rows(
            rows_of([{"topic": str(name), **one} for name, one in zip(given, told, strict=True)])
        )
    from doxeval.io.formats.beir import file_of_folder

    if isinstance(given, str | Path) and Path(given).is_dir():
        given = file_of_folder(Path(given), "topics") or given
    with Source(given, encoding=GUESS) as source:
        if (other := _format_holding_topics(source)) is not None:
            return _topics_in(other, source)
        if source.head.removeprefix(UTF8_MARK).lstrip().startswith(b"{"):
            return _topics_of_rows(read_rows(source))
        return _from_lines(source)


def _format_holding_topics(source: Source) -> Format | None:
    """The format of another tool's file that holds topics, alone or with assessments; None for ours."""
    head = source.head.removeprefix(UTF8_MARK).lstrip()
    if not head.startswith((b"{", b"[")) or b"topic" in keys_of_first_line(head):
        return None
    holding = [*formats("topics").values(), *formats("assessments").values()]
    return next((format for format in holding if format.sniff(head)), None)


def _topics_in(format: Format, source: Source) -> Topics:
    """The topics in a file of another tool."""
    found = format.read(source, Options())
    return found if isinstance(found, Topics) else Topics(found.queries, found.attributes)


def _topics_of_rows(rows: Rows) -> Topics:
    topic = rows.require("topic")
    further = [key for key in rows.columns if key not in ("topic", *QUERY_KEYS)]
    told = np.zeros(rows.size, dtype=bool)
    for key, column in rows.columns.items():
        if column is not topic:
            told |= column.present if key in QUERY_KEYS else column.given
    rows.refuse(~told, TOPIC_EXPECTED)
    if rows.notices.refusals:
        raise InputError("; ".join(map(str, rows.notices.refusals)))
    wordings = [rows.columns[name] for name in QUERY_KEYS if name in rows.columns]
    return Topics(
        queries_of(rows, topic, *wordings),
        topic_attributes(rows, topic, {key: rows.columns[key] for key in further}),
    )


def _from_lines(source: Source) -> Topics:
    found = Topics()
    for number, line in enumerate(decoded_text(source).split("\n"), 1):
        topic, _, query = line.rstrip("\r").partition("\t")
        if line.strip() and not (topic and query and is_text(line)):
            raise InputError(f"{source.name}:{number}: expected {TOPIC_EXPECTED}, found {quoted(line)}")
        if topic:
            found.queries[topic] = query
    return found
