"""The standing of runs by one measure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.grammar import CUTOFF
from doxeval.core.quick_class import dataclass
from doxeval.measurement.meaning import Meaning
from doxeval.scoring.scores import Scores
from doxeval.scoring.selection import tied_with

if TYPE_CHECKING:
    from doxeval.comparison.compare import Comparison

MOST_NAMES = 4
AT = re.compile(rf"(\w+)@{CUTOFF.pattern}")


@dataclass(frozen=True, eq=False)
class Standing:
    """The standing of runs by one measure: `values[run, topic]`, and their value over all topics."""

    scores: Scores
    measure: str
    meaning: Meaning
    direction: int
    values: np.ndarray
    overall: np.ndarray

    @property
    def order(self) -> np.ndarray:
        """The runs from the best to the worst."""
        return np.argsort(-self.direction * self.overall, kind="stable")

    @property
    def leaders(self) -> list[int]:
        """The best run, and those that tie with it."""
        return tied_with(self.overall[self.order[0]], self.overall)

    @property
    def spread(self) -> float:
        """The difference between the best and the worst run."""
        return float(self.overall.max() - self.overall.min())

    @property
    def topics(self) -> int:
        """The number of topics with a value."""
        return int((~np.isnan(self.values[0])).sum())

    @property
    def cutoff(self) -> tuple[str, str, str]:
        """Name, amount and suffix of a measure at a cut-off that has no parameters; empty for any other."""
        match = AT.fullmatch(self.meaning.canonical)
        return (match[1], match[2], match[3]) if match else ("", "", "")

    def named(self, runs: Sequence[int]) -> str:
        """Runs by name; of one without results it is said."""
        return listed([self.name(run) for run in runs])

    def name(self, run: int) -> str:
        """The label of a run, with a remark if it has no results."""
        found = self.scores.runs[run]
        said = self.scores.labels.said(found.name)
        return f"{said} (which shows nothing)" if found.shows_nothing else said


Standings = dict[str, Standing]


def standing_by(scores: Scores, measure: str, comparison: Comparison | None) -> Standing | None:
    """The standing of runs by a measure; None if they cannot be compared."""
    at = scores.measures.index(measure)
    tested = comparison.differences if comparison is not None else ()
    ways = [one.direction for one in tested if one.measure == measure]
    meaning = scores.meaning(measure)
    better = meaning.higher_is_better
    values = np.array([run.values[at] for run in scores.runs])
    defined = ~np.isnan(values)
    alike = len(values) > 0 and (defined == defined[0]).all() and defined.any()
    if not alike or np.isinf(values).any() or (better is None and not ways):
        return None
    direction = ways[0] if ways else 1 if better else -1
    overall = np.array([scores.overall(measure, row) for row in values])
    return Standing(scores, measure, meaning, direction, values, overall)


def standings_of(scores: Scores, comparison: Comparison | None) -> Standings:
    """The standing of runs by each measure by which they can be compared."""
    found = [standing_by(scores, measure, comparison) for measure in scores.measures]
    return {one.measure: one for one in found if one is not None}


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names in a sentence; of many only some, with the number of the others.

    >>> listed(["a", "b", "c"]), listed(list("abcdef"))
    ('a, b and c', 'a, b, c, d and 2 more')
    """
    names = [*names[:MOST_NAMES], f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES + 1 else names
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
