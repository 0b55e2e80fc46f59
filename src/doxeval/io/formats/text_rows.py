"""Fields of text under named columns, as rows of the native keys: for formats that are small tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from doxeval.core.numbers import integer_in, number_in
from doxeval.io.formats.columns import KINDS, Rows, rows_of_dicts
from doxeval.io.source import Source

IN_TEXT: dict[str | None, Callable[[str], float | None]] = {"integer": integer_in, "number": number_in}


def value_of(key: str, text: str | None) -> Any:
    """A number if the key wants one and the text is one; else the text, to be refused with its place.

    >>> value_of("rank", "7"), value_of("score", "7"), value_of("rank", "seven"), value_of("doc", "7")
    (7, 7.0, 'seven', '7')
    """
    read = IN_TEXT.get(KINDS.get(key))
    number = read(text) if read is not None and text is not None else None
    return text if number is None else number


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
