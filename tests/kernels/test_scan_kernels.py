"""Compiled and plain kernels for text give the same arrays on any bytes."""

from __future__ import annotations

import importlib.util
import re
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval.kernels
from doxeval.kernels import names, scan


def plain_module(name):
    path = Path(doxeval.kernels.__file__).parent / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"plain_{name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"plain_{name}"] = module
    spec.loader.exec_module(module)
    return module


PLAIN = plain_module("scan")
PLAIN_NAMES = plain_module("names")
PIECES = (
    *(
        b"a",
        b"-12",
        b"7",
        b"+0",
        b"1.5",
        b"1e3",
        b"x:y",
        b"12:30",
        b"5:",
        b":",
        b"nan",
        b"\xff",
        b"\0",
        b"1_0",
    ),
    *(b" ", b"  ", b"\t", b"\n", b"\r\n", b"\r", b".", b"-", b"5.", b".5", b"+-1", b"0.1234567890123456789"),
    *(b"9" * 17, b"9" * 18, b"9" * 19, b"123456789012:1", b"1234567890123:1"),
)
LINES = st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join)
ANY = st.one_of(LINES, st.binary(max_size=60))


def same(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        assert np.array_equal(a, b)


def test_the_plain_module_is_plain():
    assert not PLAIN.COMPILED


def fields_of(data):
    """Where the lines that are one field begin and end."""
    fields = list(re.finditer(rb"(?<![^\n])[ \t\r]*([^ \t\r\n]+)[ \t\r]*(?![^\n])", data))
    places = np.array([field.span(1) for field in fields], dtype=np.int32).reshape(-1, 2)
    return places[:, 0].copy(), places[:, 1].copy()


@given(ANY)
@pytest.mark.parametrize("kernel", ["parse_integers", "parse_floats", "parse_ranges"])
def test_numbers(kernel, data):
    begin, end = fields_of(data)
    same(getattr(scan, kernel)(data, begin, end), getattr(PLAIN, kernel)(data, begin, end))


@given(ANY)
def test_names(data):
    begin, end = fields_of(data)
    same(names.intern_fields(data, begin, end), PLAIN_NAMES.intern_fields(data, begin, end))
    same(names.gather_fields(data, begin, end), PLAIN_NAMES.gather_fields(data, begin, end))


@given(st.binary(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=200))
def test_names_anywhere(data, bounds):
    begin, end = np.sort(np.minimum(np.array(bounds, dtype=np.int32).reshape(-1, 2), len(data))).T
    codes, offset, letters = names.intern_fields(data, begin, end)
    fields = [data[a:b] for a, b in zip(begin, end, strict=True)]
    table = [letters[a:b].tobytes() for a, b in pairwise(offset)]
    assert table == list(dict.fromkeys(fields)) and [table[code] for code in codes] == fields


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20))
def test_floats_are_rounded_correctly(values):
    data = "\n".join(repr(value) for value in values).encode()
    begin, end = fields_of(data)
    found, good = scan.parse_floats(data, begin, end)
    assert good.all() and found.tolist() == values
