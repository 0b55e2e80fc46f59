"""Check that the columns of an index are a valid collection; no index is used unchecked.

Checksums reveal accidents, but a malicious file has correct ones. Kernels follow offsets, parents and depths
without checking, so these are verified against the definitions in :mod:`doxeval.tables.documents`, some nodes
at a time, whenever an index is opened.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.strings import Strings
from doxeval.io.formats.field_lines import LARGEST_OFFSET
from doxeval.kernels import nodes as kernel
from doxeval.tables.documents import Documents

NUMBER_COLUMNS = {
    "length": np.int64, "node_offset": np.int64, "parent": np.int32, "tag": np.int32, "depth": np.int16,
    "start": np.int64, "end": np.int64, "node_length": np.int64, "marked": np.bool_,
}  # fmt: skip
STRING_COLUMNS = ("ids", "node_ids", "text", "metadata")
INDEX_COLUMNS = (
    NUMBER_COLUMNS
    | {f"{name}.offset": np.int64 for name in STRING_COLUMNS}
    | {f"{name}.blob": np.uint8 for name in STRING_COLUMNS}
)
OPTIONAL_COLUMNS = {
    "node_length",
    "marked",
    *(f"{name}.{part}" for name in STRING_COLUMNS[1:] for part in ("offset", "blob")),
}
NODES_AT_ONCE = 1 << 18
CHECKED_AT_ONCE = 1 << 20
"""Bytes of a column that have one checksum: damage is found where data is used, even in a large index."""


class Unsound(InputError):
    """Columns that are not a valid collection."""


def check_layout(columns: Mapping[str, np.ndarray], tags: object) -> None:
    """Check that every column is there with its type and length; an error names the first that is not."""
    for name, dtype in INDEX_COLUMNS.items():
        if name not in columns:
            if name not in OPTIONAL_COLUMNS or name.replace("blob", "offset") in columns:
                raise Unsound(f"the column {name} is missing")
        elif columns[name].dtype != dtype or columns[name].ndim != 1:
            raise Unsound(f"the column {name} has {columns[name].dtype}, expected {np.dtype(dtype)}")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise Unsound("its tags are not a list of strings")
    docs, nodes = len(columns["length"]), len(columns["parent"])
    sizes = dict.fromkeys(("tag", "depth", "start", "end", "node_length"), nodes)
    sizes |= {
        "node_offset": docs + 1,
        "ids.offset": docs + 1,
        "text.offset": docs + 1,
        "metadata.offset": docs + 1,
        "marked": docs,
        "node_ids.offset": nodes + 1,
    }
    for name, size in sizes.items():
        if name in columns and len(columns[name]) != size:
            raise Unsound(f"the column {name} has {len(columns[name]):,} rows, expected {size:,}")


def check_columns(documents: Documents) -> None:
    """Check that offsets ascend, nodes of trees are in place, and codes exist."""
    _check_ascending("node_offset", documents.node_offset, len(documents.parent), least=1)
    for name in STRING_COLUMNS:
        strings: Strings | None = getattr(documents, name)
        if strings is not None:
            _check_ascending(f"{name}.offset", strings.offset, len(strings.blob))
    _check_within("length", documents.length, LARGEST_OFFSET)
    for first, last in _document_blocks(documents.node_offset):
        _check_trees(documents, first, last)


def check_strings(documents: Documents) -> None:
    """Check that names and texts are UTF-8, texts as long as their documents, and metadata objects."""
    for name in STRING_COLUMNS:
        strings: Strings | None = getattr(documents, name)
        for at in range(len(strings) if strings is not None else 0):
            try:
                size = len(strings[at])  # type: ignore[index]
            except UnicodeDecodeError:
                raise Unsound(f"the column {name} is not UTF-8 in row {at:,}") from None
            if name == "text" and size and size != documents.length[at]:
                raise Unsound(
                    f"document {documents.ids[at]!r} has a text of {size:,} characters, "
                    f"expected {documents.length[at]:,}"
                )
    for doc in range(len(documents) if documents.metadata is not None else 0):
        documents.told_of(doc)


def _check_ascending(name: str, offset: np.ndarray, end: int, least: int = 0) -> None:
    """Check offsets: from 0 to `end`, each at least `least` after the one before."""
    if offset[0] != 0 or offset[-1] != end:
        raise Unsound(f"the column {name} goes from {offset[0]} to {offset[-1]}, expected 0 to {end}")
    for first in range(0, len(offset) - 1, NODES_AT_ONCE):
        part = offset[first : first + NODES_AT_ONCE + 1]
        if (part[1:] < part[:-1] + least).any() or part.min() < 0 or part.max() > end:
            raise Unsound(f"the column {name} does not ascend")


def _check_within(name: str, values: np.ndarray, most: int) -> None:
    if len(values) and (values.min() < 0 or values.max() > most):
        raise Unsound(f"the column {name} has {values.min()} to {values.max()}, expected 0 to {most}")


def _document_blocks(node_offset: np.ndarray) -> Iterator[tuple[int, int]]:
    """Ranges of documents with about as many nodes as are checked at once."""
    first, docs = 0, len(node_offset) - 1
    while first < docs:
        last = int(np.searchsorted(node_offset, node_offset[first] + NODES_AT_ONCE, side="right")) - 1
        last = max(first + 1, last)
        yield first, last
        first = last


def _check_trees(documents: Documents, first: int, last: int) -> None:
    low, high = int(documents.node_offset[first]), int(documents.node_offset[last])
    offset = documents.node_offset[first : last + 1] - low
    parent, start, end = (getattr(documents, name)[low:high] for name in ("parent", "start", "end"))
    misplaced = kernel.first_misplaced(offset, parent, start, end, documents.length[first:last])
    if (bad := np.flatnonzero(misplaced >= 0)).size:
        doc = first + int(bad[0])
        raise Unsound(f"in document {doc + 1:,} node {misplaced[bad[0]]:,} is out of place")
    if not np.array_equal(kernel.depths(offset, parent), documents.depth[low:high]):
        raise Unsound("the column depth is not that of the trees")
    _check_within("tag", documents.tag[low:high], len(documents.tags) - 1)
    if documents.node_length is not None:
        _check_within("node_length", documents.node_length[low:high], LARGEST_OFFSET)


class Changed(InputError):
    """A column that differs from what was written."""


def checksums(pieces: Iterable[Any]) -> list[int]:
    """The checksums of all blocks of a column given in pieces; all but the last are whole blocks."""
    return [zlib.crc32(block) for piece in pieces for block in _byte_blocks(memoryview(piece).cast("B"))]


def _byte_blocks(data: memoryview) -> Iterator[memoryview]:
    for first in range(0, len(data), CHECKED_AT_ONCE):
        yield data[first : first + CHECKED_AT_ONCE]


class CheckedColumn:
    """The bytes of a column; each block is compared with its checksum before it is first used."""

    def __init__(self, name: str, values: np.ndarray, sums: list[int]) -> None:
        self.name = name
        self.values = values
        self.sums = sums
        self.done = np.zeros(len(sums), dtype=bool)
        if len(sums) != -(-values.nbytes // CHECKED_AT_ONCE):
            raise Changed(f"the column {name} has {len(sums):,} checksums for {values.nbytes:,} bytes")

    def part(self, first: int, last: int) -> np.ndarray:
        """The bytes from `first` to `last`."""
        data = self.values.view(np.uint8)
        for block in range(first // CHECKED_AT_ONCE, -(-last // CHECKED_AT_ONCE)):
            if not self.done[block]:
                if (
                    zlib.crc32(data[block * CHECKED_AT_ONCE : (block + 1) * CHECKED_AT_ONCE].data)
                    != self.sums[block]
                ):
                    raise Changed(f"the column {self.name} differs from what was written, in block {block:,}")
                self.done[block] = True
        return data[first:last]


class CheckedStrings(Strings):
    """Strings whose letters are checked before they are used."""

    def __init__(self, offset: np.ndarray, letters: CheckedColumn, path: str) -> None:
        self.offset = offset
        self.letters = letters
        self.path = path
        self._table = None

    @property
    def blob(self) -> np.ndarray:  # type: ignore[override]
        """All letters."""
        return self._checked(0, len(self.letters.values))

    def _text(self, place: int) -> str:
        return self._checked(self.offset[place], self.offset[place + 1]).tobytes().decode()

    def _checked(self, first: int, last: int) -> np.ndarray:
        try:
            return self.letters.part(int(first), int(last))
        except Changed as problem:
            raise InputError(f"{self.path}: damaged: {problem}; index the documents again") from None


def check_numbers(columns: Mapping[str, np.ndarray], sums: Mapping[str, list[int]]) -> None:
    """Compare all columns with their checksums except text, which is checked when it is used."""
    for name, values in columns.items():
        if name in sums and not name.endswith(".blob"):
            CheckedColumn(name, values, sums[name]).part(0, values.nbytes)
