"""Kernels for numbers in text: fields with known places, converted in place."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

if cython.compiled:
    from cython.cimports.doxeval.kernels.digits import take_integer, take_number

COMPILED = cython.compiled

NOT_A_NUMBER = float("nan")
LARGEST = 10**18 - 1
LARGEST_EXACT_POWER = 22
POWERS_OF_TEN = np.array([10.0**power for power in range(LARGEST_EXACT_POWER + 1)])


def parse_float(field: bytes):
    """One field by Python's conversion; NaN if it is not a number.

    >>> parse_float(b"1e3"), parse_float(b"1_0"), parse_float(b"x")
    (1000.0, nan, nan)
    """
    if b"_" in field:
        return NOT_A_NUMBER
    try:
        return float(field)
    except ValueError:
        return NOT_A_NUMBER


def parse_integers(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """Decimal integers at `[begin, end)`; returns `(values, good)`, good 0 if there is none in 18 digits.

    A field ends where its digits do.

    >>> begin, end = np.array([0, 3], dtype=np.int32), np.array([2, 5], dtype=np.int32)
    >>> [column.tolist() for column in parse_integers(b"-7 x1 ", begin, end)]
    [[-7, 0], [1, 0]]
    """
    if not cython.compiled:
        return _parse_integers_plain(data, begin, end)
    size: cython.Py_ssize_t = begin.shape[0]
    values: cython.longlong[::1] = np.zeros(size, dtype=np.int64)
    good: cython.uchar[::1] = np.zeros(size, dtype=np.uint8)
    text: cython.p_const_uchar = data
    largest: cython.ulonglong = LARGEST
    value: cython.longlong = 0
    fine: cython.bint = False
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(size):
            stop = take_integer(text, begin[row], largest, cython.address(value), cython.address(fine))
            if fine and stop == end[row]:
                values[row] = value
                good[row] = 1
    return np.asarray(values), np.asarray(good)


def _parse_integers_plain(data, begin, end):
    """`parse_integers` without a compiler."""
    values = np.zeros(len(begin), dtype=np.int64)
    good = np.zeros(len(begin), dtype=np.uint8)
    for row, (start, stop) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        field = data[start:stop]
        digits = field[1:] if field[:1] in (b"-", b"+") else field
        if digits.isdigit() and len(digits) <= 18:
            values[row] = int(field)
            good[row] = 1
    return values, good


def parse_floats(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """Finite decimal numbers at `[begin, end)`, correctly rounded; returns `(values, good)`.

    Digits up to 2^53 and powers of ten up to 10^22 are exact as doubles, so one division of the two rounds
    once, correctly: 0.125 is 125 / 10^3. The rest go through Python's own conversion.

    >>> begin, end = np.array([0, 6, 10], dtype=np.int32), np.array([5, 9, 13], dtype=np.int32)
    >>> [column.tolist() for column in parse_floats(b"0.125 1e3 inf ", begin, end)]
    [[0.125, 1000.0, 0.0], [1, 1, 0]]
    """
    if not cython.compiled:
        return _parse_floats_plain(data, begin, end)
    size: cython.Py_ssize_t = begin.shape[0]
    values: cython.double[::1] = np.zeros(size, dtype=np.float64)
    good: cython.uchar[::1] = np.zeros(size, dtype=np.uint8)
    powers: cython.double[::1] = POWERS_OF_TEN
    text: cython.p_const_uchar = data
    value: cython.double = 0.0
    fine: cython.bint = False
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(size):
            stop = take_number(
                text, begin[row], cython.address(powers[0]), cython.address(value), cython.address(fine)
            )
            if not fine or stop != end[row]:
                with cython.gil:
                    value = parse_float(data[begin[row] : end[row]])
            if value - value == 0:
                values[row] = value
                good[row] = 1
    return np.asarray(values), np.asarray(good)


def _parse_floats_plain(data, begin, end):
    """`parse_floats` without a compiler."""
    values = np.array(
        [parse_float(data[at:stop]) for at, stop in zip(begin.tolist(), end.tolist(), strict=True)],
        dtype=np.float64,
    )
    good = np.isfinite(values)
    return np.where(good, values, 0.0), good.astype(np.uint8)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _take_digits(
    text: cython.p_const_uchar,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    value: cython.p_longlong,
) -> cython.Py_ssize_t:
    """Read a number of 1 to 12 digits; returns its end, -1 if it is none."""
    at: cython.Py_ssize_t = begin
    value[0] = 0
    while at < end and 48 <= text[at] <= 57 and at - begin < 13:
        value[0] = value[0] * 10 + (text[at] - 48)
        at += 1
    return at if 0 < at - begin <= 12 else -1


def parse_ranges(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """Lists such as ``12:30 50:8`` at `[begin, end)`, one per row.

    Returns `(row, first, second, bad)`: the row and the two numbers of each item, and for each row 1 if the
    list is malformed or a number has more than 12 digits; the items before such a place are kept.

    >>> begin, end = np.array([0, 11], dtype=np.int32), np.array([10, 15], dtype=np.int32)
    >>> [column.tolist() for column in parse_ranges(b"12:30 50:8 7:x9", begin, end)]
    [[0, 0], [12, 50], [30, 8], [0, 1]]
    """
    if not cython.compiled:
        return _parse_ranges_plain(data, begin, end)
    rows: cython.Py_ssize_t = begin.shape[0]
    most: cython.Py_ssize_t = data.count(b":")
    row: cython.longlong[::1] = np.empty(most, dtype=np.int64)
    first: cython.longlong[::1] = np.empty(most, dtype=np.int64)
    second: cython.longlong[::1] = np.empty(most, dtype=np.int64)
    bad: cython.uchar[::1] = np.zeros(rows, dtype=np.uint8)
    text: cython.p_const_uchar = data
    found: cython.Py_ssize_t = 0
    position: cython.Py_ssize_t
    value: cython.longlong = 0
    at: cython.Py_ssize_t
    with cython.nogil:
        for at in range(rows):
            position = begin[at]
            while True:
                while position < end[at] and text[position] in (9, 13, 32):
                    position += 1
                if position == end[at]:
                    break
                # An item is digits, a colon, digits, and then a blank or the end of the list; each colon of
                # the data is in at most one item, so there is room for all items.
                position = _take_digits(text, position, end[at], cython.address(value))
                if position < 0 or position == end[at] or text[position] != 58:
                    bad[at] = 1
                    break
                first[found] = value
                position = _take_digits(text, position + 1, end[at], cython.address(value))
                if position < 0 or (position < end[at] and text[position] not in (9, 13, 32)):
                    bad[at] = 1
                    break
                second[found] = value
                row[found] = at
                found += 1
    return np.asarray(row)[:found], np.asarray(first)[:found], np.asarray(second)[:found], np.asarray(bad)


def _parse_ranges_plain(data, begin, end):
    """`parse_ranges` without a compiler."""
    items = []
    bad = np.zeros(len(begin), dtype=np.uint8)
    for at, (start, stop) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        for item in data[start:stop].replace(b"\t", b" ").replace(b"\r", b" ").split(b" "):
            if not item:
                continue
            first, colon, second = item.partition(b":")
            if not (colon and first.isdigit() and second.isdigit() and max(len(first), len(second)) <= 12):
                bad[at] = 1
                break
            items.append((at, int(first), int(second)))
    columns = np.array(items, dtype=np.int64).reshape(-1, 3)
    return columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy(), bad
