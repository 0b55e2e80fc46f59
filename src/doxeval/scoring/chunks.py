"""Chunks belong to a run: they are matched by name, that of their file or in a mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from doxeval.core.errors import UsageError
from doxeval.ground.ground import CHUNKS_BY_NAME
from doxeval.io.read import read_chunks
from doxeval.io.source import Source
from doxeval.tables.runs import Chunks

ROW = {"doc", "start", "end"}


def chunks_by_run(given: Any) -> dict[str, Chunks] | None:
    """Chunks by the name of their run: of a file its own name, else the name in a mapping, else empty.

    >>> row = {"doc": "d1", "start": 0, "end": 9}
    >>> list(chunks_by_run({"small": [row], "large": [row]})), list(chunks_by_run([row]))
    (['small', 'large'], [''])
    """
    if given is None:
        return None
    if isinstance(given, Mapping) and not set(given) >= ROW:
        return {str(name): read_chunks(chunks) for name, chunks in given.items()}
    several = isinstance(given, list | tuple) and given and all(isinstance(one, str | Path) for one in given)
    found: dict[str, Chunks] = {}
    for one in given if several else [given]:
        name = Source(one).stem if isinstance(one, str | Path) else ""
        if name in found:
            raise UsageError(f"{one}: two files of chunks are named {name}; {CHUNKS_BY_NAME}")
        found[name] = read_chunks(one)
    return found


def check_chunks(runs: Sequence[str], chunks: Mapping[str, Chunks]) -> None:
    """Refuse runs without chunks of their own; a single run may have the only ones, whatever their name."""
    missing = [name for name in runs if name not in chunks]
    if missing and not len(runs) == len(chunks) == 1:
        raise UsageError(f"there are no chunks of {', '.join(map(repr, missing))}; {CHUNKS_BY_NAME}")
