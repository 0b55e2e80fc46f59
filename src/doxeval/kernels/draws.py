"""Kernels for random draws: sums of scores that are dealt again, topic by topic."""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython


def dealt_sums(rows: cython.double[:, ::1], words: cython.ulonglong[:, :, ::1]):
    """Shuffle every topic's row of scores, in place, once per draw; sums over topics by draw and system.

    Fisher and Yates: from the last to the second, each position is swapped with one up to it, chosen by half
    a random word (its share of the 2^32 halves is off by less than systems / 2^32).
    """
    draws: cython.Py_ssize_t = words.shape[0]
    topics: cython.Py_ssize_t = rows.shape[0]
    systems: cython.Py_ssize_t = rows.shape[1]
    sums: cython.double[:, ::1] = np.zeros((draws, systems), dtype=np.float64)
    half: cython.ulonglong
    place: cython.Py_ssize_t
    for draw in range(draws):
        for topic in range(topics):
            for other in range(systems - 1, 0, -1):
                half = words[draw, topic, other >> 1]
                half = half >> 32 if other & 1 else (half << 32) >> 32
                place = (half * (other + 1)) >> 32
                kept = rows[topic, other]
                rows[topic, other] = rows[topic, place]
                rows[topic, place] = kept
            for system in range(systems):
                sums[draw, system] += rows[topic, system]
    return np.asarray(sums)
