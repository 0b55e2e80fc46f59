"""Gain by navigation: readers get from results to elements they look for, and gain what is left there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.grammar import Call
from doxeval.core.keys import find_keys, key_width
from doxeval.core.ragged import quotient, sums_by
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.kernels.tree_gains import best_on_paths
from doxeval.reader.consulted import result_nodes
from doxeval.reader.exposure.in_text import first_shown, shares_held
from doxeval.reader.exposure.meeting_chances import meet
from doxeval.reader.navigation.model import navigation_for
from doxeval.reader.node_trees import Trees
from doxeval.reader.recall_base import text_base
from doxeval.reader.relevant_text import owned_text
from doxeval.reader.units_sought import tree_of


@dataclass(eq=False)
class Aims:
    """The elements that readers look for, sorted by pair, none inside another, and the worth of each."""

    doc: np.ndarray
    node: np.ndarray
    pair: np.ndarray
    worth: np.ndarray


@dataclass(eq=False)
class ShownParts:
    """Parts of aims that results show, each with the share of the aim's worth that is `taken` with it.

    To readers who had been at the aim before, the result is worth less by `known`, and, if it is around the
    aim, by `around` times the share of the aim that had not been shown.
    """

    aim: np.ndarray
    result: np.ndarray
    taken: np.ndarray
    known: np.ndarray
    around: np.ndarray

    def summed(self, width: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """Aims and results as sorted keys, and the sums of `taken`, `known` and `around` of each; last 0s."""
        keys, place = np.unique(self.aim * width + self.result, return_inverse=True)
        columns = (self.taken, self.known, self.around)
        return keys, [np.append(sums_by(place, column, len(keys)), 0.0) for column in columns]


def navigated(aligned: Aligned, navigation: Call, aims: Aims, shown: ShownParts) -> np.ndarray:
    """The expected gain that navigation adds to that of each result, or takes from it.

    From result i the reader gets to aim x with the chance p(x; t_i), as to near misses (ESR Eq. 4), and gains
    what is left: the sum over x of p(x; t_i) u_{i-1}(x) left_i(x) worth(x), where u_i(x) is the product of
    1 - p(x; t_j) over j <= i (ESR Eq. 5). Those who had been there before, 1 - u_{i-1}(x), gain less from the
    result itself.
    """
    model, width, change = navigation_for(aligned, navigation), max(1, len(aligned)), np.zeros(len(aligned))
    trees, also = Trees.single(aims.doc, aims.node), (shown.aim, shown.result)
    known_keys, sums = shown.summed(width)
    for met in meet(model, aligned, trees, aims.pair, result_nodes(aligned), also=also):
        inside = np.flatnonzero(met.common > 0)
        met.chance[inside] = shares_held(aligned, met.result[inside], aims.node[met.unit[inside]])
        met = met.along(model, aligned)
        row = find_keys(known_keys, met.unit * width + met.result)
        taken, known, around = (column[row] for column in sums)
        so_far = met.by_unit.cumulate(taken)
        left_before, left = np.maximum(1.0 - so_far + taken, 0.0), np.maximum(1.0 - so_far, 0.0)
        unreached = met.by_unit.previous(met.by_unit.cumulate(1.0 - met.chance, np.multiply), 1.0)
        gained = met.chance * unreached * left * aims.worth[met.unit]
        change += sums_by(
            met.result, gained - (1.0 - unreached) * (known + around * left_before), len(aligned)
        )
    return change


def aims_in_text(ground: Ground) -> tuple[Aims, np.ndarray]:
    """The nodes with the largest share of highlighted text on every path.

    Also the aim that each node of the base is, or is inside of, -1 if there is none.
    """
    base = text_base(ground)
    worth = base.relevant / base.size
    chosen = best_on_paths(base.pair_offset, base.above, worth)
    number = np.where(chosen, np.cumsum(chosen) - 1, -1)
    parent = np.append(np.where(base.above >= 0, base.above + base.pair_offset[base.pair], -1), -1)
    aim, above = number.copy(), parent[:-1]
    while ((aim < 0) & (above >= 0)).any():
        aim = np.where((aim < 0) & (above >= 0), number[above], aim)
        above = parent[above]
    doc = ground.doc_index[ground.assessments.pair_doc[base.pair[chosen]]]
    return Aims(doc, base.node[chosen], base.pair[chosen], worth[chosen]), aim


def shown_in_text(aligned: Aligned, aims: Aims, aim_of_base: np.ndarray, alpha: float) -> ShownParts:
    """The highlighted text of aims that each result is the first to show."""
    base, text = text_base(aligned.ground), owned_text(aligned.ground)
    result, piece, characters = first_shown(aligned)
    width, owner = key_width(base.node, text.node), text.owner[piece]
    at = find_keys(base.pair * width + base.node, text.pair[owner] * width + text.node[owner])
    aim = np.append(aim_of_base, -1)[at]
    result, characters, aim = result[aim >= 0], characters[aim >= 0], aim[aim >= 0]
    relevant = aims.worth[aim] * tree_of(aligned.ground).lengths(aims.doc[aim], aims.node[aim])
    known = alpha * quotient(characters, aligned.size[result])
    return ShownParts(aim, result, characters / relevant, known, np.zeros(len(aim)))
