"""Grouped columns: expanding groups into rows, and finding places in documents by one sorted key."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import UsageError


def expand(first: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows `first[g]`, `first[g] + 1`, ... (`count[g]` of them) of every group, and the group of each.

    >>> expand(np.array([5, 9]), np.array([2, 1]))
    (array([0, 0, 1]), array([5, 6, 9]))
    """
    owner = np.repeat(np.arange(len(count)), count)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(count) - count - first, count)


def offsets(count: np.ndarray) -> np.ndarray:
    """Where each group begins, given how many rows each has; one more entry for the end of the last."""
    offset = np.zeros(len(count) + 1, dtype=np.int64)
    np.cumsum(count, out=offset[1:])
    return offset


def sums(group: np.ndarray, values: np.ndarray, groups: int) -> np.ndarray:
    """Sums of a column by group, as floating-point numbers even where there is nothing to add."""
    return np.bincount(group, weights=values, minlength=groups).astype(np.float64, copy=False)


def distinct(values: np.ndarray) -> np.ndarray:
    """The different values, ascending; by sorting, which is steady where numpy's hashing of keys is not."""
    ordered = np.sort(values)
    return ordered[np.concatenate([[True], np.diff(ordered) != 0])] if len(ordered) else ordered


def width_of(*columns: np.ndarray) -> int:
    """A number larger than every place in the columns, so that `group * width + place` sorts by both."""
    return 1 + max(int(column.max(initial=0)) for column in columns)


def keys(group: np.ndarray, place: np.ndarray, width: int) -> np.ndarray:
    """One integer for a group and a place in it."""
    if len(group) and int(group.max()) * width >= 1 << 62:
        raise UsageError("the documents are too long and too many to be scored at once; split the topics")
    return group * width + place


def overlaps(
    begin: np.ndarray, stop: np.ndarray, piece_begin: np.ndarray, piece_stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """All pairs (range, piece) that share something, both given as keys; pieces are sorted and disjoint."""
    first = np.searchsorted(piece_stop, begin, side="right")
    after = np.searchsorted(piece_begin, stop, side="left")
    return expand(first, np.maximum(after - first, 0))
