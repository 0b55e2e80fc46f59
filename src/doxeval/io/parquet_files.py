"""Parquet files: plain ones are read and written here, others by polars in a sandboxed process.

Malicious pages can crash the process in which polars reads them. The sandboxed one returns the table as an
Arrow file, which is deleted once it is read.

Importing polars takes longer than writing a small file of flat columns. The format is that of
parquet.apache.org: one row group, one page per column and one for the texts in it, nothing compressed.
Metadata are structures of Thrift's compact protocol, here dictionaries by field number.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.temporary import temporary_file
from doxeval.io.limits import input_limits
from doxeval.io.source import PARQUET_MARK

if TYPE_CHECKING:
    import polars

    from doxeval.io.flat_parquet import FlatTable

TAIL = 8
"""A Parquet file ends with the length of its metadata and the four bytes it begins with."""
READING_ROOM = 2 << 30
"""Bytes that reading takes in addition to the content."""

OPTIONAL, UTF8, UNCOMPRESSED, DATA_PAGE, DICTIONARY_PAGE = 1, 0, 0, 0, 2
PLAIN_ENCODING, RLE, RLE_DICTIONARY = 0, 3, 8
INTEGER, DOUBLE, TEXT = 2, 5, 6

Coded = tuple[Sequence[str], np.ndarray]
"""Distinct texts, and for each row the position of its text, -1 for none."""


def parquet_frame(origin: bytes | Path, name: str, ours: bool = False) -> polars.DataFrame:
    """The content of a Parquet file, from bytes or a path; bytes that are `ours` are trusted."""
    from doxeval.core.polars_here import polars as pl
    from doxeval.core.sandbox import SandboxDied, run_sandboxed

    if ours:
        return _read_frame(origin, name)
    most = _most_unpacked(len(origin) if isinstance(origin, bytes) else origin.stat().st_size)
    with temporary_file() as arrow_file:
        try:
            where = origin if isinstance(origin, bytes) else origin.absolute()
            run_sandboxed(_save_as_arrow, where, name, arrow_file, most, memory=READING_ROOM + 4 * most)
        except SandboxDied as end:
            raise InputError(
                f"{name}: damaged or malicious: {end}; if it is neither, it needs more memory "
                "(--max-ratio, --max-unpacked)"
            ) from None
        return pl.read_ipc(arrow_file)


def flat_table_in(content: bytes, only: Collection[str] = ()) -> FlatTable | None:
    """The content of a Parquet file of plain columns, within limits; None for others and damaged ones.

    `only` names the columns to read, if not all are wanted.
    """
    from doxeval.io.flat_parquet import flat_table

    return flat_table(content, _most_unpacked(len(content)), only)


def _most_unpacked(packed: int) -> int:
    """The most bytes that a file may take in memory."""
    limits = input_limits()
    return max(limits.unsuspicious, min(limits.unpacked, limits.ratio * packed))


def _save_as_arrow(origin: bytes | Path, name: str, target: Path, most: int) -> None:
    """Read a file and save its table at a path; one larger than `most` bytes is refused."""
    from doxeval.io.flat_parquet import CELL

    frame = _read_frame(origin, name)
    if (size := frame.estimated_size() + CELL * frame.height * frame.width) > most:
        raise InputError(
            f"{name}: unpacks to {size:,} bytes, more than {most:,} (--max-ratio, --max-unpacked)"
        )
    try:
        frame.write_ipc(target, compression="uncompressed")
    except OSError as problem:
        raise InputError(f"{name}: cannot be unpacked in {target.parent}: {problem.strerror}") from None


def _read_frame(origin: bytes | Path, name: str) -> polars.DataFrame:
    from doxeval.core.polars_here import polars as pl

    try:
        source = io.BytesIO(origin) if isinstance(origin, bytes) else origin
        return pl.read_parquet(source, hive_partitioning=False, glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise InputError(f"{name}: damaged Parquet file: {reason}") from None


def parquet_columns(stream: IO[bytes]) -> set[str]:
    """The names of the columns of a Parquet file, from its end; empty if it is damaged."""
    from doxeval.io.flat_parquet import column_names

    try:
        stream.seek(-TAIL, io.SEEK_END)
        tail = stream.read(TAIL)
        stream.seek(-TAIL - int.from_bytes(tail[:4], "little"), io.SEEK_END)
        end = stream.read()
    except (OSError, ValueError):
        return set()
    names = column_names(end)
    return _names_found_by_polars(tail[4:] + end) if names is None else names


def _names_found_by_polars(content: bytes) -> set[str]:
    from doxeval.core.sandbox import SandboxDied, run_sandboxed

    try:
        return run_sandboxed(_column_names, content)
    except (SandboxDied, OSError, ValueError):
        return set()


def _column_names(content: bytes) -> set[str]:
    from doxeval.core.polars_here import polars as pl

    try:
        return set(pl.read_parquet_schema(io.BytesIO(content)))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return set()


class Long(int):
    """An integer that has 64 bits in the metadata; others have 32."""


def parquet_bytes(columns: Mapping[str, Coded | np.ndarray], beside: Mapping[str, str]) -> bytes:
    """Columns of texts, 64-bit integers or doubles of equal length, as a file; NaN becomes null.

    `beside` are the texts that the file has in addition to its columns.
    """
    schema: list[dict[int, Any]] = [{4: "root", 5: len(columns)}]
    content, chunks, rows = PARQUET_MARK, [], 0
    for name, column in columns.items():
        begin = len(content)
        if isinstance(column, tuple):
            words, codes = column
            kind, present, encoding = TEXT, codes >= 0, RLE_DICTIONARY
            content += _dictionary_page(words)
            width = max(1, (len(words) - 1).bit_length())
            values = bytes([width]) + _packed(codes[present], width)
        else:
            kind = DOUBLE if column.dtype.kind == "f" else INTEGER
            present, encoding = ~np.isnan(column), PLAIN_ENCODING
            values = column[present].astype(f"<{column.dtype.kind}8", copy=False).tobytes()
        rows = len(present)
        pages = {9: Long(len(content))} | ({11: Long(begin)} if kind == TEXT else {})
        levels = _packed(present, 1)
        about = {1: rows, 2: encoding, 3: RLE, 4: RLE}
        content += _page(DATA_PAGE, _sized(levels) + values, {5: about})
        size = Long(len(content) - begin)
        about_chunk = {1: kind, 2: [PLAIN_ENCODING, RLE, encoding], 3: [name], 4: UNCOMPRESSED, 5: Long(rows)}
        chunks.append({2: Long(begin), 3: about_chunk | {6: size, 7: size} | pages})
        schema.append({1: kind, 3: OPTIONAL, 4: name} | ({6: UTF8} if kind == TEXT else {}))
    group = {1: chunks, 2: Long(len(content) - len(PARQUET_MARK)), 3: Long(rows)}
    texts = [{1: key, 2: text} for key, text in beside.items()]
    footer = _compact({1: 1, 2: schema, 3: Long(rows), 4: [group] if rows else [], 5: texts})[1]
    return content + footer + len(footer).to_bytes(4, "little") + PARQUET_MARK


def _dictionary_page(words: Sequence[str]) -> bytes:
    return _page(
        DICTIONARY_PAGE,
        b"".join(_sized(word.encode()) for word in words),
        {7: {1: len(words), 2: PLAIN_ENCODING}},
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


def plain_frame(frame: polars.DataFrame) -> polars.DataFrame:
    """The same frame with decimals, as written by DuckDB, as floats or integers, even in lists and structs.

    Columns of 128-bit integers become 64-bit ones if these can hold all values.

    >>> import polars as pl
    >>> plain_frame(pl.DataFrame({"score": ["1.5"], "rank": ["2"]}).cast(pl.Decimal(4, 1))).rows()
    [(1.5, 2.0)]
    """
    from doxeval.core.polars_here import polars as pl

    schema = frame.schema
    plain = {name: _plain_type(dtype) for name, dtype in schema.items()}
    if any(dtype != schema[name] for name, dtype in plain.items()):
        frame = frame.cast({name: dtype for name, dtype in plain.items() if dtype != schema[name]})
    wide = [series for series in frame if series.dtype in (pl.Int128, pl.UInt128)]
    if not wide:
        return frame
    narrow = [series.cast(pl.Int64, strict=False) for series in wide]
    return frame.with_columns(
        new for new, old in zip(narrow, wide, strict=True) if new.null_count() == old.null_count()
    )


def _plain_type(dtype: Any) -> Any:
    """The plain type for a type."""
    from doxeval.core.polars_here import polars as pl

    if isinstance(dtype, pl.Decimal):
        return pl.Float64() if dtype.scale else pl.Int128()
    if isinstance(dtype, pl.List | pl.Array):
        inner = _plain_type(dtype.inner)
        return dtype if inner == dtype.inner else pl.List(inner)
    if isinstance(dtype, pl.Struct):
        return pl.Struct({field.name: _plain_type(field.dtype) for field in dtype.fields})
    return dtype
