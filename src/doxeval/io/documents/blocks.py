"""Checksums of the blocks of a column: damage is found where data is used, even in a large index."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.strings import Strings

BLOCK = 1 << 20


class Unlike(InputError):
    """A column that differs from what was written."""


def checksums(pieces: Iterable[Any]) -> list[int]:
    """The checksums of all blocks of a column given in pieces; all but the last are whole blocks."""
    return [zlib.crc32(block) for piece in pieces for block in _blocks(memoryview(piece).cast("B"))]


def _blocks(data: memoryview) -> Iterator[memoryview]:
    for first in range(0, len(data), BLOCK):
        yield data[first : first + BLOCK]


class Checked:
    """The bytes of a column; each block is compared with its checksum before it is first used."""

    def __init__(self, name: str, values: np.ndarray, sums: list[int]) -> None:
        self.name = name
        self.values = values
        self.sums = sums
        self.done = np.zeros(len(sums), dtype=bool)
        if len(sums) != -(-values.nbytes // BLOCK):
            raise Unlike(f"the column {name} has {len(sums):,} checksums for {values.nbytes:,} bytes")

    def part(self, first: int, last: int) -> np.ndarray:
        """The bytes from `first` to `last`."""
        data = self.values.view(np.uint8)
        for block in range(first // BLOCK, -(-last // BLOCK)):
            if not self.done[block]:
                if zlib.crc32(data[block * BLOCK : (block + 1) * BLOCK].data) != self.sums[block]:
                    raise Unlike(f"the column {self.name} differs from what was written, in block {block:,}")
                self.done[block] = True
        return data[first:last]


class CheckedStrings(Strings):
    """Strings whose letters are checked before they are used."""

    def __init__(self, offset: np.ndarray, letters: Checked, path: str) -> None:
        self.offset = offset
        self.letters = letters
        self.path = path
        self._table = None

    @property
    def blob(self) -> np.ndarray:  # type: ignore[override]
        """All letters."""
        return self._letters(0, len(self.letters.values))

    def _text(self, place: int) -> str:
        return self._letters(self.offset[place], self.offset[place + 1]).tobytes().decode()

    def _letters(self, first: int, last: int) -> np.ndarray:
        try:
            return self.letters.part(int(first), int(last))
        except Unlike as problem:
            raise InputError(f"{self.path}: damaged: {problem}; index the documents again") from None


def check_numbers(columns: Mapping[str, np.ndarray], sums: Mapping[str, list[int]]) -> None:
    """Compare all columns with their checksums except text, which is checked when it is used."""
    for name, values in columns.items():
        if name in sums and not name.endswith(".blob"):
            Checked(name, values, sums[name]).part(0, values.nbytes)
