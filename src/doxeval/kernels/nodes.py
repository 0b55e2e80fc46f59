"""Kernels for trees: columns from opening and closing tags, paths to nodes, ranges to nodes.

Node columns are those of :class:`doxeval.tables.documents.Documents`: documents one after another, each in
document order. Extents are nested and siblings do not overlap, so starts never fall within a document and
every search is a binary one. Columns may be memory-mapped, hence the `const` views.
"""

from collections.abc import Callable

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

CLOSE = -1
"""The event that closes the node opened last; any other event opens a node with that tag."""
ROOM = 256
"""Room for this many tags at first."""


@cython.cclass
class Tags:
    """The opening and closing tags of a document as a parser meets them, with the text between them.

    `begin` and `end` take what expat passes to its handlers. `before` is the number of pieces of text before
    each tag.
    """

    codes: object
    pieces: list
    events: cython.int[::1]
    before: cython.longlong[::1]
    size: cython.Py_ssize_t

    def __init__(self, codes: object) -> None:
        self.codes = codes
        self.pieces = []
        self.events = np.empty(ROOM, dtype=np.int32)
        self.before = np.empty(ROOM, dtype=np.int64)
        self.size = 0

    @cython.binding(False)
    def begin(self, tag: object, attributes: object = None) -> None:
        """A tag opens a node."""
        self._note(self.codes[tag])

    @cython.binding(False)
    def end(self, tag: object = None) -> None:
        """A tag closes the node opened last."""
        self._note(CLOSE)

    def text(self, piece: object) -> None:
        """A piece of text."""
        self.pieces.append(piece)

    def text_handler(self) -> Callable[[str], None]:
        """A function that does what `text` does, without a call of our own."""
        return self.pieces.append

    @cython.cfunc
    @cython.inline
    @cython.exceptval(-1)
    def _note(self, event: cython.int) -> cython.int:
        """Add an event, at twice the room if there is none left."""
        if self.size == self.events.shape[0]:
            self.events = np.concatenate([self.events, self.events])
            self.before = np.concatenate([self.before, self.before])
        self.events[self.size] = event
        self.before[self.size] = len(self.pieces)
        self.size += 1
        return 0

    def last(self) -> str:
        """The last piece of text; empty if there is none."""
        return self.pieces[len(self.pieces) - 1] if self.pieces else ""

    def columns(self) -> tuple:
        """The node columns of :func:`columns_of_events`, and the text."""
        length: cython.longlong[::1] = np.zeros(len(self.pieces) + 1, dtype=np.int64)
        position: cython.longlong[::1] = np.empty(self.size, dtype=np.int64)
        at: cython.Py_ssize_t
        for at in range(len(self.pieces)):
            length[at + 1] = length[at] + len(self.pieces[at])
        for at in range(self.size):
            position[at] = length[self.before[at]]
        return columns_of_events(self.events[: self.size], position, self.size // 2), "".join(self.pieces)


def columns_of_events(
    events: cython.const[cython.int][::1],
    position: cython.const[cython.longlong][::1],
    nodes: cython.Py_ssize_t,
):
    """Node columns of one document from its tags in order and the characters before each of them.

    Returns `(parent, tag, depth, start, end)`, depth as 32 bits: the caller checks whether it fits. The node
    that is open is the only state: the node a closing tag ends, and the parent of the one an opening tag
    begins.

    Tags 5 and 6, as in <a>ab<b>c</b></a>.

    >>> events = np.array([5, 6, CLOSE, CLOSE], dtype=np.int32)
    >>> [column.tolist() for column in columns_of_events(events, np.array([0, 2, 3, 3]), 2)]
    [[-1, 0], [5, 6], [1, 2], [0, 2], [3, 3]]
    """
    parent_array = np.empty(nodes, dtype=np.int32)
    tag_array = np.empty(nodes, dtype=np.int32)
    depth_array = np.empty(nodes, dtype=np.int32)
    start_array = np.empty(nodes, dtype=np.int64)
    end_array = np.empty(nodes, dtype=np.int64)
    parent: cython.int[::1] = parent_array
    tag: cython.int[::1] = tag_array
    depth: cython.int[::1] = depth_array
    start: cython.longlong[::1] = start_array
    end: cython.longlong[::1] = end_array
    node: cython.int = -1
    known: cython.int = 0
    level: cython.int = 0
    for event in range(events.shape[0]):
        if events[event] < 0:
            end[node] = position[event]
            node = parent[node]
            level -= 1
        else:
            level += 1
            parent[known] = node
            tag[known] = events[event]
            depth[known] = level
            start[known] = position[event]
            node = known
            known += 1
    return parent_array, tag_array, depth_array, start_array, end_array


def depths(offset: cython.const[cython.longlong][::1], parent: cython.const[cython.int][::1]):
    """The depth of every node, the root's being 1; parents come before their children, so one pass is enough.

    >>> depths(np.array([0, 3]), np.array([-1, 0, 1], dtype=np.int32)).tolist()
    [1, 2, 3]
    """
    depth: cython.int[::1] = np.empty(parent.shape[0], dtype=np.int32)
    for doc in range(offset.shape[0] - 1):
        for row in range(offset[doc], offset[doc + 1]):
            depth[row] = 1 if parent[row] < 0 else depth[offset[doc] + parent[row]] + 1
    return np.asarray(depth)


def first_misplaced(
    offset: cython.const[cython.longlong][::1],
    parent: cython.const[cython.int][::1],
    start: cython.const[cython.longlong][::1],
    end: cython.const[cython.longlong][::1],
    length: cython.const[cython.longlong][::1],
):
    """For each document the first node (from 0) that is out of place, or -1.

    A node is out of place if it is a root that is not first or not alone, if its parent is not the node
    before or one of its ancestors, if its extent leaves that of its parent (for the root: the document), or
    if it begins before the end of the previous sibling.

    `reach[n]` is where the next child of node n may begin: its start, then the end of each child. All other
    kernels rely on what is checked here, and follow parents and extents without looking.

    >>> parent, start = np.array([-1, 0, 0], dtype=np.int32), np.array([0, 0, 3])
    >>> first_misplaced(np.array([0, 3]), parent, start, np.array([9, 4, 9]), np.array([9])).tolist()
    [2]
    """
    docs: cython.Py_ssize_t = offset.shape[0] - 1
    bad: cython.longlong[::1] = np.full(docs, -1, dtype=np.int64)
    reach: cython.longlong[::1] = np.empty(parent.shape[0], dtype=np.int64)
    for doc in range(docs):
        base = offset[doc]
        for node in range(offset[doc + 1] - base):
            open_node = cython.cast(cython.int, node - 1)
            while open_node >= 0 and open_node != parent[base + node]:
                open_node = parent[base + open_node]
            above = base + parent[base + node]
            reach[base + node] = start[base + node]
            if (
                (parent[base + node] < 0) != (node == 0)
                or parent[base + node] >= node
                or open_node != parent[base + node]
                or start[base + node] > end[base + node]
            ):
                bad[doc] = node
                break
            if node == 0:
                if start[base] < 0 or end[base] > length[doc]:
                    bad[doc] = node
                    break
            elif start[base + node] < reach[above] or end[base + node] > end[above]:
                bad[doc] = node
                break
            else:
                reach[above] = end[base + node]
    return np.asarray(bad)


@cython.cfunc
@cython.inline
def first_from(
    start: cython.const[cython.longlong][::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    position: cython.longlong,
) -> cython.Py_ssize_t:
    """The first row in `[low, high)` that starts at `position` or later; `high` if none does."""
    while low < high:
        middle = low + (high - low) // 2
        if start[middle] < position:
            low = middle + 1
        else:
            high = middle
    return low


@cython.cfunc
@cython.inline
def deepest_around(
    base: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    parent: cython.const[cython.int][::1],
    start: cython.const[cython.longlong][::1],
    end: cython.const[cython.longlong][::1],
    begin: cython.longlong,
    finish: cython.longlong,
) -> cython.longlong:
    """The deepest node of one document that holds `[begin, finish)`; the root if none does.

    The last node that starts at or before `begin` lies below every node around the range, so climbing from
    it finds the deepest one first. An empty range is treated as the character after it.
    """
    if finish <= begin:
        finish = begin + 1
    node: cython.longlong = first_from(start, base, stop, begin + 1) - 1 - base
    while node > 0 and end[base + node] < finish:
        node = parent[base + node]
    return node if node > 0 else 0


def deepest(
    offset: cython.const[cython.longlong][::1],
    parent: cython.const[cython.int][::1],
    start: cython.const[cython.longlong][::1],
    end: cython.const[cython.longlong][::1],
    doc: cython.const[cython.longlong][::1],
    begin: cython.const[cython.longlong][::1],
    finish: cython.const[cython.longlong][::1],
):
    """For each range of a document the deepest node around it; -1 if the document is unknown (-1).

    >>> tree = np.array([0, 2]), np.array([-1, 0], dtype=np.int32), np.array([0, 4]), np.array([9, 8])
    >>> deepest(*tree, np.array([0, 0, -1]), np.array([5, 1, 0]), np.array([7, 7, 1])).tolist()
    [1, 0, -1]
    """
    node: cython.longlong[::1] = np.full(doc.shape[0], -1, dtype=np.int64)
    for row in range(doc.shape[0]):
        if doc[row] >= 0:
            node[row] = deepest_around(
                offset[doc[row]], offset[doc[row] + 1], parent, start, end, begin[row], finish[row]
            )
    return np.asarray(node)


@cython.cfunc
def cover_range(
    base: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    start: cython.const[cython.longlong][::1],
    end: cython.const[cython.longlong][::1],
    begin: cython.longlong,
    finish: cython.longlong,
    found: cython.longlong[::1],
    at: cython.Py_ssize_t,
    fill: cython.bint,
) -> cython.Py_ssize_t:
    """Count the maximal non-empty nodes inside a range; `fill` writes them from `found[at]` on.

    The first node inside comes before its descendants, so it is maximal; the search goes on behind its end. A
    node that begins inside but ends outside holds no range, but its descendants may be inside: the next row
    is tried.
    """
    count: cython.Py_ssize_t = 0
    row: cython.Py_ssize_t = first_from(start, base, stop, begin)
    while row < stop and start[row] < finish:
        if end[row] > finish or end[row] == start[row]:
            row += 1
            continue
        if fill:
            found[at + count] = row - base
        count += 1
        row = first_from(start, row + 1, stop, end[row])
    return count


def cover(
    offset: cython.const[cython.longlong][::1],
    parent: cython.const[cython.int][::1],
    start: cython.const[cython.longlong][::1],
    end: cython.const[cython.longlong][::1],
    doc: cython.const[cython.longlong][::1],
    begin: cython.const[cython.longlong][::1],
    finish: cython.const[cython.longlong][::1],
):
    """For each range the maximal nodes inside it or, if there are none, the deepest node around it.

    Returns `(cover_offset, nodes)`: range r has `nodes[cover_offset[r]:cover_offset[r + 1]]`, none if the
    document is unknown (-1). Nodes are counted first and written in a second pass, when it is known how many.

    A root [0, 9) with the children [0, 4) and [4, 8): the range [0, 8) is both of them, [5, 6) inside the
    second.

    >>> parent, start, end = np.array([-1, 0, 0], dtype=np.int32), np.array([0, 0, 4]), np.array([9, 4, 8])
    >>> tree = np.array([0, 3]), parent, start, end
    >>> [column.tolist() for column in cover(*tree, np.array([0, 0]), np.array([0, 5]), np.array([8, 6]))]
    [[0, 2, 3], [1, 2, 2]]
    """
    ranges: cython.Py_ssize_t = doc.shape[0]
    cover_offset: cython.longlong[::1] = np.zeros(ranges + 1, dtype=np.int64)
    nothing: cython.longlong[::1] = np.zeros(1, dtype=np.int64)
    for row in range(ranges):
        inside = 0
        if doc[row] >= 0:
            base = offset[doc[row]]
            stop = offset[doc[row] + 1]
            inside = cover_range(base, stop, start, end, begin[row], finish[row], nothing, 0, False)
            if inside == 0:
                inside = 1
        cover_offset[row + 1] = cover_offset[row] + inside
    node: cython.longlong[::1] = np.empty(cover_offset[ranges], dtype=np.int64)
    for row in range(ranges):
        if doc[row] >= 0:
            base = offset[doc[row]]
            stop = offset[doc[row] + 1]
            if (
                cover_range(base, stop, start, end, begin[row], finish[row], node, cover_offset[row], True)
                == 0
            ):
                node[cover_offset[row]] = deepest_around(
                    base, stop, parent, start, end, begin[row], finish[row]
                )
    return np.asarray(cover_offset), np.asarray(node)


def follow_paths(
    offset: cython.const[cython.longlong][::1],
    parent: cython.const[cython.int][::1],
    tag: cython.const[cython.int][::1],
    doc: cython.const[cython.longlong][::1],
    path: cython.const[cython.longlong][::1],
    step_offset: cython.const[cython.longlong][::1],
    step_tag: cython.const[cython.int][::1],
    step_index: cython.const[cython.longlong][::1],
):
    """The node that path `path[r]` leads to in document `doc[r]`, or -1.

    Steps are those of all paths, concatenated: a tag, and which of the siblings with that tag, from 1. The
    later siblings of a node come after its descendants, so one walk along the rows finds all the steps.
    Rows whose parent lies before the node reached are outside it, and end the search.

    The path /a[1]/b[2] (tags 0 and 1) in a root a with two children b.

    >>> tree = np.array([0, 3]), np.array([-1, 0, 0], dtype=np.int32), np.array([0, 1, 1], dtype=np.int32)
    >>> steps = np.array([0, 2]), np.array([0, 1], dtype=np.int32), np.array([1, 2])
    >>> follow_paths(*tree, np.array([0]), np.array([0]), *steps).tolist()
    [2]
    """
    found: cython.longlong[::1] = np.full(doc.shape[0], -1, dtype=np.int64)
    for pair in range(doc.shape[0]):
        base = offset[doc[pair]]
        size = offset[doc[pair] + 1] - base
        step = step_offset[path[pair]]
        last = step_offset[path[pair] + 1] - 1
        if last < step:
            continue
        above = -1
        left = step_index[step]
        for node in range(size):
            if parent[base + node] < above:
                break
            if parent[base + node] != above or tag[base + node] != step_tag[step]:
                continue
            left -= 1
            if left > 0:
                continue
            if step == last:
                found[pair] = node
                break
            step += 1
            above = node
            left = step_index[step]
    return np.asarray(found)
