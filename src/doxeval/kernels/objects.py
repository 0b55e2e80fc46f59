"""Kernels over Python objects: the names and numbers in lists, and in lists of dicts, as columns.

Each takes the usual case and gives None for any other, which is left to slower ways that know every case;
without a compiler no case is usual.
"""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
    from cython.cimports.cpython.dict import PyDict_Next, PyDict_Size
    from cython.cimports.cpython.list import PyList_GetItem
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow
    from cython.cimports.cpython.object import PyObject
    from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize, PyUnicode_Compare
    from cython.cimports.libc.stdlib import calloc, free, realloc
    from cython.cimports.libc.string import memcpy

NAME, INTEGER, FLOAT, OTHER = b"nif-"
"""What the values of a key are expected to be."""

LONGEST_NAME = cython.declare(cython.Py_ssize_t, 1000)
"""How many bytes a name has at most; longer texts gain nothing by being copied."""
MOST_BYTES = cython.declare(cython.Py_ssize_t, (1 << 31) - 1 - 1000)

Letters = cython.struct(begin=cython.p_char, filled=cython.Py_ssize_t, room=cython.Py_ssize_t)


@cython.cfunc
@cython.inline
@cython.exceptval(-2)
def _append(text: cython.pointer[Letters], value: object) -> cython.Py_ssize_t:
    """Copy a name behind the others; where it ends, -1 where it is none."""
    width: cython.Py_ssize_t = 0
    if type(value) is not str:
        return -1
    letters: cython.p_const_char = PyUnicode_AsUTF8AndSize(value, cython.address(width))
    if width == 0 or width > LONGEST_NAME or text.filled > MOST_BYTES:
        return -1
    if text.filled + width > text.room:
        text.room = 2 * text.room + 64 * width
        larger: cython.p_char = cython.cast(cython.p_char, realloc(text.begin, text.room))
        if larger == cython.NULL:
            raise MemoryError
        text.begin = larger
    memcpy(text.begin + text.filled, letters, width)
    text.filled += width
    return text.filled


def columns_of_dicts(rows: list, keys: list, kinds: bytes):
    """Typed columns of dicts that all have these keys in this order, in one pass and without holding values.

    For each key a column of numbers, `(bytes, end)` as :func:`names` gives them, or None where some value is
    not what was expected.
    """
    if not cython.compiled:
        return None
    size: cython.Py_ssize_t = len(rows)
    width: cython.Py_ssize_t = len(keys)
    expected: cython.uchar[::1] = np.frombuffer(kinds + b"-", dtype=np.uint8).copy()
    columns = np.empty((width + 1, size), dtype=np.int64)
    whole: cython.longlong[:, ::1] = columns
    real: cython.double[:, ::1] = columns.view(np.float64)
    key_at: cython.size_t[::1] = np.array([id(key) for key in keys] + [0], dtype=np.uintp)
    overflow: cython.int = 0
    at: cython.Py_ssize_t
    which: cython.Py_ssize_t
    place: cython.Py_ssize_t
    found = cython.declare(cython.pointer[PyObject])
    value = cython.declare(cython.pointer[PyObject])
    texts: cython.pointer[Letters] = cython.cast(
        cython.pointer[Letters], calloc(width + 1, cython.sizeof(Letters))
    )
    if texts == cython.NULL:
        raise MemoryError
    try:
        for at in range(size):
            row = cython.cast(object, PyList_GetItem(rows, at))
            if type(row) is not dict or PyDict_Size(row) != width:
                return None
            place = which = 0
            while PyDict_Next(row, cython.address(place), cython.address(found), cython.address(value)):
                if cython.cast(cython.size_t, found) != key_at[which] and (
                    type(cython.cast(object, found)) is not str
                    or PyUnicode_Compare(cython.cast(object, found), keys[which]) != 0
                ):
                    return None
                if expected[which] == 110:
                    whole[which, at] = _append(cython.address(texts[which]), cython.cast(object, value))
                    if whole[which, at] < 0:
                        expected[which] = 45
                elif expected[which] == 105 and type(cython.cast(object, value)) is int:
                    whole[which, at] = PyLong_AsLongLongAndOverflow(
                        cython.cast(object, value), cython.address(overflow)
                    )
                    if overflow != 0:
                        expected[which] = 45
                elif expected[which] == 102 and type(cython.cast(object, value)) is float:
                    real[which, at] = cython.cast(object, value)
                else:
                    expected[which] = 45
                which += 1
        taken = []
        for which in range(width):
            if expected[which] == 110:
                end = columns[which].astype(np.int32)
                taken.append((PyBytes_FromStringAndSize(texts[which].begin, texts[which].filled), end))
            elif expected[which] == 105:
                taken.append(columns[which])
            else:
                taken.append(columns[which].view(np.float64) if expected[which] == 102 else None)
        return taken
    except UnicodeEncodeError:
        return None
    finally:
        for which in range(width):
            free(texts[which].begin)
        free(texts)


def names(values: list):
    """The bytes of what are all short strings behind one another, and where each ends: `(bytes, end)`.

    None of them is empty, and all can be written as UTF-8.
    """
    if not cython.compiled:
        return None
    size: cython.Py_ssize_t = len(values)
    end: cython.int[::1] = np.empty(size, dtype=np.int32)
    text = cython.declare(Letters)
    text.begin = cython.NULL
    text.filled = text.room = 0
    at: cython.Py_ssize_t
    after: cython.Py_ssize_t
    try:
        for at in range(size):
            after = _append(cython.address(text), cython.cast(object, PyList_GetItem(values, at)))
            if after < 0:
                return None
            end[at] = after
        return PyBytes_FromStringAndSize(text.begin, text.filled), np.asarray(end)
    except UnicodeEncodeError:
        return None
    finally:
        free(text.begin)
