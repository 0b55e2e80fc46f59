"""The recall base of extended cumulated gain: every element that holds something relevant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import key_width
from doxeval.core.ragged import Ragged
from doxeval.ground.ground import Ground
from doxeval.kernels.tree_gains import best_on_paths, parents_among
from doxeval.reader.node_trees import Trees
from doxeval.reader.units_sought import (
    AssessedTrees,
    Elements,
    ancestors_among,
    assessed_trees,
    group_units,
    tree_of,
)


@dataclass(eq=False)
class TextBase:
    """Nodes that hold highlighted text, in document order: those of pair p begin at `pair_offset[p]`.

    `relevant` and `size` are in characters; `above` is the parent, counted from the pair's first node, or -1.
    """

    pair: np.ndarray
    node: np.ndarray
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
        pair,
        node,
        by_pair.offset,
        relevant[useful].astype(np.float64),
        (end - start)[useful].astype(np.float64),
        above,
    )


@once
def assessed_nodes(ground: Ground) -> AssessedTrees:
    """Judged nodes and trees, else every node with highlighted text, by specificity (SR 6).

    The grade of such a node is the highest of the text in it.
    """
    if ground.assessments.nodes is not None:
        return assessed_trees(ground)
    base, owners = text_base(ground), assessed_trees(ground)
    width = key_width(base.node)
    grade = np.zeros(len(base.node))
    grade[np.searchsorted(base.pair * width + base.node, owners.pair * width + owners.trees.node)] = (
        owners.value
    )
    parent = np.where(base.above >= 0, base.above + base.pair_offset[base.pair], -1)
    trees = Trees.single(ground.doc_index[ground.assessments.pair_doc[base.pair]], base.node)
    depth = tree_of(ground).depth[tree_of(ground).rows(trees.doc, base.node)]
    for level in range(int(depth.max(initial=0)), 1, -1):
        np.maximum.at(grade, parent[depth == level], grade[depth == level])
    specificity = base.relevant / base.size
    groups = group_units(ground, base.pair)
    return AssessedTrees(trees, base.pair, grade, *groups, base.relevant, base.relevant, specificity)


def chosen_on_paths(ground: Ground, elements: Elements) -> np.ndarray:
    """Whether INEX's procedure makes each element ideal: the best of every path, the outermost in doubt."""
    above = ancestors_among(ground, elements)
    first = elements.by_pair.expand(elements.by_pair.first)
    return best_on_paths(elements.pair_offset, np.where(above >= 0, above - first, -1), elements.value)
