"""Descriptions of runs: `runs.csv` or `runs.toml` in their folder, and the line at the head of a native file.

`runs.csv` has a column `run`, the name of the run or of its file, and one for each parameter. In `runs.toml`,
a table for each run holds its parameters.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.run_parameters import Parameters, plain_parameters
from doxeval.io.json_text import NotJson, json_value
from doxeval.io.source import Source

DESCRIPTIONS = ("runs.csv", "runs.toml")
RUN_COLUMN = "run"


def header_of(value: Any) -> bool:
    """Whether a row is the head of a run: it has parameters, and no topic."""
    return isinstance(value, Mapping) and "parameters" in value and "topic" not in value


def parameters_at_head(source: Source) -> Parameters:
    """The parameters in the first line of a file; none if it is another line."""
    line = source.head.partition(b"\n")[0].strip()
    if not line.startswith(b"{") or b'"parameters"' not in line:
        return {}
    try:
        value = json_value(line)
    except NotJson:
        return {}
    return plain_parameters(value["parameters"], f"{source.name}:1") if header_of(value) else {}


def is_description(path: str | Path) -> bool:
    """Whether a file describes runs, and is none itself.

    >>> is_description("runs/bm25.jsonl")
    False
    """
    place = Path(path)
    return (
        place.name in DESCRIPTIONS and place.is_file() and bool(_described(place, place.stat().st_mtime_ns))
    )


def parameters_beside(path: str | Path) -> Parameters:
    """The parameters that the files beside a run give it."""
    place = Path(path)
    found: Parameters = {}
    for name in reversed(DESCRIPTIONS):
        beside = place.parent / name
        if beside.is_file() and beside != place:
            rows = _described(beside, beside.stat().st_mtime_ns)
            found |= rows.get(Source(place).stem, {}) | rows.get(place.name, {})
    return found


@lru_cache(maxsize=64)
def _described(path: Path, changed: int) -> dict[str, Parameters]:
    """The parameters of each run in a description; none if the file is something else."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8") from None
    return _of_toml(path, text) if path.suffix == ".toml" else _of_csv(path, text)


def _of_toml(path: Path, text: str) -> dict[str, Parameters]:
    import tomllib

    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise InputError(f"{path}: {problem}") from None
    return {run: plain_parameters(told, f"{path}: {run}") for run, told in tables.items()}


def _of_csv(path: Path, text: str) -> dict[str, Parameters]:
    rows = list(csv.reader(text.splitlines()))
    header = [name.strip() for name in rows[0]] if rows else []
    if RUN_COLUMN not in header or "topic" in header:
        return {}
    found: dict[str, Parameters] = {}
    for line, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        if len(row) != len(header):
            raise InputError(f"{path}:{line}: expected {len(header)} fields, found {len(row)}")
        told = dict(zip(header, map(str.strip, row), strict=True))
        run = told.pop(RUN_COLUMN)
        if run in found:
            raise InputError(f"{path}:{line}: the run {run!r} is described twice")
        found[run] = plain_parameters(told, f"{path}:{line}")
    return found
