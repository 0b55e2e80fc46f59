"""The share of the relevant text shown by a run that it has shown before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.ground.aligned import Aligned

REPETITION_DEPTH = 10
REPETITION_MEASURES = f"iR@{REPETITION_DEPTH}", f"iR(alpha=1)@{REPETITION_DEPTH}"
"""The two measures compared: recall of text first seen, and with repeated text counted again."""


class Repeated(NamedTuple):
    """Sums over topics of the two :data:`REPETITION_MEASURES`."""

    fresh: float = 0.0
    shown: float = 0.0

    def __add__(self, other: Repeated) -> Repeated:  # type: ignore[override]
        return Repeated(self.fresh + other.fresh, self.shown + other.shown)

    @property
    def share(self) -> float:
        """The share of the relevant text shown that had been shown before."""
        return 1 - self.fresh / self.shown if self.shown > self.fresh else 0.0


def repeated_in(aligned: Aligned, counted: np.ndarray) -> Repeated:
    """The repetition of a run in the topics that count."""
    first = aligned if aligned.has_shown else aligned.top(REPETITION_DEPTH)
    counted = counted & aligned.ground.has_relevant
    total = np.maximum(1, aligned.ground.total_relevant)
    fresh, shown = (
        float((first.by_topic.sum(column, REPETITION_DEPTH) / total)[counted].sum())
        for column in (first.fresh, first.relevant)
    )
    return Repeated(fresh, shown)
