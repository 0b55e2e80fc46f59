"""Kernels for reading: the highlighted passage that a result touches first."""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython


def first_touched(
    pair: cython.longlong[::1],
    start: cython.longlong[::1],
    end: cython.longlong[::1],
    unit_offset: cython.longlong[::1],
    unit_start: cython.longlong[::1],
    unit_end: cython.longlong[::1],
):
    """For each range the first unit of its pair, in the order given, that shares a character with it; or -1.

    Pair p has units `unit_offset[p]` to `unit_offset[p + 1]`; an empty range touches nothing, nor does one of
    pair -1. Units may overlap and come in any order, so they are gone through; there are few.

    >>> pair, start, end = np.array([0, 0, -1]), np.array([5, 30, 0]), np.array([15, 40, 9])
    >>> first_touched(pair, start, end, np.array([0, 2]), np.array([10, 0]), np.array([20, 8])).tolist()
    [0, -1, -1]
    """
    touched: cython.longlong[::1] = np.full(pair.shape[0], -1, dtype=np.int64)
    for row in range(pair.shape[0]):
        if pair[row] < 0 or end[row] <= start[row]:
            continue
        for unit in range(unit_offset[pair[row]], unit_offset[pair[row] + 1]):
            if unit_start[unit] < end[row] and start[row] < unit_end[unit]:
                touched[row] = unit
                break
    return np.asarray(touched)
