"""Does the ranking of systems depend on who judged?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from doxeval.comparison.correlation import Correlation, correlate
from doxeval.core.notices import Notices
from doxeval.scoring.scores import RunScores, Scores


def rank_by_assessors(scores: Mapping[str, Scores], confidence: float, seed: int) -> list[Correlation]:
    """For each measure Kendall's tau between the rankings of the runs that the assessors' judgements give."""
    joined = _side_by_side(scores)
    measures = next(iter(scores.values())).measures
    return [
        correlate(joined, "tau", labels, labels, confidence=confidence, seed=seed)
        for labels in ([_label(measure, name) for name in scores] for measure in measures)
    ]


def _label(measure: str, assessor: str) -> str:
    return f"{measure} by {assessor}"


def _side_by_side(scores: Mapping[str, Scores]) -> Scores:
    """Scores by several assessors as one, a measure for each, of the topics and runs that all have."""
    first, *others = scores.values()
    topics = [topic for topic in first.topics if all(topic in other.topics for other in others)]
    runs = []
    for name in first.names:
        if not all(name in other.names for other in others):
            continue
        parts = [(part, part.runs[part.names.index(name)]) for part in scores.values()]
        at = [[part.topics.index(topic) for topic in topics] for part, _ in parts]
        values = [run.values[:, columns] for (_, run), columns in zip(parts, at, strict=True)]
        counted = np.logical_and.reduce(
            [run.counted[columns] for (_, run), columns in zip(parts, at, strict=True)]
        )
        runs.append(RunScores(name, np.concatenate(values), counted, 0, 0))
    meanings = {
        _label(measure, name): part.meaning(measure)
        for name, part in scores.items()
        for measure in part.measures
    }
    notices = Notices(*(part.notices for part in scores.values()))
    unscored = list({run.name: run for part in scores.values() for run in part.unscored}.values())
    return Scores(list(meanings), topics, runs, notices, unscored, meanings)
