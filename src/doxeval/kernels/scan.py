"""Kernels for text: lines into fields, fields into numbers.

A block of bytes is split once (`split_fields`), then each column is converted where it stands
(`parse_integers`, `parse_floats`; names by `names.intern_fields`): no Python object is made per line or
per field.
"""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

COMPILED = cython.compiled

CLASSES = np.zeros(256, dtype=np.uint8)
"""What a byte is: 0 part of a field, 1 a blank, 2 the end of a line."""
CLASSES[[9, 13, 32]] = 1
CLASSES[10] = 2

NOT_A_NUMBER = float("nan")
LONGEST_EXACT_MANTISSA = 15
LARGEST_EXACT_POWER = 22
POWERS_OF_TEN = np.array([10.0**power for power in range(LARGEST_EXACT_POWER + 1)])


def split_fields(data: bytes, most: cython.Py_ssize_t, lines_hint: cython.Py_ssize_t):
    """Split lines at blanks and tabs.

    Returns `(begin, end, count, line)`: for each line that is not blank, the byte positions of its first
    `most` fields (two arrays of shape lines x most), how many fields the line has in all, and its number
    counted from 0. A block has less than 2 GiB. Carriage returns count as blanks. In a line with more than
    `most` fields the last field kept runs to the last field's end.
    """
    if not cython.compiled:
        return _split_fields_plain(data, most)
    size: cython.Py_ssize_t = len(data)
    begin: cython.int[:, ::1] = np.zeros((lines_hint, most), dtype=np.int32)
    end: cython.int[:, ::1] = np.zeros((lines_hint, most), dtype=np.int32)
    count: cython.int[::1] = np.empty(lines_hint, dtype=np.int32)
    line: cython.longlong[::1] = np.empty(lines_hint, dtype=np.int64)
    text: cython.p_char = data
    position: cython.Py_ssize_t = 0
    number: cython.Py_ssize_t = 0
    row: cython.Py_ssize_t = 0
    fields: cython.int
    classes: cython.uchar[::1] = CLASSES
    while position < size:
        fields = 0
        while position < size:
            while position < size and classes[cython.cast(cython.uchar, text[position])] == 1:
                position += 1
            if position == size or text[position] == 10:
                break
            start = position
            while position < size and classes[cython.cast(cython.uchar, text[position])] == 0:
                position += 1
            if fields < most:
                begin[row, fields] = start
                end[row, fields] = position
            else:
                end[row, most - 1] = position
            fields += 1
        if fields > 0:
            count[row] = fields
            line[row] = number
            row += 1
        number += 1
        position += 1
    return np.asarray(begin)[:row], np.asarray(end)[:row], np.asarray(count)[:row], np.asarray(line)[:row]


def _split_fields_plain(data, most):
    """`split_fields` without a compiler: the same arrays from Python's own splitting."""
    begins, ends, counts, lines = [], [], [], []
    start_of_line = 0
    for number, text in enumerate(data.split(b"\n")):
        spaced = text.replace(b"\t", b" ").replace(b"\r", b" ")
        fields = spaced.split(b" ")
        position = start_of_line
        begin, end = [0] * most, [0] * most
        count = 0
        for field in fields:
            if field:
                if count < most:
                    begin[count] = position
                end[min(count, most - 1)] = position + len(field)
                count += 1
            position += len(field) + 1
        if count:
            begins.append(begin)
            ends.append(end)
            counts.append(count)
            lines.append(number)
        start_of_line += len(text) + 1
    return (
        np.array(begins, dtype=np.int32).reshape(-1, most),
        np.array(ends, dtype=np.int32).reshape(-1, most),
        np.array(counts, dtype=np.int32),
        np.array(lines, dtype=np.int64),
    )


def parse_integers(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """Decimal integers at `[begin, end)`; returns `(values, good)`, good 0 where there is none in 64 bits."""
    if not cython.compiled:
        return _parse_integers_plain(data, begin, end)
    size: cython.Py_ssize_t = begin.shape[0]
    values: cython.longlong[::1] = np.zeros(size, dtype=np.int64)
    good: cython.uchar[::1] = np.zeros(size, dtype=np.uint8)
    text: cython.p_char = data
    value: cython.longlong
    negative: cython.bint
    digit: cython.int
    for row in range(size):
        position = begin[row]
        stop = end[row]
        negative = False
        if position < stop and (text[position] == 45 or text[position] == 43):
            negative = text[position] == 45
            position += 1
        if position == stop or stop - position > 18:
            continue
        value = 0
        while position < stop:
            digit = text[position] - 48
            if digit < 0 or digit > 9:
                break
            value = value * 10 + digit
            position += 1
        if position == stop:
            values[row] = -value if negative else value
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


@cython.cdivision(True)
def parse_floats(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """Finite decimal numbers at `[begin, end)`, correctly rounded; returns `(values, good)`.

    Short numbers (15 digits, power of ten within 22) are exact in one multiplication or division; the
    rest go through Python's own conversion.
    """
    if not cython.compiled:
        return _parse_floats_plain(data, begin, end)
    size: cython.Py_ssize_t = begin.shape[0]
    values: cython.double[::1] = np.zeros(size, dtype=np.float64)
    good: cython.uchar[::1] = np.zeros(size, dtype=np.uint8)
    power: cython.double[::1] = POWERS_OF_TEN
    text: cython.p_char = data
    mantissa: cython.longlong
    digits: cython.int
    scale: cython.int
    digit: cython.int
    negative: cython.bint
    for row in range(size):
        position = begin[row]
        stop = end[row]
        negative = False
        if position < stop and (text[position] == 45 or text[position] == 43):
            negative = text[position] == 45
            position += 1
        mantissa = 0
        digits = 0
        scale = 0
        pointed = False
        while position < stop:
            digit = text[position] - 48
            if 0 <= digit <= 9:
                mantissa = mantissa * 10 + digit
                digits += 1
                if pointed:
                    scale += 1
            elif text[position] == 46 and not pointed:
                pointed = True
            else:
                break
            if digits > 15:
                break
            position += 1
        if position == stop and digits > 0:
            values[row] = mantissa / power[scale]
            if negative:
                values[row] = -values[row]
            good[row] = 1
        else:
            value = _parse_float(data[begin[row] : stop])
            if value - value == 0:
                values[row] = value
                good[row] = 1
    return np.asarray(values), np.asarray(good)


@cython.cfunc
def _parse_float(field: bytes) -> cython.double:
    """One field by Python's conversion, not a number where it is none."""
    if b"_" in field:
        return NOT_A_NUMBER
    try:
        return float(field)
    except ValueError:
        return NOT_A_NUMBER


def _parse_floats_plain(data, begin, end):
    """`parse_floats` without a compiler."""
    values = np.array(
        [_parse_float(data[at:stop]) for at, stop in zip(begin.tolist(), end.tolist(), strict=True)],
        dtype=np.float64,
    )
    good = np.isfinite(values)
    return np.where(good, values, 0.0), good.astype(np.uint8)


def parse_ranges(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """Lists such as ``12:30 50:8`` at `[begin, end)`, one per row.

    Returns `(row, first, second, bad)`: the row and the two numbers of each item, and per row 1 where the
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
