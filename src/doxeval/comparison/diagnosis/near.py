"""How near relevant text is to what was shown: the gap between them, and the chance to get there."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from doxeval.core.keys import key_width, keys
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.reader.exposure.expose import check_reader
from doxeval.reader.exposure.in_text import encounters_of_text
from doxeval.reader.exposure.in_trees import encounters_of_trees, text_of_units
from doxeval.reader.exposure.meetings import Encounters, Reader
from doxeval.reader.navigation.distance import DistanceNavigation
from doxeval.reader.navigation.model import Navigation, navigation_of
from doxeval.reader.relevant_text import owned_text
from doxeval.reader.units_sought import assessed_trees

NO_GAP = 1 << 62
"""The gap where nothing of a relevant document is shown."""
Extents = tuple[Ragged, np.ndarray, np.ndarray]
"""Disjoint ranges by pair, in order: rows, starts and ends."""


def shown_ranges(aligned: Aligned) -> Extents:
    """The text shown of each assessed document, overlapping and touching ranges joined."""
    shows = aligned.end > aligned.start
    pair = np.where(shows, aligned.pair[aligned.result], -1)
    ranges = Ragged.gathered(pair, len(aligned.ground.pair_relevant), aligned.start, aligned.end)
    return ranges[0].merge(*ranges[1:])


def sought_ranges(ground: Ground, in_trees: bool) -> Extents:
    """The relevant text of each assessed document: highlighted, or that of the assessed trees."""
    if not in_trees:
        return ground.relevant_by_pair, *ground.relevant[1:]
    units, start, end = text_of_units(ground)
    pair = units.expand(assessed_trees(ground).pair)
    ranges = Ragged.gathered(pair, len(ground.assessments.pair_doc), start, end)
    return ranges[0].merge(*ranges[1:])


def nearest_gaps(read: Aligned, in_trees: bool) -> np.ndarray:
    """For each topic the smallest gap between text shown and relevant text of one document, 0 if they meet.

    The adjoining character has the gap 0; where no text of a relevant document is shown it is `NO_GAP`.
    """
    shown, start, end = shown_ranges(read)
    sought, first, after = sought_ranges(read.ground, in_trees)
    gaps = np.full(len(read.count), NO_GAP, dtype=np.int64)
    if not len(first) or not len(start):
        return gaps
    width = key_width(end, after)
    begins = keys(sought.row, first, width)
    following = np.searchsorted(begins, keys(shown.row, start, width))
    topic = read.ground.assessments.pair_topic[shown.row]
    for at in (following - 1, following):
        there = (at >= 0) & (at < len(first))
        near = np.where(there, at, 0)
        there &= sought.row[near] == shown.row
        gap = np.maximum(0, np.maximum(first[near] - end, start - after[near]))
        np.minimum.at(gaps, topic[there], gap[there])
    return gaps


def best_chances(read: Aligned, reader: Reader) -> np.ndarray:
    """For each topic the largest chance to get from the results to something relevant that they do not show.

    In text it is the chance to see the first or the last character of a piece of relevant text, in trees that
    to see an assessed tree.
    """
    model = navigation_of(read.ground, reader.navigation)
    check_reader(reader, model)
    if reader.mode == "trees":
        units = assessed_trees(read.ground)
        chance, topic = seen_by(encounters_of_trees(read, reader, model), len(units)), units.topic
    else:
        pieces = owned_text(read.ground).pieces
        chance = chances_at_ends(read, reader, model).max(axis=0, initial=0.0)
        topic = read.ground.assessments.pair_topic[pieces.pair]
    best = np.zeros(len(read.count))
    np.maximum.at(best, topic, chance)
    return best


def seen_by(encounters: Iterable[Encounters], units: int) -> np.ndarray:
    """The chance that each unit is reached from any of the results it meets."""
    unseen = np.ones(units)
    for block in encounters:
        np.multiply.at(unseen, block.meetings.unit, 1.0 - block.meetings.chance)
    return 1.0 - unseen


def chances_at_ends(read: Aligned, reader: Reader, model: Navigation) -> np.ndarray:
    """The chances to get to the first and to the last character of each piece of relevant text."""
    text = owned_text(read.ground)
    if model.parts:
        found = np.zeros((2, len(text.pieces)))
        for weight, part in model.parts:
            found += weight * chances_at_ends(read, reader, part)
        return found
    if model.by_distance and isinstance(model, DistanceNavigation):
        ends = (text.pieces.start, text.pieces.end - 1)
        return np.array([_chance_to(read, model, text.pieces.pair, place) for place in ends])
    chance = seen_by(encounters_of_text(read, reader, model), len(text.pair))[text.owner]
    return np.array([chance, chance])


def _chance_to(read: Aligned, model: DistanceNavigation, pair: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The chance to read on to each place from the nearest text shown before it, or back from that after."""
    shown, start, end = shown_ranges(read)
    if not len(start):
        return np.zeros(len(place))
    length = np.zeros(len(shown), dtype=np.int64)
    judged = read.pair >= 0
    length[read.pair[judged]] = read.doc_length[read.doc[judged]]
    width = key_width(end, place)
    after = np.searchsorted(keys(shown.row, start, width), keys(pair, place, width), side="right")
    unseen = np.ones(len(place))
    for at, forward in ((after - 1, True), (after, False)):
        there = (at >= 0) & (at < len(start)) & (forward or model.reads_back)
        near = np.where(there, at, 0)
        there &= shown.row[near] == pair
        gap = place - end[near] if forward else start[near] - 1 - place
        ahead = np.full(len(place), forward)
        chance = model.of_gap(np.maximum(gap, 0), ahead, length[pair])
        unseen[there] *= 1.0 - chance[there]
    return 1.0 - unseen
