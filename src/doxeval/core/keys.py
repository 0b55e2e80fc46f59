"""Places in groups as one sorted key, `group * width + place`: one sort and one search handle all groups."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.ragged import Ragged, running_totals


def key_width(*columns: np.ndarray) -> int:
    """A number larger than every place in the columns, so `group * width + place` sorts by both."""
    return 1 + max(int(column.max(initial=0)) for column in columns)


def keys(group: np.ndarray, place: np.ndarray, width: int) -> np.ndarray:
    """One integer for a group and a place in it."""
    if len(group) and int(group.max()) * width >= 1 << 62:
        raise UsageError("the documents are too long and too many to be scored at once; split the topics")
    return group * width + place


def find_keys(table: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The position of each wanted key in a sorted table, -1 if it is not there.

    >>> find_keys(np.array([2, 5]), np.array([5, 3, 9])).tolist()
    [1, -1, -1]
    """
    if not len(table):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(table, wanted), len(table) - 1)
    return np.where(table[at] == wanted, at, -1)


def met_by(
    begin: np.ndarray, stop: np.ndarray, piece_begin: np.ndarray, piece_stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each range the first piece that overlaps it, and how many do; like :func:`overlaps`."""
    first = np.searchsorted(piece_stop, begin, side="right")
    return first, np.maximum(np.searchsorted(piece_begin, stop, side="left") - first, 0)


def overlaps(
    begin: np.ndarray, stop: np.ndarray, piece_begin: np.ndarray, piece_stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """All pairs (range, piece) that overlap, both given as keys; pieces are sorted and disjoint."""
    first, count = met_by(begin, stop, piece_begin, piece_stop)
    met = Ragged.of_counts(count)
    return met.row, met.place + met.expand(first)


def amount_within(
    begin: np.ndarray, stop: np.ndarray, piece_begin: np.ndarray, piece_stop: np.ndarray
) -> np.ndarray:
    """How much of each range lies in pieces, both given as keys; pieces are sorted and disjoint.

    >>> amount_within(np.array([0, 7]), np.array([6, 9]), np.array([2, 5]), np.array([4, 8])).tolist()
    [3, 1]
    """
    total, stops = running_totals(piece_stop - piece_begin), np.append(piece_stop, 0)
    begun, begun_before = (np.searchsorted(piece_begin, place, side="right") for place in (stop, begin))
    up_to_stop = total[begun] - np.maximum(stops[begun - 1] - stop, 0)
    return up_to_stop - (total[begun_before] - np.maximum(stops[begun_before - 1] - begin, 0))


def first_of_equals(*columns: np.ndarray) -> np.ndarray:
    """A mask of the rows of sorted columns that differ from the row before them.

    >>> first_of_equals(np.array([1, 1, 1]), np.array([4, 4, 5])).tolist()
    [True, False, True]
    """
    first = np.ones(len(columns[0]), dtype=bool)
    first[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return first
