"""Connected sets of nodes: a tree has the lowest common ancestor of its nodes and all between (ESR 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.keys import find_keys
from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.core.strings import distinct

if TYPE_CHECKING:
    from doxeval.tables.documents import Documents


def connected(
    documents: Documents, doc: np.ndarray, nodes: Ragged, node: np.ndarray
) -> tuple[Ragged, np.ndarray]:
    """Sets of nodes completed to induced subtrees (SR Definition 3.3); `doc` is the document of each set."""
    apart = unconnected(documents, doc, nodes, node)
    if not len(apart):
        return nodes, node
    width = 1 + int(documents.nodes.counts.max(initial=0))
    rows, items = nodes.take(apart)
    top = _common_ancestors(documents, doc[apart], node[items[rows.first]], node[items[rows.offset[1:] - 1]])
    owner, climber, found = rows.row, node[items], []
    while len(owner):
        below = climber > top[owner]
        owner = owner[below]
        climber = documents.parent[documents.rows(doc[apart][owner], climber[below])].astype(np.int64)
        keys = distinct(owner * width + climber)
        owner, climber = keys // width, keys % width
        found.append(apart[owner] * width + climber)
    keys = distinct(np.concatenate([nodes.row * width + node, *found]))
    return Ragged.of_rows(keys // width, len(nodes)), keys % width


def unconnected(documents: Documents, doc: np.ndarray, nodes: Ragged, node: np.ndarray) -> np.ndarray:
    """The sets, of known documents, that have more than one node whose parent is not in the set."""
    several = np.flatnonzero((nodes.counts > 1) & (doc >= 0))
    if not len(several):
        return several
    rows, at = nodes.take(several)
    width = 1 + int(documents.nodes.counts.max(initial=0))
    keys = distinct(rows.row * width + node[at])
    owner, member = keys // width, keys % width
    parent = documents.parent[documents.rows(doc[several][owner], member)]
    top = (parent < 0) | (find_keys(keys, owner * width + parent) < 0)
    return several[np.bincount(owner[top], minlength=len(several)) > 1]


def _common_ancestors(
    documents: Documents, doc: np.ndarray, first: np.ndarray, last: np.ndarray
) -> np.ndarray:
    """The lowest common ancestor of each pair of nodes; a node comes before its descendants."""
    first, last = first.astype(np.int64), last.astype(np.int64)
    while (going := np.flatnonzero(first != last)).size:
        low, high = np.minimum(first[going], last[going]), np.maximum(first[going], last[going])
        first[going], last[going] = low, documents.parent[documents.rows(doc[going], high)]
    return first


def note_unconnected(
    documents: Documents, doc: np.ndarray, nodes: Ragged, node: np.ndarray, notices: Notices, what: str
) -> None:
    """Report sets of nodes that are used as given but are not trees."""
    message = f"{{count}} {what} {{is a set|are sets}} of unconnected nodes; {{it is|they are}} used as given"
    apart = doc[unconnected(documents, doc, nodes, node)]
    notices.add_each(message, apart, documents.ids.__getitem__, harmless=True, lasting=True)
