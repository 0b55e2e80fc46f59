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
        key_of,
        no_blank_in,
        settle,
        table_of,
        word_at,
    )
    from cython.cimports.libc.string import memcmp

from doxeval.kernels.names import as_arrays, behind_one_another
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
    """Read the name that begins here; returns its end.

    It is often that of the line before, and then need not be hashed: the last letters are compared first,
    in which names such as doc1 and doc2 differ. A new one is taken eight bytes at a time as long as none of
    them can end it, and hashed in the same place while it is in the cache.
    """
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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _take_whole(
    text: cython.p_const_uchar,
    begin: cython.Py_ssize_t,
    largest: cython.ulonglong,
    may_be_unknown: cython.bint,
    ends: cython.p_const_uchar,
    integer: cython.p_longlong,
    fine: cython.pointer[cython.bint],
) -> cython.Py_ssize_t:
    """Read the integer that begins here, perhaps X for an unknown place, which is -1; returns its end."""
    at: cython.Py_ssize_t = take_integer(text, begin, largest, integer, fine)
    if ends[text[at]] == 0:
        fine[0] = may_be_unknown and text[begin] == 88 and ends[text[begin + 1]] != 0
        integer[0] = -1
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _take_real(
    text: cython.p_const_uchar,
    begin: cython.Py_ssize_t,
    power: cython.p_double,
    ends: cython.p_const_uchar,
    value: cython.p_double,
    fine: cython.pointer[cython.bint],
) -> cython.Py_ssize_t:
    """Read the number that begins here; returns its end.

    Short decimals are read in place. The rest (exponents, more digits than fit, what is no number) goes to
    Python's conversion, which rounds correctly: one field in a thousand, for which the lock is taken.
    """
    at: cython.Py_ssize_t = take_number(text, begin, power, value, fine)
    if ends[text[at]] != 0 and fine[0]:
        return at
    while ends[text[at]] == 0:
        at += 1
    with cython.gil:
        value[0] = parse_float(text[begin:at])
    fine[0] = value[0] - value[0] == 0
    return at


def read_lines(
    data: bytes,
    kinds: bytes,
    least: cython.Py_ssize_t,
    largest: cython.ulonglong,
    lines: cython.Py_ssize_t,
):
    r"""Columns of lines whose fields, between blanks, are of the given kinds.

    `data` are `lines` whole lines of less than 2 GiB. The last fields of a line may be missing if it has at
    least `least`, and are then empty, or -1; integers are at most `largest`. Returns `(codes, names,
    integers, numbers, line, faults)`: codes, integers and numbers with a row for each such field and a column
    for each good line; for each row of codes its names behind one another, as `(offset, letters)`; the good
    lines, counted from 0; and for every other line that is not blank its number, its start, and the first
    faulty field or WRONG_COUNT.

    >>> data = b"t1 d1 7 0.5\nt1 d2 x 0.5\n\nt1 d1 8 1e3\n"
    >>> codes, names, integers, numbers, line, faults = read_lines(data, b"nnif", 4, 100, 4)
    >>> codes.tolist(), [bytes(letters) for _, letters in names]
    ([[0, 0], [0, 0]], [b't1', b'd1'])
    >>> integers.tolist(), numbers.tolist(), line.tolist(), faults.tolist()
    ([[7, 8]], [[0.5, 1000.0]], [0, 3], [[1], [12], [2]])
    """
    if not cython.compiled:
        return _read_lines_plain(data, kinds, least, largest)
    # Invariants of the loop. All bytes before `position` are read; `position` stands on a byte of the data,
    # of which the last is a line end, so that no test for the end is needed within a line. Row `row` of every
    # column is written as fields are read, and counts only when the line turns out to be good: a bad line is
    # overwritten by the next one. Names wait until then, so that a bad line's name gets no code.
    size: cython.Py_ssize_t = len(data)
    most: cython.Py_ssize_t = len(kinds)
    text: cython.p_const_uchar = data
    if lines < 1 or text[size - 1] != 10:
        raise ValueError("the last line has no end")
    texts: cython.Py_ssize_t = kinds.count(NAME) + kinds.count(REST)
    wholes: cython.Py_ssize_t = kinds.count(INTEGER) + kinds.count(PLACE)
    codes: cython.int[:, ::1] = np.empty((texts, lines), dtype=np.int32)
    integers: cython.longlong[:, ::1] = np.empty((wholes, lines), dtype=np.int64)
    reals: cython.Py_ssize_t = kinds.count(NUMBER)
    numbers: cython.double[:, ::1] = np.empty((reals, lines), dtype=np.float64)
    line: cython.longlong[::1] = np.empty(lines, dtype=np.int64)
    faults: cython.longlong[:, ::1] = np.empty((3, lines), dtype=np.int64)
    tables: cython.uchar[::1] = np.zeros((texts + 1) * cython.sizeof(Names), dtype=np.uint8)
    names: cython.pointer[Names] = cython.cast(cython.pointer[Names], cython.address(tables[0]))
    current: cython.uchar[::1] = np.zeros((texts + 1) * cython.sizeof(Column), dtype=np.uint8)
    columns: cython.pointer[Column] = cython.cast(cython.pointer[Column], cython.address(current[0]))
    has_memory: cython.bint = True
    for at in range(texts):
        names[at].codes = cython.address(codes[at, 0])
        columns[at].noted = -1
        has_memory = enlarge(names + at) and has_memory
    blanks: cython.uchar[::1] = BLANKS
    line_ends: cython.uchar[::1] = LINE_ENDS
    powers: cython.double[::1] = POWERS_OF_TEN
    ends: cython.p_const_uchar = cython.address(blanks[0])
    line_end: cython.p_const_uchar = cython.address(line_ends[0])
    power: cython.p_double = cython.address(powers[0])
    kind_of: cython.p_const_uchar = kinds
    # Module variables are Python objects; the loop, without the interpreter's lock, needs C integers.
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
    real_at: cython.Py_ssize_t
    kind: cython.int
    integer: cython.longlong = 0
    value: cython.double = 0.0
    fine: cython.bint
    with cython.nogil:
        while position < size and has_memory:
            fields = text_at = whole_at = real_at = 0
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
                    position = _take_whole(
                        text, start, largest, kind == place_kind, ends,
                        cython.address(integer), cython.address(fine),
                    )  # fmt: skip
                    integers[whole_at, row] = integer
                    whole_at += 1
                elif kind == number_kind:
                    position = _take_real(
                        text, start, power, ends, cython.address(value), cython.address(fine)
                    )
                    numbers[real_at, row] = value
                    real_at += 1
                # What is left of a field that is skipped, too many, or not what it should be.
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
                # Missing fields: the empty name at the line's end, and -1.
                for at in range(text_at, texts):
                    _take_name(columns + at, text, position - 1, size, ends)
                for at in range(whole_at, wholes):
                    integers[at, row] = -1
                for at in range(real_at, reals):
                    numbers[at, row] = -1.0
            if wrong < most:
                faults[0, bad] = number - 1
                faults[1, bad] = begin
                faults[2, bad] = wrong
                bad += 1
                continue
            # A name that is that of the good line before begins where that one did, and needs no lookup: in a
            # run the topic of a thousand lines in a row.
            for at in range(texts):
                if columns[at].begin != columns[at].noted:
                    columns[at].noted = columns[at].begin
                    has_memory = has_memory and await_code(
                        names + at, text, row, columns[at].begin, columns[at].width, columns[at].key
                    )
            line[row] = number - 1
            row += 1
        for at in range(texts):
            has_memory = has_memory and settle(names + at, text)
            fill(names + at, row)
    found = [as_arrays(*table_of(names + at)) for at in range(texts)] if has_memory else []
    for at in range(texts):
        drop(names + at)
    if not has_memory:
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
    r"""The number of lines that end in these bytes, and whether all bytes are ASCII and none is NUL.

    >>> survey(b"one\ntwo"), survey("caf\u00e9\n".encode())
    ((1, True), (1, False))
    """
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
    # Sums of at most 255 comparisons fit a byte, so the compiler can handle many bytes with one instruction.
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
    """The value of a field of some kind, None if it is not valid.

    >>> _plain_value(PLACE, b"X", 9), _plain_value(INTEGER, b"12", 9), _plain_value(NUMBER, b"1e3", 9)
    (-1, None, 1000.0)
    """
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
