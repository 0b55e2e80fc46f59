"""Diagnose runs: what becomes of every topic, and what mending it would bring."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from doxeval.comparison.diagnosis.diagnosis import ClassCount, Diagnosis, Mended
from doxeval.comparison.diagnosis.look import (
    Diagnosed,
    DiagnosisLook,
    measure_of,
    most_telling,
    reader_of,
)
from doxeval.comparison.diagnosis.topic_classes import (
    CLASSES,
    DOCUMENTS,
    MENDINGS,
    NAMES,
    Thresholds,
    cutoff_of,
    cutoff_told,
    mendable,
)
from doxeval.comparison.intervals import INTERVALS
from doxeval.comparison.pair_differences import PairDifferences, differences_of
from doxeval.comparison.paired import DRAWS
from doxeval.comparison.slices import slice_members
from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.measurement.base import Measures
from doxeval.measurement.listed import chosen_measures, measure_names
from doxeval.scoring.evaluation import Evaluation, NavigationModels
from doxeval.scoring.inputs import scores_given, scores_in
from doxeval.scoring.scores import ALL, Scores, mean
from doxeval.scoring.truth import suiting

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground


def diagnose(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    by: str | None = None,
    topics_file: Any = None,
    met_from: float = 1.0,
    near_chance: float = 0.1,
    near_gap: float | None = None,
    buried_below: float = 0.1,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    **options: Unpack[ScoringOptions],
) -> Diagnosis:
    """Say of every topic of every run what fails at the cut-off of a measure, and what mending would bring.

    `runs` are scores with their runs, or runs with what :func:`doxeval.evaluate` needs to score them. Each
    topic falls into the first class that holds: not judged, nothing returned, not locatable; if no relevant
    text is shown: below (a later result shows some), near (a reader gets to some with a chance of at least
    `near_chance`; without navigation it is at most `near_gap` away, 500 characters or 20 lines), far (a
    result is in the right document), never; if some is: cut (no need is met, `met_from` of one of its
    places), part (not all are), buried (all are, but the precision is below `buried_below`), complete.
    Without a cut-off the first 5 results are read. `chunks` are those that could have been retrieved.

    >>> answers = [{"topic": t, "doc": "d", "start": 1000, "end": 1100} for t in "abc"]
    >>> found = {"a": (1000, 1100), "b": (900, 1050), "c": (0, 100)}
    >>> run = [{"topic": t, "doc": "d", "rank": 1, "start": s, "end": e} for t, (s, e) in found.items()]
    >>> classes = diagnose({"mine": run}, answers, "iR@1").classes["mine"]
    >>> {name: count for name, count in classes.items() if count}
    {'far': 1, 'cut': 1, 'complete': 1}
    """
    limits = Thresholds(Fraction(str(met_from)), near_chance, near_gap, buried_below)
    label = _one_label(measures)
    if assessments is not None and not isinstance(assessments, Evaluation) and scores_in(runs) is None:
        assessments = DiagnosingEvaluation(
            assessments, measures or usual_measure, documents, navigation, **options
        )
        documents, navigation, options = None, None, {}
    scores = scores_given(
        runs, assessments, (), documents, navigation, options, DiagnosisLook(limits, label)
    ).with_topics(topics_file)
    return diagnosis_of(scores, limits, label, [run.seen for run in scores.runs], by, confidence, draws, seed)


def _one_label(measures: Measures) -> str | None:
    """The label of the one measure that was named, None if none was."""
    names = measure_names(measures)
    if len(names) > 1:
        raise UsageError(f"a diagnosis is by one measure, and its cut-off; found {', '.join(names)}")
    return names[0] if names else None


class DiagnosingEvaluation(Evaluation):
    """An evaluation that uses the chunks that could have been retrieved, those of one file for all runs."""

    uses_chunks = True

    def check_chunks(self, runs: Any) -> None:
        if self.ground.chunks is not None and len(self.ground.chunks) > 1:
            super().check_chunks(runs)


def usual_measure(ground: Ground) -> str:
    """Of the measures that suit the assessments, the one that says most about what fails."""
    return most_telling(chosen_measures(suiting(ground)[0])).label


def diagnosis_of(
    scores: Scores, limits: Thresholds, label: str | None, seen: Sequence[Diagnosed], by: str | None = None,
    confidence: float = 0.95, draws: int = DRAWS, seed: int = 0,
) -> Diagnosis:  # fmt: skip
    """The diagnosis of runs that were scored and looked at."""
    if scores.origin is None:
        raise UsageError("a diagnosis needs the scored runs; give the runs and the assessments")
    evaluation, _ = scores.origin
    measure, ground = measure_of(evaluation, label), evaluation.ground
    if measure.summed:
        raise UsageError(
            f"{measure.label} is summed over topics; a diagnosis is by a measure that has a mean"
        )
    reader = reader_of(measure, evaluation.navigation, ground)
    notices = Notices(scores.notices)
    if reader.mode == "trees" and ground.unit_aspects is not None:
        notices.add("in trees every assessed tree is a need of its own, whatever need it names", lasting=True)
    members = {ALL: np.arange(len(scores.topics))}
    if by is not None:
        members |= {f"{by}={value}": np.array(at) for value, at in slice_members(scores, by).items()}
    counts = [
        row
        for name, topics in members.items()
        for run, one in zip(scores.names, seen, strict=True)
        for row in class_counts(run, name, one.classes[topics])
    ]
    mending = [
        row
        for name, topics in members.items()
        for row in mending_rows(scores.names, seen, name, topics, confidence, draws, seed)
    ]
    return Diagnosis(
        measure.label, cutoff_told(cutoff_of(measure)), ground.unit,
        limits.told(ground.unit, str(reader.navigation)), scores.names, scores.topics, list(seen), counts,
        mending, confidence, 1 if measure.higher_is_better else -1, by, scores.labels,
        notices,
    )  # fmt: skip


def class_counts(run: str, name: str, classes: np.ndarray) -> list[ClassCount]:
    """The topics of a run in each class, in a slice of topics."""
    numbers = np.bincount(classes[classes >= 0], minlength=len(CLASSES))
    total = max(1, int(numbers.sum()))
    return [
        ClassCount(run, name, NAMES[at], number, number / total) for at, number in enumerate(numbers.tolist())
    ]


def mending_rows(
    runs: Sequence[str], seen: Sequence[Diagnosed], name: str, topics: np.ndarray, confidence: float,
    draws: int, seed: int,
) -> list[Mended]:  # fmt: skip
    """The mendings of all runs in a slice of topics, those that concern no topic left out."""
    differences = _mended_differences(seen, topics)
    ends = INTERVALS["bootstrap"](differences, confidence, draws, seed)
    rows = []
    for row, (before, after) in enumerate(zip(differences.before, differences.after, strict=True)):
        run, at = divmod(row, len(MENDINGS))
        value, then = differences.values[before], differences.values[after]
        number = int((mendable(seen[run].classes[topics], at) & ~np.isnan(value)).sum())
        if number:
            head = runs[run], name, MENDINGS[at].name, number, mean(value)
            if reason := seen[run].refused.get(at, ""):
                rows.append(Mended(*head, None, None, None, None, False, reason))
                continue
            low, high = (None if np.isnan(end[row]) else float(end[row]) for end in ends)
            ceiling = seen[run].ceiling and at == DOCUMENTS
            rows.append(Mended(*head, mean(then), mean(differences_of(value, then)), low, high, ceiling, ""))
    return rows


def _mended_differences(seen: Sequence[Diagnosed], topics: np.ndarray) -> PairDifferences:
    """The differences that each mending makes to each run, over some topics."""
    values = np.empty((len(seen), 1 + len(MENDINGS), len(topics)))
    for of_run, one in zip(values, seen, strict=True):
        of_run[0] = one.value[topics]
        of_run[1:] = one.mended[:, topics]
        np.copyto(of_run[1:], of_run[0], where=np.isnan(of_run[1:]))
    place = np.arange(values.shape[0] * values.shape[1]).reshape(len(seen), -1)
    before = np.repeat(place[:, 0], len(MENDINGS))
    return PairDifferences(values.reshape(-1, len(topics)), before, place[:, 1:].ravel())
