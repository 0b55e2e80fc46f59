"""JSON Lines of one shape, read into typed columns without creating an object for each line.

The first line of a piece defines the shape: which keys in which order, the text between them, and whether a
value is a string or a number. Where a kernel finds that every line of the piece has this shape, the kernels
that read fields of text read the values in place.
Anything else (escapes, lists, unknown keys, a broken or different line) is left to the careful reader, which
gives the same columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from doxeval.core.strings import Strings
from doxeval.io.encodings import is_utf8
from doxeval.io.formats.columns import KINDS, Column, checked_numbers
from doxeval.kernels import scan
from doxeval.kernels.lines import survey
from doxeval.kernels.template import places_in_lines

QUOTE = ord('"')
MEMBER = re.compile(rb'[ \t]*"(\w+)"[ \t]*:[ \t]*("[^"\\]*"|[-+.\w]+)[ \t]*([,}])')
LINE_END = re.compile(rb"[ \t]*\r?\n")
VALUES = {("text", True): b"s", ("text", False): b"i", ("integer", False): b"i", ("number", False): b"f"}
"""The kernel's code of a value, by the kind of its key and whether it is between quotation marks."""


@dataclass(frozen=True)
class LineShape:
    """The shape of a line: `keys[i]` has the value between `literals[i]` and `literals[i + 1]`."""

    keys: tuple[str, ...]
    values: bytes
    literals: list[bytes]


def layout_of(data: bytes) -> LineShape | None:
    """The shape of the first line; None if it holds something only the careful reader can parse."""
    if not data.startswith(b"{"):
        return None
    keys, values, literals, at, behind = [], b"", [], 1, b"{"
    while member := MEMBER.match(data, at):
        key, begin, end = member[1].decode(), *member.span(2)
        is_quoted = data[begin] == QUOTE
        value = VALUES.get((KINDS.get(key, ""), is_quoted))
        if value is None or key in keys:
            return None
        keys.append(key)
        values += value
        literals.append(behind + data[at : begin + is_quoted])
        behind, at = data[end - is_quoted : member.end()], member.end()
        if member[3] == b"}":
            break
    last = LINE_END.match(data, at)
    if not keys or not behind.endswith(b"}") or last is None:
        return None
    return LineShape(tuple(keys), values, [*literals, behind + last[0]])


def uniform_columns(data: bytes) -> dict[str, Column] | None:
    """The columns of whole lines of the same shape as the first; None if their shapes differ."""
    if not data.endswith(b"\n"):
        data += b"\n"
    layout = layout_of(data)
    if layout is None or not is_utf8(data):
        return None
    places = places_in_lines(data, layout.literals, layout.values, survey(data)[0])
    if places is None:
        return None
    return {
        key: _column(KINDS[key], data, begin, end)
        for key, begin, end in zip(layout.keys, *places, strict=True)
    }


def _column(kind: str, data: bytes, begin: np.ndarray, end: np.ndarray) -> Column:
    if kind == "text":
        return _text(data, begin, end)
    parse = scan.parse_integers if kind == "integer" else scan.parse_floats
    values, _ = parse(data, begin, end)
    return checked_numbers(values, np.ones(len(values), dtype=bool), kind)


def _text(data: bytes, begin: np.ndarray, end: np.ndarray) -> Column:
    """Strings as codes, the empty string as none."""
    table, codes = Strings.distinct_at(data, begin, end)
    empty = np.flatnonzero(np.diff(table.offset) == 0)
    if not len(empty):
        return Column(codes, np.ones(len(codes), dtype=bool), table=table)
    codes = np.where(codes == empty[0], -1, codes - (codes > empty[0])).astype(np.int32)
    return Column(codes, codes >= 0, table=[name for name in table if name])
