"""Simulated readers of gains, who get from results to elements and gain what is left there."""

from __future__ import annotations

import numpy as np

from doxeval.extend import Aligned
from doxeval.lab.simulation.crowd import GROUPS, Crowd
from doxeval.lab.simulation.trees import chances_from, share_held
from doxeval.measurement.families.cumulated_gain import Gain
from doxeval.reader.consulted import result_nodes
from doxeval.reader.navigation.base import Array, navigation_of


def gained_by(aligned: Aligned, gain: Gain, crowd: Crowd) -> Array:
    """The mean gain of each group after each result: `[group, result]`.

    Those who get to an element for the first time gain what no result has shown of it so far; results that
    show it later are worth less to them.
    """
    own, around = gain.parts(aligned)
    gains, model = np.tile(own, (GROUPS, 1)), navigation_of(aligned.ground, gain.nav)
    aims, shown = around or (None, None)
    for aim in range(0 if aims is None else len(aims.node)):
        assert aims is not None and shown is not None
        pair, doc, node = int(aims.pair[aim]), int(aims.doc[aim]), int(aims.node[aim])
        rows = aligned.by_topic.slice(aligned.ground.assessments.pair_topic[pair])
        here = np.arange(rows.start, rows.stop)
        if not model.crosses:
            here = here[aligned.pair[here] == pair]
        trees = result_nodes(aligned)
        chances = chances_from(model, aligned, trees, here, doc, np.array([node]), "esr")
        for step, result in enumerate(here.tolist()):
            if aligned.pair[result] == pair and node in trees.node[trees.nodes.slice(result)]:
                chances[:, step] = share_held(aligned, result, doc, node)
        there = crowd.there_after(
            crowd.first_reached(model, chances, here - rows.start), rows.stop - rows.start
        )
        before = np.hstack([np.zeros((GROUPS, 1)), there])[:, :-1]
        of_aim = np.flatnonzero(shown.aim == aim)
        taken, known, outer = np.zeros((3, rows.stop - rows.start))
        for column, amount in ((taken, shown.taken), (known, shown.known), (outer, shown.around)):
            np.add.at(column, shown.result[of_aim] - rows.start, amount[of_aim])
        left = np.maximum(1.0 - np.cumsum(taken), 0.0)
        left_before = np.append(1.0, left[:-1])
        gains[:, rows] += (there - before) * left * aims.worth[aim] - before * (known + outer * left_before)
    return np.stack([aligned.cumulated(row) for row in gains])
