"""Kernels of exposure: what a reader has seen after each rank, directly or by navigation."""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython


def expose_units(
    offset: cython.const[cython.longlong][::1],
    result: cython.const[cython.longlong][::1],
    chance: cython.const[cython.double][::1],
    shown: cython.const[cython.double][::1],
    worth: cython.const[cython.double][::1],
    hits: cython.double[::1],
    near: cython.double[::1],
    missed: cython.double[::1],
):
    """Add changes of hits, near-misses and misses at each result to those three (ESR Eqs. 5, 8-10).

    Unit u is worth `worth[u]` and meets the results `offset[u]` to `offset[u + 1]`, best first: each shows
    some of it directly for the first time (`shown`), and leads to the rest with a chance. Meetings at which
    both are 0 change nothing and may be left out.

    Invariant: hits + near + missed of a unit is its worth at every rank; `hidden` is what no result has
    shown, `unseen` the chance that no result so far has led to it. A unit worth 10: the first result leads to
    it with chance 0.2, so 2 of it are a near miss; the second shows 4 of it, hits if the reader has not been
    there (0.8), and leads to the rest with chance 0.5, after which 6 * 0.8 * 0.5 are missed.

    >>> hits, near, missed = np.zeros(2), np.zeros(2), np.zeros(2)
    >>> meeting = np.array([0, 2]), np.array([0, 1]), np.array([0.2, 0.5]), np.array([0.0, 4.0])
    >>> expose_units(*meeting, np.array([10.0]), hits, near, missed)
    >>> hits.round(6).tolist(), near.round(6).tolist(), missed.round(6).tolist()
    ([0.0, 3.2], [2.0, 1.6], [-2.0, -5.6])
    """
    for unit in range(offset.shape[0] - 1):
        hidden = worth[unit]
        unseen = 1.0
        for row in range(offset[unit], offset[unit + 1]):
            at = result[row]
            before_near = hidden * (1.0 - unseen)
            before_missed = hidden * unseen
            hits[at] += shown[row] * unseen
            hidden -= shown[row]
            unseen *= 1.0 - chance[row]
            near[at] += hidden * (1.0 - unseen) - before_near
            missed[at] += hidden * unseen - before_missed


def unseen_after(offset: cython.const[cython.longlong][::1], chance: cython.const[cython.double][::1]):
    """For each group the product of 1 - chance: what a noisy-or leaves unseen.

    >>> unseen_after(np.array([0, 2, 2]), np.array([0.5, 0.2])).tolist()
    [0.4, 1.0]
    """
    left: cython.double[::1] = np.ones(offset.shape[0] - 1, dtype=np.float64)
    for group in range(offset.shape[0] - 1):
        for row in range(offset[group], offset[group + 1]):
            left[group] *= 1.0 - chance[row]
    return np.asarray(left)


def best_reaching(
    offset: cython.const[cython.longlong][::1],
    reached: cython.const[cython.longlong][::1],
    value: cython.const[cython.double][::1],
    points: cython.Py_ssize_t,
):
    """For each topic and point the largest value at a rank that reaches the point or a higher one, else 0.

    `reached` is the highest point each rank reaches, -1 for none; recall may fall from rank to rank, so ranks
    cannot be gone through in the order of points: the best of each point first, then the best from there on.

    >>> best_reaching(np.array([0, 3]), np.array([0, 2, 1]), np.array([0.9, 0.3, 0.5]), 3).tolist()
    [[0.9, 0.5, 0.3]]
    """
    topics: cython.Py_ssize_t = offset.shape[0] - 1
    best: cython.double[:, ::1] = np.zeros((topics, points), dtype=np.float64)
    for topic in range(topics):
        for row in range(offset[topic], offset[topic + 1]):
            point = reached[row]
            if point >= 0 and value[row] > best[topic, point]:
                best[topic, point] = value[row]
        for point in range(points - 2, -1, -1):
            if best[topic, point + 1] > best[topic, point]:
                best[topic, point] = best[topic, point + 1]
    return np.asarray(best)


@cython.cfunc
@cython.inline
def _add_gap(
    columns: cython.longlong[:, ::1],
    count: cython.Py_ssize_t,
    document: cython.longlong,
    start: cython.longlong,
    end: cython.longlong,
    made_by: cython.longlong,
    remains_of: cython.longlong,
) -> cython.Py_ssize_t:
    """Write a gap into row `count`; returns the next row."""
    columns[0, count] = document
    columns[1, count] = start
    columns[2, count] = end
    columns[3, count] = made_by
    columns[5, count] = remains_of
    return count + 1


@cython.cfunc
@cython.inline
def _first_reaching(
    columns: cython.longlong[:, ::1],
    opened: cython.longlong[::1],
    last: cython.Py_ssize_t,
    place: cython.longlong,
) -> cython.Py_ssize_t:
    """The position of the first open gap that ends after a place: gaps are disjoint, so ends ascend too."""
    first: cython.Py_ssize_t = 0
    while first < last:
        middle = (first + last) // 2
        if columns[2, opened[middle]] <= place:
            first = middle + 1
        else:
            last = middle
    return first


def gaps_over_time(
    offset: cython.const[cython.longlong][::1],
    start: cython.const[cython.longlong][::1],
    end: cython.const[cython.longlong][::1],
    result: cython.const[cython.longlong][::1],
    length: cython.const[cython.longlong][::1],
):
    """The gaps between shown text that come and go as results show more of a document.

    Document d has the ranges `offset[d]` to `offset[d + 1]`, in order of reading, and `length[d]` characters.
    Returns columns, one row per gap: document, start, end, the result that made it and the one that ended it
    (-1: it was there from the start, is there at the end), the gap it remains of (-1: none). A result may
    have several ranges; a gap that exists for no rank in between is still a row.

    Of 100 characters result 0 shows [20, 40), which leaves [0, 20) and [40, 100); result 1 shows [10, 60),
    which leaves [0, 10) of the former and [60, 100) of the latter.

    >>> shown = np.array([0, 2]), np.array([20, 10]), np.array([40, 60]), np.array([0, 1])
    >>> for row in gaps_over_time(*shown, np.array([100])).T.tolist():
    ...     print(row)
    [0, 0, 100, -1, 0, -1]
    [0, 0, 20, 0, 1, 0]
    [0, 40, 100, 0, 1, 0]
    [0, 0, 10, 1, -1, 1]
    [0, 60, 100, 1, -1, 2]
    """
    documents: cython.Py_ssize_t = offset.shape[0] - 1
    # A range splits at most one gap into two, and shortens or ends others: it adds at most two rows.
    room: cython.Py_ssize_t = documents + 2 * start.shape[0]
    columns: cython.longlong[:, ::1] = np.full((6, room), -1, dtype=np.int64)
    # Rows of the gaps of this document that are open now, by their place in the text: opened[:here].
    opened: cython.longlong[::1] = np.empty(room + 1, dtype=np.int64)
    count: cython.Py_ssize_t = 0
    for document in range(documents):
        opened[0] = count
        here = 1
        count = _add_gap(columns, count, document, 0, length[document], -1, -1)
        for row in range(offset[document], offset[document + 1]):
            first = last = _first_reaching(columns, opened, here, start[row])
            while last < here and columns[1, opened[last]] < end[row]:
                last += 1
            if first == last:
                continue
            # The gaps at [first, last) meet the range: they end, and what remains of them are new gaps.
            made = count
            for place in range(first, last):
                gap = opened[place]
                columns[4, gap] = result[row]
                if columns[1, gap] < start[row]:
                    count = _add_gap(columns, count, document, columns[1, gap], start[row], result[row], gap)
                if columns[2, gap] > end[row]:
                    count = _add_gap(columns, count, document, end[row], columns[2, gap], result[row], gap)
            # Put the new ones in their places: those behind move, from the side on which nothing is
            # overwritten.
            move = (count - made) - (last - first)
            if move > 0:
                for place in range(here - 1, last - 1, -1):
                    opened[place + move] = opened[place]
            elif move < 0:
                for place in range(last, here):
                    opened[place + move] = opened[place]
            here += move
            for place in range(count - made):
                opened[first + place] = made + place
    return np.asarray(columns)[:, :count]
