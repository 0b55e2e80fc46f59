"""Fields of text under named columns as rows of the native keys: for formats that are small tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from doxeval.io.formats.columns import KINDS, Rows, rows_of_dicts
from doxeval.io.source import Source

INTEGER = re.compile(r"[ \t]*-?[0-9]{1,18}[ \t]*")
NUMBER = re.compile(r"[ \t]*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[ \t]*")


def value_of(key: str, text: str | None) -> Any:
    """A number where the key wants one and the text is one; else the text, to be refused with its place.

    >>> value_of("rank", "7"), value_of("score", "7"), value_of("rank", "seven"), value_of("doc", "7")
    (7, 7.0, 'seven', '7')
    """
    if text is not None and KINDS.get(key) == "integer" and INTEGER.fullmatch(text):
        return int(text)
    if text is not None and KINDS.get(key) == "number" and NUMBER.fullmatch(text):
        return float(text)
    return text


def text_rows(columns: Sequence[str], lines: Iterable[tuple[int, list[str]]], source: Source) -> Rows:
    """Rows of fields, each with its line; those with more or fewer fields than columns are refused."""
    numbered = list(lines)
    dicts = [
        {"line": line} | {key: value_of(key, field) for key, field in zip(columns, fields, strict=False)}
        for line, fields in numbered
    ]
    rows = rows_of_dicts(dicts, source.name)
    odd = np.array([len(fields) != len(columns) for _, fields in numbered], dtype=bool)
    expected = f"{len(columns)} fields: {' '.join(columns)}"
    rows.refuse(odd, expected, lambda row: f"{len(numbered[row][1])} fields")
    return rows
