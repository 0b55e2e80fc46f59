"""Parquet files of plain columns, read here: without polars, whose import takes longer than most runs do,
and without the process in which polars reads files that may be malicious.

Whatever these files can hold, nothing here can do more than fail: it is Python that looks at them, within
limits. Files of another kind (nested columns, dates, other encodings) are None here, and polars' to read.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from doxeval.io.source import PARQUET_MARK
from doxeval.io.thrift import Compact, Damaged

BOOLEAN, INT32, INT64, FLOAT, DOUBLE, BYTES = 0, 1, 2, 4, 5, 6
DTYPES = {INT32: "<i4", INT64: "<i8", FLOAT: "<f4", DOUBLE: "<f8"}
UTF8, SIGNED = 0, (15, 16, 17, 18)
"""Converted types: text, and integers of some bits."""
REQUIRED, OPTIONAL = 0, 1
PLAIN_CODECS = {0: "none", 1: "snappy", 2: "gzip", 6: "zstd"}
DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_2 = 0, 2, 3
PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY = 0, 2, 3, 8
BYTES_OF_A_PAGE = 200
"""Files with so few bytes a page, beyond the first pages, are not read here."""
PAGES_AT_LEAST = 1_000
CELL = 16
"""Bytes that a value may take in addition to its letters."""
NOT_UNDERSTOOD = Damaged, LookupError, TypeError, ValueError, AttributeError, ArithmeticError, zlib.error
"""What comes of metadata that are not what they should be."""


@dataclass
class FlatColumn:
    """The values of all rows: numbers, or codes of `words` (-1 where there is none)."""

    values: np.ndarray
    present: np.ndarray
    words: list[str] | None = None

    def tolist(self) -> list[Any]:
        """The values as Python objects, None where there is none."""
        if self.words is not None:
            texts = [*self.words, None]
            return [texts[at] for at in self.values.tolist()]
        found = self.values.tolist()
        return [value if there else None for value, there in zip(found, self.present.tolist(), strict=True)]


@dataclass
class FlatTable:
    """The columns of a file, and the texts beside them."""

    size: int
    columns: dict[str, FlatColumn]
    beside: dict[str, str]


def flat_table(content: bytes, most: int, only: Collection[str] = ()) -> FlatTable | None:
    """The table in a file, if it has plain columns, is undamaged and takes at most so many bytes.

    `only` names the columns to read, if not all are wanted.
    """
    try:
        return _FlatReader(content, most).table(only)
    except NOT_UNDERSTOOD:
        return None


def column_names(end: bytes) -> set[str] | None:
    """The names of the columns, from the end of a file; None if it is not understood."""
    try:
        return {name for name, _ in _top_level(_footer(end)[2])}
    except NOT_UNDERSTOOD:
        return None


def _footer(content: bytes) -> dict[int, Any]:
    """The metadata at the end of a file."""
    size = int.from_bytes(content[-8:-4], "little")
    if content[-4:] != PARQUET_MARK or size > len(content) - 8:
        raise Damaged
    return Compact(content, len(content) - 8 - size, len(content) - 8).struct()


def _top_level(schema: list[dict[int, Any]]) -> Iterator[tuple[str, dict[int, Any]]]:
    """The columns of a schema, which lists every group before its members."""
    at = 1
    for _ in range(schema[0][5]):
        yield schema[at][4].decode(), schema[at]
        open_members = schema[at].get(5, 0)
        at += 1
        while open_members:
            open_members += schema[at].get(5, 0) - 1
            at += 1


class _FlatReader:
    def __init__(self, content: bytes, most: int) -> None:
        self.content, self.left = content, most
        self.pages = PAGES_AT_LEAST + len(content) // BYTES_OF_A_PAGE

    def table(self, only: Collection[str]) -> FlatTable:
        about = _footer(self.content)
        rows, groups = about[3], about.get(4, [])
        schema = dict(_top_level(about[2]))
        if len(schema) != len(about[2]) - 1 or not all(map(_is_plain, schema.values())):
            raise Damaged
        sizes = [group[3] for group in groups]
        if sum(sizes) != rows or min(sizes, default=0) < 0 or CELL * rows * len(schema) > self.left:
            raise Damaged
        columns = {
            name: self.column(field, [(group[1][at][3], group[3]) for group in groups])
            for at, (name, field) in enumerate(schema.items())
            if not only or name in only
        }
        beside = {one[1].decode(): one.get(2, b"").decode() for one in about.get(5, [])}
        return FlatTable(rows, columns, beside)

    def column(self, field: dict[int, Any], chunks: list[tuple[dict[int, Any], int]]) -> FlatColumn:
        """A column, from its chunk in each group of rows."""
        kind = field[1]
        known: dict[str, int] = {}
        values, present = [], []
        for chunk, rows in chunks:
            for part, defined in self.parts(chunk, rows, kind, field.get(3, REQUIRED) == OPTIONAL):
                filled = np.full(len(defined), -1 if kind == BYTES else 0, dtype=_dtype(kind))
                filled[defined] = _coded(part, known) if kind == BYTES else part
                values.append(filled)
                present.append(defined)
        empty: np.ndarray = np.zeros(0, dtype=_dtype(kind))
        return FlatColumn(
            np.concatenate([empty, *values]),
            np.concatenate([np.zeros(0, dtype=bool), *present]),
            list(known) if kind == BYTES else None,
        )

    def parts(
        self, chunk: dict[int, Any], rows: int, kind: int, optional: bool
    ) -> Iterator[tuple[Any, np.ndarray]]:
        """The values of each page and which rows have one; texts as distinct ones and codes of them."""
        if chunk[1] != kind:
            raise Damaged
        at = min(place for place in (chunk.get(11), chunk[9]) if place)
        words: Any = None
        seen = 0
        while seen < rows:
            header, body = self.page(at, chunk[4])
            at = body[1]
            if header[1] == DICTIONARY_PAGE:
                content = self.unpacked(self.content[slice(*body)], chunk[4], header[2])
                words = _plain(content, kind, header[7][1])
                continue
            content, encoding, defined = self.data(header, body, chunk[4], optional, rows - seen)
            seen += len(defined)
            number = int(np.count_nonzero(defined))
            if encoding in (PLAIN_DICTIONARY, RLE_DICTIONARY):
                codes = _hybrid(content[1:], content[0], number) if number else np.zeros(0, dtype=np.int64)
                if number and (words is None or codes.max() >= len(words)):
                    raise Damaged
                yield (words or [], codes) if kind == BYTES else words[codes], defined
            elif encoding == PLAIN:
                found = _plain(content, kind, number)
                yield (found, np.arange(number)) if kind == BYTES else found, defined
            elif encoding == RLE and kind == BOOLEAN:
                yield _hybrid(content[4:], 1, number).astype(bool), defined
            else:
                raise Damaged

    def page(self, at: int, codec: int) -> tuple[dict[int, Any], tuple[int, int]]:
        """The header of the page at a place, and the place of its content."""
        self.pages -= 1
        if self.pages < 0 or codec not in PLAIN_CODECS or at < 4:
            raise Damaged
        reader = Compact(self.content, at, len(self.content))
        header = reader.struct()
        self.left -= header[2]
        if self.left < 0 or header[2] < 0 or not 0 <= header[3] <= len(self.content) - reader.at:
            raise Damaged
        return header, (reader.at, reader.at + header[3])

    def data(
        self, header: dict[int, Any], body: tuple[int, int], codec: int, optional: bool, most: int
    ) -> tuple[bytes, int, np.ndarray]:
        """The values of a page of either version as bytes, their encoding, and which rows have one."""
        packed = self.content[slice(*body)]
        if header[1] == DATA_PAGE:
            about = header[5]
            content, count = self.unpacked(packed, codec, header[2]), about[1]
            levels = int.from_bytes(content[:4], "little") if optional else 0
            begin = 4 if optional else 0
            if optional and about[3] != RLE:
                raise Damaged
            level_bytes, content = content[begin : begin + levels], content[begin + levels :]
            encoding = about[2]
        elif header[1] == DATA_PAGE_2:
            about = header[8]
            count, encoding, levels = about[1], about[4], about[5]
            if about[6] or levels < 0 or levels > len(packed):
                raise Damaged
            level_bytes, rest = packed[:levels], packed[levels:]
            content = self.unpacked(rest, codec if about.get(7, True) else 0, header[2] - levels)
        else:
            raise Damaged
        if not 0 < count <= most:
            raise Damaged
        defined = _hybrid(level_bytes, 1, count) == 1 if optional else np.ones(count, dtype=bool)
        return content, encoding, defined

    def unpacked(self, packed: bytes, codec: int, size: int) -> bytes:
        """The content of a page: exactly so many bytes."""
        if not size:
            return b""
        if codec == 0:
            found: bytes | None = packed
        elif codec == 1:
            from doxeval.kernels.snappy import snappy_unpacked

            found = snappy_unpacked(packed, size)
        elif codec == 2:
            found = zlib.decompressobj(31).decompress(packed, size + 1)
        else:
            import zstandard

            try:
                found = zstandard.ZstdDecompressor().stream_reader(packed).read(size + 1)
            except zstandard.ZstdError:
                raise Damaged from None
        if found is None or len(found) != size:
            raise Damaged
        return found


def _is_plain(field: dict[int, Any]) -> bool:
    """Whether a field of a schema is a column of texts, of signed integers, of doubles or of yes and no."""
    kind, converted, logical = field.get(1), field.get(6), field.get(10, {})
    if field.get(3, REQUIRED) not in (REQUIRED, OPTIONAL) or field.get(5):
        return False
    if kind == BYTES:
        return bool(converted == UTF8 or 1 in logical)
    if kind in (INT32, INT64):
        return converted in SIGNED or (converted is None and not logical)
    return kind in (BOOLEAN, FLOAT, DOUBLE) and converted is None and not logical


def _dtype(kind: int) -> str:
    return {BOOLEAN: "?", BYTES: "<i4"}.get(kind) or DTYPES[kind]


def _plain(content: bytes, kind: int, count: int) -> Any:
    """Values one after another; texts behind their lengths."""
    if kind == BYTES:
        texts, at = [], 0
        for _ in range(count):
            end = at + 4 + int.from_bytes(content[at : at + 4], "little")
            if end > len(content):
                raise Damaged
            texts.append(content[at + 4 : end].decode())
            at = end
        return texts
    if kind == BOOLEAN:
        bits = np.frombuffer(content, dtype=np.uint8, count=-(-count // 8))
        return np.unpackbits(bits, count=count, bitorder="little").astype(bool)
    return np.frombuffer(content, dtype=DTYPES[kind], count=count)


def _coded(part: tuple[list[str], np.ndarray], known: dict[str, int]) -> np.ndarray:
    """Codes of a page's texts among those known so far, which grow."""
    words, codes = part
    return np.array([known.setdefault(word, len(known)) for word in words], dtype=np.int32)[codes]


def _hybrid(content: bytes, width: int, count: int) -> np.ndarray:
    """Numbers of `width` bits: repeated ones, and packed ones in groups of eight.

    >>> _hybrid(bytes([6, 1, 3, 0b10]), 1, 5).tolist()
    [1, 1, 1, 0, 1]
    """
    found = np.zeros(count, dtype=np.int64)
    if not 0 <= width <= 32:
        raise Damaged
    reader, filled, size = Compact(content, 0, len(content)), 0, (width + 7) // 8
    while filled < count and width:
        head = reader.varint()
        begin = reader.at
        if head & 1:
            reader.at += (head >> 1) * width
            numbers = _unpacked_bits(content[begin : reader.at], width)[: count - filled]
            found[filled : filled + len(numbers)] = numbers
            filled += len(numbers)
        else:
            reader.at += size
            repeated = min(head >> 1, count - filled)
            found[filled : filled + repeated] = int.from_bytes(content[begin : reader.at], "little")
            filled += repeated
        if reader.at == begin or head < 2 or reader.at > len(content):
            raise Damaged
    return found


def _unpacked_bits(content: bytes, width: int) -> np.ndarray:
    """Packed numbers of `width` bits."""
    bits = np.unpackbits(np.frombuffer(content, dtype=np.uint8), bitorder="little")
    room = next(room for _, room in pairwise((0, 8, 16, 32)) if width <= room)
    padded = np.zeros((len(bits) // width, room), dtype=np.uint8)
    padded[:, :width] = bits[: len(padded) * width].reshape(-1, width)
    return np.packbits(padded, bitorder="little").view(f"<u{room // 8}")
