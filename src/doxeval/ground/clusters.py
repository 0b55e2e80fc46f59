"""Results of one document as one tree: a focused run taken as a run of trees (SR section 7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.facts import Facts
from doxeval.ground.aligned import Aligned
from doxeval.tables.ranges import joined_ranges


def as_trees(aligned: Aligned) -> Aligned:
    """Each topic's results of a document joined into one, at the rank of the first; places close up."""
    key = aligned.topic * (1 + int(aligned.doc.max(initial=0))) + aligned.doc
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    if len(first) == len(aligned):
        return aligned
    kept = np.zeros(len(aligned), dtype=bool)
    kept[first] = True
    place = (np.cumsum(kept) - 1)[first[group]]
    count = int(kept.sum())
    start, end, offset = _regrouped(place[aligned.result], count, aligned.start, aligned.end)
    nodes = aligned.nodes
    if nodes is not None:
        owner = place[np.repeat(np.arange(len(aligned)), np.diff(nodes[0]))]
        node, node_offset = _sorted(owner, count, nodes[1])
        nodes = (node_offset, node)
    return replace(
        aligned, topic_offset=np.concatenate([[0], np.cumsum(kept)])[aligned.topic_offset],
        row=aligned.row[kept], doc=aligned.doc[kept], pair=aligned.pair[kept], start=start, end=end,
        span_offset=offset, nodes=nodes, facts=Facts(),
    )  # fmt: skip


def _sorted(owner: np.ndarray, count: int, *columns: np.ndarray) -> tuple[np.ndarray, ...]:
    """Columns by owner, then by the first of them; and where each owner's rows begin."""
    order = np.lexsort((columns[0], owner))
    offset = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner, minlength=count), out=offset[1:])
    return (*(column[order] for column in columns), offset)


def _regrouped(
    owner: np.ndarray, count: int, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranges by their new result, merged."""
    start, end, offset = _sorted(owner, count, start, end)
    merged_offset, merged_start, merged_end = joined_ranges(offset, start, end)
    return merged_start, merged_end, merged_offset
