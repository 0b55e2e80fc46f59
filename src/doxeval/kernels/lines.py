"""Kernels for lines of fields: one pass from bytes to columns, without a Python object for a line or a field.

Names are numbered as they first appear. A name of at most eight bytes is packed into one integer, which is
then all there is to compare; longer ones are hashed and compared byte by byte.
"""

from __future__ import annotations

import itertools

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
    from cython.cimports.libc.string import memcmp

SKIPPED, NAME, INTEGER, PLACE, NUMBER, REST, SKIPPED_REST = b"-nipfr*"
"""What a field becomes: nothing, a code, an integer, the same or -1 for X, a floating-point number; with all
that follows it in the line a code, or nothing."""

WRONG_COUNT = -1
"""Instead of the field at fault: the line has too few fields, or too many."""

BLANKS = np.zeros(256, dtype=np.uint8)
"""What ends a field: 1 a blank, 2 the end of a line."""
BLANKS[[9, 13, 32]] = 1
BLANKS[10] = 2
RESTS = bytes([REST]), bytes([SKIPPED_REST])
LINE_ENDS = (BLANKS == 2).astype(np.uint8)

SPACED = bytes.maketrans(b"\t\r", b"  ")
LARGEST_EXACT_POWER = 22
POWERS_OF_TEN = np.array([10.0**power for power in range(LARGEST_EXACT_POWER + 1)])
BITS_OF_FIRST_TABLE = 10
BATCH = 64
NOT_A_NUMBER = float("nan")

Slot = cython.struct(key=cython.ulonglong, width=cython.int, code=cython.int)
"""A place in a table of names: code 0 where it is free."""

Pending = cython.struct(key=cython.ulonglong, begin=cython.int, width=cython.int)
"""A name that waits for its code."""

Names = cython.struct(
    begin=cython.Py_ssize_t,
    width=cython.Py_ssize_t,
    key=cython.ulonglong,
    touched=cython.int,
    known=cython.int,
    bits=cython.int,
    table=cython.pointer(Slot),
    pending=cython.pointer(Pending),
    codes=cython.p_int,
    first=cython.p_int,
    after=cython.p_int,
)
"""A column of names that is being read: the name at hand, and all that were kept, by code and in a table."""


def parse_float(field: bytes):
    """One field by Python's conversion, not a number where it is none."""
    if b"_" in field:
        return NOT_A_NUMBER
    try:
        return float(field)
    except ValueError:
        return NOT_A_NUMBER


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _mixed(hashed: cython.ulonglong, word: cython.ulonglong) -> cython.ulonglong:
    """A hash of what was hashed and eight bytes more."""
    prime: cython.ulonglong = 0x9E3779B97F4A7C15
    hashed = (hashed ^ word) * prime
    return hashed ^ (hashed >> 32)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _take_name(
    names: cython.pointer[Names],
    text: cython.p_const_uchar,
    begin: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    ends: cython.p_const_uchar,
) -> cython.Py_ssize_t:
    """Look at the name that begins here; returns where it ends. Often it is that of the line before."""
    hashed: cython.ulonglong = 0
    word: cython.ulonglong = 0
    at: cython.Py_ssize_t = begin + names.width
    if (
        names.width > 0
        and at < size
        and ends[text[at]] != 0
        and memcmp(text + begin, text + names.begin, names.width) == 0
    ):
        return at
    at = begin
    while ends[text[at]] == 0:
        if at > begin and (at - begin) & 7 == 0:
            hashed = _mixed(hashed, word)
            word = 0
        word = (word << 8) | text[at]
        at += 1
    names.begin = begin
    names.width = at - begin
    names.key = word if at - begin <= 8 else _mixed(hashed, word)
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enlarge(names: cython.pointer[Names]) -> cython.bint:
    """A table of four times as many slots; false where memory is wanting."""
    old: cython.pointer[Slot] = names.table
    before: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, 1) << names.bits
    names.bits += 2
    mask: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << names.bits) - 1
    names.table = cython.cast(cython.pointer[Slot], calloc(mask + 1, cython.sizeof(Slot)))
    at: cython.Py_ssize_t
    slot: cython.ulonglong
    if names.table != cython.NULL and old != cython.NULL:
        for at in range(before):
            if old[at].code > 0:
                slot = _mixed(0, old[at].key) >> (64 - names.bits)
                while names.table[slot].code > 0:
                    slot = (slot + 1) & mask
                names.table[slot] = old[at]
    free(old)
    return names.table != cython.NULL


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _code_of(
    names: cython.pointer[Names], text: cython.p_const_uchar, name: cython.pointer[Pending]
) -> cython.int:
    """The code of a name, from 1: a new one if it is new."""
    mask: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << names.bits) - 1
    slot: cython.ulonglong = _mixed(0, name.key) >> (64 - names.bits)
    while names.table[slot].code > 0:
        if (
            names.table[slot].key == name.key
            and names.table[slot].width == name.width
            and (
                name.width <= 8
                or memcmp(text + name.begin, text + names.first[names.table[slot].code - 1], name.width) == 0
            )
        ):
            return names.table[slot].code
        slot = (slot + 1) & mask
    names.first[names.known] = name.begin
    names.after[names.known] = name.begin + name.width
    names.known += 1
    names.table[slot].key = name.key
    names.table[slot].width = name.width
    names.table[slot].code = names.known
    return names.known


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_names(
    names: cython.pointer[Names],
    text: cython.p_const_uchar,
    row: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
) -> cython.bint:
    """Give `count` rows from `row` on the codes of the names that wait; false where memory is wanting.

    All slots are touched first, so that memory is waited for once and not for each name.
    """
    at: cython.Py_ssize_t
    code: cython.int = 0
    for at in range(count):
        names.touched += names.table[_mixed(0, names.pending[at].key) >> (64 - names.bits)].code
    for at in range(count):
        if at == 0 or names.pending[at].begin != names.pending[at - 1].begin:
            code = _code_of(names, text, names.pending + at)
            if names.known >= 1 << (names.bits - 1) and not _enlarge(names):
                return False
        names.codes[row + at] = code - 1
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _take_integer(
    text: cython.p_const_uchar,
    begin: cython.Py_ssize_t,
    largest: cython.ulonglong,
    value: cython.p_longlong,
    fine: cython.p_bint,
) -> cython.Py_ssize_t:
    """Read an integer of at most 18 digits that is at most `largest`; returns where its digits end."""
    at: cython.Py_ssize_t = begin
    amount: cython.ulonglong = 0
    digit: cython.uint
    if text[at] == 45 or text[at] == 43:
        at += 1
    first: cython.Py_ssize_t = at
    while True:
        digit = cython.cast(cython.uint, text[at]) - 48
        if digit > 9:
            break
        amount = amount * 10 + digit
        at += 1
    fine[0] = 0 < at - first <= 18 and amount <= largest
    value[0] = amount
    if text[begin] == 45:
        value[0] = -value[0]
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.cdivision(True)
@cython.exceptval(check=False)
def _take_number(
    text: cython.p_const_uchar,
    begin: cython.Py_ssize_t,
    power: cython.p_double,
    value: cython.p_double,
    fine: cython.p_bint,
) -> cython.Py_ssize_t:
    """Read a decimal number; returns where its digits end.

    Fine if it is exact in one division: digits up to 2^53, at most 22 of a fraction.
    """
    at: cython.Py_ssize_t = begin
    point: cython.Py_ssize_t = -1
    mantissa: cython.ulonglong = 0
    exact: cython.ulonglong = 1 << 53
    digit: cython.uint
    if text[at] == 45 or text[at] == 43:
        at += 1
    first: cython.Py_ssize_t = at
    while True:
        digit = cython.cast(cython.uint, text[at]) - 48
        if digit <= 9:
            mantissa = mantissa * 10 + digit
        elif text[at] == 46 and point < 0:
            point = at
        else:
            break
        at += 1
    digits: cython.Py_ssize_t = at - first - (point >= 0)
    scale: cython.Py_ssize_t = at - point - 1 if point >= 0 else 0
    fine[0] = 0 < digits <= 18 and mantissa <= exact and scale <= 22
    if fine[0]:
        value[0] = mantissa / power[scale]
        if text[begin] == 45:
            value[0] = -value[0]
    return at


def read_lines(
    data: bytes,
    kinds: bytes,
    least: cython.Py_ssize_t,
    largest: cython.ulonglong,
    lines: cython.Py_ssize_t,
):
    """Columns of lines whose fields, between blanks, are of the given kinds.

    `data` are so many whole lines of less than 2 GiB. The last fields of a line may be missing where it
    has at least `least`, and are empty then, or -1; integers are at most `largest`. Returns `(codes, names,
    integers, numbers, line, faults)`: codes, integers and numbers with a row for each such field and a column
    for each good line; for each row of codes where its names first begin and end; the good lines, counted
    from 0; and of every other line that is not blank its number, where it begins, and the first field at
    fault or WRONG_COUNT.
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
    places: cython.int[:, :, ::1] = np.empty((texts, 2, lines), dtype=np.int32)
    integers: cython.longlong[:, ::1] = np.empty((wholes, lines), dtype=np.int64)
    floats: cython.Py_ssize_t = kinds.count(NUMBER)
    numbers: cython.double[:, ::1] = np.empty((floats, lines), dtype=np.float64)
    line: cython.longlong[::1] = np.empty(lines, dtype=np.int64)
    faults: cython.longlong[:, ::1] = np.empty((3, lines), dtype=np.int64)
    waiting: cython.uchar[:, ::1] = np.empty((texts, BATCH * cython.sizeof(Pending)), dtype=np.uint8)
    columns: cython.uchar[::1] = np.zeros((texts + 1) * cython.sizeof(Names), dtype=np.uint8)
    names: cython.pointer[Names] = cython.cast(cython.pointer[Names], cython.address(columns[0]))
    enough: cython.bint = True
    for at in range(texts):
        names[at].bits = BITS_OF_FIRST_TABLE - 2
        names[at].codes = cython.address(codes[at, 0])
        names[at].first = cython.address(places[at, 0, 0])
        names[at].after = cython.address(places[at, 1, 0])
        names[at].pending = cython.cast(cython.pointer[Pending], cython.address(waiting[at, 0]))
        enough = _enlarge(names + at) and enough
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
    waits: cython.Py_ssize_t = 0
    batch: cython.Py_ssize_t = BATCH
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
                    position = _take_name(names + text_at, text, start, size, ends)
                    text_at += 1
                elif kind == rest_kind:
                    position = _take_name(names + text_at, text, start, size, line_end)
                    text_at += 1
                elif kind == skipped_rest:
                    while text[position] != 10:
                        position += 1
                elif kind in (integer_kind, place_kind):
                    position = _take_integer(
                        text, start, largest, cython.address(integer), cython.address(fine)
                    )
                    if ends[text[position]] == 0:
                        fine = kind == place_kind and text[start] == 88 and ends[text[start + 1]] != 0
                        integer = -1
                    integers[whole_at, row] = integer
                    whole_at += 1
                elif kind == number_kind:
                    position = _take_number(text, start, power, cython.address(value), cython.address(fine))
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
                    _take_name(names + at, text, position - 1, size, ends)
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
                names[at].pending[waits].key = names[at].key
                names[at].pending[waits].begin = names[at].begin
                names[at].pending[waits].width = names[at].width
            line[row] = number - 1
            row += 1
            waits += 1
            if waits == batch:
                for at in range(texts):
                    enough = _keep_names(names + at, text, row - waits, waits) and enough
                waits = 0
        for at in range(texts):
            enough = enough and _keep_names(names + at, text, row - waits, waits)
    for at in range(texts):
        free(names[at].table)
    if not enough:
        raise MemoryError
    return (
        np.asarray(codes)[:, :row],
        [np.asarray(places)[at, :, : names[at].known] for at in range(texts)],
        np.asarray(integers)[:, :row],
        np.asarray(numbers)[:, :row],
        np.asarray(line)[:row],
        np.asarray(faults)[:, :bad],
    )


def count_lines(data: bytes):
    """How many lines end in these bytes."""
    if not cython.compiled:
        return data.count(b"\n")
    text: cython.p_const_uchar = data
    size: cython.Py_ssize_t = len(data)
    count: cython.Py_ssize_t = 0
    for position in range(size):
        count += text[position] == 10
    return count


def _read_lines_plain(data, kinds, least, largest):
    """`read_lines` without a compiler: the same columns from Python's own splitting."""
    good, line, faults, start = [], [], [], 0
    names = [{} for kind in kinds if kind in (NAME, REST)]
    places = [[] for _ in names]
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
        named = [one for one, kind in zip(found, kinds, strict=True) if kind in (NAME, REST)]
        for (name, begin), known, stood in zip(named, names, places, strict=True):
            if known.setdefault(name, len(known)) == len(stood):
                stood.append((begin, begin + len(name)))
        good.append(([known[name] for (name, _), known in zip(named, names, strict=True)], values))
        line.append(number)
    wholes = [at for at, kind in enumerate(kinds) if kind in (INTEGER, PLACE)]
    floats = [at for at, kind in enumerate(kinds) if kind == NUMBER]
    return (
        np.array([codes for codes, _ in good], dtype=np.int32).reshape(len(good), len(names)).T.copy(),
        [np.array(stood, dtype=np.int32).reshape(-1, 2).T.copy() for stood in places],
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
    """What a field is as one of a kind, None where it is none."""
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
