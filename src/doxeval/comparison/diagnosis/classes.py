"""The class of every topic of an aligned run: the first whose condition holds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from doxeval.comparison.diagnosis.near import best_chances, nearest_gaps
from doxeval.comparison.diagnosis.topic_classes import (
    ALL_MET,
    BELOW,
    BURIED,
    CUT,
    FAR,
    NEAR,
    NEVER_FOUND,
    NONE_RETURNED,
    NOT_JUDGED,
    NOT_LOCATABLE,
    SOME_MET,
    Thresholds,
)
from doxeval.core.keys import find_keys, key_width, keys
from doxeval.core.ragged import quotient
from doxeval.core.strings import distinct
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.need_sets import sets_of
from doxeval.ground.needs import needs_of
from doxeval.measurement.needs_met import complete_at, met_at
from doxeval.reader.consulted import result_trees
from doxeval.reader.exposure.meetings import Reader
from doxeval.reader.units_sought import assessed_trees
from doxeval.tables.runs import NO_DOCUMENT, NOWHERE


@dataclass(eq=False)
class Showing:
    """The relevant part of what is read, for each topic, in text or in nodes of assessed trees.

    `shown` is how much that is relevant, `listed` how much the whole list shows; `met` of `needs` needs are
    met, and the topic `complete` if they are enough; `precision` is that of what is shown; `first` is the
    rank of the first result of the whole list that shows anything relevant, 0 if none does.
    """

    shown: np.ndarray
    listed: np.ndarray
    met: np.ndarray
    needs: np.ndarray
    complete: np.ndarray
    precision: np.ndarray
    first: np.ndarray


@dataclass(eq=False)
class Classified:
    """The class of each topic, what is shown, and how near the rest is; `gap` or `chance`, or neither."""

    classes: np.ndarray
    showing: Showing
    gap: np.ndarray | None
    chance: np.ndarray | None


def classify(aligned: Aligned, read: Aligned, reader: Reader, limits: Thresholds) -> Classified:
    """The class of every topic, where only some results are `read`."""
    in_trees = reader.mode == "trees"
    showing = (shown_in_trees if in_trees else shown_in_text)(aligned, read, limits.met_from)
    topics, ground = len(aligned.count), aligned.ground
    gap = chance = None
    if reader.navigation.name != "none":
        chance = best_chances(read, reader)
        near = chance >= limits.near_chance
    elif (widest := limits.gap_in(ground.unit)) is not None:
        gap = nearest_gaps(read, in_trees)
        near = gap <= widest
    else:
        near = np.zeros(topics, dtype=bool)
    conditions = {
        NOT_JUDGED: ~judged_topics(ground, in_trees),
        NONE_RETURNED: aligned.count == 0,
        NOT_LOCATABLE: ~_any(aligned, placed(aligned)),
        BELOW: (showing.shown == 0) & (showing.listed > 0),
        NEAR: (showing.shown == 0) & near,
        FAR: (showing.shown == 0) & _any(aligned, in_relevant_documents(aligned, in_trees)),
        NEVER_FOUND: showing.shown == 0,
        CUT: showing.met == 0,
        SOME_MET: ~showing.complete,
        BURIED: showing.precision < limits.buried_below,
    }
    classes = np.select(list(conditions.values()), list(conditions), ALL_MET).astype(np.int8)
    return Classified(classes, showing, gap, chance)


def _any(aligned: Aligned, results: np.ndarray) -> np.ndarray:
    """Whether each topic has one of these results."""
    return np.bincount(aligned.topic[results], minlength=len(aligned.count)) > 0


def judged_topics(ground: Ground, in_trees: bool) -> np.ndarray:
    """Whether something relevant is known of each topic."""
    return assessed_trees(ground).by_topic.counts > 0 if in_trees else ground.total_relevant > 0


def placed(aligned: Aligned) -> np.ndarray:
    """Whether each result has a place in a document: a range, or a node that is known."""
    run = aligned.run
    found = aligned.spans.counts > 0
    if aligned.nodes is not None:
        found |= aligned.nodes[0].counts > 0
    named = np.array([doc != NO_DOCUMENT for doc in run.docs], dtype=bool)
    lost = run.spans.row[run.start >= NOWHERE]
    return found & named[aligned.doc] & ~np.isin(aligned.row, lost)


def in_relevant_documents(aligned: Aligned, in_trees: bool) -> np.ndarray:
    """Whether each result is in a document with something relevant."""
    ground = aligned.ground
    relevant = assessed_trees(ground).by_pair.counts > 0 if in_trees else ground.pair_relevant > 0
    return np.append(relevant, False)[aligned.pair]


def first_ranks(aligned: Aligned, shows: np.ndarray) -> np.ndarray:
    """The rank of the first of these results of each topic, 0 if there is none."""
    found = np.flatnonzero(shows)
    topic, at = np.unique(aligned.topic[found], return_index=True)
    first = np.zeros(len(aligned.count), dtype=np.int64)
    first[topic] = aligned.by_topic.place[found[at]] + 1
    return first


def shown_in_text(aligned: Aligned, read: Aligned, part: Fraction) -> Showing:
    """The highlighted text that is shown; a topic is complete if all needs of one of its sets are met."""
    topics, ground = len(aligned.count), aligned.ground
    needs, sets = needs_of(ground), sets_of(ground)
    met = needs.topic[met_at(read, part) < len(read)]
    complete = np.zeros(topics, dtype=bool)
    complete[sets.topic[complete_at(read, part) < len(read)]] = True
    shown = read.by_topic.sum(read.fresh)
    return Showing(
        shown, aligned.by_topic.sum(aligned.fresh), np.bincount(met, minlength=topics),
        needs.per_topic(topics), complete, quotient(shown, read.by_topic.sum(read.cost)),
        first_ranks(aligned, aligned.relevant > 0),
    )  # fmt: skip


def relevant_nodes(aligned: Aligned) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The nodes of assessed trees that results show, as rows (result, key of pair and node); and all keys."""
    units = assessed_trees(aligned.ground)
    trees = result_trees(aligned, assessed=True)
    pair = aligned.pair[trees.owner]
    inside = np.flatnonzero(pair >= 0)
    width = key_width(units.trees.node, trees.node)
    known = distinct(keys(units.pair[units.trees.owner], units.trees.node, width))
    node = find_keys(known, keys(pair[inside], trees.node[inside], width))
    return trees.owner[inside[node >= 0]], node[node >= 0], known // width


def shown_in_trees(aligned: Aligned, read: Aligned, part: Fraction) -> Showing:
    """The nodes of assessed trees that are shown; every tree is a need."""
    topics, units = len(aligned.count), assessed_trees(aligned.ground)
    topic_of_pair = aligned.ground.assessments.pair_topic

    def seen(view: Aligned) -> tuple[np.ndarray, np.ndarray]:
        _, node, pair = relevant_nodes(view)
        shown = np.zeros(len(pair), dtype=bool)
        shown[node] = True
        return shown, np.bincount(topic_of_pair[pair[shown]], minlength=topics)

    listed = seen(aligned)[1]
    shown, amount = seen(read)
    width = key_width(units.trees.node)
    own = np.unique(keys(units.pair[units.trees.owner], units.trees.node, width), return_inverse=True)[1]
    held = units.trees.nodes.sum(shown[own].astype(np.int64))
    enough = -(-units.trees.count * part.numerator // part.denominator)
    met = np.bincount(units.topic[held >= enough], minlength=topics)
    needs = units.by_topic.counts
    nodes = read.by_topic.sum(result_trees(read).count)
    first = np.zeros(len(aligned), dtype=bool)
    first[relevant_nodes(aligned)[0]] = True
    return Showing(
        amount, listed, met, needs, (met == needs) & (needs > 0), quotient(amount, nodes),
        first_ranks(aligned, first),
    )  # fmt: skip
