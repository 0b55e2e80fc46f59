"""Ragged columns: rows that have several items each, as offsets into columns of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Ragged:
    """Row i has the items `offset[i]` to `offset[i + 1]` of whatever columns go with it.

    >>> groups = Ragged.of_counts([2, 0, 1])
    >>> groups.row.tolist(), groups.place.tolist(), groups.sum(np.array([5, 6, 7])).tolist()
    ([0, 0, 2], [0, 1, 0], [11, 0, 7])
    """

    offset: np.ndarray

    @classmethod
    def of_counts(cls, counts: np.ndarray | Sequence[int]) -> Ragged:
        """Rows of so many items each."""
        offset = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=offset[1:])
        return cls(offset)

    @classmethod
    def of_rows(cls, row: np.ndarray, size: int) -> Ragged:
        """Items that stand in the order of their rows, of which there are `size`."""
        return cls.of_counts(np.bincount(row, minlength=size))

    @classmethod
    def of_runs(cls, keys: np.ndarray) -> Ragged:
        """A row for each run of equal keys."""
        first = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1 if len(keys) else 0))
        return cls(np.append(first, len(keys)).astype(np.int64))

    def __len__(self) -> int:
        return len(self.offset) - 1

    @property
    def items(self) -> int:
        """How many items all rows have."""
        return int(self.offset[-1])

    @cached_property
    def counts(self) -> np.ndarray:
        """How many items each row has."""
        return np.diff(self.offset)

    @cached_property
    def row(self) -> np.ndarray:
        """The row of each item."""
        return np.repeat(np.arange(len(self)), self.counts)

    @property
    def place(self) -> np.ndarray:
        """The place of each item within its row, from 0."""
        return np.arange(self.items) - self.expand(self.offset[:-1])

    def expand(self, values: np.ndarray) -> np.ndarray:
        """Values of rows, for each item."""
        return np.repeat(values, self.counts)

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sums of a column of whole numbers, for each row."""
        total = np.zeros(len(values) + 1, dtype=np.int64)
        np.cumsum(values, out=total[1:])
        return total[self.offset[1:]] - total[self.offset[:-1]]

    def add(self, values: np.ndarray) -> np.ndarray:
        """Sums of a column of fractions for each row; a row's sum owes nothing to the rows before it."""
        return np.bincount(self.row, weights=values, minlength=len(self))

    def take(self, rows: np.ndarray) -> tuple[Ragged, np.ndarray]:
        """Some rows in the order given, and where their items stand in the columns."""
        taken = Ragged.of_counts(self.counts[rows])
        return taken, np.arange(taken.items) + taken.expand(self.offset[rows] - taken.offset[:-1])

    def select(self, keep: np.ndarray) -> tuple[Ragged, np.ndarray]:
        """The rows marked in `keep`, and which items are theirs."""
        return Ragged.of_counts(self.counts[keep]), self.expand(keep)

    def keep_items(self, keep: np.ndarray) -> Ragged:
        """The same rows with only the items marked in `keep`."""
        before = np.zeros(len(keep) + 1, dtype=np.int64)
        np.cumsum(keep, out=before[1:])
        return Ragged(before[self.offset])

    def slice(self, row: int) -> slice:
        """Where the items of one row stand."""
        return slice(int(self.offset[row]), int(self.offset[row + 1]))
