"""JSON Lines that all look alike, read into typed columns without an object for each line.

The first line of a piece says how its lines look: which keys in which order, what stands between them, and
whether a value is a string or a number. Where one regular expression confirms that every line of the piece
looks so, the quotation marks tell where the values stand, and the kernels that read fields of text read them.
Anything else (escapes, lists, keys nobody knows, a line that is broken or different) is left to the careful
reader, whose columns these equal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from doxeval.core.ragged import running_totals
from doxeval.core.strings import Strings
from doxeval.io.encodings import is_utf8
from doxeval.io.formats.columns import KINDS, Column, checked_numbers
from doxeval.kernels import scan

QUOTE = ord('"')
MEMBER = re.compile(rb'[ \t]*"(\w+)"[ \t]*:[ \t]*("[^"\\]*"|[-+.\w]+)[ \t]*([,}])')
LINE_END = re.compile(rb"[ \t]*\r?\n")
STRING = rb'[^"\\\x00-\x1f]*+'
INTEGER = rb"(?:0|-?+[1-9]\d{0,12}+)"
NUMBER = rb"(?!-0(?![.eE]))-?+(?:0|[1-9]\d{0,16}+)(?:\.\d{1,30}+)?+(?:[eE][-+]?+\d{1,2}+)?+"
PATTERNS = {("text", True): STRING, ("text", False): INTEGER, ("integer", False): INTEGER,
            ("number", False): NUMBER}  # fmt: skip
"""What a value may look like, by the kind of its key and whether it stands between quotation marks."""


@dataclass(frozen=True)
class Layout:
    """How a line looks: `keys[i]` has the value between `literals[i]` and `literals[i + 1]`."""

    keys: tuple[str, ...]
    quoted: tuple[bool, ...]
    literals: tuple[bytes, ...]

    @property
    def lines(self) -> re.Pattern[bytes]:
        """Any number of such lines."""
        values = (PATTERNS[KINDS[key], quoted] for key, quoted in zip(self.keys, self.quoted, strict=True))
        parts = [re.escape(self.literals[0])]
        for value, literal in zip(values, self.literals[1:], strict=True):
            parts += [value, re.escape(literal)]
        return re.compile(rb"(?:" + b"".join(parts) + rb")*+")

    def bounds(self, data: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Where the values begin and end: a row for each key, a column for each line."""
        before = running_totals([literal.count(b'"') for literal in self.literals])
        quotes = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == QUOTE).astype(np.int32)
        marks = quotes.reshape(-1, before[-1])
        line_ends = np.append(marks[1:, 0] - self.literals[0].index(b'"'), len(data)).astype(np.int32)
        begin = np.empty((len(self.keys), len(marks)), dtype=np.int32)
        end = np.empty_like(begin)
        for at, (literal, following) in enumerate(zip(self.literals, self.literals[1:], strict=False)):
            begin[at] = marks[:, before[at + 1] - 1] + len(literal) - literal.rindex(b'"')
            if b'"' in following:
                end[at] = marks[:, before[at + 1]] - following.index(b'"')
            else:
                end[at] = line_ends - len(following)
        return begin, end


def layout_of(data: bytes) -> Layout | None:
    """How the first line looks, None where it holds something that only the careful reader knows."""
    if not data.startswith(b"{"):
        return None
    keys, quoted, literals, at, behind = [], [], [], 1, b"{"
    while member := MEMBER.match(data, at):
        key, begin, end = member[1].decode(), *member.span(2)
        is_quoted = data[begin] == QUOTE
        if (KINDS.get(key, ""), is_quoted) not in PATTERNS or key in keys:
            return None
        keys.append(key)
        quoted.append(is_quoted)
        literals.append(behind + data[at : begin + is_quoted])
        behind, at = data[end - is_quoted : member.end()], member.end()
        if member[3] == b"}":
            break
    last = LINE_END.match(data, at)
    if not keys or not behind.endswith(b"}") or last is None:
        return None
    return Layout(tuple(keys), tuple(quoted), (*literals, behind + last[0]))


def uniform_columns(data: bytes) -> dict[str, Column] | None:
    """The columns of whole lines that all look like the first one; None where they do not."""
    if not data.endswith(b"\n"):
        data += b"\n"
    layout = layout_of(data)
    if layout is None or not layout.lines.fullmatch(data) or not is_utf8(data):
        return None
    return {
        key: _column(KINDS[key], data, begin, end)
        for key, begin, end in zip(layout.keys, *layout.bounds(data), strict=True)
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
