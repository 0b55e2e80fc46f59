"""What people asked: the wording of topics, from a small file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from doxeval.core.errors import InputError

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
    from doxeval.io.source import Source

    source = Source(path)
    queries = {}
    for number, line in enumerate(source.read().decode("utf-8-sig").splitlines(), 1):
        if not line.strip():
            continue
        topic, wording = _from_json(line) if line.startswith("{") else line.partition("\t")[::2]
        if not topic or not wording:
            raise InputError(
                f"{path}:{number}: expected a topic and its query, as in "
                f'{{"topic": "q1", "query": "..."}} or q1<TAB>..., found {line[:60]!r}'
            )
        queries[str(topic)] = str(wording)
    return queries


def _from_json(line: str) -> tuple[str, str]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError:
        return "", ""
    return str(row.get("topic", "")), next((row[field] for field in FIELDS if row.get(field)), "")
