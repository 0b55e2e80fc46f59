"""Parquet files of flat columns, for small files written often: importing polars takes longer than that.

The format is that of parquet.apache.org: one row group, one page per column and one for the texts in it,
nothing compressed. Metadata are structures of Thrift's compact protocol, here dictionaries by field number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

MAGIC = b"PAR1"
OPTIONAL, UTF8, UNCOMPRESSED, DATA_PAGE, DICTIONARY_PAGE = 1, 0, 0, 0, 2
PLAIN, RLE, RLE_DICTIONARY = 0, 3, 8
INTEGER, DOUBLE, TEXT = 2, 5, 6

Coded = tuple[Sequence[str], np.ndarray]
"""Distinct texts, and for each row the position of its text, -1 for none."""


class Long(int):
    """An integer that has 64 bits in the metadata; others have 32."""


def parquet_bytes(columns: Mapping[str, Coded | np.ndarray], beside: Mapping[str, str]) -> bytes:
    """Columns of texts, 64-bit integers or doubles of equal length, as a file; NaN becomes null.

    `beside` are the texts that the file has in addition to its columns.
    """
    schema: list[dict[int, Any]] = [{4: "root", 5: len(columns)}]
    content, chunks, rows = MAGIC, [], 0
    for name, column in columns.items():
        begin = len(content)
        if isinstance(column, tuple):
            words, codes = column
            kind, present, encoding = TEXT, codes >= 0, RLE_DICTIONARY
            content += _dictionary(words)
            width = max(1, (len(words) - 1).bit_length())
            values = bytes([width]) + _packed(codes[present], width)
        else:
            kind = DOUBLE if column.dtype.kind == "f" else INTEGER
            present, encoding = ~np.isnan(column), PLAIN
            values = column[present].astype(f"<{column.dtype.kind}8", copy=False).tobytes()
        rows = len(present)
        pages = {9: Long(len(content))} | ({11: Long(begin)} if kind == TEXT else {})
        levels = _packed(present, 1)
        about = {1: rows, 2: encoding, 3: RLE, 4: RLE}
        content += _page(DATA_PAGE, _sized(levels) + values, {5: about})
        size = Long(len(content) - begin)
        about_chunk = {1: kind, 2: [PLAIN, RLE, encoding], 3: [name], 4: UNCOMPRESSED, 5: Long(rows)}
        chunks.append({2: Long(begin), 3: about_chunk | {6: size, 7: size} | pages})
        schema.append({1: kind, 3: OPTIONAL, 4: name} | ({6: UTF8} if kind == TEXT else {}))
    group = {1: chunks, 2: Long(len(content) - len(MAGIC)), 3: Long(rows)}
    told = [{1: key, 2: text} for key, text in beside.items()]
    footer = _compact({1: 1, 2: schema, 3: Long(rows), 4: [group] if rows else [], 5: told})[1]
    return content + footer + len(footer).to_bytes(4, "little") + MAGIC


def _dictionary(words: Sequence[str]) -> bytes:
    return _page(
        DICTIONARY_PAGE, b"".join(_sized(word.encode()) for word in words), {7: {1: len(words), 2: PLAIN}}
    )


def _page(kind: int, body: bytes, about: dict[int, Any]) -> bytes:
    return _compact({1: kind, 2: len(body), 3: len(body)} | about)[1] + body


def _sized(content: bytes) -> bytes:
    """Bytes behind their number."""
    return len(content).to_bytes(4, "little") + content


def _packed(numbers: np.ndarray, width: int) -> bytes:
    """Numbers of `width` bits each, in one bit-packed run: groups of eight, the last filled with zeros."""
    groups = -(-len(numbers) // 8)
    bits = np.zeros((8 * groups, width), dtype=np.uint8)
    bits[: len(numbers)] = (numbers[:, None] >> np.arange(width)) & 1
    return _varint(groups << 1 | 1) + np.packbits(bits, bitorder="little").tobytes()


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the highest bit says that there are more."""
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


def _compact(value: Any) -> tuple[int, bytes]:
    """The type and the bytes of a value in Thrift's compact protocol."""
    if isinstance(value, int):
        return 6 if isinstance(value, Long) else 5, _varint(value << 1)
    if isinstance(value, str):
        content = value.encode()
        return 8, _varint(len(content)) + content
    if isinstance(value, list):
        members = [_compact(member) for member in value]
        kind = members[0][0] if members else 12
        count = len(members)
        head = bytes([count << 4 | kind]) if count < 15 else bytes([15 << 4 | kind]) + _varint(count)
        return 9, head + b"".join(content for _, content in members)
    fields, before = b"", 0
    for number, member in value.items():
        kind, content = _compact(member)
        fields += bytes([(number - before) << 4 | kind]) + content
        before = number
    return 12, fields + b"\0"
