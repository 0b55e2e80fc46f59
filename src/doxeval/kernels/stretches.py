"""Kernels for stretches of text: merging ranges, matching results to assessments, what is seen first."""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython


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
    merged_offset: cython.longlong[::1] = np.zeros(groups + 1, dtype=np.int64)
    merged_start: cython.longlong[::1] = np.empty(start.shape[0], dtype=np.int64)
    merged_end: cython.longlong[::1] = np.empty(start.shape[0], dtype=np.int64)
    kept: cython.Py_ssize_t = 0
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
    return np.asarray(merged_offset), np.asarray(merged_start)[:kept], np.asarray(merged_end)[:kept]


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
    pair: cython.longlong[::1] = np.full(result_doc.shape[0], -1, dtype=np.int64)
    slot: cython.longlong[::1] = np.full(documents, -1, dtype=np.int64)
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
    return np.asarray(pair)


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
    first: cython.longlong[::1] = np.full(segments, -1, dtype=np.int64)
    following: cython.longlong[::1] = np.arange(segments + 1, dtype=np.int64)
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
    return np.asarray(first)
