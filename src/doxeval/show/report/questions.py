"""Facts about a run on the page of a question: how much it lists, its first hit, what each rank adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure
from doxeval.show.report.board import numbers

DIGITS = 6
ROUNDED_AWAY = 1e-12
"""The largest difference between sums of terms that rounding explains."""


@dataclass(frozen=True)
class Answered:
    """One run, per topic: how many results it `listed`, and the rank of the `first` with relevant text, or 0.

    `added` has for each measure and topic what is added by later results and by no result, then what each of
    the first ranks adds, as in :func:`doxeval.explain`, without zeros at the end; `meanings` says for each
    measure what is added, or why nothing is.
    """

    listed: list[int]
    first: list[int]
    added: list[list[list[float | int]]]
    meanings: list[str]


def answered(measures: Sequence[Measure], aligned: Aligned, shown: int) -> Answered:
    """The answers of a run to every topic, with its first results one by one."""
    found = np.flatnonzero(aligned.relevant > 0)
    numbered, at = np.unique(aligned.topic[found], return_index=True)
    first = np.zeros(len(aligned.count), dtype=np.int64)
    first[numbered] = aligned.by_topic.place[found[at]] + 1
    added, meanings = zip(*(_added(measure, aligned, shown) for measure in measures), strict=True)
    return Answered(aligned.count.tolist(), first.tolist(), list(added), list(meanings))


def _added(measure: Measure, aligned: Aligned, shown: int) -> tuple[list[list[float | int]], str]:
    """The parts added elsewhere and at the first ranks, for topics with a finite value; and their meaning."""
    shares = measure.explain(aligned)
    if shares is None:
        return [], f"{measure.name} is not a sum over results: {measure.no_sum}"
    place = shares.aligned.by_topic.place
    here = place < shown
    totals = shares.totals()
    added = np.zeros((len(totals), 1 + shown))
    added[shares.aligned.topic[here], place[here] + 1] = shares.added[here]
    added[:, 0] = totals - added.sum(axis=1)
    added[(abs(added) < ROUNDED_AWAY) | ~np.isfinite(totals)[:, None]] = 0.0
    return [_trimmed(row) for row in added], shares.meaning


def _trimmed(row: np.ndarray) -> list[float | int]:
    """A row up to its last number that is not 0, zeros as short as they can be written."""
    return [value or 0 for value in numbers(np.trim_zeros(row, "b"), DIGITS)]


def divided(
    attributes: Mapping[str, Mapping[str, str]], topics: Sequence[str]
) -> dict[str, list[str | None]]:
    """The attributes that divide the topics, each with its value for every topic."""
    known = [attributes.get(topic, {}) for topic in topics]
    names = dict.fromkeys(name for one in known for name in one)
    columns = {name: [one.get(name) for one in known] for name in names}
    return {name: column for name, column in columns.items() if len(set(column)) < len(topics)}
