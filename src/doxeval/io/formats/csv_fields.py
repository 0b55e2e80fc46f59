"""Comma-separated values as fields of text, records, or rows of the native keys, for formats that are tables.

They are read without the process-wide field limit of Python's `csv`.

Fields may be quoted, a quote inside one is doubled, and a quoted field may hold commas and line breaks.
Anything else is read as `csv` reads it: letters behind a closing quote belong to the field, and a quote that
is never closed reaches to the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.phrases import counted
from doxeval.core.values import integer_in, number_in
from doxeval.io.formats.columns import KIND_OF_KEY, Rows, rows_of_dicts
from doxeval.io.source import Source

LINE_BREAK = re.compile(r"\r\n|\r|\n")
UNQUOTED_ROW = re.compile(r'([^"\r\n]*+)(?:\r\n|\r|\n|\Z)')
FIELD = r'(?:"((?:[^"]++|"")*+)(?:"([^,\r\n]*+)|\Z)|([^,\r\n]*+))(,|\r\n|\r|\n|\Z)'
NUMBER_OF: dict[str | None, Callable[[str], float | None]] = {"integer": integer_in, "number": number_in}


def csv_rows(text: str, separator: str = ",") -> Iterator[tuple[int, list[str]]]:
    r"""The rows of fields, each with the line it ends on; empty lines are skipped.

    >>> list(csv_rows('a,"b ""c""\nd"\n\n1,2'))
    [(2, ['a', 'b "c"\nd']), (4, ['1', '2'])]
    """
    field = re.compile(FIELD.replace(",", re.escape(separator)))
    line = at = 0
    while at < len(text):
        line += 1
        if row := UNQUOTED_ROW.match(text, at):
            at = row.end()
            if row[1]:
                yield line, row[1].split(separator)
        else:
            fields, lines, at = _quoted_row(text, at, field, separator)
            line += lines
            yield line, fields


def _quoted_row(text: str, at: int, field: re.Pattern[str], separator: str) -> tuple[list[str], int, int]:
    """The fields of the row that begins here, how many line breaks they hold, and where the row ends."""
    fields, lines, behind = [], 0, separator
    while behind == separator:
        match = field.match(text, at)
        assert match is not None
        quoted, rest, plain, behind = match.groups()
        if quoted is not None:
            lines += len(LINE_BREAK.findall(quoted))
            plain = quoted.replace('""', '"') + (rest or "")
        fields.append(plain)
        at = match.end()
    return fields, lines, at


def decoded_text(source: Source) -> str:
    """All of a source as text; bytes that are not UTF-8 become lone surrogates, which no name may have."""
    return source.read().decode(errors="surrogateescape")


def csv_columns(source: Source, wanted: tuple[str, ...]) -> tuple[list[int], dict[str, list[str | None]]]:
    """The line on which each record of a CSV file ends, and its columns, among them the wanted ones.

    What a record that is too short does not have is None.
    """
    rows = csv_rows(decoded_text(source))
    _, header = next(rows, (1, []))
    missing = [name for name in wanted if name not in header]
    if missing:
        raise InputError(
            f"{source.name}:1: expected the columns {', '.join(wanted)}; {missing[0]!r} is missing"
        )
    width, absent = len(header), [None] * len(header)
    lines: list[int] = []
    cells: list[str | None] = []
    for line, fields in rows:
        lines.append(line)
        cells.extend(fields if len(fields) == width else [*fields, *absent][:width])
    return lines, {name: cells[at::width] for at, name in enumerate(header)}


def csv_records(source: Source, wanted: tuple[str, ...]) -> list[tuple[int, dict[str, str | None]]]:
    """The records of a CSV file that has the wanted columns, with the line each ends on."""
    lines, columns = csv_columns(source, wanted)
    records = zip(lines, zip(*columns.values(), strict=True), strict=True)
    return [(line, dict(zip(columns, record, strict=True))) for line, record in records]


def value_in_field(key: str, text: str | None) -> Any:
    """A number if the key wants one and the text is one; else the text, to be refused with its place.

    >>> [value_in_field(key, "7") for key in ("rank", "score", "doc")], value_in_field("rank", "seven")
    ([7, 7.0, '7'], 'seven')
    """
    read = NUMBER_OF.get(KIND_OF_KEY.get(key))
    number = read(text) if read is not None and text is not None else None
    return text if number is None else number


def text_rows(columns: Sequence[str], lines: Iterable[tuple[int, list[str]]], source: Source) -> Rows:
    """Rows of fields, each with its line; those with more or fewer fields than columns are refused."""
    numbered = list(lines)
    dicts = [
        {"line": line}
        | {key: value_in_field(key, field) for key, field in zip(columns, fields, strict=False)}
        for line, fields in numbered
    ]
    rows = rows_of_dicts(dicts, source.name)
    odd = np.array([len(fields) != len(columns) for _, fields in numbered], dtype=bool)
    expected = f"{len(columns)} fields: {' '.join(columns)}"
    rows.refuse(odd, expected, lambda row: counted(len(numbered[row][1]), "field"))
    return rows
