"""Rankings of systems by who judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from doxeval.comparison.correlation import Correlation, correlate
from doxeval.core.notices import Notices
from doxeval.core.table import Readable, Table
from doxeval.scoring.scores import RunScores, Scores
from doxeval.scoring.scores_table import scores_table


@dataclass(eq=False, repr=False)
class Rankings(Readable):
    """The scores of runs under each assessor's judgements, side by side, and tau for each measure."""

    scores: Scores
    correlations: dict[str, Correlation]

    @property
    def tables(self) -> list[Table]:
        """The runs' means, and Kendall's tau with intervals over topics."""
        return [
            scores_table(self.scores),
            *(found.table(intervals=True) for found in self.correlations.values()),
        ]


def rank_by_assessors(scores: Mapping[str, Scores], confidence: float, seed: int) -> Rankings:
    """For each measure Kendall's tau between the rankings of the runs under each assessor's judgements.

    Only topics and runs with scores under all of them count.
    """
    first, *others = scores.values()
    topics = [topic for topic in first.topics if all(topic in other.topics for other in others)]
    runs = [
        _one_run(name, scores, topics) for name in first.names if all(name in other.names for other in others)
    ]
    meanings = {
        _label(measure, name): part.meaning(measure)
        for name, part in scores.items()
        for measure in part.measures
    }
    notices = Notices(*(part.notices for part in scores.values()))
    joined = Scores(list(meanings), topics, runs, notices, meanings=meanings)
    labels = {measure: [_label(measure, name) for name in scores] for measure in first.measures}
    return Rankings(
        joined,
        {
            measure: correlate(joined, rows=sides, columns=sides, confidence=confidence, seed=seed)
            for measure, sides in labels.items()
        },
    )


def _label(measure: str, assessor: str) -> str:
    return f"{measure} by {assessor}"


def _one_run(name: str, scores: Mapping[str, Scores], topics: list[str]) -> RunScores:
    """The scores of a run under all assessors, one after the other, for some topics."""
    values, counted, unjudged, results = [], np.ones(len(topics), dtype=bool), 0, 0
    for part in scores.values():
        run = part.runs[part.names.index(name)]
        columns = [part.topics.index(topic) for topic in topics]
        values.append(run.values[:, columns])
        counted &= run.counted[columns]
        unjudged, results = unjudged + run.unjudged, results + run.results
    return RunScores(name, np.concatenate(values), counted, results, unjudged)
