"""Simulated readers of hits, near-misses and misses: what each has seen after every rank (ESR section 5)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from doxeval import UsageError
from doxeval.extend import Aligned, DistanceNavigation, Navigation
from doxeval.lab.simulation.crowd import GROUPS, NEVER, Crowd, chances_of, go_there
from doxeval.lab.simulation.text_readers import Diary, DocumentText, read_on, relevant_in
from doxeval.reader.consulted import result_trees
from doxeval.reader.exposure.in_text import nodes_of_results
from doxeval.reader.exposure.in_trees import text_of_units
from doxeval.reader.exposure.meetings import Reader
from doxeval.reader.exposure.redundancy import inferred_relevance
from doxeval.reader.navigation.model import Array, navigation_of
from doxeval.reader.node_trees import Trees
from doxeval.reader.units_sought import assessed_trees, coverage_letters


def chances_from(
    model: Navigation, aligned: Aligned, results: Trees, here: Array, doc: int, nodes: Array, rule: str
) -> Array:
    """For each kind of reader the chance to get from some results to a tree, in which one node is looked for.

    Readers are on any node f of the result, and look for any node e of the tree. By ESR Eq. 4 nodes that the
    two share lead nowhere and are not looked for; by SR Theorem 4.3 (`rule="sr"`) who is on e sees it.
    """
    lists, at = results.nodes.take(here)
    row, f = np.repeat(lists.row, len(nodes)), np.repeat(results.node[at], len(nodes))
    e, source_doc = np.tile(nodes, len(at)), results.doc[here][row]
    target_doc = np.full(len(e), doc)
    letters = coverage_letters(aligned.ground, aligned.pair[here][row], f) if model.minds_coverage else None
    chance = chances_of(model, source_doc, f, target_doc, e, letters)
    equal = (source_doc == doc) & (f == e)
    if rule == "sr":
        chance[:, equal] = 1.0
    else:
        both = np.stack([e, f]) * len(here) + row
        chance[:, np.isin(both, both[0, equal]).any(axis=0)] = 0.0
    pairs = np.maximum(1, lists.counts * len(nodes))
    return np.stack([np.bincount(row, weights=line, minlength=len(here)) / pairs for line in chance])


def is_same(results: Trees, result: int, doc: int, nodes: Array) -> bool:
    """Whether a result is exactly that tree."""
    return bool(results.doc[result] == doc) and np.array_equal(
        results.node[results.nodes.slice(result)], nodes
    )


def share_held(aligned: Aligned, result: int, doc: int, node: int) -> float:
    """The share of a node's text that a result shows: who has most of a paragraph reads the rest."""
    documents, spans = aligned.ground.documents, aligned.spans.slice(result)
    start, end = 0, int(aligned.doc_length[aligned.doc[result]])
    if documents is not None and doc >= 0:
        start, end = (int(side[0]) for side in documents.extent(np.array([doc]), np.array([node])))
    ranges = zip(aligned.start[spans].tolist(), aligned.end[spans].tolist(), strict=True)
    return sum(max(0, min(b, end) - max(a, start)) for a, b in ranges) / max(1, end - start)


def new_to_readers(aligned: Aligned, reader: Reader, crowd: Crowd) -> Array:
    """The relevance of each result to those in each group whom no earlier one has led there (SR Eq. 1)."""
    model = navigation_of(aligned.ground, reader.navigation)
    gains = inferred_relevance(aligned, reader.rel, reader.size)
    trees = result_trees(aligned, not model.crosses)
    seen = np.zeros((GROUPS, len(aligned)))
    for first, last in pairwise(aligned.by_topic.offset.tolist()):
        for result in range(first, last):
            if gains[result] == 0:
                continue
            here = np.arange(first, result)
            if not model.crosses:
                here = here[aligned.pair[here] == aligned.pair[result]]
            doc, nodes = int(trees.doc[result]), trees.node[trees.nodes.slice(result)]
            chances = chances_from(model, aligned, trees, here, doc, nodes, reader.tree)
            if reader.tree == "esr":
                chances[:, [is_same(trees, other, doc, nodes) for other in here.tolist()]] = 1.0
            reached = crowd.first_reached(model, chances, here - first)
            seen[:, result] = crowd.mean(reached < last)
    return gains * (1.0 - seen)


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
