"""Kernels for random draws: sums of scores that are dealt again, topic by topic."""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython


def dealt_sums(
    rows: cython.double[:, ::1], deals: cython.longlong[:, ::1], words: cython.ulonglong[:, :, ::1]
):
    """Shuffle every topic's row of scores, in place, once per draw; sums over topics by draw and system.

    Fisher and Yates: from the last to the second, each position is swapped with one up to it. A random word,
    read as a fraction of 1, is multiplied by their number: the whole part chooses, and the remainder is the
    fraction for the next position, for as many as `deals` says (shares are off by less than 2^-32).

    The word 2^63 is one half. With three systems it swaps the last with position 1 (half of 3 is 1.5); the
    remainder, again one half, swaps position 1 with 1 (half of 2 is 1): 7 8 9 becomes 7 9 8.

    >>> rows, words = np.array([[7.0, 8.0, 9.0]]), np.full((1, 1, 1), 1 << 63, dtype=np.uint64)
    >>> dealt_sums(rows, np.array([[2, 0]]), words).tolist()
    [[7.0, 9.0, 8.0]]
    """
    draws: cython.Py_ssize_t = words.shape[0]
    topics: cython.Py_ssize_t = rows.shape[0]
    systems: cython.Py_ssize_t = rows.shape[1]
    sums: cython.double[:, ::1] = np.zeros((draws, systems), dtype=np.float64)
    draw: cython.Py_ssize_t
    topic: cython.Py_ssize_t
    deal: cython.Py_ssize_t
    other: cython.Py_ssize_t
    place: cython.Py_ssize_t
    system: cython.Py_ssize_t
    high: cython.ulonglong
    low: cython.ulonglong
    kept: cython.double
    mask: cython.ulonglong = (1 << 32) - 1
    with cython.nogil:
        for draw in range(draws):
            for topic in range(topics):
                for deal in range(deals.shape[0]):
                    # A fraction of 64 bits in two halves, since a product of it would need more than 64.
                    high = words[draw, topic, deal] >> 32
                    low = words[draw, topic, deal] & mask
                    for other in range(deals[deal, 0], deals[deal, 1], -1):
                        low = low * (other + 1)
                        high = high * (other + 1) + (low >> 32)
                        place = high >> 32
                        high = high & mask
                        low = low & mask
                        kept = rows[topic, other]
                        rows[topic, other] = rows[topic, place]
                        rows[topic, place] = kept
                for system in range(systems):
                    sums[draw, system] += rows[topic, system]
    return np.asarray(sums)
