"""Lines of fields separated by blanks, read into columns; lines that do not fit are refused.

A layout is a string such as ``topic - doc rank:int score:float``: names of text columns, ``:int`` and
``:float`` ones, ``:place`` for integers that may be X (-1), ``:rest`` for the rest of the line, ``-`` for the
unused Q0, ``?`` behind trailing ones that may be missing (an empty text, -1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.quick_class import dataclass
from doxeval.core.strings import Strings, encode, merge_tables
from doxeval.io.encodings import is_utf8
from doxeval.io.source import Source
from doxeval.kernels import lines

LINE_FEED = b"\n"
LARGEST_OFFSET = 1 << 40
"""The largest offset in characters; no document is longer."""


KIND_CODES = {"": b"n", "-": b"-", "int": b"i", "place": b"p", "float": b"f", "rest": b"r"}
"""The kernel's codes for the kinds of a layout."""
FIELD_OF_KIND = {"int": "an integer", "place": "an integer", "float": "a finite number"}


@dataclass
class TextColumn:
    """Strings as codes of a table."""

    table: Sequence[str]
    codes: np.ndarray

    def take(self, kept: np.ndarray) -> TextColumn:
        """Codes of some rows, with a table of only the names they use, in order of appearance."""
        if kept.all():
            return self
        codes = self.codes[kept]
        present, first = np.unique(codes, return_index=True)
        order = present[np.argsort(first)]
        new = np.full(len(self.table) + 1, -1, dtype=np.int32)
        new[order] = np.arange(len(order), dtype=np.int32)
        return TextColumn([self.table[code] for code in order], new[codes])


@dataclass
class FieldColumns:
    """The columns of a file by name, and the line (from 1) of each row."""

    text: dict[str, TextColumn]
    numbers: dict[str, np.ndarray]
    line: np.ndarray
    source: Source
    notices: Notices

    def without(self, bad: np.ndarray, expected: str, found: str = "") -> FieldColumns:
        """The rows that are not bad; the others are reported, with the text found in a column."""
        if not bad.any():
            return self
        column = self.text.get(found)

        def place(row: int) -> str:
            shown = f": found {column.table[column.codes[row]]!r}" if column else ""
            return self.source.place(self.line[row]) + shown

        self.notices.add_each(refusal(self.source, expected), np.flatnonzero(bad), place)
        return FieldColumns(
            {name: column.take(~bad) for name, column in self.text.items()},
            {name: values[~bad] for name, values in self.numbers.items()},
            self.line[~bad],
            self.source,
            self.notices,
        )


def concatenated(parts: list[np.ndarray]) -> np.ndarray:
    """Concatenate columns; a single one is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def refusal(source: Source, expected: str) -> str:
    """The notice for lines that are left out."""
    return f"{source.name}: {{count}} {{line|lines}} refused, expected {expected}"


def read_columns(source: Source, layout: str, notices: Notices) -> FieldColumns:
    """Read a whole file of the given layout, in one pass."""
    least = sum(not spec.endswith("?") for spec in layout.split())
    specs = [spec.rstrip("?").partition(":") for spec in layout.split()]
    kinds = b"".join(KIND_CODES["-" if name == "-" else kind] for name, _, kind in specs)
    named, whole, broken = (
        [name for name, _, kind in specs if name != "-" and kind in some]
        for some in (("", "rest"), ("int", "place"), ("float",))
    )
    texts: dict[str, list[TextColumn]] = {name: [] for name in named}
    numbers: dict[str, list[np.ndarray]] = {name: [] for name in (*whole, *broken)}
    line: list[np.ndarray] = []
    for data, before, count in readable_blocks(source, notices):
        codes, tables, *values, good, faults = lines.read_lines(data, kinds, least, LARGEST_OFFSET, count)
        faults[0] += before
        _refuse(data, faults, specs, source, notices)
        for name, column, table in zip(named, codes, tables, strict=True):
            texts[name].append(TextColumn(Strings(*table), column))
        for name, column in zip(numbers, (*values[0], *values[1]), strict=True):
            numbers[name].append(column)
        line.append(source.line_numbers(good + before))
    return FieldColumns(
        {name: join_text(columns) for name, columns in texts.items()},
        {name: concatenated(parts) for name, parts in numbers.items()},
        concatenated(line),
        source,
        notices,
    )


def readable_blocks(source: Source, notices: Notices) -> Iterator[tuple[bytes, int, int]]:
    """Whole lines, how many came before them and how many there are; lines that are not text are blanked."""
    before = 0
    for data, count, plain in source.surveyed_blocks():
        if not data.endswith(b"\n"):
            data += b"\n"
            count += 1
        if not plain and (b"\0" in data or not is_utf8(data)):
            data = _without_unreadable(data, before, source, notices)
        yield data, before, count
        before += count


def _without_unreadable(data: bytes, before: int, source: Source, notices: Notices) -> bytes:
    """The lines, with those that are not UTF-8 or hold a NUL blanked and reported."""
    found = data.split(b"\n")
    bad = [at for at, text in enumerate(found) if text.strip() and (b"\0" in text or not is_utf8(text))]
    notices.add_each(
        refusal(source, "UTF-8 text"),
        bad,
        lambda at: f"{source.place(source.line_numbers(at + before))}: found {_shortened_line(found[at])}",
    )
    blanked = dict.fromkeys(bad)
    return b"\n".join(b" " * len(text) if at in blanked else text for at, text in enumerate(found))


def _refuse(
    data: bytes, faults: np.ndarray, specs: Sequence[tuple[str, str, str]], source: Source, notices: Notices
) -> None:
    """Report faulty lines by what was expected: a number of fields, or a number in one of them."""
    for field in sorted(set(faults[2].tolist())):
        if field == lines.WRONG_COUNT:
            shown = " ".join(name.replace("-", "Q0") for name, _, _ in specs)
            expected = f"{len(specs)} fields: {shown}"
        else:
            name, _, kind = specs[field]
            expected = f"{FIELD_OF_KIND[kind]} as field {field + 1} ({name})"
        notices.add_each(
            refusal(source, expected),
            faults[:, faults[2] == field].T,
            lambda fault: (
                f"{source.place(source.line_numbers(fault[0]))}: found "
                f"{_shortened_line(data[fault[1] : data.index(LINE_FEED, fault[1])])}"
            ),
        )


def _shortened_line(text: bytes) -> str:
    """A line of the file, shortened for a message."""
    text = text.strip()
    return repr(text[:60].decode(errors="replace") + ("..." if len(text) > 60 else ""))


def note_repeated(
    rows: Sequence[np.ndarray], line: np.ndarray, fate: str, source: Source, notices: Notices
) -> None:
    """Report lines that judge the same thing again: rows whose codes in `rows` occurred before."""
    order = np.lexsort((line, *rows))
    again = np.ones(len(order) - 1 if len(order) else 0, dtype=bool)
    for column in rows:
        again &= np.diff(column[order]) == 0
    notices.add_each(
        f"{source.name}: {{count}} {{line judges|lines judge}} a document of a topic again; {fate}",
        line[np.sort(order[1:][again])],
        source.place,
    )


def join_text(columns: list[TextColumn]) -> TextColumn:
    """Columns of successive blocks as one, with one table."""
    if len(columns) == 1:
        return columns[0]
    table, new = merge_tables([column.table for column in columns])
    codes = [new_codes[column.codes] for new_codes, column in zip(new, columns, strict=True)]
    return TextColumn(table, np.concatenate([np.zeros(0, dtype=np.int32), *codes]))


JSON_TOPIC = re.compile(rb'^[^\n]*?"topic"\s*:\s*("(?:[^"\\\n]|\\.)*"|[^,}\s]+)', re.MULTILINE)
LINE_FEED_CODE = 10

LineTopics = tuple[np.ndarray, np.ndarray, list[bytes]]
"""The start of each line of a block, the code of its topic, and the topics."""

Cut = Callable[[bytes], LineTopics]
"""Finds the topics of lines that hold one result each, without parsing the rest."""


def topics_of_fields(data: bytes) -> LineTopics:
    """Topics that are the first field of a line."""
    whole = data if data.endswith(b"\n") else data + b"\n"
    codes, [(offset, letters)], _, _, line, _ = lines.read_lines(whole, b"n*", 1, 0, lines.survey(whole)[0])
    table = [letters[begin:end].tobytes() for begin, end in pairwise(offset.tolist())]
    return _for_every_line(data, line, codes[0], table)


def topics_of_objects(data: bytes) -> LineTopics:
    """Topics that are a key of the JSON object in a line."""
    found = [(match.start(), match[1]) for match in JSON_TOPIC.finditer(data)]
    table, codes = encode([topic.decode("latin-1") for _, topic in found])
    line = np.searchsorted(_line_starts(data), [start for start, _ in found])
    return _for_every_line(data, line, codes, [topic.encode("latin-1") for topic in table])


def _line_starts(data: bytes) -> np.ndarray:
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == LINE_FEED_CODE) + 1
    starts = np.concatenate([[0], ends])
    return starts[:-1] if starts[-1] == len(data) else starts


def _for_every_line(data: bytes, line: np.ndarray, codes: np.ndarray, table: list[bytes]) -> LineTopics:
    """Assign lines without a topic to that of the line before, the first ones to the first topic found."""
    starts = _line_starts(data)
    row_of_line = np.zeros(len(starts), dtype=np.int64)
    row_of_line[line] = np.arange(len(line))
    row_of_line = np.maximum.accumulate(row_of_line)
    return starts, codes[row_of_line] if len(codes) else np.zeros(len(starts), dtype=np.int32), table or [b""]
