"""Kernels for numbers in text: fields with known places, converted in place."""

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
    """One field by Python's conversion; NaN if it is not a number."""
    if b"_" in field:
        return NOT_A_NUMBER
    try:
        return float(field)
    except ValueError:
        return NOT_A_NUMBER


def parse_integers(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """Decimal integers at `[begin, end)`; returns `(values, good)`, good 0 if there is none in 18 digits.

    A field ends where its digits do.
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

    Short ones are exact in one division; the rest go through Python's own conversion.
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


def parse_ranges(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """Lists such as ``12:30 50:8`` at `[begin, end)`, one per row.

    Returns `(row, first, second, bad)`: the row and the two numbers of each item, and for each row 1 if the
    list is malformed or a number has more than 12 digits.
    """
    if not cython.compiled:
        return _parse_ranges_plain(data, begin, end)
    rows: cython.Py_ssize_t = begin.shape[0]
    most: cython.Py_ssize_t = data.count(b":")
    row: cython.longlong[::1] = np.empty(most, dtype=np.int64)
    first: cython.longlong[::1] = np.empty(most, dtype=np.int64)
    second: cython.longlong[::1] = np.empty(most, dtype=np.int64)
    bad: cython.uchar[::1] = np.zeros(rows, dtype=np.uint8)
    text: cython.p_char = data
    found: cython.Py_ssize_t = 0
    digits: cython.int
    part: cython.int
    value: cython.longlong
    for at in range(rows):
        position = begin[at]
        while position < end[at]:
            if text[position] == 32 or text[position] == 9 or text[position] == 13:
                position += 1
                continue
            for part in range(2):
                value = 0
                digits = 0
                while position < end[at] and 48 <= text[position] <= 57 and digits < 13:
                    value = value * 10 + (text[position] - 48)
                    digits += 1
                    position += 1
                if digits == 0 or digits > 12:
                    bad[at] = 1
                    break
                if part == 0:
                    if position == end[at] or text[position] != 58:
                        bad[at] = 1
                        break
                    position += 1
                    first[found] = value
                else:
                    second[found] = value
            if bad[at] or (
                position < end[at] and text[position] != 32 and text[position] != 9 and text[position] != 13
            ):
                bad[at] = 1
                break
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
