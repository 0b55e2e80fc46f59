"""String tables: the strings behind integer codes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np

from doxeval.kernels.names import find_names, gather_fields, index_names, intern_fields

RUN_OF_DIGITS = re.compile(r"([0-9]+)")


def natural_key(name: str) -> tuple[object, ...]:
    """Sort key that puts `t9` before `t10`.

    >>> sorted(["t10", "t9", "a"], key=natural_key)
    ['a', 't9', 't10']
    """
    parts = RUN_OF_DIGITS.split(name)
    return tuple(_by_size(part) if at % 2 else part for at, part in enumerate(parts)), name


def natural_order(names: Iterable[str]) -> list[int]:
    """The positions of names in natural order.

    >>> natural_order(["t10", "t9", "a"])
    [2, 1, 0]
    """
    keys = [natural_key(name) for name in names]
    return sorted(range(len(keys)), key=keys.__getitem__)


def _by_size(digits: str) -> tuple[int, str]:
    """A key that orders strings of digits, of any length, as numbers."""
    plain = digits.lstrip("0")
    return len(plain), plain


def encode(values: Iterable[str]) -> tuple[list[str], np.ndarray]:
    """The distinct strings in order of first appearance, and a code for each value.

    >>> encode(["b", "a", "b"])
    (['b', 'a'], array([0, 1, 0], dtype=int32))
    """
    column = list(values)
    known = dict.fromkeys(column)
    code = dict(zip(known, range(len(known)), strict=True))
    return list(known), np.fromiter(map(code.__getitem__, column), dtype=np.int32, count=len(column))


def codes_in(table: dict[str, int], names: Sequence[str]) -> np.ndarray:
    """The code each name has in `table`, -1 for names not in it."""
    return np.fromiter(map(table.get, names, itertools.repeat(-1)), dtype=np.int32, count=len(names))


def index_of(names: Sequence[str]) -> dict[str, int]:
    """From string to code."""
    return {name: code for code, name in enumerate(names)}


def distinct(values: np.ndarray) -> np.ndarray:
    """The distinct values in ascending order; `numpy.unique` without its import of masked arrays.

    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    ordered = np.sort(values)
    new = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


class Strings(Sequence[str]):
    """A column of strings stored as UTF-8 bytes and offsets, so it can be memory-mapped.

    >>> names = Strings.of(["alpha", "bé", ""])
    >>> len(names), names[1], names.codes(["", "gamma"]).tolist()
    (3, 'bé', [2, -1])
    """

    def __init__(self, offset: np.ndarray, blob: np.ndarray) -> None:
        self.offset = offset
        self.blob = blob
        self._table: np.ndarray | None = None

    @classmethod
    def of(cls, values: Iterable[str]) -> Strings:
        """Store the given strings."""
        texts = list(values)
        whole = "".join(texts)
        counted = texts if whole.isascii() else [text.encode() for text in texts]
        offset = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum(list(map(len, counted)), out=offset[1:])
        return cls(offset, np.frombuffer(whole.encode(), dtype=np.uint8))

    @classmethod
    def at(cls, data: bytes, begin: np.ndarray, end: np.ndarray) -> Strings:
        """The strings at given places in some bytes."""
        return cls(*gather_fields(data, begin.astype(np.int32, copy=False), end.astype(np.int32, copy=False)))

    @classmethod
    def distinct_at(cls, data: bytes, begin: np.ndarray, end: np.ndarray) -> tuple[Strings, np.ndarray]:
        """The distinct strings at given places in order of first appearance, and the code of each."""
        codes, offset, blob = intern_fields(
            data, begin.astype(np.int32, copy=False), end.astype(np.int32, copy=False)
        )
        return cls(offset, blob), codes

    def __len__(self) -> int:
        return len(self.offset) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        return self._text(range(len(self))[at])

    def _text(self, place: int) -> str:
        return self.blob[self.offset[place] : self.offset[place + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.tolist() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.tolist()) if len(self) <= 10 else f"<{len(self):,} strings, the first {self[0]!r}>"

    def tolist(self) -> list[str]:
        """All of them as Python strings."""
        letters, bounds = self.blob.tobytes(), self.offset.tolist()
        if letters.isascii():
            text = letters.decode("ascii")
            return [text[a:b] for a, b in itertools.pairwise(bounds)]
        return [letters[a:b].decode() for a, b in itertools.pairwise(bounds)]

    def codes(self, names: Sequence[str]) -> np.ndarray:
        """The position of each name, -1 if it is not here; the lookup table is made once."""
        wanted = names if isinstance(names, Strings) else Strings.of(names)
        if self._table is None:
            self._table = index_names(self.offset, self.blob)
        return find_names(self.offset, self.blob, self._table, wanted.offset, wanted.blob)


def merge_tables(tables: Sequence[Sequence[str]]) -> tuple[Strings, list[np.ndarray]]:
    """One table of all strings in order of first appearance, and for each table the codes of its entries.

    >>> table, codes = merge_tables([["a", "b"], ["b", "c"]])
    >>> table, [some.tolist() for some in codes]
    (['a', 'b', 'c'], [[0, 1], [1, 2]])
    """
    parts = [table if isinstance(table, Strings) else Strings.of(table) for table in tables]
    letters = np.concatenate([np.zeros(0, dtype=np.uint8), *(part.blob for part in parts)]).tobytes()
    lengths = np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(part.offset) for part in parts)])
    end = np.cumsum(lengths)
    merged, codes = Strings.distinct_at(letters, end - lengths, end)
    return merged, np.split(codes, np.cumsum([len(part) for part in parts])[:-1]) if parts else []
