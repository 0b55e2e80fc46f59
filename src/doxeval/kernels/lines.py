"""Kernels for lines of fields: one pass from bytes to columns, without a Python object for a line or a field.

Names are numbered as they first appear (name_table.pxd); numbers are read in place (digits.pxd).
"""

from __future__ import annotations

import itertools

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

if cython.compiled:
    from cython.cimports.doxeval.kernels.digits import take_integer, take_number
    from cython.cimports.doxeval.kernels.name_table import (
        Names,
        await_code,
        drop,
        enlarge,
        fill,
        give,
        key_of,
        letters_in,
        no_blank_in,
        settle,
        word_at,
    )
    from cython.cimports.libc.string import memcmp

from doxeval.kernels.names import behind_one_another
from doxeval.kernels.scan import POWERS_OF_TEN, parse_float

SKIPPED, NAME, INTEGER, PLACE, NUMBER, REST, SKIPPED_REST = b"-nipfr*"
"""Kinds of fields: nothing, a code, an integer, the same or -1 for X, a floating-point number; the rest of
the line as a code, or nothing."""

WRONG_COUNT = -1
"""In place of the faulty field: the line has too few fields, or too many."""

BLANKS = np.zeros(256, dtype=np.uint8)
"""Bytes that end a field: 1 a blank, 2 the end of a line."""
BLANKS[[9, 13, 32]] = 1
BLANKS[10] = 2
RESTS = bytes([REST]), bytes([SKIPPED_REST])
LINE_ENDS = (BLANKS == 2).astype(np.uint8)

SPACED = bytes.maketrans(b"\t\r", b"  ")

Column = cython.struct(
    begin=cython.Py_ssize_t, width=cython.Py_ssize_t, key=cython.ulonglong, noted=cython.Py_ssize_t
)
"""The current name in a column of names, and the begin of the last one that was given a code."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _take_name(
    column: cython.pointer[Column],
    text: cython.p_const_uchar,
    begin: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    ends: cython.p_const_uchar,
) -> cython.Py_ssize_t:
    """Read the name that begins here; returns its end. It is often that of the line before."""
    at: cython.Py_ssize_t = begin + column.width
    if (
        column.width > 0
        and at < size
        and ends[text[at]] != 0
        and text[at - 1] == text[column.begin + column.width - 1]
        and memcmp(text + begin, text + column.begin, column.width) == 0
    ):
        return at
    at = begin
    while at + 8 <= size and no_blank_in(word_at(text + at)):
        at += 8
    while ends[text[at]] == 0:
        at += 1
    column.begin = begin
    column.width = at - begin
    column.key = key_of(text, begin, at)
    return at


def read_lines(
    data: bytes,
    kinds: bytes,
    least: cython.Py_ssize_t,
    largest: cython.ulonglong,
    lines: cython.Py_ssize_t,
):
    """Columns of lines whose fields, between blanks, are of the given kinds.

    `data` are `lines` whole lines of less than 2 GiB. The last fields of a line may be missing if it has at
    least `least`, and are then empty, or -1; integers are at most `largest`. Returns `(codes, names,
    integers, numbers, line, faults)`: codes, integers and numbers with a row for each such field and a column
    for each good line; for each row of codes its names behind one another, as `(offset, letters)`; the good
    lines, counted from 0; and for every other line that is not blank its number, its start, and the first
    faulty field or WRONG_COUNT.
    """
    if not cython.compiled:
        return _read_lines_plain(data, kinds, least, largest)
    size: cython.Py_ssize_t = len(data)
    most: cython.Py_ssize_t = len(kinds)
    text: cython.p_const_uchar = data
    if lines < 1 or text[size - 1] != 10:
        raise ValueError("the last line has no end")
    texts: cython.Py_ssize_t = kinds.count(NAME) + kinds.count(REST)
    wholes: cython.Py_ssize_t = kinds.count(INTEGER) + kinds.count(PLACE)
    codes: cython.int[:, ::1] = np.empty((texts, lines), dtype=np.int32)
    integers: cython.longlong[:, ::1] = np.empty((wholes, lines), dtype=np.int64)
    floats: cython.Py_ssize_t = kinds.count(NUMBER)
    numbers: cython.double[:, ::1] = np.empty((floats, lines), dtype=np.float64)
    line: cython.longlong[::1] = np.empty(lines, dtype=np.int64)
    faults: cython.longlong[:, ::1] = np.empty((3, lines), dtype=np.int64)
    tables: cython.uchar[::1] = np.zeros((texts + 1) * cython.sizeof(Names), dtype=np.uint8)
    names: cython.pointer[Names] = cython.cast(cython.pointer[Names], cython.address(tables[0]))
    at_hand: cython.uchar[::1] = np.zeros((texts + 1) * cython.sizeof(Column), dtype=np.uint8)
    columns: cython.pointer[Column] = cython.cast(cython.pointer[Column], cython.address(at_hand[0]))
    enough: cython.bint = True
    for at in range(texts):
        names[at].codes = cython.address(codes[at, 0])
        columns[at].noted = -1
        enough = enlarge(names + at) and enough
    blanks: cython.uchar[::1] = BLANKS
    line_ends: cython.uchar[::1] = LINE_ENDS
    powers: cython.double[::1] = POWERS_OF_TEN
    ends: cython.p_const_uchar = cython.address(blanks[0])
    line_end: cython.p_const_uchar = cython.address(line_ends[0])
    power: cython.p_double = cython.address(powers[0])
    kind_of: cython.p_const_uchar = kinds
    name_kind: cython.int = NAME
    integer_kind: cython.int = INTEGER
    place_kind: cython.int = PLACE
    number_kind: cython.int = NUMBER
    rest_kind: cython.int = REST
    skipped_rest: cython.int = SKIPPED_REST
    wrong_count: cython.Py_ssize_t = WRONG_COUNT
    position: cython.Py_ssize_t = 0
    number: cython.Py_ssize_t = 0
    row: cython.Py_ssize_t = 0
    bad: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    fields: cython.Py_ssize_t
    wrong: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    text_at: cython.Py_ssize_t
    whole_at: cython.Py_ssize_t
    number_at: cython.Py_ssize_t
    kind: cython.int
    integer: cython.longlong = 0
    value: cython.double = 0.0
    fine: cython.bint
    with cython.nogil:
        while position < size and enough:
            fields = text_at = whole_at = number_at = 0
            wrong = most
            begin = position
            while True:
                while ends[text[position]] == 1:
                    position += 1
                if text[position] == 10:
                    break
                start = position
                if fields == 0:
                    begin = start
                kind = kind_of[fields] if fields < most else 0
                fine = True
                if kind == name_kind:
                    position = _take_name(columns + text_at, text, start, size, ends)
                    text_at += 1
                elif kind == rest_kind:
                    position = _take_name(columns + text_at, text, start, size, line_end)
                    text_at += 1
                elif kind == skipped_rest:
                    while text[position] != 10:
                        position += 1
                elif kind in (integer_kind, place_kind):
                    position = take_integer(
                        text, start, largest, cython.address(integer), cython.address(fine)
                    )
                    if ends[text[position]] == 0:
                        fine = kind == place_kind and text[start] == 88 and ends[text[start + 1]] != 0
                        integer = -1
                    integers[whole_at, row] = integer
                    whole_at += 1
                elif kind == number_kind:
                    position = take_number(text, start, power, cython.address(value), cython.address(fine))
                    if ends[text[position]] == 0 or not fine:
                        while ends[text[position]] == 0:
                            position += 1
                        with cython.gil:
                            value = parse_float(data[start:position])
                        fine = value - value == 0
                    numbers[number_at, row] = value
                    number_at += 1
                while ends[text[position]] == 0:
                    position += 1
                if not fine and wrong == most:
                    wrong = fields
                fields += 1
            position += 1
            number += 1
            if fields == 0:
                continue
            if fields < least or fields > most:
                wrong = wrong_count
            elif fields < most and wrong == most:
                for at in range(text_at, texts):
                    _take_name(columns + at, text, position - 1, size, ends)
                for at in range(whole_at, wholes):
                    integers[at, row] = -1
                for at in range(number_at, floats):
                    numbers[at, row] = -1.0
            if wrong < most:
                faults[0, bad] = number - 1
                faults[1, bad] = begin
                faults[2, bad] = wrong
                bad += 1
                continue
            for at in range(texts):
                if columns[at].begin != columns[at].noted:
                    columns[at].noted = columns[at].begin
                    enough = enough and await_code(
                        names + at, text, row, columns[at].begin, columns[at].width, columns[at].key
                    )
            line[row] = number - 1
            row += 1
        for at in range(texts):
            enough = enough and settle(names + at, text)
            fill(names + at, row)
    found = []
    for at in range(texts):
        if enough:
            offset: cython.longlong[::1] = np.empty(names[at].known + 1, dtype=np.int64)
            letters: cython.uchar[::1] = np.empty(letters_in(names + at) + 1, dtype=np.uint8)
            give(names + at, cython.address(offset[0]), cython.address(letters[0]))
            found.append((np.asarray(offset), np.asarray(letters)[: letters.shape[0] - 1]))
        drop(names + at)
    if not enough:
        raise MemoryError
    return (
        np.asarray(codes)[:, :row],
        found,
        np.asarray(integers)[:, :row],
        np.asarray(numbers)[:, :row],
        np.asarray(line)[:row],
        np.asarray(faults)[:, :bad],
    )


def survey(data: bytes):
    """The number of lines that end in these bytes, and whether all bytes are ASCII and none is NUL."""
    if not cython.compiled:
        return data.count(b"\n"), data.isascii() and b"\0" not in data
    text: cython.p_const_uchar = data
    size: cython.Py_ssize_t = len(data)
    count: cython.Py_ssize_t = 0
    here: cython.uchar
    odd: cython.uchar = 0
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t
    at: cython.Py_ssize_t
    with cython.nogil:
        while first < size:
            here = 0
            last = min(first + 255, size)
            for at in range(first, last):
                here += text[at] == 10
                odd |= (text[at] & 128) | (text[at] == 0)
            count += here
            first = last
    return count, odd == 0


def _read_lines_plain(data, kinds, least, largest):
    """`read_lines` without a compiler: the same columns from Python's own splitting."""
    good, line, faults, start = [], [], [], 0
    names = [{} for kind in kinds if kind in (NAME, REST)]
    rest = len(kinds) - 1 if kinds.endswith(RESTS) else None
    for number, text in enumerate(data.removesuffix(b"\n").split(b"\n")):
        pieces = text.translate(SPACED).split(b" ")
        begins = itertools.accumulate((len(piece) + 1 for piece in pieces), initial=start)
        found = [(piece, begin) for piece, begin in zip(pieces, begins, strict=False) if piece]
        if rest is not None and len(found) > rest:
            found[rest:] = [(text[found[rest][1] - start :], found[rest][1])]
        start += len(text) + 1
        if not found:
            continue
        values = [_plain_value(kind, field, largest) for (field, _), kind in zip(found, kinds, strict=False)]
        wrong = WRONG_COUNT if not least <= len(found) <= len(kinds) else _index_of_none(values)
        if wrong is not None:
            faults.append((number, found[0][1], wrong))
            continue
        values += [-1] * (len(kinds) - len(found))
        found += [(b"", start - 1)] * (len(kinds) - len(found))
        named = [name for (name, _), kind in zip(found, kinds, strict=True) if kind in (NAME, REST)]
        codes = [known.setdefault(name, len(known)) for name, known in zip(named, names, strict=True)]
        good.append((codes, values))
        line.append(number)
    wholes = [at for at, kind in enumerate(kinds) if kind in (INTEGER, PLACE)]
    floats = [at for at, kind in enumerate(kinds) if kind == NUMBER]
    return (
        np.array([codes for codes, _ in good], dtype=np.int32).reshape(len(good), len(names)).T.copy(),
        [behind_one_another(known) for known in names],
        *(
            np.array([[values[at] for at in columns] for _, values in good], dtype=dtype)
            .reshape(len(good), len(columns))
            .T.copy()
            for columns, dtype in ((wholes, np.int64), (floats, np.float64))
        ),
        np.array(line, dtype=np.int64),
        np.array(faults, dtype=np.int64).reshape(-1, 3).T.copy(),
    )


def _plain_value(kind, field, largest):
    """The value of a field of some kind, None if it is not valid."""
    if kind == NUMBER:
        value = parse_float(field)
        return value if value - value == 0 else None
    if kind not in (INTEGER, PLACE):
        return field
    if kind == PLACE and field == b"X":
        return -1
    digits = field[1:] if field[:1] in (b"-", b"+") else field
    return int(field) if digits.isdigit() and len(digits) <= 18 and int(digits) <= largest else None


def _index_of_none(values):
    return values.index(None) if None in values else None
