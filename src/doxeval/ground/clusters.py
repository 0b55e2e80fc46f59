"""Results of one document as one tree: a focused run taken as a run of trees (SR section 7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.facts import Facts
from doxeval.core.ragged import Ragged
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
    spans, start, end = joined_ranges(
        *Ragged.gathered(place[aligned.result], len(first), aligned.start, aligned.end)
    )
    nodes = aligned.nodes
    if nodes is not None:
        nodes = Ragged.gathered(place[nodes[0].row], len(first), nodes[1])
    return replace(
        aligned, by_topic=aligned.by_topic.keep_items(kept), row=aligned.row[kept], doc=aligned.doc[kept],
        pair=aligned.pair[kept], start=start, end=end, spans=spans, nodes=nodes, facts=Facts(),
    )  # fmt: skip
