"""Kernels for extended cumulated gain: the worth of elements to a reader who has seen others."""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython


def parents_among(
    node_offset: cython.const[cython.longlong][::1],
    parent: cython.const[cython.int][::1],
    doc: cython.const[cython.longlong][::1],
    offset: cython.const[cython.longlong][::1],
    node: cython.const[cython.longlong][::1],
):
    """For each node of each group (within document `doc[g]`) the nearest ancestor in the group, else -1.

    Nodes of a group are in document order; ancestors are counted from the start of the group. Each node
    climbs only to the nearest one whose slot is filled, and ancestors come before descendants, so theirs are
    filled.

    A root 0 with child 1, whose child is 2: of the nodes 0 and 2, the former is the nearest ancestor of the
    latter.

    >>> parent = np.array([-1, 0, 1], dtype=np.int32)
    >>> parents_among(np.array([0, 3]), parent, np.array([0]), np.array([0, 2]), np.array([0, 2])).tolist()
    [-1, 0]
    """
    above: cython.longlong[::1] = np.full(node.shape[0], -1, dtype=np.int64)
    most: cython.Py_ssize_t = max(np.diff(np.asarray(node_offset)), default=0)
    slot: cython.longlong[::1] = np.full(most + 1, -1, dtype=np.int64)
    for group in range(offset.shape[0] - 1):
        base = node_offset[doc[group]]
        for row in range(offset[group], offset[group + 1]):
            climber = parent[base + node[row]]
            while climber >= 0 and slot[climber] < 0:
                climber = parent[base + climber]
            above[row] = slot[climber] if climber >= 0 else -1
            slot[node[row]] = row - offset[group]
        for row in range(offset[group], offset[group + 1]):
            slot[node[row]] = -1
    return np.asarray(above)


def best_on_paths(
    offset: cython.const[cython.longlong][::1],
    above: cython.const[cython.longlong][::1],
    value: cython.const[cython.double][::1],
):
    """Mark the ideal elements of each group: the most valuable one of every path, never one inside another.

    A path leads from an element without ancestors in its group to one without descendants. Among equals the
    outermost is taken; if paths disagree, an element chosen for one gives way to its ancestor chosen for
    another.

    `best[row]` is the most valuable element on the way from the top to a row, which document order allows to
    be found in one pass. An article of value 0.5 with sections of 0.9 and 0.2: the path to the first section
    chooses the section, that to the second the article, so the first section gives way.

    >>> above = np.array([-1, 0, 0])
    >>> best_on_paths(np.array([0, 3]), above, np.array([0.5, 0.9, 0.2])).tolist()
    [True, False, False]
    """
    chosen_array = np.zeros(value.shape[0], dtype=np.bool_)
    chosen: cython.uchar[::1] = chosen_array.view(np.uint8)
    best: cython.longlong[::1] = np.zeros(value.shape[0], dtype=np.int64)
    inner: cython.schar[::1] = np.zeros(value.shape[0], dtype=np.int8)
    for group in range(offset.shape[0] - 1):
        for row in range(offset[group], offset[group + 1]):
            best[row] = row
            if above[row] >= 0:
                up = offset[group] + above[row]
                inner[up] = 1
                if value[best[up]] >= value[row]:
                    best[row] = best[up]
        for row in range(offset[group], offset[group + 1]):
            if inner[row] == 0:
                chosen[best[row]] = 1
        for row in range(offset[group], offset[group + 1]):
            up = row
            while above[up] >= 0:
                up = offset[group] + above[up]
                if chosen[up]:
                    chosen[row] = 0
                    break
    return chosen_array


def greedy_texts(
    offset: cython.const[cython.longlong][::1],
    above: cython.const[cython.longlong][::1],
    relevant: cython.const[cython.double][::1],
    size: cython.const[cython.double][::1],
    alpha: cython.double,
    limit: cython.Py_ssize_t,
):
    """For each group, gains of its elements read best first: (relevant - alpha * relevant seen) / size.

    Among equals the smallest comes first, then the first in the document. At most `limit` elements per group,
    and none that gains nothing: unused places hold 0. Elements of a group are in document order, and include
    all ancestors of each.

    Invariant: `seen[row]` are the relevant characters of an element that are in elements taken. An article of
    100 characters, 30 of them relevant, all in a section of 40: the section gains 30/40; then, if alpha is 1,
    the article has nothing new, and gains 0.

    >>> above, relevant, size = np.array([-1, 0]), np.array([30.0, 30.0]), np.array([100.0, 40.0])
    >>> greedy_texts(np.array([0, 2]), above, relevant, size, 1.0, 9).tolist()
    [0.75, 0.0]
    >>> greedy_texts(np.array([0, 2]), above, relevant, size, 0.5, 9).tolist()
    [0.75, 0.15]
    """
    gain: cython.double[::1] = np.zeros(relevant.shape[0], dtype=np.float64)
    seen: cython.double[::1] = np.zeros(relevant.shape[0], dtype=np.float64)
    taken: cython.schar[::1] = np.zeros(relevant.shape[0], dtype=np.int8)
    inside: cython.schar[::1] = np.zeros(relevant.shape[0], dtype=np.int8)
    for group in range(offset.shape[0] - 1):
        first = offset[group]
        stop = offset[group + 1]
        for pick in range(min(limit, stop - first)):
            best = -1
            most = 0.0
            for row in range(first, stop):
                if taken[row] == 0:
                    worth = (relevant[row] - alpha * seen[row]) / size[row]
                    if worth > most or (best >= 0 and worth == most and size[row] < size[best]):
                        best = row
                        most = worth
            if best < 0:
                break
            gain[first + pick] = most
            taken[best] = 1
            fresh = relevant[best] - seen[best]
            row = best
            while above[row] >= 0:
                row = first + above[row]
                seen[row] += fresh
            for row in range(first, stop):
                inside[row] = row == best or (above[row] >= 0 and inside[first + above[row]] == 1)
                if inside[row] == 1:
                    seen[row] = relevant[row]
    return np.asarray(gain)


@cython.cfunc
def worth_now(
    node: cython.Py_ssize_t,
    base: cython.Py_ssize_t,
    size: cython.const[cython.double][::1],
    after: cython.longlong[::1],
    value: cython.double[::1],
    shown: cython.schar[::1],
    below: cython.longlong[::1],
    alpha: cython.double,
) -> cython.double:
    """rv of PRUM C.3 for a node none of whose ancestors has been shown.

    rv = v if nothing of it has been shown, (1 - alpha) v if it has, and otherwise alpha times the mean of its
    children's rv, weighted by size, plus (1 - alpha) v. Children are found by `after`, where a subtree ends.
    """
    total: cython.double = 0.0
    if shown[node] == 1:
        return (1.0 - alpha) * value[node]
    if below[node] == 0:
        return value[node]
    child = node + 1
    while child < after[node]:
        total += worth_now(child, base, size, after, value, shown, below, alpha) * size[base + child]
        child = after[child]
    if size[base + node] > 0.0:
        total /= size[base + node]
    return alpha * total + (1.0 - alpha) * value[node]


@cython.cfunc
def gain_now(
    node: cython.Py_ssize_t,
    base: cython.Py_ssize_t,
    parent: cython.const[cython.int][::1],
    size: cython.const[cython.double][::1],
    after: cython.longlong[::1],
    value: cython.double[::1],
    shown: cython.schar[::1],
    below: cython.longlong[::1],
    room: cython.double[::1],
    alpha: cython.double,
) -> cython.double:
    """The gain of a node: rv, but together with others inside an ideal element never more than its worth.

    `room[y]` is what the descendants of an ideal y may still gain, -1 for other nodes.
    """
    climber: cython.Py_ssize_t = parent[base + node]
    covered: cython.bint = False
    least: cython.double = -1.0
    while climber >= 0:
        if shown[climber] == 1:
            covered = True
        if room[climber] >= 0.0 and (least < 0.0 or room[climber] < least):
            least = room[climber]
        climber = parent[base + climber]
    if covered:
        gain = (1.0 - alpha) * value[node]
    else:
        gain = worth_now(node, base, size, after, value, shown, below, alpha)
    return least if 0.0 <= least < gain else gain


@cython.cfunc
def note_shown(
    node: cython.Py_ssize_t,
    base: cython.Py_ssize_t,
    parent: cython.const[cython.int][::1],
    shown: cython.schar[::1],
    below: cython.longlong[::1],
    room: cython.double[::1],
    gain: cython.double,
) -> cython.Py_ssize_t:
    """Note that a node was shown, and take what it gained from the room of the ideal elements around it."""
    climber: cython.Py_ssize_t = parent[base + node]
    shown[node] = 1
    while climber >= 0:
        below[climber] += 1
        if room[climber] >= 0.0:
            room[climber] = room[climber] - gain if room[climber] > gain else 0.0
        climber = parent[base + climber]
    return 0


@cython.cfunc
@cython.inline
def _set_ends(
    base: cython.Py_ssize_t,
    nodes: cython.Py_ssize_t,
    parent: cython.const[cython.int][::1],
    after: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Set `after[n]` to the node behind the subtree of n, backwards: each node tells its parent."""
    for row in range(nodes):
        after[row] = row + 1
    for row in range(nodes - 1, 0, -1):
        if after[row] > after[parent[base + row]]:
            after[parent[base + row]] = after[row]
    return 0


def element_gains(
    node_offset: cython.const[cython.longlong][::1],
    parent: cython.const[cython.int][::1],
    size: cython.const[cython.double][::1],
    doc: cython.const[cython.longlong][::1],
    element_offset: cython.const[cython.longlong][::1],
    element: cython.const[cython.longlong][::1],
    element_value: cython.const[cython.double][::1],
    ideal: cython.const[cython.uchar][::1],
    step_offset: cython.const[cython.longlong][::1],
    step: cython.const[cython.longlong][::1],
    share: cython.const[cython.double][::1],
    alpha: cython.double,
    limit: cython.Py_ssize_t,
):
    """Gains of steps through documents by PRUM C.3, group by group (a topic's document `doc[g]`).

    A group has assessed elements with values, some of them ideal, and steps: the nodes shown, in order, each
    with its share of its result. With a `limit` of 0 or more the steps are candidates instead, of which the
    best is taken each time (among equals the smallest, then the first), at most `limit`, and none that gains
    nothing; the gains are then in the order of taking, and unused places hold 0.

    A root of 100 characters with two sections of 50; the first is worth 1, the root 0.5, and the root is
    ideal. Shown first, the section gains 0.5: never more than the ideal element around it. After it, that has
    no room left for its descendants; the root itself gains alpha times the mean of what its children are
    worth now (0) plus (1 - alpha) times 0.5.

    >>> tree = np.array([0, 3]), np.array([-1, 0, 0], dtype=np.int32), np.array([100.0, 50.0, 50.0])
    >>> judged = np.array([0, 2]), np.array([0, 1]), np.array([0.5, 1.0]), np.array([1, 0], dtype=np.uint8)
    >>> steps = np.array([0, 2]), np.array([1, 0]), np.ones(2)
    >>> element_gains(*tree, np.array([0]), *judged, *steps, 1.0, -1).tolist()
    [0.5, 0.0]
    """
    gain: cython.double[::1] = np.zeros(step.shape[0], dtype=np.float64)
    most: cython.Py_ssize_t = max(np.diff(np.asarray(node_offset)), default=0)
    after: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    below: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    value: cython.double[::1] = np.zeros(most + 1)
    room: cython.double[::1] = np.zeros(most + 1)
    shown: cython.schar[::1] = np.zeros(most + 1, dtype=np.int8)
    for group in range(doc.shape[0]):
        base = node_offset[doc[group]]
        nodes = node_offset[doc[group] + 1] - base
        value[:nodes] = 0.0
        room[:nodes] = -1.0
        below[:nodes] = 0
        shown[:nodes] = 0
        _set_ends(base, nodes, parent, after)
        for row in range(element_offset[group], element_offset[group + 1]):
            value[element[row]] = element_value[row]
            if ideal[row]:
                room[element[row]] = element_value[row]
        if limit < 0:
            for row in range(step_offset[group], step_offset[group + 1]):
                worth = gain_now(step[row], base, parent, size, after, value, shown, below, room, alpha)
                gain[row] = worth * share[row]
                note_shown(step[row], base, parent, shown, below, room, gain[row])
            continue
        for pick in range(min(limit, step_offset[group + 1] - step_offset[group])):
            best = -1
            largest = 0.0
            for row in range(step_offset[group], step_offset[group + 1]):
                if shown[step[row]] == 0:
                    worth = gain_now(step[row], base, parent, size, after, value, shown, below, room, alpha)
                    if worth > largest or (
                        best >= 0 and worth == largest and size[base + step[row]] < size[base + step[best]]
                    ):
                        best = row
                        largest = worth
            if best < 0:
                break
            gain[step_offset[group] + pick] = largest
            note_shown(step[best], base, parent, shown, below, room, largest)
    return np.asarray(gain)
