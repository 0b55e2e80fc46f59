"""Ragged columns against lists of lists."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxeval.core.keys import find_keys, first_of_equals, overlaps
from doxeval.core.ragged import OneEach, Ragged

LISTS = st.lists(st.lists(st.integers(-5, 9), max_size=4), max_size=6)


def ragged(lists: list[list[int]]) -> tuple[Ragged, np.ndarray]:
    return Ragged.of_counts([len(row) for row in lists]), np.array(
        [item for row in lists for item in row], dtype=np.int64
    )


def as_lists(rows: Ragged, values: np.ndarray) -> list[list[int]]:
    return [values[rows.slice(row)].tolist() for row in range(len(rows))]


@given(LISTS, st.data())
def test_rows_are_summed_expanded_taken_and_kept_as_lists_are(
    lists: list[list[int]], data: st.DataObject
) -> None:
    rows, values = ragged(lists)
    assert as_lists(rows, values) == lists and rows.items == len(values)
    assert rows.row.tolist() == [at for at, row in enumerate(lists) for _ in row]
    assert rows.place.tolist() == [at for row in lists for at in range(len(row))]
    assert rows.sum(values).tolist() == rows.add(values).tolist() == [sum(row) for row in lists]
    assert rows.sum(values, 2).tolist() == [sum(row[:2]) for row in lists]
    assert as_lists(rows, rows.before(values)) == [[sum(row[:at]) for at in range(len(row))] for row in lists]
    for column in (values, values.astype(np.float64)):
        so_far = [[sum(row[: at + 1]) for at in range(len(row))] for row in lists]
        assert as_lists(rows, rows.cumulate(column)) == so_far
    chosen = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=5)) if lists else []
    taken, at = rows.take(np.array(chosen, dtype=np.int64))
    assert as_lists(taken, values[at]) == [lists[row] for row in chosen]
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(lists), max_size=len(lists))), dtype=bool)
    selected, theirs = rows.select(keep)
    assert as_lists(selected, values[theirs]) == [row for row, kept in zip(lists, keep, strict=True) if kept]
    assert as_lists(rows.keep_items(values > 0), values[values > 0]) == [
        [v for v in row if v > 0] for row in lists
    ]
    assert pickle.loads(pickle.dumps(rows)).offset.tolist() == rows.offset.tolist()


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 9))))
def test_items_in_any_order_are_gathered(items: list[tuple[int, int]]) -> None:
    row, value = np.array(items, dtype=np.int64).reshape(-1, 2).T
    rows, values = Ragged.gathered(row, 4, value)
    assert as_lists(rows, values) == [sorted(v for r, v in items if r == number) for number in range(4)]


@given(st.lists(st.integers(0, 2)), st.data())
def test_one_item_each_is_a_special_case(values: list[int], data: st.DataObject) -> None:
    short, column = OneEach(len(values)), np.array(values, dtype=np.int64)
    plain = Ragged(short.offset)
    for name in ("row", "counts", "place", "first"):
        assert getattr(short, name).tolist() == getattr(plain, name).tolist()
    for name in ("expand", "sum", "add", "before", "cumulate"):
        assert getattr(short, name)(column).tolist() == getattr(plain, name)(column).tolist()
    keep = column > 0
    for method, argument in (("select", keep), ("take", np.flatnonzero(keep))):
        (ours, our_items), (theirs, their_items) = (
            getattr(short, method)(argument),
            getattr(plain, method)(argument),
        )
        assert (
            ours.offset.tolist() == theirs.offset.tolist()
            and column[our_items].tolist() == column[their_items].tolist()
        )
    assert len(short) == short.items == len(pickle.loads(pickle.dumps(short)))


@given(st.lists(st.integers(0, 2)))
def test_runs_of_equal_keys_are_rows(keys: list[int]) -> None:
    column = np.array(keys, dtype=np.int64)
    rows = Ragged.of_runs(column)
    assert [key for row in as_lists(rows, column) for key in row] == keys and all(
        len(set(row)) == 1 for row in as_lists(rows, column)
    )
    assert len(rows) == first_of_equals(column).sum()


def test_ranges_are_merged_within_rows_and_counted_over_rows_of_rows() -> None:
    rows, start, end = Ragged.of_counts([3, 1]).merge(np.array([0, 4, 9, 4]), np.array([4, 6, 9, 6]))
    assert as_lists(rows, start) == [[0], [4]] and as_lists(rows, end) == [[6], [6]]
    apart, start, _ = Ragged.of_counts([2]).merge(np.array([0, 4]), np.array([4, 6]), touching=False)
    assert as_lists(apart, start) == [[0, 4]]
    assert Ragged.of_counts([2, 1]).over(Ragged.of_counts([1, 3, 2])).counts.tolist() == [4, 2]


def test_keys_are_found_and_ranges_meet_pieces() -> None:
    assert find_keys(np.zeros(0, dtype=np.int64), np.array([3])).tolist() == [-1]
    row, piece = overlaps(np.array([0, 5]), np.array([4, 6]), np.array([1, 3, 9]), np.array([3, 6, 10]))
    assert list(zip(row.tolist(), piece.tolist(), strict=True)) == [(0, 0), (0, 1), (1, 1)]


def test_one_item_each_is_summed_up_to_a_number_of_items() -> None:
    values = np.array([3, 1, 2])
    assert OneEach(3).sum(values).tolist() == OneEach(3).sum(values, most=1).tolist() == [3, 1, 2]
    assert OneEach(3).sum(values, most=0).tolist() == [0, 0, 0]
