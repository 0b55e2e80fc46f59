"""Simulated readers of hits, near-misses and misses: what each has seen after every rank (ESR section 5)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from doxeval import UsageError
from doxeval.extend import Aligned, DistanceNavigation, Navigation
from doxeval.lab.simulation.crowd import GROUPS, NEVER, Crowd, go_there
from doxeval.lab.simulation.text_readers import Diary, DocumentText, read_on, relevant_in
from doxeval.lab.simulation.trees import chances_from, is_same, share_held
from doxeval.reader.assessed_nodes import assessed_trees
from doxeval.reader.consulted import result_trees
from doxeval.reader.exposure.in_text import nodes_of_results
from doxeval.reader.exposure.in_trees import text_of_units
from doxeval.reader.exposure.meetings import Reader
from doxeval.reader.navigation.model import Array, navigation_of


def seen_by(aligned: Aligned, reader: Reader, crowd: Crowd) -> Array:
    """Hits, near-misses and misses of each group of readers after every rank: `[group, column, result]`."""
    model = navigation_of(aligned.ground, reader.navigation)
    columns = np.zeros((3, GROUPS, len(aligned)))
    for topic, (first, last) in enumerate(pairwise(aligned.by_topic.offset.tolist())):
        diary = Diary(*columns[:, :, first:last])
        if reader.mode == "trees":
            _look_for_trees(aligned, topic, reader, model, crowd, diary)
            continue
        for kind, some in crowd.split(model):
            _read_text(aligned, topic, reader, kind, some, diary)
    return columns.swapaxes(0, 1)


def _of_pair(aligned: Aligned, topic: int, pair: int) -> Array:
    """The results of a topic in the document of an assessed pair."""
    rows = aligned.by_topic.slice(topic)
    return rows.start + np.flatnonzero(aligned.pair[rows] == pair)


def _look_for_trees(
    aligned: Aligned, topic: int, reader: Reader, model: Navigation, crowd: Crowd, diary: Diary
) -> None:
    """Readers who look for assessed trees: a hit is the very tree, unless an earlier one led them there.

    With `hit="certain"` any tree that leads all readers to it is one; with `overlap="repeated"` the text of a
    hit that earlier results have shown is no hit, but repeated.
    """
    units, results = assessed_trees(aligned.ground), result_trees(aligned, not model.crosses)
    worth, rows = units.worth(reader.rel, reader.size), aligned.by_topic.slice(topic)
    overlapping = reader.overlap == "repeated"
    for unit in range(len(units))[units.by_topic.slice(topic)]:
        doc, nodes = int(units.trees.doc[unit]), units.trees.node[units.trees.nodes.slice(unit)]
        met = _of_pair(aligned, topic, int(units.pair[unit]))
        here = np.arange(len(aligned))[rows] if model.crosses else met
        chances = chances_from(model, aligned, results, here, doc, nodes, reader.tree)
        shows = np.array([is_same(results, result, doc, nodes) for result in here.tolist()], dtype=bool)
        if reader.hit == "certain":
            shows |= go_there(model, chances) > 1 - 1e-9
        ranks = (here - rows.start)[shows].tolist()
        old = _share_known(aligned, unit, met[met < here[shows][0]]) if ranks and overlapping else 0.0
        shown = np.zeros(diary.ranks)
        shown[ranks[:1]] = worth[unit]
        reached = crowd.first_reached(model, chances, here - rows.start)
        diary.note(crowd, reached, worth[unit], shown, 1 - old)
        for rank, known in zip(ranks, [old] + [1.0] * len(ranks), strict=False):
            diary.note_again(crowd, rank, float(reader.alpha) * known * worth[unit])


def _share_known(aligned: Aligned, unit: int, results: Array) -> float:
    """The share of a tree's text that some results show."""
    ranges, start, end = text_of_units(aligned.ground)
    own = ranges.slice(unit)
    at = np.concatenate([np.arange(a, b) for a, b in zip(start[own], end[own], strict=True)])
    text = DocumentText(at, np.ones(len(at)), at)
    held = [text.held_by(aligned, result) for result in results.tolist()]
    return float(np.any([np.zeros(len(at)), *held], axis=0).mean()) if len(at) else 0.0


def _read_text(
    aligned: Aligned, topic: int, reader: Reader, model: Navigation | None, crowd: Crowd, diary: Diary
) -> None:
    """Readers of one kind who look for relevant text, one document after the other."""
    first = aligned.by_topic.slice(topic).start
    of_topic = aligned.ground.assessments.by_topic.slice(topic)
    for pair in range(of_topic.start, of_topic.stop):
        text, results = relevant_in(aligned.ground, pair, reader.rel), _of_pair(aligned, topic, pair)
        held, known = (
            [text.held_by(aligned, result) for result in results.tolist()],
            np.zeros(len(text), bool),
        )
        for result, holds in zip(results.tolist(), held, strict=True):
            again = float(text.worth[holds & known].sum())
            diary.note_again(crowd, result - first, float(reader.alpha) * again)
            known |= holds
        if isinstance(model, DistanceNavigation) and model.by_distance:
            if crowd.persistent:
                raise UsageError(
                    f"readers of {model.call} read on from the nearest text; their visits must be independent"
                )
            read_on(aligned, text, results, model, crowd, diary)
        else:
            _leave_for_nodes(aligned, pair, text, results, held, model, crowd, diary)


def _leave_for_nodes(
    aligned: Aligned, pair: int, text: DocumentText, results: Array, held: list[Array],
    model: Navigation | None, crowd: Crowd, diary: Diary,
) -> None:  # fmt: skip
    """Readers who go to the node that owns some text, and then know all of it."""
    ground, first = aligned.ground, int(aligned.by_topic.offset[aligned.ground.assessments.pair_topic[pair]])
    doc = int(ground.doc_index[ground.assessments.pair_doc[pair]])
    for node in np.unique(text.node).tolist():
        owned, shown = text.node == node, np.zeros(diary.ranks)
        for result, holds in zip(results.tolist(), held, strict=True):
            shown[result - first] = text.worth[owned & holds].sum()
            owned = owned & ~holds
        reached = np.full(len(crowd), NEVER)
        if model is not None and model.name != "none":
            here = np.arange(first, first + diary.ranks) if model.crosses else results
            trees = nodes_of_results(aligned, model)
            chances = chances_from(model, aligned, trees, here, doc, np.array([node]), "esr")
            for step, result in enumerate(here.tolist()):
                if aligned.pair[result] == pair and node in trees.node[trees.nodes.slice(result)]:
                    chances[0, step] = share_held(aligned, result, doc, node)
            reached = crowd.first_reached(model, chances, here - first)
        diary.note(crowd, reached, float(text.worth[text.node == node].sum()), shown)
