"""What people asked: the wording of topics, from a small file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.values import is_text, name_of

FIELDS = ("query", "question", "title", "text")


def queries_of(queries: Mapping[str, str] | str | Path | None) -> dict[str, str]:
    """Topics and their wording, from whatever a caller has."""
    if queries is None:
        return {}
    if isinstance(queries, Mapping):
        return {str(topic): str(wording) for topic, wording in queries.items()}
    return read_queries(queries)


def read_queries(path: str | Path) -> dict[str, str]:
    """Topics and their wording: JSON Lines with `topic` and `query` (or question), or `topic TAB query`."""
    from doxeval.io.encodings import GUESS
    from doxeval.io.source import Source

    queries = {}
    with Source(path, encoding=GUESS) as source:
        for number, line in enumerate(source.read().split(b"\n"), 1):
            if not line.strip():
                continue
            topic, wording = _from_json(line) if line.startswith(b"{") else _from_text(line)
            if not topic or not isinstance(wording, str) or not wording:
                raise InputError(
                    f"{source.name}:{number}: expected a topic and its query, as in "
                    f'{{"topic": "q1", "query": "..."}} or q1<TAB>..., found '
                    f"{line[:60].decode(errors='replace')!r}"
                )
            queries[topic] = wording
    return queries


def _from_text(line: bytes) -> tuple[str | None, str]:
    topic, _, wording = line.rstrip(b"\r").decode(errors="surrogateescape").partition("\t")
    return name_of(topic), wording if is_text(wording) else ""


def _from_json(line: bytes) -> tuple[str | None, Any]:
    from doxeval.io.json_text import NotJson, json_value

    try:
        row = json_value(line)
    except NotJson:
        return None, None
    return name_of(row.get("topic")), next((row[field] for field in FIELDS if row.get(field)), None)
