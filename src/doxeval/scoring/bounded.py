"""The effect that unjudged text could have on scores: which text that is, and how far means can move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import DoxevalError, IdleOption, UsageError
from doxeval.core.strings import codes_in, encode
from doxeval.ground.align import align
from doxeval.ground.open_text import Text, open_text, text_shown
from doxeval.measurement.families.bounds import Bounds, joint_bounds
from doxeval.tables.places import COUNTED, amount_in

if TYPE_CHECKING:
    from doxeval.core.notices import Notices
    from doxeval.ground.ground import Ground
    from doxeval.judging.pool_file import PooledDocument
    from doxeval.scoring.evaluation import Evaluation
    from doxeval.scoring.loader import RunLoader
    from doxeval.scoring.scores import RunScores


def check_bounded(evaluation: Evaluation) -> None:
    """Refuse evaluations that cannot be bounded, before any run is opened."""
    conventions = evaluation.conventions
    refused = {
        "a task that counts repeated text by what is relevant": conventions.repeated != "full",
        "as_scored, which follows an official scorer": conventions.as_scored,
        'unjudged="skip", which leaves out unjudged text': conventions.unjudged == "skip",
    }
    for what, given in refused.items():
        if given:
            raise UsageError(f"bounds cannot be combined with {what}")
    if evaluation.store is not None:
        raise IdleOption("store", "bounds cannot be combined with a store, which keeps no bounds")
    for measure in evaluation.measures:
        if reason := measure.unbounded(evaluation.ground):
            raise UsageError(
                f"{measure.label} has no bounds: {reason}; bounds are known for iP iR F IoU at a cut-off, "
                "iP[x], AiP, and measures of documents such as AP, P@10, R@10 and nDCG@10"
            )


def open_ground(evaluation: Evaluation, loaders: Iterable[RunLoader]) -> Ground:
    """The open text: that of a pool if one was given, else what the runs show."""
    import doxeval

    ground, pool = evaluation.ground, evaluation.pool
    if pool is None:
        return open_text(ground, _shown(evaluation, loaders), evaluation.assessed)
    return open_text(ground, [_pooled(ground, doxeval.read_pool(pool).documents)], evaluation.assessed)


def _shown(evaluation: Evaluation, loaders: Iterable[RunLoader]) -> Iterator[Text]:
    """The text that runs show; a run that cannot be read shows none, and is reported when scored."""
    for load in loaders:
        try:
            with closing(align(load(), evaluation.ground, evaluation.conventions)) as aligned:
                yield text_shown(aligned)
        except DoxevalError:
            continue


def _pooled(ground: Ground, documents: Sequence[PooledDocument]) -> Text:
    rows = [(one.topic, one.doc, *passage) for one in documents for passage in one.passages]
    docs, doc = encode(row[1] for row in rows)
    topic = codes_in(ground.topic_codes, [row[0] for row in rows]).astype(np.int64)
    start, end = np.array([row[2:] for row in rows], dtype=np.int64).reshape(-1, 2).T
    text = Text(docs, topic, doc.astype(np.int64), start, end, np.zeros(len(rows), dtype=np.int64))
    return text.take(topic >= 0)


def note_open_text(opened: Ground, notices: Notices) -> None:
    """Report which text the bounds are about."""
    amount = amount_in(opened.unit, int(opened.total_relevant.sum()))
    documents = len(opened.assessments.pair_doc)
    notices.add(
        f"bounds hold for any judgement of the {amount:,} unjudged {COUNTED[opened.unit]}, in {documents:,} "
        "documents counted topic by topic, that the runs show or the pool holds; any other unjudged text is "
        "irrelevant",
        harmless=True,
        lasting=True,
    )


def overall_bounds(
    values: np.ndarray, low: np.ndarray, high: np.ndarray, summed: bool = False
) -> tuple[float, float]:
    """The smallest and the largest mean over topics (for counts, sum) that is possible.

    A topic without a value counts only if judgements give it one: it is included where that moves the mean.

    >>> nothing, low = float("nan"), np.array([0.5, 0.1, 0.9])
    >>> overall_bounds(np.array([0.5, nothing, nothing]), low, low)
    (0.3, 0.7)
    """
    sure = ~np.isnan(values)
    may = ~sure & ~np.isnan(low)
    if summed:
        return float(low[sure].sum()), float(high[sure].sum() + high[may].sum())
    return _smallest_mean(low[sure], low[may]), 0.0 - _smallest_mean(-high[sure], -high[may])


def _smallest_mean(sure: np.ndarray, may: np.ndarray) -> float:
    """The smallest mean of the sure values and any of those that may be added."""
    total, count = float(sure.sum()), len(sure)
    for value in np.sort(may).tolist():
        if count and value >= total / count:
            break
        total, count = total + value, count + 1
    return total / count if count else float("nan")


def difference_bounds(before: Bounds, after: Bounds) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest difference in each topic, after - before.

    Under the same judgements if the measure is a quotient of counts (:func:`joint_bounds`); else from the
    bounds of each, which may be too wide but never too narrow.
    """
    if before.parts is not None and after.parts is not None:
        return joint_bounds(after.parts, before.parts)
    return after.low - before.high, after.high - before.low


def bounds_between(
    before: RunScores, after: RunScores, measure: int, counted: np.ndarray
) -> tuple[float, float] | tuple[None, None]:
    """The smallest and the largest mean difference of two runs, over topics that count; None if unknown."""
    if before.bounds is None or after.bounds is None:
        return None, None
    low, high = difference_bounds(before.bounds[measure], after.bounds[measure])
    columns = (after.values[measure] - before.values[measure], low, high)
    values, low, high = (np.where(counted, column, np.nan) for column in columns)
    return overall_bounds(values, low, high)
