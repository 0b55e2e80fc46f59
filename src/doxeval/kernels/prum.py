"""Kernels for readers who navigate: how many ideal elements they have seen, rank after rank."""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

BASE = cython.declare(cython.Py_ssize_t, 0)
BEFORE = cython.declare(cython.Py_ssize_t, 1)
AFTER = cython.declare(cython.Py_ssize_t, 2)
UNMOVED = cython.declare(cython.Py_ssize_t, 3)
LEVELS = cython.declare(cython.Py_ssize_t, 4)
"""Rows of the working space, a polynomial each; the coefficient of t^s is a chance to have seen s ideals: of
those that do not move at this rank, of all before it, of all after it, of all before it where nobody moves.
From LEVELS on rows are for the recursion of :func:`miss_all`. Ideals seen for certain are counted apart."""


@cython.cfunc
def multiply(
    work: cython.double[:, ::1],
    row: cython.Py_ssize_t,
    degree: cython.Py_ssize_t,
    keep: cython.double,
    take: cython.double,
) -> cython.Py_ssize_t:
    """Multiply the polynomial in a row by keep + take * t, in place; its new degree."""
    if take == 0.0:
        if keep != 1.0:
            for at in range(degree + 1):
                work[row, at] *= keep
        return degree
    work[row, degree + 1] = work[row, degree] * take
    for at in range(degree, 0, -1):
        work[row, at] = work[row, at] * keep + work[row, at - 1] * take
    work[row, 0] *= keep
    return degree + 1


@cython.cfunc
def copy(
    work: cython.double[:, ::1],
    source: cython.Py_ssize_t,
    target: cython.Py_ssize_t,
    degree: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Copy a polynomial from row to row; its degree."""
    for at in range(degree + 1):
        work[target, at] = work[source, at]
    return degree


@cython.cfunc
def miss_all(
    work: cython.double[:, ::1],
    level: cython.Py_ssize_t,
    degree: cython.Py_ssize_t,
    old: cython.double[::1],
    new: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    whole: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Multiply UNMOVED[s] by 1 - P(x first seen now | F = s) for each moved ideal x in `[first, last)`.

    That is PRUM Eq. 8; P(F = s | x unseen) is the distribution without x. The row `level` holds the product
    over everybody outside `[first, last)`; halving the interval leaves one out at a time in N m log m steps.
    """
    if last - first == 1:
        for at in range(whole + 1):
            if work[BEFORE, at] > 0.0:
                share = 0.0
                if at <= degree:
                    share = (old[first] - new[first]) * work[level, at] / work[BEFORE, at]
                work[UNMOVED, at] *= 1.0 - share if share < 1.0 else 0.0
        return 0
    middle = (first + last) // 2
    grown = copy(work, level, level + 1, degree)
    for at in range(middle, last):
        grown = multiply(work, level + 1, grown, old[at], 1.0 - old[at])
    miss_all(work, level + 1, grown, old, new, first, middle, whole)
    grown = copy(work, level, level + 1, degree)
    for at in range(first, middle):
        grown = multiply(work, level + 1, grown, old[at], 1.0 - old[at])
    miss_all(work, level + 1, grown, old, new, middle, last, whole)
    return 0


@cython.cfunc
def rebuild(
    work: cython.double[:, ::1],
    unseen: cython.double[::1],
    partly: cython.longlong[::1],
    parts: cython.Py_ssize_t,
    moved: cython.schar[::1],
) -> cython.Py_ssize_t:
    """Make BASE anew from the partly seen ideals that do not move; its degree.

    Nothing is ever divided out of the product of the rank before: that loses all digits.
    """
    degree: cython.Py_ssize_t = 0
    work[BASE, 0] = 1.0
    for at in range(parts):
        if moved[partly[at]] == 0:
            degree = multiply(work, BASE, degree, unseen[partly[at]], 1.0 - unseen[partly[at]])
    return degree


@cython.cfunc
def count_leads(
    work: cython.double[:, ::1],
    leading: cython.double[::1],
    certain: cython.Py_ssize_t,
    degree: cython.Py_ssize_t,
    base_degree: cython.Py_ssize_t,
    old: cython.double[::1],
    new: cython.double[::1],
    moves: cython.Py_ssize_t,
    exact: cython.bint,
) -> cython.Py_ssize_t:
    """Add P(F_{i-1} = s, F_i > s) to `leading[s]`: term (a) of PRUM Eq. 5.

    Exactly: P(F_{i-1} = s) less P(F_{i-1} = F_i = s), the coefficient of t^s in the product of
    q' + (1 - q) t, q and q' being the chances that an ideal is unseen before and after. Otherwise by Eq. 8.
    """
    if exact:
        grown = copy(work, BASE, UNMOVED, base_degree)
        for at in range(moves):
            grown = multiply(work, UNMOVED, grown, new[at], 1.0 - old[at])
        for at in range(degree + 1):
            leading[certain + at] += work[BEFORE, at] - (work[UNMOVED, at] if at <= grown else 0.0)
        return 0
    for at in range(degree + 1):
        work[UNMOVED, at] = 1.0
    copy(work, BASE, LEVELS, base_degree)
    miss_all(work, LEVELS, base_degree, old, new, 0, moves, degree)
    for at in range(degree + 1):
        leading[certain + at] += work[BEFORE, at] * (1.0 - work[UNMOVED, at])
    return 0


@cython.cfunc
@cython.cdivision(True)
def count_arrivals(
    work: cython.double[:, ::1],
    expected: cython.double[::1],
    first: cython.Py_ssize_t,
    ideals: cython.Py_ssize_t,
    certain: cython.Py_ssize_t,
    degree: cython.Py_ssize_t,
    sure: cython.Py_ssize_t,
    grown: cython.Py_ssize_t,
    now: cython.longlong,
) -> cython.Py_ssize_t:
    """Add r / rank times the chance that recall r is reached at this rank: EPRUM, for every r."""
    fewer_before: cython.double = 0.0
    fewer_after: cython.double = 0.0
    for recall in range(certain + 1, ideals + 1):
        at = recall - 1 - certain
        if at <= degree:
            fewer_before += work[BEFORE, at]
        at = recall - 1 - sure
        if 0 <= at <= grown:
            fewer_after += work[AFTER, at]
        expected[first + recall - 1] += recall * (fewer_before - fewer_after) / now
    return 0


@cython.cfunc
@cython.cdivision(True)
def divide(
    work: cython.double[:, ::1],
    leading: cython.double[::1],
    consulted: cython.double[::1],
    precision: cython.double[::1],
    first: cython.Py_ssize_t,
    ideals: cython.Py_ssize_t,
    certain: cython.Py_ssize_t,
    degree: cython.Py_ssize_t,
    unranked: cython.longlong,
) -> cython.Py_ssize_t:
    """PRUM Eq. 5 for every r: (a + b) / (c + d), the factor 1 + ... being inside (d)."""
    leads: cython.double = 0.0
    reads: cython.double = 0.0
    above: cython.double
    below: cython.double
    for recall in range(1, ideals + 1):
        leads += leading[recall - 1]
        reads += consulted[recall - 1]
        above = leads
        below = reads
        for at in range(degree + 1):
            if certain + at >= recall:
                break
            wanted = work[BEFORE, at] * (recall - certain - at)
            above += wanted
            below += wanted * (unranked + 1) / (ideals - certain - at + 1)
        precision[first + recall - 1] = above / below if below > 0.0 else 0.0
    return 0


def follow(
    ideal_offset: cython.longlong[::1],
    change_offset: cython.longlong[::1],
    rank: cython.longlong[::1],
    ideal: cython.longlong[::1],
    miss: cython.double[::1],
    ranks: cython.longlong[::1],
    unranked: cython.longlong[::1],
    exact: cython.bint,
):
    """PRUM's precision and EPRUM at every recall r = 1, 2, ... of every topic.

    Topic t has ideals `ideal_offset[t]` to `ideal_offset[t + 1]`, `ranks[t]` ranked and `unranked[t]`
    unranked elements, and changes `change_offset[t]` to `change_offset[t + 1]` in order of rank: from the
    result at `rank` (from 1) the reader fails to see the ideal (numbered from 0 within the topic) with the
    chance `miss`. Each ideal occurs once a rank.

    Returns two columns with one value an ideal: the one at `ideal_offset[t] + r - 1` is for recall r.
    """
    topics: cython.Py_ssize_t = ideal_offset.shape[0] - 1
    most: cython.Py_ssize_t = max(np.diff(np.asarray(ideal_offset)), default=0)
    precision: cython.double[::1] = np.zeros(ideal_offset[topics], dtype=np.float64)
    expected: cython.double[::1] = np.zeros(ideal_offset[topics], dtype=np.float64)
    leading: cython.double[::1] = np.zeros(most + 1)
    consulted: cython.double[::1] = np.zeros(most + 1)
    unseen: cython.double[::1] = np.ones(most + 1)
    work: cython.double[:, ::1] = np.zeros((LEVELS + 2 + int(most).bit_length(), most + 2))
    old: cython.double[::1] = np.zeros(most + 1)
    new: cython.double[::1] = np.zeros(most + 1)
    partly: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    moved: cython.schar[::1] = np.zeros(most + 1, dtype=np.int8)
    certain: cython.Py_ssize_t
    sure: cython.Py_ssize_t
    for topic in range(topics):
        ideals = ideal_offset[topic + 1] - ideal_offset[topic]
        leading[:] = 0.0
        consulted[:] = 0.0
        unseen[:] = 1.0
        parts = certain = degree = before = 0
        work[BEFORE, 0] = 1.0
        row = change_offset[topic]
        while row < change_offset[topic + 1]:
            begin = row
            moves = 0
            sure = certain
            while row < change_offset[topic + 1] and rank[row] == rank[begin]:
                who = ideal[row]
                if unseen[who] > 0.0 and miss[row] < 1.0:
                    if unseen[who] == 1.0:
                        partly[parts] = who
                        parts += 1
                    old[moves] = unseen[who]
                    unseen[who] *= miss[row]
                    new[moves] = unseen[who]
                    sure += unseen[who] == 0.0
                    moved[who] = 1
                    moves += 1
                row += 1
            if moves == 0:
                continue
            for at in range(degree + 1):
                consulted[certain + at] += (rank[begin] - before) * work[BEFORE, at]
            before = rank[begin]
            base_degree = rebuild(work, unseen, partly, parts, moved)
            count_leads(work, leading, certain, degree, base_degree, old, new, moves, exact)
            grown = copy(work, BASE, AFTER, base_degree)
            for at in range(moves):
                if new[at] > 0.0:
                    grown = multiply(work, AFTER, grown, new[at], 1.0 - new[at])
            count_arrivals(
                work, expected, ideal_offset[topic], ideals, certain, degree, sure, grown, rank[begin]
            )
            degree = copy(work, AFTER, BEFORE, grown)
            certain = sure
            kept = 0
            for at in range(parts):
                moved[partly[at]] = 0
                if unseen[partly[at]] > 0.0:
                    partly[kept] = partly[at]
                    kept += 1
            parts = kept
        for at in range(degree + 1):
            consulted[certain + at] += (ranks[topic] - before) * work[BEFORE, at]
        divide(
            work, leading, consulted, precision, ideal_offset[topic], ideals, certain, degree, unranked[topic]
        )
    return np.asarray(precision), np.asarray(expected)
