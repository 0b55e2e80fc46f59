"""The failures, for the page: the classes of topics and what mending would bring, in lists of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from doxeval.comparison.diagnosis.diagnose import diagnosis_of
from doxeval.comparison.diagnosis.diagnosis import Diagnosis, Mended
from doxeval.comparison.diagnosis.diagnosis_tables import classes_table, how_mended
from doxeval.comparison.diagnosis.per_topic import telling_order
from doxeval.comparison.diagnosis.topic_classes import CLASSES, MENDINGS, Thresholds
from doxeval.core.errors import UsageError
from doxeval.scoring.scores import ALL, Scores, mean
from doxeval.show.report.board import numbers, plain_table
from doxeval.show.report.topics_shown import Chosen


def diagnosed(scores: Scores, seed: int, by: str | None, shown: Chosen) -> dict[str, Any]:
    """The diagnosis of runs that were looked at, by topic for those shown; or why there is none."""
    seen = [run.seen.diagnosed for run in scores.runs]
    refused = [reason for reason in seen if isinstance(reason, str)]
    if not refused:
        try:
            found = diagnosis_of(scores, Thresholds(), None, seen, by, seed=seed)
            return {"diagnosis": page_data(found, shown), "undiagnosed": ""}
        except UsageError as problem:
            refused = [str(problem)]
    return {"diagnosis": None, "undiagnosed": refused[0]}


def page_data(found: Diagnosis, shown: Chosen) -> dict[str, Any]:
    """Classes and mendings with their words; for each run its counts, and for each topic shown its class."""
    by_run = {(one.run, one.mending): one for one in found.mending if one.slice == ALL}
    return {
        "measure": found.measure,
        "cutoff": found.cutoff,
        "unit": found.unit,
        "thresholds": found.thresholds,
        "confidence": found.confidence,
        "classes": [one._asdict() for one in CLASSES],
        "runs": [
            {
                "counts": list(found.classes[run].values()),
                "value": numbers(np.array([mean(seen.value)]))[0],
                "class": seen.classes[shown.rows].tolist(),
                "value_of": numbers(seen.value[shown.rows]),
                "mended": numbers(seen.own[shown.rows]),
                "telling": [
                    shown.among(telling_order(seen, at, found.direction)).tolist()
                    for at in range(len(CLASSES))
                ],
            }
            for run, seen in found.by_run()
        ],
        "mending": [
            {
                "name": mending.name,
                "classes": list(mending.classes),
                "how": how_mended(found, at),
                "extent": mending.extent,
                "runs": [_mended(by_run.get((run, mending.name))) for run in found.runs],
            }
            for at, mending in enumerate(MENDINGS)
        ],
        "sentences": list(found.sentences),
        "slices": None if found.by is None else plain_table(classes_table(found)),
    }


def _mended(one: Mended | None) -> dict[str, Any]:
    """A mending of a run; empty where it concerns no topic."""
    if one is None:
        return {}
    if one.refused:
        return {"topics": one.topics, "refused": one.refused}
    names = ("value", "mended", "gain", "low", "high")
    told = [np.nan if (value := getattr(one, name)) is None else value for name in names]
    return {"topics": one.topics, "ceiling": one.ceiling} | dict(
        zip(names, numbers(np.array(told)), strict=True)
    )
