"""Scores, or runs to be scored: anything that public functions are given, as scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from doxeval.core.errors import UsageError
from doxeval.core.options import ScoringOptions
from doxeval.measurement.base import Measures
from doxeval.measurement.listed import measure_names
from doxeval.scoring.evaluation import (
    Evaluation,
    Look,
    NavigationModels,
    look_among,
    models_of,
)
from doxeval.scoring.loader import is_frame, repeatable
from doxeval.scoring.read_scores import is_scores, join_scores, read_scores, scores_of_answers
from doxeval.scoring.scores import SCORE_COLUMNS, RunScores, Scores
from doxeval.scoring.selection import select_measures
from doxeval.scoring.sweep import sweep
from doxeval.scoring.under_models import under_models


def scores_given(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    options: Mapping[str, Any] | None = None,
    look: Look | None = None,
    pooled: bool = False,
) -> Scores:
    """The scores that a public function was given, or those of the runs and assessments it was given.

    `runs` are scores (of :func:`doxeval.evaluate`, a score file, or its rows), runs as for
    :func:`doxeval.evaluate`, or a list of both, which become one table of the measures they have in common;
    `measures` selects from scores. `assessments` may be an :class:`Evaluation`, with which runs are scored.
    Each run is looked at with `look` while it is aligned; scores are, if their runs can be read again. Micro
    averages are refused unless the function can do with them (`pooled`).
    """
    scores = _scores_given(runs, assessments, measures, documents, navigation, options, look)
    if scores.pooled and not pooled:
        raise UsageError(
            "micro averages (average=micro) are shown by evaluate and tested by compare; this works with the "
            "values of topics and their means"
        )
    return scores


def _scores_given(
    runs: Any, assessments: Any, measures: Measures, documents: Any, navigation: NavigationModels,
    options: Mapping[str, Any] | None, look: Look | None,
) -> Scores:  # fmt: skip
    chosen = cast(ScoringOptions, dict(options or {}))
    scored, unscored = _apart(repeatable(runs))
    if not scored:
        return _scored(unscored, assessments, measures, documents, navigation, chosen, look)
    if not unscored and (assessments is not None or documents is not None or chosen):
        raise UsageError("these runs are already scored; omit assessments, documents and options")
    if look is not None:
        if len(scored) > 1 or unscored:
            raise UsageError(
                "give the runs and the assessments: their scores alone do not say what is in them"
            )
        return _looked_at(scored[0], look)
    selected = [_selected(part, measures, models_of(navigation)) for part in scored]
    if unscored:
        selected.append(_scored(unscored, assessments, measures, documents, navigation, chosen, None))
    return join_scores(selected)


def _apart(runs: Any) -> tuple[list[Scores], Any]:
    """The scores among runs, read if need be, and the others, None if there are no others."""
    if (scores := scores_in(runs)) is not None:
        return [scores], None
    if not isinstance(runs, list | tuple) or (runs and isinstance(runs[0], Mapping)):
        return [], runs
    parts = [(run, scores_in(run)) for run in runs]
    scored = [scores for _, scores in parts if scores is not None]
    return (scored, [run for run, scores in parts if scores is None]) if scored else ([], runs)


def scores_in(data: Any, trusted: bool = False) -> Scores | None:
    """The scores that something is or holds; None if it holds none, as a run does.

    Of judged answers that are `trusted`, those that nobody judged do not count.
    """
    if isinstance(data, Scores):
        return data
    if isinstance(data, str | Path) and not holds_scores(data):
        return None
    if (judged := scores_of_answers(data, trusted)) is not None:
        return judged
    if isinstance(data, str | Path):
        return read_scores(data)
    columns: Any = ()
    if isinstance(data, list | tuple) and data and isinstance(data[0], Mapping):
        columns = data[0]
    elif is_frame(data) and type(data).__name__ != "LazyFrame":
        columns = data.columns
    return read_scores(data) if set(SCORE_COLUMNS) <= set(columns) else None


def holds_scores(path: str | Path) -> bool:
    """Whether a file begins as those with scores do; standard input, and a folder, is taken for a run."""
    return str(path) not in ("", "-") and not Path(path).is_dir() and is_scores(path)


def _scored(
    runs: Any, assessments: Any, measures: Measures, documents: Any, navigation: NavigationModels,
    options: ScoringOptions, look: Look | None,
) -> Scores:  # fmt: skip
    scores = evaluation_given(assessments, measures, documents, navigation, options).scores(runs, look)
    scores.warn()
    return scores


def evaluation_given(
    assessments: Any,
    measures: Measures,
    documents: Any,
    navigation: NavigationModels,
    options: Mapping[str, Any],
) -> Evaluation:
    """The evaluation that was given as assessments, or one of them."""
    if not isinstance(assessments, Evaluation):
        if assessments is None:
            raise UsageError("runs are scored against assessments; give both, or scores instead of runs")
        return Evaluation(assessments, measures, documents, navigation, **cast(ScoringOptions, options))
    if documents is not None or navigation is not None or options:
        raise UsageError("the evaluation has its documents, its navigation and its options; omit them here")
    names = measure_names(measures)
    return assessments.by(*names) if names else assessments


def _selected(scores: Scores, measures: Measures, models: Sequence[str]) -> Scores:
    """Some measures of scores, under each model if there are several; all of them if none is named."""
    names = measure_names(measures, scores.measures)
    if models and (len(models) == 1 or not names):
        raise UsageError("these runs are already scored; omit the navigation model")
    return select_measures(scores, under_models(names, models) if models else names) if names else scores


def _looked_at(scores: Scores, look: Look) -> Scores:
    """The scores with their runs read and looked at again."""
    if scores.origin is None:
        raise UsageError("these scores have no runs attached; give the runs and the assessments")
    evaluation, loaders = scores.origin
    evaluation.check_text(look)
    for number, seen in sweep(evaluation, loaders, look_among(look, len(loaders)), scores.runs):
        if not isinstance(seen, RunScores):
            raise seen.problem
        scores.runs[number].seen = seen.seen
    return scores
