"""Kernels for interpolation at recall points."""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython


def best_from(
    offset: cython.longlong[::1],
    gain: cython.longlong[::1],
    value: cython.double[::1],
    needed: cython.longlong[:, ::1],
):
    """For each topic and point, the largest value at a rank where `gain` is at least `needed`, else 0.

    Gains never fall within a topic; the points of a topic are in ascending order. This is interpolated
    precision, iP[x] = max of P(r) over the ranks r with R(r) >= x (INEX 2007): from the last rank and the
    highest point backwards, each rank is looked at once.

    Precision 1, 0.5, 0.6 where 10, 10, 30 characters have been found: of 20 needed, only the last rank has
    them.

    >>> gain, value = np.array([10, 10, 30]), np.array([1.0, 0.5, 0.6])
    >>> best_from(np.array([0, 3]), gain, value, np.array([[5, 20, 40]])).tolist()
    [[1.0, 0.6, 0.0]]
    """
    topics: cython.Py_ssize_t = offset.shape[0] - 1
    points: cython.Py_ssize_t = needed.shape[1]
    best: cython.double[:, ::1] = np.zeros((topics, points), dtype=np.float64)
    for topic in range(topics):
        rank = offset[topic + 1]
        largest = 0.0
        for point in range(points - 1, -1, -1):
            while rank > offset[topic] and gain[rank - 1] >= needed[topic, point]:
                rank -= 1
                if value[rank] > largest:
                    largest = value[rank]
            best[topic, point] = largest
    return np.asarray(best)
