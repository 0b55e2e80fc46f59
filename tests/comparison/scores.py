"""Random scores for the tests of comparisons."""

from __future__ import annotations

import numpy as np

from doxeval.scoring.scores import RunScores, Scores


def random_scores(runs: int, topics: int, measures: int = 1, seed: int = 0, missing: float = 0.0) -> Scores:
    """Scores of runs that differ in mean; `missing` is the share that is undefined."""
    random = np.random.default_rng(seed)
    skill = random.normal(0.4, 0.08, runs)
    cube = np.clip(skill[:, None, None] + random.normal(0, 0.2, (runs, measures, topics)), 0, 1)
    cube[random.random(cube.shape) < missing] = np.nan
    counted = np.ones(topics, dtype=bool)
    parts = [RunScores(f"r{at}", cube[at], counted, results=10, unjudged=0) for at in range(runs)]
    names = ["AiP", "iR@10", "iP@10", "IoU@5"][:measures]
    return Scores(names, [f"t{at}" for at in range(topics)], parts)


def differences(scores: Scores, first: int = 0, second: int = 1, measure: int = 0) -> np.ndarray:
    return scores.runs[second].values[measure] - scores.runs[first].values[measure]
