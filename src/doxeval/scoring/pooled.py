"""Micro averages: numerators and denominators of quotients, summed over topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.measurement.base import Measure
    from doxeval.scoring.evaluation import Evaluation

MICRO = "micro"


def check_average(evaluation: Evaluation) -> None:
    """Refuse, before any run is opened, measures that are no quotients, and what keeps only values."""
    if evaluation.average != MICRO:
        return
    for measure in evaluation.measures:
        if reason := measure.no_quotient(evaluation.ground):
            raise UsageError(
                f"{measure.label} has no micro average: {reason}; quotients are iP iR F IoU, NeedRecall and "
                "SetRecall (--average micro)"
            )
    for what, given in {
        "bounds, which are those of means": evaluation.bounds,
        "a store, which keeps values only": evaluation.store is not None,
        "several references (--merge best, mean), which give values only": evaluation.references is not None,
        "as_scored, which follows an official scorer": evaluation.conventions.as_scored,
    }.items():
        if given:
            raise UsageError(f"average=micro cannot be combined with {what}")


def parts_of(measures: Sequence[Measure], aligned: Aligned, counted: np.ndarray) -> np.ndarray:
    """`parts[above or below, measure, topic]` of the quotients; 0 for topics that do not count."""
    parts = np.zeros((2, len(measures), len(counted)))
    for number, measure in enumerate(measures):
        parts[:, number] = measure.quotients(aligned)
    return np.where(counted, parts, 0.0)


def pooled_value(parts: np.ndarray) -> float:
    """Sum of numerators / sum of denominators of one measure; NaN if there is nothing to divide by.

    >>> pooled_value(np.array([[1.0, 2.0], [2.0, 4.0]]))
    0.5
    """
    above, below = parts.sum(axis=-1)
    return float(above / below) if below else float("nan")
