"""Dict rows taken apart in one pass give the columns that they give key by key, whatever they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.io.formats import columns as module
from doxeval.io.formats.columns import Column, columns_from_dicts
from doxeval.kernels import objects

KEYS = ("topic", "doc", "rank", "score", "start", "spans", "colour")
NAMES = st.one_of(st.sampled_from(["t1", "t2", "dör", "", "x" * 1001, "\ud800", "a\0b"]), st.text(max_size=3))


class Text(str):
    """A string that is not only that."""


VALUES = st.one_of(
    NAMES,
    st.integers(-5, 5),
    st.floats(),
    st.sampled_from([None, True, 10**30, -(2**63), 2**63, 1 << 41, np.int64(3), [[1, 2]], b"x", Text("s")]),
)
USUAL = {
    "topic": NAMES,
    "doc": NAMES,
    "rank": st.integers(0, 9),
    "score": st.floats(0, 1),
    "start": st.integers(),
}


@st.composite
def rows_of_any_kind(draw: st.DrawFn) -> list[Any]:
    keys = draw(st.lists(st.sampled_from(KEYS), unique=True))
    usual = draw(st.booleans())
    values = {key: USUAL.get(key, VALUES) if usual else VALUES for key in keys}
    rows: list[Any] = draw(st.lists(st.fixed_dictionaries(values), max_size=6))
    if rows and draw(st.integers(0, 3)) == 0:
        odd = draw(st.sampled_from(range(len(rows))))
        rows[odd] = draw(st.sampled_from([dict(reversed(rows[odd].items())), {"topic": "t"}, {1: 2}, {}]))
    return rows


def seen(column: Column) -> Any:
    """All of a column, NaN equal to NaN and the type of every value told."""
    return repr(
        (
            column.values.tolist(),
            column.values.dtype,
            column.present.tolist(),
            column.wrong,
            list(column.table),
        )
    )


@given(rows_of_any_kind())
def test_one_pass_gives_what_going_key_by_key_gives(rows: list[Any]) -> None:
    found = columns_from_dicts(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objects, "columns_of_dicts", lambda *_: None)
        patch.setattr(objects, "names", lambda *_: None)
        expected = columns_from_dicts(rows)
    assert list(found) == list(expected)
    for key, column in found.items():
        assert seen(column) == seen(expected[key])


def test_usual_rows_are_taken_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal keys need not be the same objects."""
    if objects.columns_of_dicts([], [], b"") is None:
        pytest.skip("plain Python kernels")
    monkeypatch.setattr(module, "column_of", None)
    rows = [{"".join(("to", "pic")): f"t{at}", "rank": at, "score": at / 2, "doc": "dö"} for at in range(3)]
    columns = columns_from_dicts(rows)
    assert list(columns["topic"].table) == ["t0", "t1", "t2"] and list(columns["doc"].table) == ["dö"]
    assert columns["rank"].values.tolist() == [0, 1, 2] and columns["score"].values.tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("rows", [["x"], [{"topic": "t", "doc": "d"}, 7]])
def test_what_is_no_dict_is_refused_with_its_row(rows: list[Any]) -> None:
    with pytest.raises(dx.InputError, match=f"row {len(rows)}: expected a dict, found"):
        dx.read_run(rows)
