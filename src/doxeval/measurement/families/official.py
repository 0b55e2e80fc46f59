"""The figures of the official scorers, by the measures that they are.

As scored, a value is what the official scorer of the task prints: it is taken from there and not computed
here, and a measure that the scorer does not print is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import InputError, UsageError
from doxeval.ground.tasks.official.inex_articles import ArticleEntry, ArticleF, ArticleScore, ArticleTolerance
from doxeval.ground.tasks.official.inex_lists import TENTHS
from doxeval.ground.tasks.official.inex_text import PERCENT

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.measurement.base import Measure

Figure = Callable[[Any], np.ndarray]
"""A figure: a value for each topic, from all that a scorer has found in a run."""

ARTICLE_SCORES: dict[str, tuple[str, Callable[[Any], ArticleScore]]] = {
    "F": ("beta", lambda beta: ArticleF(float(beta))),
    "T2I": ("n", lambda most: ArticleTolerance(int(most))),
    "BEP": ("n", lambda most: ArticleEntry(int(most))),
}
"""The document scores of INEX, with the parameter that its scorer has for each."""

SNIPPETS, DOCUMENTS = ("iP", "iR", "F", "SnipAP"), ("SetP", "SetR", "SetF", "DocAP")
"""Precision, recall, F1 and average precision in the tasks of BioASQ."""

SCORES_OF_TASK = {"ric": ("F", "T2I"), "t2i": ("F", "T2I"), "bic": ("BEP",)}


@cache
def official_figure(measure: Measure, task: str) -> Figure:
    """The figure of a task's scorer that a measure is; an error if the scorer has none."""
    if task in SCORES_OF_TASK:
        figure = _figure_of_lists(measure, SCORES_OF_TASK[task])
    elif task in ("thorough", "focused"):
        figure = _figure_of_text(measure)
    else:
        figure = _figure_of_answers(measure, SNIPPETS if task == "bioasq" else DOCUMENTS)
    if figure is None:
        raise UsageError(
            f"{measure.label}: the official scorer of the task {task} prints no such figure; leave out "
            "as_scored (--as-scored), or name another measure"
        )
    return figure


def _figure_of_text(measure: Measure) -> Figure | None:
    whole = {"iP": "precision", "iR": "recall", "F": "f1", "AiP": "average"}
    if measure.canonical in whole:
        return lambda figures: getattr(figures, whole[measure.canonical])
    percent = _level(measure, PERCENT)
    if measure.name != "iP" or measure.call.arguments or percent is None:
        return None
    return lambda figures: figures.interpolated[:, percent]


def _figure_of_lists(measure: Measure, scores: Sequence[str]) -> Figure | None:
    rank, level = measure.rank, _level(measure, TENTHS)
    if measure.name == "gR" and rank is not None:
        return lambda figures: figures.recall_at(rank)
    score = _article_score(measure, scores)
    if score is None:
        return None
    if measure.name == "gP" and rank is not None:
        return lambda figures: figures.precision_at(rank, score)
    if measure.name == "gP" and level is not None:
        return lambda figures: figures.interpolated(level, score)
    if measure.name == "AgP" and measure.expression.cutoff is None:
        return lambda figures: figures.average(score)
    return None


def _figure_of_answers(measure: Measure, names: Sequence[str]) -> Figure | None:
    """A figure of BioASQ; the average precision, which comes last, has a divisor."""
    if measure.name == names[-1] and measure.expression.cutoff is None:
        return lambda figures: figures.average(measure.given.divisor)
    printed = dict(zip(names[:-1], ("precision", "recall", "f1"), strict=True))
    if measure.canonical not in printed:
        return None
    return lambda figures: getattr(figures, printed[measure.canonical])


def _level(measure: Measure, steps: int) -> int | None:
    """The recall point of a measure without cut-off, in steps from 0 to 1; None if it is not one of them."""
    point = measure.expression.point
    if point is None or measure.expression.cutoff is not None or (steps * Fraction(point)).denominator != 1:
        return None
    return int(steps * point)


def _article_score(measure: Measure, scores: Sequence[str]) -> ArticleScore | None:
    """The document score of a measure, if it is one of those named, and has no parameters of ours."""
    score = getattr(measure, "document_score", None)
    if score is None or score.name not in scores or not measure.given.context:
        return None
    parameter, made = ARTICLE_SCORES[score.name]
    ours = [key for key, _ in score.call.arguments if key != parameter]
    return None if ours else made(getattr(score.given, parameter))


def official_values(measures: Sequence[Measure], aligned: Aligned) -> np.ndarray:
    """`values[measure, topic]` as the official scorer of the run's task prints them."""
    task = str(aligned.conventions.task)
    values = [official_figure(measure, task)(aligned.official) for measure in measures]
    return np.array(values, dtype=np.float64).reshape(len(measures), len(aligned.count))


def refuse_undefined(
    measures: Sequence[Measure], values: np.ndarray, counted: np.ndarray, aligned: Aligned
) -> None:
    """Refuse figures that the official scorer prints as NaN: then the mean over all topics is NaN, too."""
    found = np.argwhere(np.isnan(values) & counted)
    if len(found):
        at, topic = found[0].tolist()
        run, label = aligned.run.source or aligned.run.name, measures[at].label
        raise InputError(
            f"{run}: the official scorer prints NaN for {label}, and for its mean: in topic "
            f"{aligned.ground.topics[topic]} it is 0/0; leave out the measure, or as_scored (--as-scored)"
        )
