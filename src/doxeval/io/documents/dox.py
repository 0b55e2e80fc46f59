"""The `.dox` file: a collection as one file that opens without being read.

It is an uncompressed zip whose members are `.npy` files, one per column, each aligned to 64 bytes and
memory-mapped in place; `numpy.load` opens it too. `doxeval.json` holds the version, the
tags and the names of the columns.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.strings import Strings
from doxeval.io.documents.index_checks import (
    INDEX_COLUMNS,
    NUMBER_COLUMNS,
    STRING_COLUMNS,
    Changed,
    CheckedColumn,
    CheckedStrings,
    Unsound,
    check_columns,
    check_layout,
    check_numbers,
    check_strings,
    checksums,
)  # fmt: skip
from doxeval.tables.documents import Documents

VERIFIED_AT_OPEN = 32 << 20
"""Collections of up to this many bytes are compared with their checksums whenever they are opened."""
DOX_VERSION = 1
ABOUT = "doxeval.json"
ALIGNMENT = 64
ZIP_HEADER = struct.Struct("<26xHH")
ZIP64_EXTRA = 20
PADDING_ID = 0xD0DE
EPOCH = (1980, 1, 1, 0, 0, 0)
COPIED_AT_ONCE = 64 << 20
DAMAGED_FILE = (
    zipfile.BadZipFile, ValueError, LookupError, OSError, EOFError, struct.error, RuntimeError, TypeError,
)  # fmt: skip


def is_dox(path: Path) -> bool:
    """Whether a file is such an index."""
    if not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return ABOUT in archive.namelist()
    except DAMAGED_FILE:
        return False


def write_dox(documents: Documents, stream: IO[bytes]) -> None:
    """Write a collection."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        columns = {name: getattr(documents, name) for name in NUMBER_COLUMNS}
        for name in STRING_COLUMNS:
            strings: Strings | None = getattr(documents, name)
            if strings is not None:
                columns |= {f"{name}.offset": strings.offset, f"{name}.blob": strings.blob}
        blocks = {
            name: _write_array(archive, name, values)
            for name, values in columns.items()
            if values is not None
        }
        about = {"version": DOX_VERSION, "tags": documents.tags, "source": documents.source, "blocks": blocks}
        archive.writestr(zipfile.ZipInfo(ABOUT, EPOCH), json.dumps(about, ensure_ascii=False))


def _write_array(archive: zipfile.ZipFile, name: str, values: np.ndarray) -> list[int]:
    """Write a column; returns the checksums of its blocks."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(values))
    member = zipfile.ZipInfo(f"{name}.npy", EPOCH)
    assert archive.fp is not None
    before = archive.fp.tell() + 30 + len(member.filename) + ZIP64_EXTRA + len(header.getvalue())
    padding = 4 + (-(before + 4)) % ALIGNMENT
    member.extra = struct.pack("<HH", PADDING_ID, padding - 4) + bytes(padding - 4)
    member.file_size = len(header.getvalue()) + values.nbytes
    with archive.open(member, "w", force_zip64=True) as column:
        column.write(header.getvalue())
        return checksums(_written_pieces(column, _column_pieces(values)))


def _written_pieces(stream: IO[bytes], pieces: Iterator[Any]) -> Iterator[Any]:
    for piece in pieces:
        stream.write(piece)
        yield piece


def _column_pieces(values: np.ndarray) -> Iterator[Any]:
    """The bytes of a column in pieces; a mapped file is read instead, as its pages would pile up."""
    if isinstance(values, np.memmap) and values.filename is not None and values.offset == 0:
        with open(values.filename, "rb") as column:  # noqa: PTH123
            while piece := column.read(COPIED_AT_ONCE):
                yield piece
        return
    rows = max(1, COPIED_AT_ONCE // values.itemsize)
    for first in range(0, len(values), rows):
        yield np.ascontiguousarray(values[first : first + rows]).data


def verify_dox(path: Path) -> None:
    """Read a whole collection: compare it with its checksums and decode everything."""
    with _damage_named(path):
        _compare_checksums(path)
        check_strings(_opened_columns(path))


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    """Turn any problem with a file into an error that names it."""
    try:
        yield
    except (Unsound, Changed) as problem:
        raise InputError(f"{path}: damaged: {problem}; index the documents again") from None
    except DAMAGED_FILE as problem:
        raise InputError(f"{path}: damaged or not a doxeval index: {problem}") from None


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """The members of the file; uncompressed, they cannot be larger than the file itself."""
    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > path.stat().st_size:
            raise Unsound("its members are larger than the file")
        yield archive


def _compare_checksums(path: Path) -> None:
    with _archive(path) as archive:
        if (damaged := archive.testzip()) is not None:
            raise Unsound(f"{damaged} differs from what was written")


class MappedDocuments(Documents):
    """A collection with the columns of an index; other processes receive its path."""

    def __reduce__(self) -> Any:
        if self.index_path is None:
            return super().__reduce__()
        return reopen_dox, (self.index_path, self.index_path.stat().st_size, self.source, self.notices)


def open_dox(path: Path) -> Documents:
    """Open a collection: columns are mapped and read only where they are used.

    Offsets and trees are checked and compared with their checksums here, since nothing else does so; names
    and texts only in small collections. In others a block of these is compared with its checksum when it is
    first used; `doxeval validate` reads everything.
    """
    with _damage_named(path):
        small = path.stat().st_size <= VERIFIED_AT_OPEN
        if small:
            _compare_checksums(path)
        documents = _opened_columns(path)
        if small:
            check_strings(documents)
        return documents


def _opened_columns(path: Path) -> Documents:
    with _archive(path) as archive, path.open("rb") as file:
        about = json.loads(archive.read(ABOUT))
        if about["version"] != DOX_VERSION:
            raise InputError(
                f"{path}: is an index of version {about['version']}, expected version {DOX_VERSION}; "
                "index the documents again"
            )
        columns: dict[str, Any] = {
            name: _mapped(path, file, member.header_offset)
            for member in archive.infolist()
            if (name := member.filename.removesuffix(".npy")) in INDEX_COLUMNS
        }
    sums = about.get("blocks", {})
    check_layout(columns, about["tags"])
    parts: dict[str, Any] = {
        name: Strings(columns[f"{name}.offset"], columns[f"{name}.blob"])
        for name in STRING_COLUMNS
        if f"{name}.offset" in columns
    }
    parts |= {name: columns[name] for name in NUMBER_COLUMNS if name in columns}
    documents = MappedDocuments(**parts, tags=about["tags"], source=str(path))
    check_numbers(columns, sums)
    check_columns(documents)
    for name in STRING_COLUMNS:
        if (letters := f"{name}.blob") in columns and letters in sums:
            checked = CheckedColumn(letters, columns[letters], sums[letters])
            setattr(documents, name, CheckedStrings(columns[f"{name}.offset"], checked, str(path)))
    documents.index_path = path.resolve()
    return documents


def reopen_dox(path: Path, size: int, source: str, notices: Notices) -> Documents:
    """Open in a worker the index that another process uses."""
    if not path.is_file():
        raise InputError(f"{path}: not found by a worker; every worker must find the index under this name")
    if path.stat().st_size != size:
        raise InputError(f"{path}: is not the same file for every worker, or was changed in the meantime")
    documents = open_dox(path)
    documents.source, documents.notices = source, notices
    return documents


def _mapped(path: Path, file: Any, header_offset: int) -> np.ndarray:
    """The column whose member begins at `header_offset`."""
    file.seek(header_offset)
    name_length, extra_length = ZIP_HEADER.unpack(file.read(ZIP_HEADER.size))
    file.seek(name_length + extra_length, io.SEEK_CUR)
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.hasobject:
        raise Unsound("it holds Python objects")
    if shape[0] == 0:
        return np.zeros(shape, dtype=dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r", offset=file.tell(), shape=shape))
