"""Readers of a run simulated while it is scored, averaged over topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval import Evaluation
from doxeval.extend import Aligned, RunScores
from doxeval.lab.simulation.simulation import Estimate, Simulation

Played = tuple[float, float]
"""The mean over topics of a simulated measure, and its standard error."""


@dataclass(frozen=True)
class PlayLook:
    """Simulate the reader of every measure on an aligned run."""

    readers: int
    seed: int
    visits: str

    def __call__(self, evaluation: Evaluation, aligned: Aligned, scores: RunScores) -> list[Played]:
        simulation = Simulation(evaluation.measures, aligned, self.readers, self.seed, self.visits)
        return [_over_topics(simulation.estimate(one), scores.counted) for one in evaluation.measures]


def _over_topics(found: Estimate, counted: np.ndarray) -> Played:
    used = counted & ~np.isnan(found.mean)
    if not used.any():
        return np.nan, np.nan
    return float(found.mean[used].mean()), float(np.sqrt((found.error[used] ** 2).sum()) / used.sum())
