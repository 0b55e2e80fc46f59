"""The exposure of a run under one reader: hits, near-misses, misses and recall-base after every rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Call
from doxeval.ground.aligned import Aligned
from doxeval.reader.exposure.in_text import changes_by_nodes, total_worth
from doxeval.reader.exposure.in_trees import changes_in_trees, sizes_of_results
from doxeval.reader.exposure.meetings import Changes, Exposure, Reader
from doxeval.reader.exposure.reading_on import changes_by_distance
from doxeval.reader.navigation.around import AroundNavigation
from doxeval.reader.navigation.distance import DistanceNavigation
from doxeval.reader.navigation.model import Navigation, navigation_for, navigation_of
from doxeval.tables.places import GRAIN

DUST = 1e-12
"""Rounding errors below this share of all there is are set to zero."""


@once
def expose(aligned: Aligned, reader: Reader) -> Exposure:
    """The exposure of a run to a reader after every rank."""
    model = navigation_for(aligned, reader.navigation)
    return cumulate(aligned, changes_of(aligned, reader, model), sizes_of(aligned, reader))


def changes_of(aligned: Aligned, reader: Reader, model: Navigation) -> Changes:
    """The changes by each result for a reader, by the rule of the model's kind."""
    if reader.mode == "trees":
        return changes_in_trees(aligned, reader, model)
    if model.parts:
        return _mixed(aligned, reader, model)
    if model.by_distance and isinstance(model, DistanceNavigation):
        return changes_by_distance(aligned, reader, model)
    return changes_by_nodes(aligned, reader, model)


def check_reader(reader: Reader, model: Navigation) -> None:
    """Refuse parameters and a model that cannot be used in the reader's mode."""
    if reader.mode != "text":
        return
    if reader.rel == "specificity":
        raise UsageError("rel=specificity applies to nodes; text mode takes length, grade and binary")
    if reader.hit != "identical":
        raise UsageError(f"hit={reader.hit} applies to mode=trees; in text mode all text shown is a hit")
    if reader.overlap != "new":
        raise UsageError(
            f"overlap={reader.overlap} applies to mode=trees; in text mode text shown again is worth alpha"
        )
    if isinstance(model, AroundNavigation) and model.reads_on:
        raise UsageError(
            f"{model.call}: in text, readers of {model.of.call} read on from the nearest text shown, "
            "whichever result showed it, so their chances cannot depend on that result; use mode=trees"
        )


def _mixed(aligned: Aligned, reader: Reader, model: Navigation) -> Changes:
    """Readers of several kinds: each part by its own rule, weighted; the remaining readers go nowhere."""
    rest = 1.0 - sum(weight for weight, _ in model.parts)
    parts = [(weight, part.call) for weight, part in model.parts] + [(rest, Call("none"))]
    changes = [
        (weight, changes_of(aligned, replace(reader, navigation=call), navigation_of(aligned.ground, call)))
        for weight, call in parts
        if weight > 0
    ]
    return Changes.mean(changes, len(aligned), total_worth(aligned.ground, reader.rel))


def sizes_of(aligned: Aligned, reader: Reader) -> np.ndarray:
    """The amount of text in each result."""
    return aligned.size if reader.mode == "text" else sizes_of_results(aligned, reader.size)


def cumulate(aligned: Aligned, changes: Changes, size: np.ndarray) -> Exposure:
    """Sum the changes, rank by rank; what is worth as much as its text is counted in whole units of it."""
    ranks, grain = aligned.by_topic, GRAIN[aligned.ground.unit]
    if grain > 1:
        changes = Changes(*(column / grain for column in vars(changes).values()))
        size = size / grain
    total = ranks.expand(changes.total)
    columns = (changes.hits, changes.near, changes.misses, size)
    hits, near, misses, read = (ranks.cumulate(column) for column in columns)
    hits, near, misses = (np.where(one > DUST * total, one, 0.0) for one in (hits, near, total + misses))
    return Exposure(ranks, hits, near, misses, read, changes.total)
