"""Compiled and plain kernels for text give the same arrays on any bytes."""

from __future__ import annotations

import importlib.util
import sys
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


@given(ANY, st.integers(1, 5))
def test_split_fields(data, most):
    compiled = scan.split_fields(data, most, data.count(b"\n") + 1)
    plain = PLAIN.split_fields(data, most, data.count(b"\n") + 1)
    used = [slice(None), slice(None)]
    for row in range(len(compiled[2])):
        used[1] = slice(0, min(most, compiled[2][row]))
        assert np.array_equal(compiled[0][row, used[1]], plain[0][row, used[1]])
        assert np.array_equal(compiled[1][row, used[1]], plain[1][row, used[1]])
    same(compiled[2:], plain[2:])


def fields_of(data):
    begin, end, count, _ = PLAIN.split_fields(data, 1, 0)
    one = count == 1
    return np.ascontiguousarray(begin[one, 0]), np.ascontiguousarray(end[one, 0])


@given(ANY)
@pytest.mark.parametrize("kernel", ["parse_integers", "parse_floats", "parse_ranges"])
def test_numbers(kernel, data):
    begin, end = fields_of(data)
    same(getattr(scan, kernel)(data, begin, end), getattr(PLAIN, kernel)(data, begin, end))


@given(ANY)
def test_names(data):
    begin, end = fields_of(data)
    codes, first = names.intern_fields(data, begin, end)
    same((codes, first), PLAIN_NAMES.intern_fields(data, begin, end))
    same(names.gather_fields(data, begin, end, first), PLAIN_NAMES.gather_fields(data, begin, end, first))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20))
def test_floats_are_rounded_correctly(values):
    data = "\n".join(repr(value) for value in values).encode()
    begin, end = fields_of(data)
    found, good = scan.parse_floats(data, begin, end)
    assert good.all() and found.tolist() == values
