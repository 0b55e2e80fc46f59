"""Kernels over Python objects: the names and numbers in lists, and in lists of dicts, as columns.

Each takes the usual case and gives None for any other, which is left to slower ways that know every case;
without a compiler no case is usual. Names are short strings that are not empty and can be written as UTF-8;
a column of them is `(codes, offset, letters)` as distinct_names.pxd gives them: equal names have equal codes.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

if cython.compiled:
    from cython.cimports.cpython.dict import PyDict_Next, PyDict_Size
    from cython.cimports.cpython.float import PyFloat_AsDouble
    from cython.cimports.cpython.list import PyList_GetItem
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow
    from cython.cimports.cpython.object import PyObject
    from cython.cimports.cpython.unicode import PyUnicode_Compare
    from cython.cimports.doxeval.kernels.distinct_names import take_string
    from cython.cimports.doxeval.kernels.name_table import Names, drop, table_of
    from cython.cimports.libc.stdlib import calloc, free

NAME, INTEGER, FLOAT, OTHER = b"nif-"
"""What the values of a key are expected to be."""

BATCH = 32
"""Rows of which the dicts are touched first, then the values, so that memory is not waited for one by one."""


@cython.cfunc
@cython.inline
@cython.exceptval(-1, check=False)
def _has_keys(
    row: cython.pointer[PyObject],
    keys: list,
    key_at: cython.size_t[::1],
    values: cython.pointer[cython.pointer[PyObject]],
    batch: cython.Py_ssize_t,
) -> cython.int:
    """Whether a dict has these keys in this order; its values are put `batch` places apart.

    Keys are nearly always the same objects (dict literals and JSON share them), so addresses are compared
    first.
    """
    place: cython.Py_ssize_t = 0
    which: cython.Py_ssize_t
    key = cython.declare(cython.pointer[PyObject])
    for which in range(len(keys)):
        PyDict_Next(
            cython.cast(object, row),
            cython.address(place),
            cython.address(key),
            cython.address(values[which * batch]),
        )
        if cython.cast(cython.size_t, key) != key_at[which] and (
            type(cython.cast(object, key)) is not str
            or PyUnicode_Compare(cython.cast(object, key), keys[which]) != 0
        ):
            return 0
    return 1


@cython.cfunc
@cython.inline
@cython.exceptval(-1, check=False)
def _take_integer(value: object, target: cython.p_longlong) -> cython.int:
    """Whether a value is an integer of 64 bits, which becomes the target."""
    overflow: cython.int = 0
    if type(value) is not int:
        return 0
    target[0] = PyLong_AsLongLongAndOverflow(value, cython.address(overflow))
    return overflow == 0


@cython.cfunc
@cython.inline
@cython.exceptval(-1, check=False)
def _take_float(value: object, target: cython.p_double) -> cython.int:
    """Whether a value is a float, which becomes the target."""
    if type(value) is not float:
        return 0
    target[0] = PyFloat_AsDouble(value)
    return 1


def columns_of_dicts(rows: list, keys: list, kinds: bytes):
    """Typed columns of dicts that all have these keys in this order, in one pass and without holding values.

    For each key a column of numbers or of names, or None where some value is not what was expected; None for
    all of them if the dicts differ in their keys, and without a compiler.

    >>> rows = [{"doc": "d1", "rank": 1, "score": 2.5}, {"doc": "d2", "rank": 2, "score": 1}]
    >>> found = columns_of_dicts(rows, list(rows[0]), b"nif")
    >>> found is None or (found[0][0].tolist(), found[1].tolist(), found[2]) == ([0, 1], [1, 2], None)
    True
    >>> columns_of_dicts([{"doc": "d1"}, {"topic": "t1"}], ["doc"], b"n") is None
    True
    """
    if not cython.compiled:
        return None
    size: cython.Py_ssize_t = len(rows)
    width: cython.Py_ssize_t = len(keys)
    batch: cython.Py_ssize_t = BATCH
    expected: cython.uchar[::1] = np.frombuffer(kinds + b"-", dtype=np.uint8).copy()
    columns = np.empty((width + 1, size), dtype=np.int64)
    whole: cython.longlong[:, ::1] = columns
    real: cython.double[:, ::1] = columns.view(np.float64)
    code: cython.int[:, ::1] = columns.view(np.int32)
    key_at: cython.size_t[::1] = np.array([id(key) for key in keys] + [0], dtype=np.uintp)
    first: cython.Py_ssize_t
    at: cython.Py_ssize_t
    which: cython.Py_ssize_t
    kind: cython.int
    fine: cython.bint
    row = cython.declare(cython.pointer[PyObject])
    value = cython.declare(cython.pointer[PyObject])
    known: cython.pointer[Names] = cython.cast(cython.pointer[Names], calloc(width + 1, cython.sizeof(Names)))
    values: cython.pointer[cython.pointer[PyObject]] = cython.cast(
        cython.pointer[cython.pointer[PyObject]], calloc((width + 1) * BATCH, cython.sizeof(row))
    )
    # Row by row the objects of a dict lie all over memory. So 32 dicts are touched, then their keys and
    # values (as borrowed pointers: the lists hold them, and nothing here runs code that could change that),
    # and then each key's 32 values are converted in a row, by one branch. A key that once met an unexpected
    # value is not tried again (expected becomes 45, a hyphen).
    try:
        if known == cython.NULL or values == cython.NULL:
            raise MemoryError
        for first in range(0, size, batch):
            last = min(size, first + batch)
            for at in range(first, last):
                row = cython.cast(cython.pointer[PyObject], PyList_GetItem(rows, at))
                if type(cython.cast(object, row)) is not dict or PyDict_Size(cython.cast(dict, row)) != width:
                    return None
            for at in range(first, last):
                row = cython.cast(cython.pointer[PyObject], PyList_GetItem(rows, at))
                if not _has_keys(row, keys, key_at, values + (at - first), batch):
                    return None
            for which in range(width):
                kind = expected[which]
                fine = kind != 45
                for at in range(first, last if fine else first):
                    value = values[which * batch + at - first]
                    if kind == 110:
                        fine = take_string(
                            cython.address(known[which]),
                            cython.cast(object, value),
                            cython.address(code[which, at]),
                        )
                    elif kind == 105:
                        fine = _take_integer(cython.cast(object, value), cython.address(whole[which, at]))
                    else:
                        fine = _take_float(cython.cast(object, value), cython.address(real[which, at]))
                    if not fine:
                        break
                if not fine:
                    expected[which] = 45
        return [
            (columns[which].view(np.int32)[:size], *table_of(cython.address(known[which])))
            if expected[which] == 110
            else columns[which]
            if expected[which] == 105
            else columns[which].view(np.float64)
            if expected[which] == 102
            else None
            for which in range(width)
        ]
    except UnicodeEncodeError:
        return None
    finally:
        if known != cython.NULL:
            for which in range(width):
                drop(cython.address(known[which]))
        free(known)
        free(values)


def names(values: list):
    """The column of values that are all names; None if one is not.

    >>> found = names(["d1", "d2", "d1"])
    >>> found is None or (found[0].tolist(), found[2]) == ([0, 1, 0], b"d1d2")
    True
    >>> names(["d1", ""]) is None
    True
    """
    if not cython.compiled:
        return None
    size: cython.Py_ssize_t = len(values)
    codes = np.empty(size + 1, dtype=np.int32)
    code: cython.int[::1] = codes
    known: cython.pointer[Names] = cython.cast(cython.pointer[Names], calloc(1, cython.sizeof(Names)))
    at: cython.Py_ssize_t
    try:
        if known == cython.NULL:
            raise MemoryError
        for at in range(size):
            if not take_string(
                known, cython.cast(object, PyList_GetItem(values, at)), cython.address(code[at])
            ):
                return None
        return (codes[:size], *table_of(known))
    except UnicodeEncodeError:
        return None
    finally:
        if known != cython.NULL:
            drop(known)
        free(known)
