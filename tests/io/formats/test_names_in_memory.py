"""Names in dicts and frames, however a frame holds them, are those that Python finds in a list."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.core.strings import encode

LETTERS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
NAMES = st.lists(
    LETTERS | st.sampled_from(["d", "articles/0000001", "articles/0000002", "é" * 600]), min_size=1
)


def check(found, names):
    table, codes = encode(names)
    assert list(found.docs) == table and found.doc.tolist() == codes.tolist()


def frames(names):
    """The names as columns of every kind of frame."""
    half = len(names) // 2
    yield pl.DataFrame({"topic": "t", "doc": names})
    yield pl.DataFrame({"topic": "t", "doc": ["before", *names, "after"]})[1:-1]
    parts = [pl.DataFrame({"topic": "t", "doc": part}) for part in (names[:half], names[half:]) if part]
    yield pl.concat(parts, rechunk=False)
    yield pl.DataFrame({"topic": "t", "doc": pl.Series(names).cast(pl.Categorical)})
    for kind in ("string[pyarrow]", "string[python]", object, "category", pd.ArrowDtype(pa.large_string())):
        yield pd.DataFrame({"topic": "t", "doc": pd.Series(["before", *names], dtype=kind)}).iloc[1:]


@given(NAMES)
def test_names_of_dicts_and_frames_are_numbered_as_they_appear(names):
    check(dx.read_run([{"topic": "t", "doc": name} for name in names]), names)
    for frame in frames(names):
        check(dx.read_run(frame), names)


def test_many_names_and_missing_ones():
    names = [f"a/{number * 7919 % 5000:012d}" for number in range(9000)]
    check(dx.read_run([{"topic": "t", "doc": name} for name in names]), names)
    check(dx.read_run(pl.DataFrame({"topic": "t", "doc": names})), names)
    for missing in (None, ""):
        run = dx.read_run(pl.DataFrame({"topic": "t", "doc": [*names, missing], "rank": 1}))
        check(run, names)
        assert "expected a 'doc'" in str(*run.notices)
