"""Kernels for readers who navigate: how many ideal elements they have seen, rank by rank (PRUM, EPRUM).

F_i is the number of ideals that a reader has seen after i ranks. Each ideal is seen or not, independently of
the others, so the distribution of F_i is the product over the ideals of q + (1 - q) t, q being the chance
that it is still unseen; the coefficient of t^s is P(F_i = s). Only a few ideals change at a rank (they
"move"): the product over all others is put together from parts that neighbouring ranks share, since dividing
a factor out of a product loses all digits.
"""

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
"""Rows of the working space, each a polynomial; the coefficient of t^s is a chance to have seen s ideals: of
those that do not move at this rank, of all before it, of all after it, of all before it if none moves. From
LEVELS on, rows are for the recursion of :func:`miss_all`. Ideals seen for certain are counted separately."""
NOTHING = cython.declare(cython.double, 1e-40)
"""Coefficients below this are dropped from both ends of a product of many ideals; the effect is far below the
rounding of the others (docs/navigating-reader.md)."""


@cython.cfunc
def multiply(
    work: cython.double[:, ::1],
    row: cython.Py_ssize_t,
    degree: cython.Py_ssize_t,
    keep: cython.double,
    take: cython.double,
) -> cython.Py_ssize_t:
    """Multiply the polynomial in a row by keep + take * t, in place; returns its new degree.

    From the highest coefficient down, so that each is computed from the old value of the one below it.
    """
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
    """Copy a polynomial from row to row; returns its degree."""
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
    over all ideals outside `[first, last)`; halving the interval omits one at a time in N m log m steps.
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
def hand_out(
    stay: cython.int,
    node: cython.longlong,
    first: cython.longlong[::1],
    order: cython.int[::1],
    counted: cython.bint,
) -> cython.Py_ssize_t:
    """Count what a node gets or, once counted, give it to the node."""
    if counted:
        order[first[node + 1]] = stay
        first[node + 1] += 1
    else:
        first[node + 2] += 1
    return 0


@cython.cfunc
def plan(
    begin: cython.int[::1],
    after: cython.int[::1],
    stays: cython.int,
    depth: cython.Py_ssize_t,
    first: cython.longlong[::1],
    order: cython.int[::1],
    counted: cython.bint,
) -> cython.Py_ssize_t:
    """Assign the steps `[begin, after)` in which each ideal stays unchanged to nodes of a tree over steps.

    Node 1 is all steps, 2n and 2n + 1 are the halves of node n; a node gets what stays in all of it and not
    in all of the node above. Called twice, to count and then to fill in: `order[first[n]:first[n + 1]]` are
    node n's own.
    """
    size: cython.longlong = 1 << depth
    stay: cython.int
    low: cython.longlong
    high: cython.longlong
    for stay in range(stays):
        low = begin[stay] + size
        high = after[stay] + size
        while low < high:
            if low & 1:
                hand_out(stay, low, first, order, counted)
                low += 1
            if high & 1:
                high -= 1
                hand_out(stay, high, first, order, counted)
            low >>= 1
            high >>= 1
    return 0


@cython.cfunc
def multiply_narrow(
    rows: cython.double[:, ::1],
    row: cython.Py_ssize_t,
    bounds: cython.longlong[:, ::1],
    keep: cython.double,
    take: cython.double,
) -> cython.Py_ssize_t:
    """Multiply a polynomial by keep + take * t, keeping only the coefficients within its bounds."""
    low: cython.Py_ssize_t = bounds[row, 0]
    high: cython.Py_ssize_t = bounds[row, 1]
    rows[row, high + 1] = rows[row, high] * take
    for at in range(high, low, -1):
        rows[row, at] = rows[row, at] * keep + rows[row, at - 1] * take
    rows[row, low] *= keep
    high += 1
    while rows[row, low] < NOTHING and low < high:
        rows[row, low] = 0.0
        low += 1
    while rows[row, high] < NOTHING and high > low:
        rows[row, high] = 0.0
        high -= 1
    bounds[row, 0] = low
    bounds[row, 1] = high
    return 0


@cython.cfunc
def rebuild(
    work: cython.double[:, ::1],
    rows: cython.double[:, ::1],
    bounds: cython.longlong[:, ::1],
    step: cython.Py_ssize_t,
    depth: cython.Py_ssize_t,
    first: cython.longlong[::1],
    order: cython.int[::1],
    unseen: cython.double[::1],
) -> cython.Py_ssize_t:
    """Make BASE from the partly seen ideals that do not move at this step; returns its degree.

    `rows[l]` is the product of what the nodes from the root to level l hold, on the way to the step; those
    that the step before has gone through, too, stay as they are. Nothing is ever divided out of a product:
    that loses all digits.
    """
    level: cython.Py_ssize_t = depth
    node: cython.longlong = (1 << depth) + step
    if step == 0:
        level = 0
    else:
        while (node >> (depth - level + 1)) != ((node - 1) >> (depth - level + 1)):
            level -= 1
    while level <= depth:
        here = node >> (depth - level)
        for at in range(rows.shape[1]):
            rows[level, at] = 0.0
        if level == 0:
            rows[0, 0] = 1.0
            bounds[0, 0] = 0
            bounds[0, 1] = 0
        else:
            bounds[level, 0] = bounds[level - 1, 0]
            bounds[level, 1] = bounds[level - 1, 1]
            for at in range(bounds[level, 0], bounds[level, 1] + 1):
                rows[level, at] = rows[level - 1, at]
        for at in range(first[here], first[here + 1]):
            multiply_narrow(rows, level, bounds, unseen[order[at]], 1.0 - unseen[order[at]])
        level += 1
    for at in range(bounds[depth, 1] + 1):
        work[BASE, at] = rows[depth, at]
    return bounds[depth, 1]


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


@cython.cfunc
def note(
    trace: cython.double[:, :, ::1],
    work: cython.double[:, ::1],
    leading: cython.double[::1],
    certain: cython.Py_ssize_t,
    degree: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the present state into the trace of the ranks from `first` on, up to but not including `last`."""
    for rank in range(first, last):
        for at in range(degree + 1):
            trace[0, rank, certain + at] = work[BEFORE, at]
        for at in range(trace.shape[2]):
            trace[1, rank, at] = leading[at]
    return 0


@cython.cfunc
def list_moves(
    first_row: cython.Py_ssize_t,
    last_row: cython.Py_ssize_t,
    ideals: cython.Py_ssize_t,
    rank: cython.longlong[::1],
    ideal: cython.longlong[::1],
    miss: cython.double[::1],
    unseen: cython.double[::1],
    latest: cython.longlong[::1],
    at_rank: cython.longlong[::1],
    moved_at: cython.longlong[::1],
    old: cython.double[::1],
    new: cython.double[::1],
    begin: cython.int[::1],
    after: cython.int[::1],
) -> cython.Py_ssize_t:
    """List the moves of one topic and return the number of its steps, the ranks at which some ideal moves.

    Move m changes the chance that its ideal is unseen from `old[m]` to `new[m]`; step s has the moves
    `moved_at[s]` to `moved_at[s + 1]` and the rank `at_rank[s]`. The chance `new[m]` stays as it is in the
    steps `[begin[m], after[m])`: up to the step of the ideal's next move, to the end after its last, and in
    none if the ideal has been seen for certain, which is counted and needs no factor. `latest` is the last
    move of each ideal.
    """
    steps: cython.Py_ssize_t = 0
    moves: cython.Py_ssize_t = 0
    for row in range(first_row, last_row):
        who = ideal[row]
        if unseen[who] == 0.0 or miss[row] == 1.0:
            continue
        if steps == 0 or at_rank[steps - 1] != rank[row]:
            at_rank[steps] = rank[row]
            moved_at[steps] = moves
            steps += 1
        if latest[who] >= 0:
            after[latest[who]] = steps - 1
        latest[who] = moves
        old[moves] = unseen[who]
        unseen[who] *= miss[row]
        new[moves] = unseen[who]
        begin[moves] = steps
        after[moves] = steps
        moves += 1
    moved_at[steps] = moves
    for who in range(ideals):
        if latest[who] >= 0:
            after[latest[who]] = steps
    for move in range(moves):
        if new[move] == 0.0:
            after[move] = begin[move]
    return steps


def follow(
    ideal_offset: cython.longlong[::1],
    change_offset: cython.longlong[::1],
    rank: cython.longlong[::1],
    ideal: cython.longlong[::1],
    miss: cython.double[::1],
    ranks: cython.longlong[::1],
    unranked: cython.longlong[::1],
    exact: cython.bint,
    trace: cython.double[:, :, ::1] = None,
):
    """PRUM's precision and EPRUM at every recall r = 1, 2, ... of every topic.

    Topic t has ideals `ideal_offset[t]` to `ideal_offset[t + 1]`, `ranks[t]` ranked and `unranked[t]`
    unranked elements, and changes `change_offset[t]` to `change_offset[t + 1]` in order of rank: from the
    result at `rank` (from 1) the reader fails to see the ideal (numbered from 0 within the topic) with the
    chance `miss`. Each ideal occurs once per rank.

    Returns two columns with one value per ideal: the one at `ideal_offset[t] + r - 1` is for recall r.
    A `trace`, of zeros, is filled for the only topic: `trace[0, i, s]` is P(F_i = s), `trace[1, i, s]` the
    sum of P(F_{j-1} = s, F_j > s) over the ranks j up to i.

    One ideal, seen from rank 1 with chance 1/2 and from rank 2 for certain. One rank leads to it in any case;
    rank 1 is always consulted, rank 2 half of the time: 1 / 1.5. It is reached at rank 1 or 2, each with
    chance 1/2: EPRUM is (1 + 1/2) / 2.

    >>> topic = np.array([0, 1]), np.array([0, 2]), np.array([1, 2]), np.array([0, 0]), np.array([0.5, 0.0])
    >>> [column.round(6).tolist() for column in follow(*topic, np.array([2]), np.array([0]), True)]
    [[0.666667], [0.75]]
    """
    topics: cython.Py_ssize_t = ideal_offset.shape[0] - 1
    most: cython.Py_ssize_t = max(np.diff(np.asarray(ideal_offset)), default=0)
    longest: cython.Py_ssize_t = max(np.diff(np.asarray(change_offset)), default=0)
    deepest: cython.Py_ssize_t = int(longest).bit_length()
    precision: cython.double[::1] = np.zeros(ideal_offset[topics], dtype=np.float64)
    expected: cython.double[::1] = np.zeros(ideal_offset[topics], dtype=np.float64)
    # Working space, made once for the largest topic: leading[s] is the sum of P(F_{i-1} = s, F_i > s) and
    # consulted[s] of P(F_{i-1} = s) over the ranks i, the terms (a) and (c) of Eq. 5 for recall s + 1 alone.
    leading: cython.double[::1] = np.zeros(most + 1)
    consulted: cython.double[::1] = np.zeros(most + 1)
    unseen: cython.double[::1] = np.ones(most + 1)
    work: cython.double[:, ::1] = np.zeros((LEVELS + 2 + int(most).bit_length(), most + 2))
    rows: cython.double[:, ::1] = np.zeros((deepest + 1, most + 2))
    bounds: cython.longlong[:, ::1] = np.zeros((deepest + 1, 2), dtype=np.int64)
    old: cython.double[::1] = np.zeros(longest)
    new: cython.double[::1] = np.zeros(longest)
    moved_at: cython.longlong[::1] = np.zeros(longest + 1, dtype=np.int64)
    at_rank: cython.longlong[::1] = np.zeros(longest, dtype=np.int64)
    latest: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    begin: cython.int[::1] = np.zeros(longest, dtype=np.int32)
    after: cython.int[::1] = np.zeros(longest, dtype=np.int32)
    was: cython.double[::1]
    becomes: cython.double[::1]
    first: cython.longlong[::1] = np.zeros((2 << deepest) + 2, dtype=np.int64)
    order: cython.int[::1] = np.zeros(0, dtype=np.int32)
    certain: cython.Py_ssize_t
    sure: cython.Py_ssize_t
    for topic in range(topics):
        ideals = ideal_offset[topic + 1] - ideal_offset[topic]
        leading[:] = 0.0
        consulted[:] = 0.0
        unseen[:] = 1.0
        latest[:] = -1
        steps = list_moves(
            change_offset[topic], change_offset[topic + 1], ideals, rank, ideal, miss, unseen, latest,
            at_rank, moved_at, old, new, begin, after,
        )  # fmt: skip
        # Which unchanged ideals belong to which node of a tree over the steps: counted, then written.
        depth = int(max(0, steps - 1)).bit_length()
        first[:] = 0
        plan(begin, after, moved_at[steps], depth, first, order, False)
        first = np.cumsum(first)
        order = np.zeros(first[first.shape[0] - 1], dtype=np.int32)
        plan(begin, after, moved_at[steps], depth, first, order, True)
        # Invariant: before each step, `certain` ideals are seen for sure, and BEFORE is the distribution, of
        # that degree, of how many of the others are; `before` is the rank of the step before.
        certain = degree = before = 0
        work[BEFORE, 0] = 1.0
        for step in range(steps):
            for at in range(degree + 1):
                consulted[certain + at] += (at_rank[step] - before) * work[BEFORE, at]
            if trace is not None:
                note(trace, work, leading, certain, degree, before, at_rank[step])
            before = at_rank[step]
            base_degree = rebuild(work, rows, bounds, step, depth, first, order, new)
            here = moved_at[step + 1] - moved_at[step]
            was = old[moved_at[step] :]
            becomes = new[moved_at[step] :]
            count_leads(work, leading, certain, degree, base_degree, was, becomes, here, exact)
            grown = copy(work, BASE, AFTER, base_degree)
            sure = certain
            for at in range(here):
                if becomes[at] > 0.0:
                    grown = multiply(work, AFTER, grown, becomes[at], 1.0 - becomes[at])
                else:
                    sure += 1
            count_arrivals(
                work, expected, ideal_offset[topic], ideals, certain, degree, sure, grown, at_rank[step]
            )
            degree = copy(work, AFTER, BEFORE, grown)
            certain = sure
        # After the last step nothing changes any more: the remaining ranks are consulted for nothing.
        for at in range(degree + 1):
            consulted[certain + at] += (ranks[topic] - before) * work[BEFORE, at]
        if trace is not None:
            note(trace, work, leading, certain, degree, before, ranks[topic] + 1)
        divide(
            work, leading, consulted, precision, ideal_offset[topic], ideals, certain, degree, unranked[topic]
        )
    return np.asarray(precision), np.asarray(expected)
