"""Readers of a run simulated while it is scored, averaged over topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.lab.simulation import esr, prum
from doxeval.measurement.base import Measure
from doxeval.measurement.families.exposed import ExposedMeasure
from doxeval.scoring.evaluation import Evaluation
from doxeval.scoring.scores import RunScores

Played = tuple[float, float]
"""The mean over topics of a simulated measure, and its standard error."""


@dataclass(frozen=True)
class PlayLook:
    """Simulate the reader of every measure on an aligned run."""

    readers: int
    seed: int
    visits: str

    def __call__(self, evaluation: Evaluation, topics: Aligned, scores: RunScores) -> list[Played]:
        return [self._played(measure, topics, scores.counted) for measure in evaluation.measures]

    def _played(self, measure: Measure, topics: Aligned, counted: np.ndarray) -> Played:
        if isinstance(measure, ExposedMeasure):
            found = esr.simulate(measure, topics, self.readers, self.seed, self.visits)
        else:
            found = prum.simulate(measure, topics, self.readers, self.seed)
        used = counted & ~np.isnan(found.mean)
        if not used.any():
            return np.nan, np.nan
        return float(found.mean[used].mean()), float(np.sqrt((found.error[used] ** 2).sum()) / used.sum())
