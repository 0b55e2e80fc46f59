"""Structures of Thrift's compact protocol, in which Parquet files describe themselves."""

from __future__ import annotations

import struct
from typing import Any

TRUE, FALSE, BYTE, SHORT, INTEGER, LONG = range(1, 7)
FLOATING, BINARY, LIST, SET, STRUCT = 7, 8, 9, 10, 12
DEEPEST = 12


class Damaged(Exception):
    """Bytes that are not what they should be."""


class Compact:
    """Reads structures from some bytes, between two places."""

    def __init__(self, content: bytes, at: int, end: int) -> None:
        self.content, self.at, self.end = content, at, end

    def varint(self) -> int:
        """Seven bits a byte, the lowest first; the highest bit says that there are more."""
        number = shift = 0
        while shift < 70:
            if self.at >= self.end:
                raise Damaged
            byte = self.content[self.at]
            self.at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number
        raise Damaged

    def integer(self) -> int:
        """A signed number: its sign is the lowest bit."""
        number = self.varint()
        return number >> 1 ^ -(number & 1)

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The fields of a structure by their numbers."""
        found: dict[int, Any] = {}
        number = 0
        while True:
            head = self._taken(1)[0]
            if not head:
                return found
            number = number + (head >> 4) if head >> 4 else self.integer()
            kind = head & 15
            found[number] = kind == TRUE if kind in (TRUE, FALSE) else self._value(kind, depth + 1)

    def _value(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST:
            raise Damaged
        if kind in (SHORT, INTEGER, LONG):
            return self.integer()
        if kind in (TRUE, FALSE, BYTE):
            return self._taken(1)[0]
        if kind == FLOATING:
            return struct.unpack("<d", self._taken(8))[0]
        if kind == BINARY:
            return self._taken(self.varint())
        if kind == STRUCT:
            return self.struct(depth)
        if kind in (LIST, SET):
            head = self._taken(1)[0]
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return [self._value(head & 15, depth + 1) for _ in range(count)]
        raise Damaged

    def _taken(self, size: int) -> bytes:
        if size > self.end - self.at:
            raise Damaged
        self.at += size
        return self.content[self.at - size : self.at]
