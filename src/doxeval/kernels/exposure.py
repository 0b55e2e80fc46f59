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
    """For each group the product of 1 - chance: what a noisy-or leaves unseen."""
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

    `reached` is the highest point each rank reaches, -1 for none; recall may fall from rank to rank.
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
    """
    documents: cython.Py_ssize_t = offset.shape[0] - 1
    room: cython.Py_ssize_t = documents + 2 * start.shape[0]
    columns: cython.longlong[:, ::1] = np.full((6, room), -1, dtype=np.int64)
    opened: cython.longlong[::1] = np.empty(room + 1, dtype=np.int64)
    count: cython.Py_ssize_t = 0
    for document in range(documents):
        columns[0, count] = document
        columns[1, count] = 0
        columns[2, count] = length[document]
        opened[0] = count
        here = 1
        count += 1
        for row in range(offset[document], offset[document + 1]):
            first = 0
            last = here
            while first < last:
                place = (first + last) // 2
                if columns[2, opened[place]] <= start[row]:
                    first = place + 1
                else:
                    last = place
            last = first
            while last < here and columns[1, opened[last]] < end[row]:
                last += 1
            if first == last:
                continue
            made = 0
            for place in range(first, last):
                gap = opened[place]
                columns[4, gap] = result[row]
                if columns[1, gap] < start[row]:
                    columns[0, count] = document
                    columns[1, count] = columns[1, gap]
                    columns[2, count] = start[row]
                    columns[3, count] = result[row]
                    columns[5, count] = gap
                    count += 1
                    made += 1
                if columns[2, gap] > end[row]:
                    columns[0, count] = document
                    columns[1, count] = end[row]
                    columns[2, count] = columns[2, gap]
                    columns[3, count] = result[row]
                    columns[5, count] = gap
                    count += 1
                    made += 1
            move = made - (last - first)
            if move > 0:
                for place in range(here - 1, last - 1, -1):
                    opened[place + move] = opened[place]
            elif move < 0:
                for place in range(last, here):
                    opened[place + move] = opened[place]
            here += move
            for place in range(made):
                opened[first + place] = count - made + place
    return np.asarray(columns)[:, :count]
