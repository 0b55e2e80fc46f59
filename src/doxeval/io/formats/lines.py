"""Text in lines of fields separated by blanks, read into columns; lines that do not fit are refused.

A layout is a string such as ``topic - doc rank:int score:float``: names of text columns, ``:int`` and
``:float`` ones, ``:place`` for integers that may be X (-1), ``-`` for the Q0 nobody wants, ``?`` behind a
last one that may be empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.strings import Strings, merge_tables
from doxeval.io.encodings import is_utf8
from doxeval.io.source import Source
from doxeval.kernels import names, scan
from doxeval.tables.assessments import UNKNOWN

LINE_FEED = 10
LARGEST_OFFSET = 1 << 40
"""No document is longer than this many characters."""


@dataclass
class TextColumn:
    """Strings as codes of a table."""

    table: Sequence[str]
    codes: np.ndarray


@dataclass
class Columns:
    """The columns of a file by name, and the line (from 1) of each row."""

    text: dict[str, TextColumn]
    numbers: dict[str, np.ndarray]
    line: np.ndarray


@dataclass
class Block:
    """A piece of a file, split: the bytes, where the fields stand, and each row's line counted from 1."""

    data: bytes
    begin: np.ndarray
    end: np.ndarray
    count: np.ndarray
    line: np.ndarray

    def keep(self, good: np.ndarray) -> Block:
        """Only the rows that are good."""
        if good.all():
            return self
        return Block(self.data, self.begin[good], self.end[good], self.count[good], self.line[good])

    def shown(self, row: int) -> str:
        """A row as it stands in the file, shortened for a message."""
        begin = self.begin[row, 0]
        stop = self.data.find(b"\n", begin)
        text = self.data[begin : stop if stop >= 0 else None].rstrip(b"\r")
        return repr(text[:60].decode(errors="replace") + ("..." if len(text) > 60 else ""))


def split_blocks(source: Source, fields: int, notices: Notices) -> Iterator[Block]:
    """The blocks of a source, split into at most `fields` fields a line; lines that are no text are told."""
    lines_before = 0
    for data in source.blocks():
        newlines = int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) == LINE_FEED))
        begin, end, count, line = scan.split_fields(data, fields, newlines + 1)
        block = Block(data, begin, end, count, source.line_numbers(line + lines_before))
        lines_before += newlines
        if b"\0" in data or not is_utf8(data):
            block = block.keep(_readable_rows(block, source, notices))
        yield block


def refuse(block: Block, bad: np.ndarray, expected: str, source: Source, notices: Notices) -> Block:
    """Drop the rows marked bad, telling what was expected of them."""
    notices.add_each(
        f"{source.name}: {{count}} lines refused, expected {expected}",
        np.flatnonzero(bad),
        lambda row: f"{source.place(block.line[row])}: found {block.shown(row)}",
    )
    return block.keep(~bad)


def read_columns(source: Source, layout: str, notices: Notices) -> Columns:
    """Read a whole file of the given layout."""
    least = sum(not spec.endswith("?") for spec in layout.split())
    specs = [spec.rstrip("?").partition(":") for spec in layout.split()]
    expected = f"{len(specs)} fields: " + " ".join(name.replace("-", "Q0") for name, _, _ in specs)
    texts: dict[str, list[TextColumn]] = {name: [] for name, _, kind in specs if not kind and name != "-"}
    numbers: dict[str, list[np.ndarray]] = {name: [] for name, _, kind in specs if kind}
    lines = []
    for block in split_blocks(source, len(specs), notices):
        block = refuse(block, (block.count < least) | (block.count > len(specs)), expected, source, notices)
        parsed, block = _parse_numbers(block, specs, source, notices)
        for name, values in parsed.items():
            numbers[name].append(values)
        for at, (name, _, kind) in enumerate(specs):
            if name in texts and not kind:
                texts[name].append(text_column(block, at))
        lines.append(block.line)
    return Columns(
        {name: join_text(columns) for name, columns in texts.items()},
        {name: np.concatenate(parts) if parts else np.zeros(0) for name, parts in numbers.items()},
        np.concatenate(lines) if lines else np.zeros(0, dtype=np.int64),
    )


def _parse_numbers(
    block: Block, specs: list[tuple[str, str, str]], source: Source, notices: Notices
) -> tuple[dict[str, np.ndarray], Block]:
    """The numeric columns of a block, and the block without the lines in which one is no number."""
    parsed: dict[str, np.ndarray] = {}
    for at, (name, _, kind) in enumerate(specs):
        if not kind:
            continue
        parse = scan.parse_floats if kind == "float" else scan.parse_integers
        values, good = parse(block.data, block.begin[:, at], block.end[:, at])
        good = good.astype(bool)
        if kind != "float":
            good &= np.abs(values) <= LARGEST_OFFSET
        if kind == "place":
            for row in np.flatnonzero(~good):
                if block.data[block.begin[row, at] : block.end[row, at]] == b"X":
                    values[row], good[row] = UNKNOWN, True
        if not good.all():
            wanted = "a finite number" if kind == "float" else "an integer"
            block = refuse(block, ~good, f"{wanted} as field {at + 1} ({name})", source, notices)
            values = values[good]
            parsed = {known: column[good] for known, column in parsed.items()}
        parsed[name] = values
    return parsed, block


def note_repeated(
    rows: Sequence[np.ndarray], line: np.ndarray, fate: str, source: Source, notices: Notices
) -> None:
    """Tell lines that judge the same thing again: rows whose `rows` (columns of codes) were there before."""
    order = np.lexsort((line, *rows))
    again = np.ones(len(order) - 1 if len(order) else 0, dtype=bool)
    for column in rows:
        again &= np.diff(column[order]) == 0
    notices.add_each(
        f"{source.name}: {{count}} lines judge a document of a topic once more; {fate}",
        line[np.sort(order[1:][again])],
        source.place,
    )


def text_column(block: Block, at: int) -> TextColumn:
    """Field `at` of every row as codes."""
    begin, end = block.begin[:, at], block.end[:, at]
    codes, first = names.intern_fields(block.data, begin, end)
    return TextColumn(Strings(*names.gather_fields(block.data, begin, end, first)), codes)


def join_text(columns: list[TextColumn]) -> TextColumn:
    """Columns of successive blocks as one, with one table."""
    if len(columns) == 1:
        return columns[0]
    table, new = merge_tables([column.table for column in columns])
    codes = [new_codes[column.codes] for new_codes, column in zip(new, columns, strict=True)]
    return TextColumn(table, np.concatenate([np.zeros(0, dtype=np.int32), *codes]))


def _readable_rows(block: Block, source: Source, notices: Notices) -> np.ndarray:
    """Which rows are UTF-8 text without NUL; the others are told."""
    good = np.ones(len(block.line), dtype=bool)
    for row in range(len(block.line)):
        line = block.data[block.begin[row, 0] : block.end[row].max()]
        good[row] = b"\0" not in line and is_utf8(line)
    refuse(block, ~good, "UTF-8 text", source, notices)
    return good
