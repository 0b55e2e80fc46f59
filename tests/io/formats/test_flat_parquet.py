"""Parquet files of our own are what every reader at hand takes them for, whatever is in the columns."""

from __future__ import annotations

import io
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from doxeval.core.strings import encode
from doxeval.io.parquet_files import parquet_bytes

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.lists(TEXTS.filter(lambda name: name and "\0" not in name), min_size=1, max_size=20, unique=True)
CELLS = {
    "text": st.none() | TEXTS,
    "integer": st.integers(-(2**63), 2**63 - 1),
    "double": st.none() | st.floats(allow_nan=False),
}


@st.composite
def tables(draw):
    """Columns by name: their kind and values; the values of a small table repeated make a large one."""
    rows, times = draw(st.integers(0, 20)), draw(st.sampled_from([1, 1, 2, 500]))
    return {
        name: (kind, times * draw(st.lists(CELLS[kind], min_size=rows, max_size=rows)))
        for name in draw(NAMES)
        for kind in [draw(st.sampled_from(sorted(CELLS)))]
    }


def column_of(kind, values):
    if kind == "text":
        words, codes = encode(value for value in values if value is not None)
        found = np.full(len(values), -1)
        found[[value is not None for value in values]] = codes
        return words, found
    if kind == "integer":
        return np.array(values, dtype=np.int64)
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def by_polars(content):
    return pl.read_parquet(io.BytesIO(content)).to_dict(as_series=False)


def by_pyarrow(content):
    return pytest.importorskip("pyarrow.parquet").read_table(io.BytesIO(content)).to_pydict()


def exactly(columns):
    """Columns in a form in which the two zeros differ."""
    return {name: list(map(repr, values)) for name, values in columns.items()}


@pytest.mark.parametrize("reader", [by_polars, by_pyarrow])
@given(tables())
@example({"all": ("text", [""] * 70_000), "many": ("text", [str(at) for at in range(70_000)])})
def test_readers_find_what_was_written(reader, tables):
    content = parquet_bytes({name: column_of(*column) for name, column in tables.items()}, {})
    assert exactly(reader(content)) == exactly({name: values for name, (_, values) in tables.items()})
    assert pl.read_parquet_schema(io.BytesIO(content)) == {
        name: {"text": pl.String, "integer": pl.Int64, "double": pl.Float64}[kind]
        for name, (kind, _) in tables.items()
    }


@given(st.dictionaries(TEXTS, TEXTS, max_size=20))
def test_texts_beside_the_columns_are_found(beside):
    metadata = pl.read_parquet_metadata(io.BytesIO(parquet_bytes({"a": np.arange(3)}, beside)))
    assert {key: text for key, text in metadata.items() if key != "ARROW:schema"} == beside


def test_duckdb_finds_what_was_written(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    columns = {
        "text": ("text", ["", None, "é", "", "x" * 300]),
        "integer": ("integer", [0, -1, 2**63 - 1, -(2**63), 5]),
        "double": ("double", [None, -0.0, math.inf, 5e-324, 0.1]),
    }
    path = tmp_path / "table.parquet"
    path.write_bytes(parquet_bytes({name: column_of(*column) for name, column in columns.items()}, {}))
    rows = zip(*(values for _, values in columns.values()), strict=True)
    assert list(map(repr, duckdb.read_parquet(str(path)).fetchall())) == list(map(repr, rows))
