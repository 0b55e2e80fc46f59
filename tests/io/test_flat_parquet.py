"""Parquet files of plain columns, as read here and by polars."""

from __future__ import annotations

import io
import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxeval.io.flat_parquet import column_names, flat_table
from doxeval.kernels.snappy import snappy_unpacked

MOST = 1 << 26
KINDS = {
    "text": (pl.String, st.sampled_from(["", "d1", "tk/2003/é", "x" * 300, "t9"])),
    "long": (pl.Int64, st.integers(-(2**63), 2**63 - 1)),
    "short": (pl.Int32, st.integers(-3, 3)),
    "number": (pl.Float64, st.floats(allow_nan=False)),
    "half": (pl.Float32, st.floats(width=32, allow_nan=False)),
    "yes": (pl.Boolean, st.booleans()),
}


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    size = draw(st.sampled_from([0, 1, 7, 8, 9, 40, 700]))
    chance = random.Random(draw(st.integers(0, 10**6)))
    columns = {}
    for name in draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, unique=True)):
        kind, values = KINDS[name]
        few = draw(st.lists(values | st.none() if draw(st.booleans()) else values, min_size=1, max_size=9))
        columns[name] = pl.Series(chance.choices(few, k=size), dtype=kind)
    return pl.DataFrame(columns)


@given(
    frames(),
    st.sampled_from(["zstd", "snappy", "gzip", "uncompressed"]),
    st.sampled_from([None, 9]),
    st.sampled_from([None, 64]),
)
@settings(max_examples=25, deadline=None)
def test_plain_columns_are_read_as_polars_reads_them(frame, compression, group, page):
    stream = io.BytesIO()
    frame.write_parquet(stream, compression=compression, row_group_size=group, data_page_size=page)
    found = flat_table(stream.getvalue(), MOST)
    assert found is not None and found.size == frame.height
    assert {name: column.tolist() for name, column in found.columns.items()} == frame.to_dict(as_series=False)
    assert column_names(stream.getvalue()) == set(frame.columns)


def test_files_of_pandas_are_read_in_both_versions_of_pages():
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"doc": ["a", None, "b", "a"] * 50, "rank": list(range(200)), "score": [0.5, None] * 100}
    for version in ("1.0", "2.0"):
        for used in (True, False):
            stream = io.BytesIO()
            parquet.write_table(arrow.table(columns), stream, data_page_version=version, use_dictionary=used)
            found = flat_table(stream.getvalue(), MOST)
            assert found is not None
            assert {name: column.tolist() for name, column in found.columns.items()} == columns


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"spans": [[[1, 2]]]}),
        pl.DataFrame({"day": ["2020-01-01"]}).with_columns(pl.col("day").str.to_date()),
        pl.DataFrame({"rank": pl.Series([1], dtype=pl.UInt64)}),
        pl.DataFrame({"bytes": [b"\xff"]}),
        pl.DataFrame({"pair": [{"a": 1, "b": [2]}], "rank": [1]}),
    ],
)
def test_other_columns_are_left_to_polars_and_their_names_known(frame):
    stream = io.BytesIO()
    frame.write_parquet(stream)
    assert flat_table(stream.getvalue(), MOST) is None
    assert column_names(stream.getvalue()) == set(frame.columns)


@given(st.integers(0, 10**9), st.sampled_from(["zstd", "snappy", "gzip", "uncompressed"]))
@settings(max_examples=25, deadline=None)
def test_whatever_is_damaged_is_refused_or_read(seed, compression):
    chance = random.Random(seed)
    stream = io.BytesIO()
    rows = {"doc": [f"d{at % 13}" for at in range(90)], "rank": list(range(90)), "score": [0.5, None] * 45}
    pl.DataFrame(rows).write_parquet(stream, compression=compression)
    content = bytearray(stream.getvalue())
    for _ in range(chance.randint(1, 4)):
        content[chance.randrange(len(content))] = chance.randrange(256)
    found = flat_table(bytes(content[: chance.choice([len(content), chance.randrange(len(content))])]), MOST)
    assert found is None or all(len(column.values) == found.size for column in found.columns.values())
    column_names(bytes(content))


def test_more_than_the_limit_is_left_to_polars():
    stream = io.BytesIO()
    pl.DataFrame({"rank": [7] * 100_000}).write_parquet(stream)
    assert flat_table(stream.getvalue(), 100_000) is None
    assert flat_table(stream.getvalue(), MOST) is not None


@given(st.binary(max_size=60), st.integers(0, 90))
def test_no_block_unpacks_to_another_size(packed, size):
    found = snappy_unpacked(packed, size)
    assert found is None or len(found) == size
