"""Overlap of assessed trees with earlier results: how much of a hit's text the list has shown before."""

from __future__ import annotations

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import find_keys, key_width, keys
from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.reader.consulted import results_by_pair
from doxeval.reader.relevant_text import owned_text
from doxeval.reader.units import assessed_trees, judged_places, tree_of


@once
def text_of_units(ground: Ground) -> tuple[Ragged, np.ndarray, np.ndarray]:
    """The ranges of every assessed tree: the text of its nodes, or the highlighted text that it owns."""
    units = assessed_trees(ground)
    if judged_places(ground) is not None:
        nodes = units.trees.nodes
        start, end = tree_of(ground).extent(units.trees.doc[nodes.row], units.trees.node)
        return nodes.merge(start, end)
    text = owned_text(ground)
    width = key_width(text.node)
    known = keys(units.pair, units.trees.node, width)
    unit = find_keys(known, keys(text.pair, text.node, width))
    ranges, start, end = Ragged.gathered(unit[text.owner], len(units), text.pieces.start, text.pieces.end)
    return ranges, start, end


def shown_before(aligned: Aligned, unit: np.ndarray, result: np.ndarray) -> np.ndarray:
    """The share of each unit's text that results before the given one show, every character counted once."""
    by_pair, by_rank = results_by_pair(aligned)
    pair, width = assessed_trees(aligned.ground).pair[unit], max(1, len(aligned))
    first = by_pair.first[pair]
    count = np.searchsorted(keys(by_pair.row, by_rank, width), keys(pair, result, width)) - first
    earlier = Ragged.of_counts(count)
    before = by_rank[earlier.expand(first) + earlier.place]
    spans, at = aligned.spans.take(before)
    ranges, start, end = text_of_units(aligned.ground)
    asked = earlier.row[spans.row]
    met, piece = ranges.take(unit[asked])
    first = np.maximum(met.expand(aligned.start[at]), start[piece])
    last = np.maximum(np.minimum(met.expand(aligned.end[at]), end[piece]), first)
    shown = Ragged.gathered(met.expand(asked), len(unit), first, last)
    merged, first, last = shown[0].merge(*shown[1:])
    return quotient(merged.sum(last - first), ranges.sum(end - start)[unit])
