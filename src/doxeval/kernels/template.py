"""A kernel for lines of one shape: the places of the values between the same bytes in every line."""

import re

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

if cython.compiled:
    from cython.cimports.libc.string import memcmp

STRING, INTEGER, NUMBER = b"sif"
"""Kinds of JSON values: letters without escapes, an integer of at most 13 digits, a number."""

PATTERNS = {
    STRING: rb'[^"\\\x00-\x1f]*+',
    INTEGER: rb"(?:0|-?+[1-9]\d{0,12}+)",
    NUMBER: rb"(?!-0(?![.eE]))-?+(?:0|[1-9]\d{0,16}+)(?:\.\d{1,30}+)?+(?:[eE][-+]?+\d{1,2}+)?+",
}


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _digits_end(
    text: cython.p_const_uchar, at: cython.Py_ssize_t, most: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """The end of at most `most` digits."""
    last: cython.Py_ssize_t = at + most
    while at < last and 48 <= text[at] <= 57:
        at += 1
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _value_end(text: cython.p_const_uchar, at: cython.Py_ssize_t, kind: cython.int) -> cython.Py_ssize_t:
    """The end of the value that begins here, -1 if it is not of its kind; a 0 follows all bytes.

    The same as PATTERNS: letters (kind s, 115) end at a quote (34); a backslash (92) or a control code there
    differs from the literal that must follow. Numbers are those of JSON, with at most so many digits that
    they are exact; -0 is left to the careful reader, as an integer it would lose its sign.
    """
    number: cython.bint = kind == 102
    negative: cython.bint
    after: cython.Py_ssize_t
    if kind == 115:
        while text[at] >= 32 and text[at] != 34 and text[at] != 92:
            at += 1
        return at
    negative = text[at] == 45
    if negative:
        at += 1
    if text[at] == 48:
        at += 1
        if negative and (not number or (text[at] != 46 and text[at] | 32 != 101)):
            return -1
    elif 49 <= text[at] <= 57:
        at = _digits_end(text, at, 17 if number else 13)
    else:
        return -1
    if number:
        if text[at] == 46 and _digits_end(text, at + 1, 1) > at + 1:
            at = _digits_end(text, at + 1, 30)
        if text[at] | 32 == 101:
            after = at + 2 if text[at + 1] == 43 or text[at + 1] == 45 else at + 1
            if _digits_end(text, after, 1) > after:
                at = _digits_end(text, after, 2)
    return at


def places_in_lines(data: bytes, literals: list, kinds: bytes, lines: cython.Py_ssize_t):
    """The starts and ends of the values of a number of lines: two arrays, a row for each value of a line.

    A line is `literals[0]`, a value of the first kind, `literals[1]` and so on; None if some line differs.
    Anything unusual (an escape, a value of another kind, another order of keys) differs, so that the places
    found are certain: what lies between them need not be looked at again.

    >>> literals = [b'{"doc": "', b'", "rank": ', b'}\\n']
    >>> begin, end = places_in_lines(b'{"doc": "d1", "rank": 7}\\n', literals, b"si", 1)
    >>> begin.tolist(), end.tolist()
    ([[9], [22]], [[11], [23]])
    >>> places_in_lines(b'{"doc": 1, "rank": 7}\\n', literals, b"si", 1) is None
    True
    """
    if not cython.compiled:
        return _places_plain(data, literals, kinds)
    values: cython.Py_ssize_t = len(kinds)
    begin: cython.int[:, ::1] = np.empty((values, lines), dtype=np.int32)
    end: cython.int[:, ::1] = np.empty((values, lines), dtype=np.int32)
    bounds: cython.longlong[::1] = np.cumsum([0, *map(len, literals)], dtype=np.int64)
    joined: bytes = b"".join(literals)
    between: cython.p_const_uchar = joined
    text: cython.p_const_uchar = data
    kind: cython.p_const_uchar = kinds
    size: cython.Py_ssize_t = len(data)
    position: cython.Py_ssize_t = 0
    line: cython.Py_ssize_t = 0
    width: cython.Py_ssize_t
    at: cython.Py_ssize_t
    with cython.nogil:
        while 0 <= position < size and line < lines:
            for at in range(values + 1):
                width = bounds[at + 1] - bounds[at]
                if position + width > size or memcmp(text + position, between + bounds[at], width) != 0:
                    position = -1
                    break
                position += width
                if at < values:
                    begin[at, line] = position
                    position = _value_end(text, position, kind[at])
                    if position < 0:
                        break
                    end[at, line] = position
            line += 1
    if position != size or line != lines:
        return None
    return np.asarray(begin), np.asarray(end)


def _places_plain(data, literals, kinds):
    """`places_in_lines` without a compiler."""
    parts = [re.escape(literals[0])]
    for kind, literal in zip(kinds, literals[1:], strict=True):
        parts += [b"(" + PATTERNS[kind] + b")", re.escape(literal)]
    line = re.compile(b"".join(parts))
    places, position = [], 0
    while position < len(data):
        found = line.match(data, position)
        if found is None:
            return None
        places.append(found.regs[1:])
        position = found.end()
    both = np.array(places, dtype=np.int32).reshape(-1, len(kinds), 2).T
    return np.ascontiguousarray(both[0]), np.ascontiguousarray(both[1])
