"""The difference of two runs by one measure, and the direction of measures: known, or stated by the user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.comparison.pair_differences import PairDifferences
from doxeval.comparison.resampling import COMPARISONS_AT_ONCE
from doxeval.core.errors import UsageError
from doxeval.core.run_labels import set_apart
from doxeval.scoring.scores import Scores

TOPICS_SHOWN = 3
"""How many of the topics that moved most are named."""
Moved = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One run against another by one measure; `difference` is run minus baseline, `gain` its worth.

    `effect` is Cohen's d of paired differences (mean / standard deviation), NaN if all differ by the same
    amount. `worst` and `best` are the topics that changed most, with their differences. `slice` is empty, or
    names the topics compared: `hops=2`. `least` and `most` are the smallest and the largest difference
    possible whatever unjudged text is relevant, if that was requested. `member` names the member of the
    family of comparisons that it is; it is empty for a run against its copy.
    """

    measure: str
    baseline: str
    run: str
    topics: int
    baseline_mean: float
    run_mean: float
    difference: float
    low: float
    high: float
    effect: float
    p: float
    adjusted_p: float
    wins: int
    ties: int
    losses: int
    worst: tuple[tuple[str, float], ...] = ()
    best: tuple[tuple[str, float], ...] = ()
    direction: int = 1
    slice: str = ""
    least: float | None = None
    most: float | None = None
    member: str = ""

    def whatever(self, said: Callable[[str], str] = set_apart) -> str:
        """A phrase on the run that is ahead whatever the unjudged text is; empty unless requested."""
        if self.least is None or self.most is None:
            return ""
        worst, best = sorted((self.direction * self.least, self.direction * self.most))
        if worst > 0:
            return f"{said(self.run)} beats {said(self.baseline)} whatever the unjudged text is"
        if best < 0:
            return f"{said(self.baseline)} beats {said(self.run)} whatever the unjudged text is"
        if worst == best == 0:
            return "no difference whatever the unjudged text is"
        return "depends on the unjudged text"

    @property
    def title(self) -> str:
        """The measure, and the slice of topics unless it is all of them."""
        return f"{self.measure} where {self.slice}" if self.slice else self.measure

    @property
    def superiority(self) -> float:
        """The share of topics won, ties counted half."""
        return (self.wins + self.ties / 2) / self.topics

    @property
    def gain(self) -> float:
        """The difference, positive if the run is better than the baseline."""
        return self.direction * self.difference

    @property
    def relative(self) -> float:
        """The difference as a share of the baseline's mean; NaN if that is 0."""
        return self.difference / abs(self.baseline_mean) if self.baseline_mean else float("nan")

    @property
    def change(self) -> float:
        """The difference in percent of the baseline's mean; NaN if that is 0."""
        return 100 * self.relative


def named_as(run: str, shape: str) -> str:
    """The name of a run that is compared with itself in several shapes."""
    return f"{run} as {shape}"


def in_shape(name: str, shape: str) -> str | None:
    """The run that has this name in a shape; None if the name is that of another shape."""
    run = name.removesuffix(named_as("", shape))
    return None if run == name else run


BOUNDS = ("least", "most")
DIFFERENCE_COLUMNS = (
    "measure", "baseline", "run", "topics", "baseline_mean", "run_mean", "difference", "low", "high",
    "effect", "superiority", "p", "adjusted_p", "wins", "ties", "losses",
)  # fmt: skip


def directions(
    scores: Scores, lower_is_better: Iterable[str] = (), higher_is_better: Iterable[str] = ()
) -> np.ndarray:
    """+1 for each measure if more is better, -1 if less is; an error if neither is known.

    >>> directions(Scores(["AiP", "cost", "CE@5"], [], []), lower_is_better=["cost"]).tolist()
    [1, -1, -1]
    """
    told: dict[int, bool] = {}
    for higher, names in ((False, lower_is_better), (True, higher_is_better)):
        for name in [names] if isinstance(names, str) else names:
            if told.setdefault(scores.position(name), higher) != higher:
                raise UsageError(f"{name!r}: either lower or higher values are better, not both")
    better = [
        told.get(at, scores.meaning(label).higher_is_better) for at, label in enumerate(scores.measures)
    ]
    if unknown := [label for label, known in zip(scores.measures, better, strict=True) if known is None]:
        raise UsageError(
            f"it is unknown whether higher or lower values of {', '.join(map(repr, unknown))} are better: "
            f"--higher-is-better {unknown[0]!r} or --lower-is-better {unknown[0]!r} "
            "(higher_is_better=[...], lower_is_better=[...] in Python)"
        )
    return np.array([1 if known else -1 for known in better], dtype=np.int64)


def moved_most(
    topics: Sequence[str], differences: np.ndarray | PairDifferences, direction: int
) -> Iterator[tuple[Moved, Moved]]:
    """For each comparison the topics that lost most and those that gained most, with their differences."""
    names = np.array(topics, dtype=object)
    for first in range(0, len(differences), COMPARISONS_AT_ONCE):
        part = differences[first : first + COMPARISONS_AT_ONCE]
        gains = direction * part
        ranked = np.argsort(gains, axis=1, kind="stable")
        defined = (~np.isnan(gains)).sum(axis=1, keepdims=True)
        shown = np.arange(min(TOPICS_SHOWN, gains.shape[1]))
        ends = []
        for sign, place in ((-1, shown + 0 * defined), (1, np.maximum(defined - 1 - shown, 0))):
            topic = np.take_along_axis(ranked, place, axis=1)
            moved = sign * np.take_along_axis(gains, topic, axis=1) > 0
            told = np.take_along_axis(part, topic, axis=1)
            ends.append(zip(names[topic].tolist(), told.tolist(), moved.sum(axis=1).tolist(), strict=True))
        for worst, best in zip(*ends, strict=True):
            yield _first_of(*worst), _first_of(*best)


def _first_of(topics: list[str], differences: list[float], number: int) -> Moved:
    """The first topics, so many of them, with their differences."""
    return tuple(zip(topics, differences, strict=True))[:number]
