"""The passages that could decide between two runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval import UsageError
from doxeval.core.errors import nearest
from doxeval.core.ragged import sums_by
from doxeval.extend import Aligned, Measure
from doxeval.judging.candidates import Candidates
from doxeval.scoring.bounded import difference_bounds, overall_bounds


@dataclass(frozen=True)
class Rivals:
    """Two runs by a measure: the mean of first - second over topics, and how far judgements could move it."""

    first: str
    second: str
    measure: str
    difference: float
    least: float
    most: float
    topics: int

    @property
    def decided(self) -> bool:
        """Whether one is ahead, or both are level, whatever the unjudged text is."""
        return self.least > 0 or self.most < 0 or self.least == self.most

    def told(self, chosen: int, of: int) -> str:
        """How the two compare, in a sentence; `chosen` characters `of` all could decide."""
        between = f"{self.first} - {self.second} by {self.measure}"
        if self.decided:
            ahead = f"{self.first if self.least > 0 else self.second} is ahead"
            who = ahead if self.least > 0 or self.most < 0 else "neither is ahead"
            return f"{between}: {who} whatever the unjudged text is; no more judgements are needed"
        return (
            f"{between} is {self.difference:+.4f}, and judgements could make it {self.least:+.4f} to "
            f"{self.most:+.4f}; judging {chosen:,} of {of:,} characters could decide"
        )


def rivals(measure: Measure, one: Aligned, other: Aligned, passages: Candidates) -> Rivals:
    """How two aligned runs compare by a measure that has bounds."""
    bounds = [measure.bounds(run, passages.open) for run in (one, other)]
    values = measure(one) - measure(other)
    low, high = difference_bounds(bounds[1], bounds[0])
    least, most = overall_bounds(values, low, high)
    known = values[~np.isnan(values)]
    difference = float(known.mean()) if len(known) else 0.0
    return Rivals(
        one.run.name, other.run.name, measure.label, difference, least, most, int((~np.isnan(low)).sum())
    )


def decisive(passages: Candidates, found: Rivals) -> np.ndarray:
    """The passages whose judgement could decide, those of a document together, the fewest characters first.

    A passage that turns out in favour of one run moves the bound against it by what the passage could change
    in ``iP`` of its topic: the share of what a run shows, if one run shows it; the difference of the
    shares, if both do. Documents that could change most for the text to read are taken until together they
    could push the nearer bound past 0.
    """
    if found.decided:
        return np.zeros(0, dtype=np.int64)
    changing = np.flatnonzero(passages.swing)
    pair, row = np.unique(passages.pair[changing], return_inverse=True)
    swing, length = (sums_by(row, one[changing], len(pair)) for one in (passages.swing, passages.characters))
    order = np.lexsort((pair, length, -swing / length))
    missing = min(-found.least, found.most) * found.topics
    enough = np.searchsorted(np.cumsum(swing[order]), missing, side="right") + 1
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    chosen = place[row] < enough
    return changing[chosen][np.argsort(place[row[chosen]], kind="stable")]


def pick_two(names: list[str], wanted: tuple[str, str]) -> list[int]:
    """The positions of the two named runs."""
    for name in wanted:
        if name not in names:
            raise UsageError(f"unknown run {name!r}{nearest(name, names)} (known: {', '.join(names)})")
    if wanted[0] == wanted[1]:
        raise UsageError(f"{wanted[0]} is named twice; name two different runs")
    return [names.index(name) for name in wanted]
