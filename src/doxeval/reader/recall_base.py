"""The recall base of extended cumulated gain: every element that holds something relevant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.facts import once
from doxeval.core.ragged import Ragged
from doxeval.ground.ground import Ground
from doxeval.kernels.gains import best_on_paths, parents_among
from doxeval.reader.units import Elements, ancestors_among, tree_of


@dataclass(eq=False)
class TextBase:
    """Nodes that hold highlighted text, in document order: those of pair p begin at `pair_offset[p]`.

    `relevant` and `size` are in characters; `above` is the parent, counted from the pair's first node, or -1.
    """

    pair_offset: np.ndarray
    relevant: np.ndarray
    size: np.ndarray
    above: np.ndarray


@once
def text_base(ground: Ground) -> TextBase:
    """All nodes with relevant text in them."""
    documents = tree_of(ground)
    doc_of_pair = ground.doc_index[ground.assessments.pair_doc]
    pairs = np.flatnonzero((ground.pair_relevant > 0) & (doc_of_pair >= 0))
    nodes, row = documents.nodes.take(doc_of_pair[pairs])
    pair = nodes.expand(pairs)
    start, end = documents.start[row], documents.end[row]
    relevant = ground.relevant_in(pair, start, end)
    useful = relevant > 0
    pair, row = pair[useful], row[useful]
    node = row - documents.node_offset[doc_of_pair[pair]]
    by_pair = Ragged.of_rows(pair, len(doc_of_pair))
    held = np.flatnonzero(by_pair.counts)
    bounds = np.append(by_pair.first[held], len(pair))
    above = parents_among(documents.node_offset, documents.parent, doc_of_pair[held], bounds, node)
    return TextBase(
        by_pair.offset, relevant[useful].astype(np.float64), (end - start)[useful].astype(np.float64), above
    )


def chosen_on_paths(ground: Ground, elements: Elements) -> np.ndarray:
    """Which elements INEX's procedure makes ideal: the best of every path, outermost where paths disagree."""
    above = ancestors_among(ground, elements)
    first = elements.by_pair.expand(elements.by_pair.first)
    return best_on_paths(elements.pair_offset, np.where(above >= 0, above - first, -1), elements.value)
