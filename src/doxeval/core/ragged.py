"""Ragged columns: rows with several items each, as offsets into columns of items."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from doxeval.core.facts import kept
from doxeval.kernels.stretches import merge_ranges


def running_totals(values: np.ndarray | Sequence[int]) -> np.ndarray:
    """Sums of whole numbers before each position, and of all of them as an additional last entry.

    >>> running_totals([2, 0, 1]).tolist()
    [0, 2, 2, 3]
    """
    total = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=total[1:])
    return total


def sums_by(row: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Sums of a column by row, in any order; floating-point numbers even if there is nothing to add."""
    return np.bincount(row, weights=values, minlength=size).astype(np.float64, copy=False)


def quotient(above: np.ndarray, below: np.ndarray, otherwise: np.ndarray | float = 0.0) -> np.ndarray:
    """Quotients, with `otherwise` where the denominator is 0.

    >>> quotient(np.array([1, 0]), np.array([2, 0])).tolist()
    [0.5, 0.0]
    """
    found = np.empty(len(below))
    found[:] = otherwise
    return np.divide(above, below, out=found, where=below != 0)


class Ragged:
    """Rows of items: row i has the items `offset[i]` to `offset[i + 1]` of any columns of items.

    >>> groups = Ragged.of_counts([2, 0, 1])
    >>> groups.row.tolist(), groups.place.tolist(), groups.sum(np.array([5, 6, 7])).tolist()
    ([0, 0, 2], [0, 1, 0], [11, 0, 7])
    """

    def __init__(self, offset: np.ndarray) -> None:
        self._offset = offset

    @classmethod
    def of_counts(cls, counts: np.ndarray | Sequence[int]) -> Ragged:
        """Rows with the given numbers of items."""
        return Ragged(running_totals(counts))

    @classmethod
    def of_rows(cls, row: np.ndarray, size: int) -> Ragged:
        """Items in the order of their rows, of which there are `size`."""
        return Ragged.of_counts(np.bincount(row, minlength=size))

    @classmethod
    def of_runs(cls, keys: np.ndarray) -> Ragged:
        """A row for each run of equal keys."""
        changes = np.flatnonzero(np.diff(keys)) + 1
        return Ragged(np.concatenate([[0], changes, [len(keys)]] if len(keys) else [[0]]).astype(np.int64))

    @classmethod
    def of_optional(cls, offset: np.ndarray | None, size: int) -> Ragged:
        """Rows by their offsets; without any, `size` rows of one item each."""
        return OneEach(size) if offset is None else Ragged(offset)

    @classmethod
    def gathered(cls, row: np.ndarray, size: int, *columns: np.ndarray) -> tuple[Any, ...]:
        """Columns of items in any order, sorted by row and by the first column; row -1 is left out.

        >>> groups, letters = Ragged.gathered(np.array([1, -1, 0, 1]), 2, np.array([7, 5, 9, 6]))
        >>> groups.offset.tolist(), letters.tolist()
        ([0, 1, 3], [9, 6, 7])
        """
        order = np.lexsort((columns[0], row))
        order = order[np.searchsorted(row[order], 0) :]
        return (Ragged.of_rows(row[order], size), *(column[order] for column in columns))

    def __reduce__(self) -> tuple[type[Ragged], tuple[object]]:
        """Copy without cached counts and rows."""
        return Ragged, (self._offset,)

    @property
    def offset(self) -> np.ndarray:
        """The start of each row's items, with an additional entry for the end of the last."""
        return self._offset

    @property
    def first(self) -> np.ndarray:
        """The start of each row's items."""
        return self.offset[:-1]

    def __len__(self) -> int:
        return len(self.offset) - 1

    @property
    def items(self) -> int:
        """The number of items of all rows."""
        return int(self.offset[-1])

    @kept
    def counts(self) -> np.ndarray:
        """The number of items of each row."""
        return np.diff(self.offset)

    @kept
    def row(self) -> np.ndarray:
        """The row of each item."""
        return np.repeat(np.arange(len(self)), self.counts)

    @property
    def place(self) -> np.ndarray:
        """The position of each item within its row, from 0."""
        return np.arange(self.items) - self.expand(self.first)

    def slice(self, row: int) -> slice:
        """The slice of the items of one row."""
        return slice(int(self.offset[row]), int(self.offset[row + 1]))

    def expand(self, values: np.ndarray) -> np.ndarray:
        """Values of rows, for each item."""
        return np.repeat(values, self.counts)

    def sum(self, values: np.ndarray, most: int | None = None) -> np.ndarray:
        """Sums of a column of whole numbers for each row, or for the first `most` items of each."""
        total, offset = running_totals(values), self.offset
        first, after = offset[:-1], offset[1:]
        return total[after if most is None else np.minimum(after, first + most)] - total[first]

    def add(self, values: np.ndarray) -> np.ndarray:
        """Sums of a column of fractions for each row, independent of the rows before it."""
        return sums_by(self.row, values, len(self))

    def before(self, values: np.ndarray) -> np.ndarray:
        """For each item the sum of a column of whole numbers over the earlier items of its row."""
        total = running_totals(values)
        return total[:-1] - self.expand(total[self.first])

    def cumulate(self, values: np.ndarray, by: np.ufunc = np.add) -> np.ndarray:
        """For each item the sum over the items of its row so far, or their product, least value, ... `by`.

        The sums of fractions of a row do not depend on the rows before it, not even in their rounding.

        >>> Ragged.of_counts([2, 1]).cumulate(np.array([0.5, 0.5, 3.0]), np.multiply).tolist()
        [0.5, 0.25, 3.0]
        """
        if by is np.add and values.dtype.kind != "f":
            total = running_totals(values)
            return total[1:] - self.expand(total[self.first])
        bounds = pairwise(self.offset.tolist())
        parts = [by.accumulate(values[first:after]) for first, after in bounds if after > first]
        return np.concatenate(parts) if parts else values

    def previous(self, values: np.ndarray, first: np.ndarray | float) -> np.ndarray:
        """For each item the value of the one before it in its row; `first` where there is none.

        >>> Ragged.of_counts([2, 1]).previous(np.array([5, 6, 7]), 0).tolist()
        [0, 5, 0]
        """
        return np.where(self.place > 0, np.roll(values, 1), first)

    def at(self, values: np.ndarray, place: np.ndarray | int, otherwise: float = 0) -> np.ndarray:
        """For each row the value of its item at a position, from 0; `otherwise` if it has no such item.

        >>> Ragged.of_counts([2, 0, 1]).at(np.array([5, 6, 7]), 1).tolist()
        [6, 0, 0]
        """
        there = (place >= 0) & (place < self.counts)
        return np.append(values, otherwise)[np.where(there, self.first + place, -1)]

    def last(self, values: np.ndarray, most: int | None = None) -> np.ndarray:
        """For each row the value of its last item, or of the last among its first `most`; 0 if empty."""
        return self.at(values, (self.counts if most is None else np.minimum(self.counts, most)) - 1)

    def take(self, rows: np.ndarray) -> tuple[Ragged, np.ndarray]:
        """Some rows in the order given, and the positions of their items in the columns."""
        taken = Ragged.of_counts(self.counts[rows])
        return taken, np.arange(taken.items) + taken.expand(self.offset[rows] - taken.first)

    def select(self, keep: np.ndarray) -> tuple[Ragged, np.ndarray]:
        """The rows marked in `keep`, and which items are theirs."""
        return Ragged.of_counts(self.counts[keep]), self.expand(keep)

    def keep_items(self, keep: np.ndarray) -> Ragged:
        """The same rows with only the items marked in `keep`."""
        return Ragged(running_totals(keep)[self.offset])

    def over(self, inner: Ragged) -> Ragged:
        """The same rows with the items of their items."""
        return Ragged(inner.offset[self.offset])

    def merge(
        self, start: np.ndarray, end: np.ndarray, touching: bool = True
    ) -> tuple[Ragged, np.ndarray, np.ndarray]:
        """Join ranges, sorted by start in each row, that overlap (and touch); empty ones are dropped."""
        offset, start, end = merge_ranges(self.offset, start, end, touching)
        return Ragged(offset), start, end

    def joined(self, start: np.ndarray, end: np.ndarray) -> tuple[Ragged, np.ndarray, np.ndarray]:
        """Like :meth:`merge`, but a row with only empty ranges keeps its first one.

        It shows nothing, but it has a place, where a reader who follows it enters the document.
        """
        merged, merged_start, merged_end = self.merge(start, end)
        empty = (merged.counts == 0) & (self.counts > 0)
        if not empty.any():
            return merged, merged_start, merged_end
        place, before = start[self.first[empty]], merged.first[empty]
        start, end = (np.insert(column, before, place) for column in (merged_start, merged_end))
        return Ragged.of_counts(merged.counts + empty), start, end


class OneEach(Ragged):
    """Rows of one item each: columns of items are columns of rows."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __reduce__(self) -> tuple[type[Ragged], tuple[object]]:
        """Copy without cached counts and rows."""
        return OneEach, (self._size,)

    @kept
    def offset(self) -> np.ndarray:
        """The position of each item, with an additional entry for the end of the last."""
        return np.arange(self._size + 1)

    def __len__(self) -> int:
        return self._size

    @property
    def items(self) -> int:
        """The number of items of all rows."""
        return self._size

    @kept
    def counts(self) -> np.ndarray:
        """1 for each row."""
        return np.ones(self._size, dtype=np.int64)

    @kept
    def row(self) -> np.ndarray:
        """The row of each item."""
        return np.arange(self._size)

    def expand(self, values: np.ndarray) -> np.ndarray:
        """The values themselves."""
        return values

    def sum(self, values: np.ndarray, most: int | None = None) -> np.ndarray:
        """The values themselves."""
        return values if most is None or most > 0 else np.zeros_like(values)

    def slice(self, row: int) -> slice:
        """The slice of the item of one row."""
        return slice(row, row + 1)

    def take(self, rows: np.ndarray) -> tuple[Ragged, np.ndarray]:
        """Some rows in the order given."""
        return OneEach(len(rows)), rows

    def select(self, keep: np.ndarray) -> tuple[Ragged, np.ndarray]:
        """The rows marked in `keep`."""
        return OneEach(int(np.count_nonzero(keep))), keep
