"""A kernel over columns of frames, which polars and pyarrow pass on as streams of Arrow arrays."""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

if cython.compiled:
    from cython.cimports.cpython.pycapsule import PyCapsule_GetPointer
    from cython.cimports.doxeval.kernels.arrow_stream import (
        NO_STRINGS,
        Array,
        Layout,
        Stream,
        layout_of,
        string_at,
    )
    from cython.cimports.doxeval.kernels.distinct_names import NO_MEMORY, NO_NAME, code_of_text
    from cython.cimports.doxeval.kernels.name_table import Names, drop, table_of
    from cython.cimports.libc.stdlib import calloc, free


def names_of_stream(capsule: object, size: cython.Py_ssize_t):
    """A column of `size` names as :mod:`doxeval.kernels.objects` gives it, from a capsule of a stream.

    None if these are not strings, if one is missing, empty or long, and without a compiler.

    >>> import polars as pl
    >>> found = names_of_stream(pl.Series(["d1", "d2", "d1"]).__arrow_c_stream__(), 3)
    >>> found is None or (found[0].tolist(), found[2]) == ([0, 1, 0], b"d1d2")
    True
    >>> names_of_stream(pl.Series([1, 2]).__arrow_c_stream__(), 2) is None
    True
    """
    if not cython.compiled:
        return None
    stream: cython.pointer[Stream] = cython.cast(
        cython.pointer[Stream], PyCapsule_GetPointer(capsule, b"arrow_array_stream")
    )
    layout: Layout = layout_of(stream)
    if layout == NO_STRINGS:
        return None
    codes = np.empty(size + 1, dtype=np.int32)
    code: cython.int[::1] = codes
    array = cython.declare(Array)
    known: cython.pointer[Names] = cython.cast(cython.pointer[Names], calloc(1, cython.sizeof(Names)))
    if known == cython.NULL:
        raise MemoryError
    # An array must be released exactly once, whatever is found in it; one without a release is the end.
    filled: cython.Py_ssize_t = 0
    width: cython.Py_ssize_t = 0
    row: cython.Py_ssize_t
    problem: cython.int = 0
    try:
        while problem == 0 and stream.get_next(stream, cython.address(array)) == 0:
            if array.release == cython.NULL:
                return (codes[:size], *table_of(known)) if filled == size else None
            if array.null_count != 0 or filled + array.length > size:
                problem = NO_NAME
            with cython.nogil:
                row = 0
                while problem == 0 and row < array.length:
                    text = string_at(cython.address(array), layout, row, cython.address(width))
                    code[filled] = code_of_text(known, text, width)
                    problem = min(0, code[filled])
                    filled += 1
                    row += 1
            array.release(cython.address(array))
        if problem == NO_MEMORY:
            raise MemoryError
        return None
    finally:
        drop(known)
        free(known)
