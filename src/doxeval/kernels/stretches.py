"""Kernels for stretches of text: merging ranges, matching results to assessments, text first seen."""

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
    """Merge overlapping ranges within each group (and touching ones, on request); drop empty ones.

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


def rows_by_group(
    code: cython.const[cython.int][::1], group: cython.const[cython.int][::1], groups: cython.Py_ssize_t
):
    """The rows whose `group[code[row]]` is not negative, by group, in their order: `(offset, rows)`."""
    offset: cython.longlong[::1] = np.zeros(groups + 1, dtype=np.int64)
    place: cython.longlong[::1] = np.zeros(groups + 1, dtype=np.int64)
    row: cython.Py_ssize_t
    here: cython.int
    with cython.nogil:
        for row in range(code.shape[0]):
            here = group[code[row]]
            if here >= 0:
                offset[here + 1] += 1
        for here in range(groups):
            offset[here + 1] += offset[here]
            place[here] = offset[here]
    rows: cython.longlong[::1] = np.empty(offset[groups], dtype=np.int64)
    with cython.nogil:
        for row in range(code.shape[0]):
            here = group[code[row]]
            if here >= 0:
                rows[place[here]] = row
                place[here] += 1
    return np.asarray(offset), np.asarray(rows)


def rises(
    offset: cython.const[cython.longlong][::1],
    rows: cython.const[cython.longlong][::1],
    value: cython.const[cython.double][::1],
):
    """Positions in `rows` with a value larger than the previous one of the group, and how many are equal."""
    found: cython.longlong[::1] = np.empty(rows.shape[0], dtype=np.int64)
    count: cython.Py_ssize_t = 0
    equal: cython.Py_ssize_t = 0
    at: cython.longlong
    group: cython.Py_ssize_t
    with cython.nogil:
        for group in range(offset.shape[0] - 1):
            for at in range(offset[group] + 1, offset[group + 1]):
                if value[rows[at]] > value[rows[at - 1]]:
                    found[count] = at
                    count += 1
                elif value[rows[at]] == value[rows[at - 1]]:
                    equal += 1
    return np.asarray(found)[:count], equal


def match_pairs(
    result_offset: cython.const[cython.longlong][::1],
    doc: cython.const[cython.int][::1],
    known: cython.const[cython.int][::1],
    pair_offset: cython.const[cython.longlong][::1],
    pair_doc: cython.const[cython.int][::1],
    documents: cython.Py_ssize_t,
):
    """For each result the assessed (topic, document) pair it belongs to, or -1.

    Results and pairs are grouped by topic; `known` are the codes that the results' documents have in the
    assessments, -1 for unknown.
    """
    pair: cython.longlong[::1] = np.full(doc.shape[0], -1, dtype=np.int64)
    slot: cython.longlong[::1] = np.full(documents, -1, dtype=np.int64)
    topic: cython.Py_ssize_t
    row: cython.longlong
    with cython.nogil:
        for topic in range(result_offset.shape[0] - 1):
            if result_offset[topic] == result_offset[topic + 1]:
                continue
            for row in range(pair_offset[topic], pair_offset[topic + 1]):
                slot[pair_doc[row]] = row
            for row in range(result_offset[topic], result_offset[topic + 1]):
                if known[doc[row]] >= 0:
                    pair[row] = slot[known[doc[row]]]
            for row in range(pair_offset[topic], pair_offset[topic + 1]):
                slot[pair_doc[row]] = -1
    return np.asarray(pair)


def first_in_group(
    offset: cython.const[cython.longlong][::1], item: cython.const[cython.int][::1], items: cython.Py_ssize_t
):
    """The rows that are the first of their group with their item."""
    found: cython.longlong[::1] = np.empty(item.shape[0], dtype=np.int64)
    met: cython.Py_ssize_t[::1] = np.full(items, -1, dtype=np.intp)
    count: cython.Py_ssize_t = 0
    group: cython.Py_ssize_t
    row: cython.longlong
    with cython.nogil:
        for group in range(offset.shape[0] - 1):
            for row in range(offset[group], offset[group + 1]):
                if met[item[row]] != group:
                    met[item[row]] = group
                    found[count] = row
                    count += 1
    return np.asarray(found)[:count]


def furthest(
    code: cython.const[cython.int][::1],
    end: cython.const[cython.longlong][::1],
    limit: cython.longlong,
    codes: cython.Py_ssize_t,
):
    """For each code the largest end below the limit, or 0."""
    reached: cython.longlong[::1] = np.zeros(codes, dtype=np.int64)
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(code.shape[0]):
            if reached[code[row]] < end[row] < limit:
                reached[code[row]] = end[row]
    return np.asarray(reached)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _before(
    first: cython.longlong,
    after: cython.longlong,
    start: cython.const[cython.longlong][::1],
    end: cython.const[cython.longlong][::1],
    total: cython.longlong[::1],
    place: cython.longlong,
) -> cython.longlong:
    """Characters before `place` of the disjoint ranges `first` to `after`, in ascending order.

    `total` are the characters of all ranges before each.
    """
    low: cython.longlong = first
    high: cython.longlong = after
    middle: cython.longlong
    while low < high:
        middle = (low + high) >> 1
        if start[middle] < place:
            low = middle + 1
        else:
            high = middle
    if low == first:
        return 0
    return total[low] - total[first] - max(0, end[low - 1] - place)


def show_ranges(
    result: cython.const[cython.longlong][::1],
    pair: cython.const[cython.longlong][::1],
    start: cython.const[cython.longlong][::1],
    end: cython.const[cython.longlong][::1],
    relevant_offset: cython.const[cython.longlong][::1],
    relevant_start: cython.const[cython.longlong][::1],
    relevant_end: cython.const[cython.longlong][::1],
    most_steps: cython.Py_ssize_t,
):
    """Relevant characters in each result, and those that it is the first to show.

    Ranges are in reading order; `result` is that of each range, `pair` the assessed pair of each result or
    -1. The text shown of a pair is a list of disjoint ranges, each linked to the next. None if going through
    the lists took more than `most_steps`: very many ranges that do not meet, in one document.
    """
    relevant: cython.longlong[::1] = np.zeros(pair.shape[0], dtype=np.int64)
    fresh: cython.longlong[::1] = np.zeros(pair.shape[0], dtype=np.int64)
    head: cython.int[::1] = np.full(relevant_offset.shape[0], -1, dtype=np.int32)
    begins: cython.longlong[::1] = np.empty(start.shape[0], dtype=np.int64)
    ends: cython.longlong[::1] = np.empty(start.shape[0], dtype=np.int64)
    following: cython.int[::1] = np.empty(start.shape[0], dtype=np.int32)
    steps: cython.Py_ssize_t = 0
    row: cython.Py_ssize_t
    here: cython.longlong
    first: cython.longlong
    after: cython.longlong
    node: cython.int
    before: cython.int
    seen: cython.longlong
    at_start: cython.longlong
    at_end: cython.longlong
    at_seen: cython.longlong
    total: cython.longlong[::1] = np.zeros(relevant_start.shape[0] + 1, dtype=np.int64)
    with cython.nogil:
        for row in range(relevant_start.shape[0]):
            total[row + 1] = total[row] + relevant_end[row] - relevant_start[row]
        for row in range(start.shape[0]):
            here = pair[result[row]]
            if here < 0 or end[row] <= start[row] or steps > most_steps:
                continue
            first = relevant_offset[here]
            after = relevant_offset[here + 1]
            if first == after:
                continue
            at_start = _before(first, after, relevant_start, relevant_end, total, start[row])
            at_end = _before(first, after, relevant_start, relevant_end, total, end[row])
            relevant[result[row]] += at_end - at_start
            before = -1
            node = head[here]
            while node >= 0 and ends[node] < start[row]:
                before = node
                node = following[node]
                steps += 1
            seen = start[row]
            at_seen = at_start
            begins[row] = start[row]
            ends[row] = end[row]
            while node >= 0 and begins[node] <= end[row]:
                if begins[node] > seen:
                    fresh[result[row]] += (
                        _before(first, after, relevant_start, relevant_end, total, begins[node]) - at_seen
                    )
                if ends[node] > seen:
                    seen = ends[node]
                    at_seen = _before(first, after, relevant_start, relevant_end, total, seen)
                begins[row] = min(begins[row], begins[node])
                ends[row] = max(ends[row], ends[node])
                node = following[node]
                steps += 1
            if seen < end[row]:
                fresh[result[row]] += at_end - at_seen
            following[row] = node
            if before < 0:
                head[here] = row
            else:
                following[before] = row
    return None if steps > most_steps else (np.asarray(relevant), np.asarray(fresh))


def paint_first(
    begin: cython.longlong[::1],
    end: cython.longlong[::1],
    owner: cython.longlong[::1],
    segments: cython.Py_ssize_t,
):
    """The first owner of each segment: spans `[begin, end)` of segments are given in reading order.

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
