"""Scores by kinds of topics: means for each value of an attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any, Unpack

import numpy as np

from doxeval.comparison.intervals import INTERVALS
from doxeval.comparison.paired import DRAWS
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.core.phrases import stated
from doxeval.core.quick_class import dataclass
from doxeval.core.records import Records
from doxeval.core.run_labels import RunLabels, run_labels
from doxeval.core.strings import natural_key
from doxeval.core.table import Table, shown
from doxeval.measurement.base import Measures
from doxeval.scoring.evaluation import NavigationModels
from doxeval.scoring.inputs import scores_given
from doxeval.scoring.scores import ALL, Scores, check_attribute

UNTOLD = "(none)"
"""The slice of the topics without the attribute."""

FEWEST_IN_SLICE = 2
"""Least number of topics in a slice for runs to be compared in it."""


def slices_of(scores: Scores, by: str) -> dict[str, Scores]:
    """The scores of the topics that count, for each value of an attribute, in natural order."""
    return {value: _some_topics(scores, at) for value, at in slice_members(scores, by).items()}


def slice_members(scores: Scores, by: str) -> dict[str, list[int]]:
    """The positions of the topics that count, for each value of an attribute, in natural order."""
    check_attribute(by, scores.attributes)
    counted = np.logical_or.reduce([run.counted for run in scores.runs])
    members: dict[str, list[int]] = {}
    for at in np.flatnonzero(counted).tolist():
        members.setdefault(scores.attributes.get(scores.topics[at], {}).get(by, UNTOLD), []).append(at)
    order = sorted(members, key=lambda value: (value == UNTOLD, natural_key(value)))
    return {value: members[value] for value in order}


def _some_topics(scores: Scores, at: Sequence[int]) -> Scores:
    runs = [run.in_topics(at) for run in scores.runs]
    return replace(scores, topics=[scores.topics[one] for one in at], runs=runs, origin=None)


@dataclass(frozen=True)
class SliceMean:
    """One run by one measure over the topics of a slice that have a value; the interval is of the mean."""

    slice: str
    run: str
    measure: str
    topics: int
    value: float | None
    low: float | None
    high: float | None


@dataclass(eq=False, repr=False)
class Slices(Records):
    """Means of runs by measures in every slice of topics, all topics first; `frame` is a polars frame."""

    by: str
    means: list[SliceMean]
    confidence: float
    notices: Notices = field(default_factory=Notices)
    labels: RunLabels = field(default_factory=lambda: run_labels([]))

    @property
    def table(self) -> Table:
        """A row per slice and run, a column per measure, each with its interval."""
        measures = list(dict.fromkeys(mean.measure for mean in self.means))
        rows: dict[tuple[str, str], list[SliceMean]] = {}
        for mean in self.means:
            rows.setdefault((mean.slice, mean.run), []).append(mean)
        body = [
            [slice, str(max(mean.topics for mean in means)), self.labels.of(run), *map(_cell, means)]
            for (slice, run), means in rows.items()
        ]
        footer = [f"{stated(self.confidence)} bootstrap (BCa) intervals of the means over a slice's topics"]
        footer += filter(None, map(self._most_different, measures))
        return Table([self.by, "topics", "run", *measures], body, 3, footer, f"By {self.by}")

    def _most_different(self, measure: str) -> str:
        """The slice in which two runs differ most, in words; empty with a single run."""
        found: dict[str, list[tuple[float, str]]] = {}
        for mean in self.means:
            if mean.measure == measure and mean.slice != ALL and mean.topics >= FEWEST_IN_SLICE:
                found.setdefault(mean.slice, []).append((mean.value or 0.0, mean.run))
        spread = {slice: max(ends)[0] - min(ends)[0] for slice, ends in found.items()}
        if not spread or max(spread.values()) == 0:
            return ""
        slice = max(spread, key=spread.__getitem__)
        (low, worse), (high, better) = min(found[slice]), max(found[slice])
        ends = f"{self.labels.said(better)} {high:.4f}, {self.labels.said(worse)} {low:.4f}"
        return f"{measure} differs most where {self.by} is {slice}: {ends}"


def _cell(mean: SliceMean) -> str:
    interval = "" if mean.low is None else f" [{mean.low:.4f}, {mean.high:.4f}]"
    return shown(mean.value) + interval


def slice_scores(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    by: str,
    topics_file: Any = None,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    **options: Unpack[ScoringOptions],
) -> Slices:
    """Split scores by an attribute of the topics: means with intervals in every slice.

    `runs` are scores, or runs with what :func:`doxeval.evaluate` needs to score them. The attribute `by` is
    one that the assessments or a `topics_file` give to topics.

    >>> gold = [{"topic": t, "doc": "d", "start": 0, "end": 9, "kind": "yes/no" if t < "c" else "list"}
    ...         for t in "abcd"]
    >>> ends = {"a": 9, "b": 9, "c": 3, "d": 6}
    >>> run = [{"topic": t, "doc": "d", "rank": 1, "start": 0, "end": end} for t, end in ends.items()]
    >>> slice_scores(run, gold, "iR@1", by="kind")
    By kind
    kind    topics  run    iR@1
    all     4       run  0.7500 [0.4167, 1.0000]
    list    2       run  0.5000 [0.3333, 0.6667]
    yes/no  2       run  1.0000 [1.0000, 1.0000]
    95% bootstrap (BCa) intervals of the means over a slice's topics
    """
    scores = scores_given(runs, assessments, measures, documents, navigation, options)
    scores = scores.with_topics(topics_file)
    means = []
    listed = scores.listed
    for name, part in {ALL: listed, **slices_of(listed, by)}.items():
        values = np.array([run.values for run in part.runs])
        flat = values.reshape(-1, values.shape[2])
        low, high = (
            ends.reshape(values.shape[:2]) for ends in INTERVALS["bootstrap"](flat, confidence, draws, seed)
        )
        for at, run in enumerate(part.runs):
            for number, measure in enumerate(part.measures):
                value = part.overall(measure, run.values[number])
                ends = (low[at, number], high[at, number])
                known = np.isfinite(ends).all() and measure not in part.summed
                means.append(SliceMean(
                    name, run.name, measure, int((~np.isnan(run.values[number])).sum()),
                    None if value != value else value,
                    float(ends[0]) if known else None, float(ends[1]) if known else None,
                ))  # fmt: skip
    return Slices(by, means, confidence, scores.notices, scores.labels)
