"""Runs scored against several references: each topic has the best of their values, or the mean."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.phrases import counted
from doxeval.core.quick_class import dataclass
from doxeval.ground.align import align
from doxeval.io.formats.merging import BEST, EACH, MEAN
from doxeval.measurement.base import Measure, noted_values
from doxeval.measurement.families.bounds import Bounds
from doxeval.scoring.bounded import open_ground, overall_bounds

if TYPE_CHECKING:
    from doxeval.core.notices import Notices
    from doxeval.ground.ground import Ground
    from doxeval.scoring.evaluation import Evaluation
    from doxeval.scoring.loader import RunLoader
    from doxeval.scoring.truth import Truth
    from doxeval.tables.runs import Run


@dataclass(eq=False)
class References:
    """The assessors to score against, each with the ground truth by them alone, and how values become one.

    `opened` is the open text beside each truth, if there are to be bounds.
    """

    rule: str
    names: list[str]
    grounds: list[Ground]
    opened: list[Ground] | None = None


@dataclass(eq=False)
class Referred:
    """The reference that gives each value: `used[measure, topic]`, a place in `names`, -1 where none does."""

    names: list[str]
    used: np.ndarray

    def take(self, at: tuple[Any, Any]) -> Referred:
        """The same for some measures and topics."""
        return Referred(self.names, self.used[at])


def references_of(truth: Truth, rule: str) -> References | None:
    """The references to score against; None if assessors are merged, or told not apart."""
    if rule not in EACH:
        return None
    names = truth.assessments.assessors
    return References(rule, names, [truth.of_assessor(name).ground() for name in names])


def check_references(evaluation: Evaluation) -> None:
    """Refuse what cannot be scored against several references, before any run is opened."""
    rule = evaluation.references.rule if evaluation.references else ""
    for what, given in {
        "a store, which keeps no references": evaluation.store is not None,
        "as_scored, which follows an official scorer": evaluation.conventions.as_scored,
    }.items():
        if given:
            raise UsageError(
                f"merge={rule} cannot be combined with {what}; follow one assessor (--merge NAME)"
            )


def values_by_reference(
    evaluation: Evaluation, run: Run, measures: Sequence[Measure]
) -> tuple[np.ndarray, Referred | None]:
    """`values[measure, topic]` over all references, and which of them gives the best one.

    The best is the largest value, the smallest where lower is better; of equal ones that of the first
    reference. A reference to which nothing is relevant in a topic does not count there.
    """
    references = evaluation.references
    assert references is not None
    each = []
    for ground in references.grounds:
        with closing(align(run, ground, evaluation.conventions)) as aligned:
            each.append(noted_values(measures, aligned))
    values = np.array(each)
    known = ~np.isnan(values)
    if references.rule == MEAN:
        number = known.sum(axis=0)
        with np.errstate(invalid="ignore"):
            return np.where(number, np.where(known, values, 0.0).sum(axis=0) / number, np.nan), None
    sign = np.array([1.0 if measure.higher_is_better else -1.0 for measure in measures])[:, None]
    ranked = np.where(known, sign * values, -np.inf)
    used = ranked.argmax(axis=0)
    best = np.take_along_axis(values, used[None], axis=0)[0]
    return best, Referred(references.names, np.where(np.isnan(best), -1, used))


def bounds_by_reference(evaluation: Evaluation, run: Run, measures: Sequence[Measure]) -> list[Bounds]:
    """The bounds of each measure over all references.

    Whatever is judged, the best value is at least the best of the lower bounds of the references that have a
    value now, and at most the best of all upper ones; of a mean, references without a value yet are included
    where that moves it.
    """
    references = evaluation.references
    assert references is not None and references.opened is not None
    each, values = [], []
    for ground, opened in zip(references.grounds, references.opened, strict=True):
        with closing(align(run, ground, evaluation.conventions)) as aligned:
            each.append([measure.bounds(aligned, opened) for measure in measures])
            values.append(noted_values(measures, aligned))
    found = []
    for number, measure in enumerate(measures):
        low, high = (np.array([getattr(of[number], end) for of in each]) for end in ("low", "high"))
        sure = ~np.isnan(np.array(values)[:, number])
        if references.rule == MEAN:
            ends = [
                overall_bounds(np.where(sure[:, at], 0.0, np.nan), low[:, at], high[:, at])
                for at in range(low.shape[1])
            ]
            lowest, highest = np.array(ends, dtype=np.float64).reshape(-1, 2).T
            found.append(Bounds(lowest, highest))
        elif measure.higher_is_better:
            found.append(Bounds(*_best_ends(low, high, sure)))
        else:
            most, least = _best_ends(-high, -low, sure)
            found.append(Bounds(-least, -most))
    return found


def _best_ends(low: np.ndarray, high: np.ndarray, sure: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the largest value over references, `low[reference, topic]`; NaN where none can have one."""
    least: np.ndarray = np.fmax.reduce(np.where(sure, low, np.nan), axis=0)
    otherwise: np.ndarray = np.fmin.reduce(low, axis=0)
    most: np.ndarray = np.fmax.reduce(high, axis=0)
    return np.where(np.any(sure, axis=0), least, otherwise), most


def note_references(references: References, notices: Notices) -> None:
    """Say under every table how the values of several references became one."""
    what = "best value over" if references.rule == BEST else "mean over"
    names = ", ".join(references.names[:3]) + ", ..." * (len(references.names) > 3)
    notices.add(
        f"each topic has the {what} {counted(len(references.names), 'reference')} "
        f"({names}; --merge {references.rule})",
        harmless=True, lasting=True,
    )  # fmt: skip


def with_reference(evaluation: Evaluation, number: int) -> Evaluation:
    """The same evaluation by one reference alone."""
    references = evaluation.references
    assert references is not None
    other = copy(evaluation)
    other.ground, other.references = references.grounds[number], None
    return other


def open_references(evaluation: Evaluation, runs: list[RunLoader]) -> References | None:
    """The references with the open text beside each truth: that of the pool, or what these runs show."""
    if evaluation.references is None:
        return None
    opened = [
        open_ground(with_reference(evaluation, number), runs)
        for number in range(len(evaluation.references.names))
    ]
    return replace(evaluation.references, opened=opened)
