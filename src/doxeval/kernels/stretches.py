"""Kernels for stretches of text: merging ranges, matching results to assessments, what is seen first."""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython


@cython.boundscheck(False)
@cython.wraparound(False)
def merge_ranges(
    offset: cython.longlong[::1],
    start: cython.longlong[::1],
    end: cython.longlong[::1],
    touching: cython.bint,
):
    """Merge overlapping ranges within each group (and touching ones, if asked); drop empty ones.

    Group g holds ranges `offset[g]` to `offset[g + 1]`, sorted by start. Returns the same three columns.
    """
    groups: cython.Py_ssize_t = offset.shape[0] - 1
    merged_offset_array = np.zeros(groups + 1, dtype=np.int64)
    merged_start_array = np.empty(start.shape[0], dtype=np.int64)
    merged_end_array = np.empty(start.shape[0], dtype=np.int64)
    merged_offset: cython.longlong[::1] = merged_offset_array
    merged_start: cython.longlong[::1] = merged_start_array
    merged_end: cython.longlong[::1] = merged_end_array
    group: cython.Py_ssize_t
    row: cython.Py_ssize_t
    kept: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t
    reach: cython.longlong
    for group in range(groups):
        first = kept
        for row in range(offset[group], offset[group + 1]):
            if end[row] <= start[row]:
                continue
            if kept > first:
                reach = merged_end[kept - 1] + 1 if touching else merged_end[kept - 1]
                if start[row] < reach:
                    if end[row] > merged_end[kept - 1]:
                        merged_end[kept - 1] = end[row]
                    continue
            merged_start[kept] = start[row]
            merged_end[kept] = end[row]
            kept += 1
        merged_offset[group + 1] = kept
    return merged_offset_array, merged_start_array[:kept], merged_end_array[:kept]


@cython.boundscheck(False)
@cython.wraparound(False)
def match_pairs(
    result_offset: cython.longlong[::1],
    result_doc: cython.int[::1],
    pair_offset: cython.longlong[::1],
    pair_doc: cython.int[::1],
    documents: cython.Py_ssize_t,
):
    """For each result the assessed (topic, document) pair it belongs to, or -1.

    Results and pairs are grouped by topic; document codes are those of the assessments, -1 for unknown.
    """
    pair_array = np.full(result_doc.shape[0], -1, dtype=np.int64)
    slot_array = np.full(documents, -1, dtype=np.int64)
    pair: cython.longlong[::1] = pair_array
    slot: cython.longlong[::1] = slot_array
    topic: cython.Py_ssize_t
    row: cython.Py_ssize_t
    for topic in range(result_offset.shape[0] - 1):
        if result_offset[topic] == result_offset[topic + 1]:
            continue
        for row in range(pair_offset[topic], pair_offset[topic + 1]):
            slot[pair_doc[row]] = row
        for row in range(result_offset[topic], result_offset[topic + 1]):
            if result_doc[row] >= 0:
                pair[row] = slot[result_doc[row]]
        for row in range(pair_offset[topic], pair_offset[topic + 1]):
            slot[pair_doc[row]] = -1
    return pair_array


@cython.boundscheck(False)
@cython.wraparound(False)
def paint_first(
    begin: cython.longlong[::1],
    end: cython.longlong[::1],
    owner: cython.longlong[::1],
    segments: cython.Py_ssize_t,
):
    """Who shows each segment first: spans `[begin, end)` of segments, in order of reading.

    Returns for each segment the owner of the first span that holds it, or -1. Painted segments are
    skipped by path-halving links, so the cost is nearly linear whatever the overlaps.
    """
    first_array = np.full(segments, -1, dtype=np.int64)
    next_array = np.arange(segments + 1, dtype=np.int64)
    first: cython.longlong[::1] = first_array
    following: cython.longlong[::1] = next_array
    row: cython.Py_ssize_t
    segment: cython.longlong
    for row in range(begin.shape[0]):
        segment = begin[row]
        while True:
            while following[segment] != segment:
                following[segment] = following[following[segment]]
                segment = following[segment]
            if segment >= end[row]:
                break
            first[segment] = owner[row]
            following[segment] = segment + 1
    return first_array
