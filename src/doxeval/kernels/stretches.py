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

    >>> offset, start, end = np.array([0, 3]), np.array([0, 5, 9]), np.array([5, 8, 12])
    >>> [column.tolist() for column in merge_ranges(offset, start, end, True)]
    [[0, 2], [0, 9], [8, 12]]
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
    """The rows whose `group[code[row]]` is not negative, by group, in their order: `(offset, rows)`.

    A counting sort: groups are counted, the counts give each group its first place, and rows are put there
    one by one, so that their order is kept and no keys are compared.

    >>> code, group = np.array([2, 0, 1, 0], dtype=np.int32), np.array([1, -1, 0], dtype=np.int32)
    >>> [column.tolist() for column in rows_by_group(code, group, 2)]
    [[0, 1, 3], [0, 1, 3]]
    """
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
    """Positions in `rows` with a value larger than the previous one of the group, and how many are equal.

    Scores of a ranked list fall; where they rise, ranks and scores disagree.

    >>> rises(np.array([0, 4]), np.array([0, 1, 2, 3]), np.array([3.0, 2.0, 2.0, 2.5]))
    (array([3]), 1)
    """
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
    assessments, -1 for unknown. `slot` has the pair of each document of the topic at hand; only the slots
    that a topic used are cleared after it, so the cost does not depend on how many documents there are.

    >>> doc, known = np.array([0, 1, 2], dtype=np.int32), np.array([4, 0, -1], dtype=np.int32)
    >>> pair_doc = np.array([0, 4], dtype=np.int32)
    >>> match_pairs(np.array([0, 3]), doc, known, np.array([0, 2]), pair_doc, 5).tolist()
    [1, 0, -1]
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
    """The rows that are the first of their group with their item.

    `met` has the last group in which each item was seen, so nothing needs to be cleared between groups.

    >>> first_in_group(np.array([0, 3, 5]), np.array([7, 2, 7, 2, 2], dtype=np.int32), 8).tolist()
    [0, 1, 3]
    """
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
    """For each code the largest end below the limit, or 0.

    >>> furthest(np.array([0, 1, 0], dtype=np.int32), np.array([5, 9, 100]), 50, 3).tolist()
    [5, 9, 0]
    """
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

    `total` are the characters of all ranges before each. All ranges that begin before the place count whole,
    but for what the last of them has behind it: of [10, 20) and [30, 50), 15 characters are before place 35.
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

    The relevant text is [10, 20) and [30, 50). Result 0 shows [0, 40), with 20 relevant characters; result 1
    shows [15, 60), with 25, of which the 10 behind 40 are new.

    >>> ranges = np.array([0, 1]), np.array([0, 0]), np.array([0, 15]), np.array([40, 60])
    >>> found = show_ranges(*ranges, np.array([0, 2]), np.array([10, 30]), np.array([20, 50]), 100)
    >>> [column.tolist() for column in found]
    [[20, 25], [20, 10]]
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
            # Skip what is shown before this range: list nodes are named by the row that made them.
            before = -1
            node = head[here]
            while node >= 0 and ends[node] < start[row]:
                before = node
                node = following[node]
                steps += 1
            # Go through what was shown of it, up to `seen`: text between is shown for the first time. What
            # meets the range becomes one node with it, so the list stays disjoint and in order, and short.
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

    Returns for each segment the owner of the first span that holds it, or -1. Painted segments are skipped by
    path-halving links, so the cost is nearly linear whatever the overlaps: `following[s]` is s if s is not
    painted, else a segment behind s up to which all are painted.

    >>> paint_first(np.array([1, 0]), np.array([3, 4]), np.array([7, 8]), 5).tolist()
    [8, 7, 7, 8, -1]
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
