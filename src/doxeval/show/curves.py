"""Curves of a run: a measure at many cut-offs, averaged over topics.

Every point of a curve is the mean of a measure that can be asked for by name (`iP[0.1]`, `iR@10`,
`CE@2000c`), so that a curve never says anything else than `doxeval eval` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import measure_named
from doxeval.scoring.scores import mean

MOST_RANKS = 50
BUDGETS = (
    100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 50_000,
)  # fmt: skip
Points = tuple[list[float], list[float]]
RECALLS = tuple(f"{step / 20:g}" for step in range(21))


@dataclass(frozen=True)
class Curve:
    """What is drawn: `form` is the measure, `{}` its cut-off; `axis` is ranks, characters or recall."""

    name: str
    title: str
    form: str
    axis: str
    y_label: str

    @property
    def x_label(self) -> str:
        """What the horizontal axis shows."""
        return {"ranks": "rank", "characters": "characters read", "recall": "recall"}[self.axis]

    @property
    def example(self) -> str:
        """The measure of one of its points."""
        return self.form.format(RECALLS[0] if self.axis == "recall" else BUDGETS[0])


CURVES = (
    Curve("precision-recall", "Precision at recall", "iP[{}]", "recall", "precision (iP[x])"),
    Curve("gain-rank", "Gain by rank", "iR@{}", "ranks", "recall (iR@k)"),
    Curve("gain-characters", "Gain by characters read", "iR@{}c", "characters", "recall (iR@nc)"),
    Curve("effort-rank", "Effort by rank", "CE@{}", "ranks", "cumulated effort (CE@k)"),
    Curve(
        "effort-characters", "Effort by characters read", "CE@{}c", "characters", "cumulated effort (CE@nc)"
    ),
)


def cutoffs(curve: Curve, deepest: int, longest: int) -> Sequence[str]:
    """Where a curve is drawn: recall points, ranks (all, then some), or budgets up to what was ever shown."""
    if curve.axis == "recall":
        return RECALLS
    if curve.axis == "ranks":
        ranks = [rank for rank in range(1, MOST_RANKS + 1) if rank <= 10 or rank % 5 == 0]
        return [str(rank) for rank in ranks if rank <= max(deepest, 1)]
    return [str(budget) for budget in BUDGETS if budget <= max(longest, BUDGETS[0])]


def drawn(curve: Curve, topics: Aligned, counted: np.ndarray) -> Points:
    """A curve of one run: where it is drawn, and the means over the topics that are `counted`."""
    longest = int(topics.last(topics.cumulated(topics.size)).max(initial=0))
    points = cutoffs(curve, int(topics.count.max(initial=0)), longest)
    measures = [measure_named(curve.form.format(point)) for point in points]
    values = [mean(np.where(counted, measure(topics), np.nan)) for measure in measures]
    return [float(point) for point in points], values
