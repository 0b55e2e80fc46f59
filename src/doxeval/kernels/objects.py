"""Kernels over Python objects: the names and numbers in lists, and in lists of dicts, as columns.

Each takes the usual case and gives None for any other, which is left to slower ways that know every case;
without a compiler no case is usual. Names are short strings that are not empty and can be written as UTF-8;
a column of them is `(codes, offset, letters)` as distinct_names.pxd gives them: equal names have equal codes.
"""

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
    from cython.cimports.doxeval.kernels.distinct_names import table_of, take_string
    from cython.cimports.doxeval.kernels.name_table import Names, drop
    from cython.cimports.libc.stdlib import calloc, free

NAME, INTEGER, FLOAT, OTHER = b"nif-"
"""What the values of a key are expected to be."""

BATCH = 32
"""Rows of which the dicts are touched first, then the values, so that memory is not waited for one by one."""


def columns_of_dicts(rows: list, keys: list, kinds: bytes):
    """Typed columns of dicts that all have these keys in this order, in one pass and without holding values.

    For each key a column of numbers or of names, or None where some value is not what was expected.
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
    overflow: cython.int = 0
    first: cython.Py_ssize_t
    at: cython.Py_ssize_t
    which: cython.Py_ssize_t
    place: cython.Py_ssize_t
    fine: cython.bint
    found = cython.declare(cython.pointer[PyObject])
    row = cython.declare(cython.pointer[PyObject])
    known: cython.pointer[Names] = cython.cast(cython.pointer[Names], calloc(width + 1, cython.sizeof(Names)))
    values: cython.pointer[cython.pointer[PyObject]] = cython.cast(
        cython.pointer[cython.pointer[PyObject]], calloc((width + 1) * BATCH, cython.sizeof(found))
    )
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
                place = 0
                for which in range(width):
                    PyDict_Next(
                        cython.cast(object, row),
                        cython.address(place),
                        cython.address(found),
                        cython.address(values[which * batch + at - first]),
                    )
                    if cython.cast(cython.size_t, found) != key_at[which] and (
                        type(cython.cast(object, found)) is not str
                        or PyUnicode_Compare(cython.cast(object, found), keys[which]) != 0
                    ):
                        return None
            for which in range(width):
                fine = expected[which] != 45
                at = first
                if expected[which] == 110:
                    while fine and at < last:
                        found = values[which * batch + at - first]
                        fine = take_string(
                            cython.address(known[which]),
                            cython.cast(object, found),
                            cython.address(code[which, at]),
                        )
                        at += 1
                elif expected[which] == 105:
                    while fine and at < last:
                        found = values[which * batch + at - first]
                        fine = type(cython.cast(object, found)) is int
                        if fine:
                            whole[which, at] = PyLong_AsLongLongAndOverflow(
                                cython.cast(object, found), cython.address(overflow)
                            )
                            fine = overflow == 0
                        at += 1
                elif expected[which] == 102:
                    while fine and at < last:
                        found = values[which * batch + at - first]
                        fine = type(cython.cast(object, found)) is float
                        if fine:
                            real[which, at] = PyFloat_AsDouble(cython.cast(object, found))
                        at += 1
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
    """The column of what are all names."""
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
