"""Look at an aligned run: the class of every topic, and its value with each thing mended."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from doxeval.comparison.diagnosis.classes import Classified, classify
from doxeval.comparison.diagnosis.mended import (
    CannotMend,
    in_topics,
    reordered,
    without_repetition,
)
from doxeval.comparison.diagnosis.relevant_places import best_chunks, gold_places, with_places
from doxeval.comparison.diagnosis.topic_classes import (
    BUDGET,
    DOCUMENTS,
    MENDINGS,
    RANKING,
    REPETITION,
    WIDER,
    Thresholds,
    cutoff_of,
    mendable,
)
from doxeval.comparison.diagnosis.widened import widened
from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call, Cutoff, parse_call
from doxeval.core.notices import Notices
from doxeval.core.parameters import call_in_grains
from doxeval.ground.aligned import Aligned
from doxeval.ground.budget import spent_in_all
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure
from doxeval.reader.exposure.meetings import Reader
from doxeval.reader.navigation.model import NAVIGATIONS
from doxeval.scoring.scores import RunScores
from doxeval.tables.places import GRAIN

if TYPE_CHECKING:
    from doxeval.scoring.evaluation import Evaluation


@dataclass(eq=False)
class Diagnosed:
    """A run topic by topic: its `classes`, and its `value` by the measure, also with one thing mended.

    `classes` are -1 where a topic does not count; `own` is the value with what its class asks for mended,
    `twice` that at twice the budget, NaN where there is nothing to mend; `refused` says which mendings could
    not be tried, and why. `ends_early` says whether lists end before twice the cut-off. The `showing` is what
    the classes follow from, None where nobody asks for it.
    """

    classes: np.ndarray
    value: np.ndarray
    own: np.ndarray
    twice: np.ndarray
    refused: dict[int, str]
    ceiling: bool
    ends_early: bool
    showing: Classified | None

    @property
    def mended(self) -> np.ndarray:
        """The value with each thing mended: `mended[mending, topic]`."""
        apart = [np.where(mendable(self.classes, at), self.own, np.nan) for at in range(BUDGET)]
        return np.array([*apart, self.twice])


@dataclass(frozen=True)
class DiagnosisLook:
    """The diagnosis of an aligned run by one of the evaluation's measures."""

    limits: Thresholds = field(default_factory=Thresholds)
    label: str | None = None
    navigates: ClassVar = True

    def __call__(self, evaluation: Evaluation, aligned: Aligned, scores: RunScores) -> Diagnosed:
        measure = measure_of(evaluation, self.label)
        if evaluation.references is not None:
            raise UsageError("a diagnosis is by one set of assessments; choose an assessor (--merge NAME)")
        reader = reader_of(measure, evaluation.navigation, aligned.ground)
        if reader.mode == "text":
            aligned.ground.require_highlights("a diagnosis")
            aligned.require_lengths("a diagnosis")
        cutoff = cutoff_of(measure)
        read = aligned.within(cutoff) if cutoff.unit != "ranks" else aligned.top(int(cutoff.amount))
        found = classify(aligned, read, reader, self.limits)
        value = np.where(scores.counted, measure(aligned), np.nan)
        classes = np.where(scores.counted, found.classes, -1).astype(np.int8)
        mending = _Mending(measure, aligned, read, cutoff, reader.mode == "trees", classes, value)
        own, twice, refused = mending.all()
        return Diagnosed(
            classes, value, own, twice, refused, aligned.ground.chunks is None, mending.ends_early, found
        )


def measure_of(evaluation: Evaluation, label: str | None) -> Measure:
    """The measure of a diagnosis: the one with the label, or else the one that says most about what fails."""
    return most_telling(evaluation.measures) if label is None else evaluation.by(label).measures[0]


def most_telling(measures: Sequence[Measure]) -> Measure:
    """The measure that says most about what fails.

    That is the first at a cut-off that never falls as more is read, as recall does; else the first at a
    cut-off, else the first.
    """
    cut = [measure for measure in measures if measure.expression.cutoff is not None]
    return next((measure for measure in cut if measure.grows), [*cut, *measures][0])


def reader_of(measure: Measure, navigation: str | None, ground: Ground) -> Reader:
    """The reader of a measure, or one who navigates by the model of the evaluation.

    They look for trees if the measure does, or if nodes were judged and it does not use text.
    """
    own = getattr(measure, "reader", None)
    if own is not None:
        reader: Reader = own(ground)
        return reader
    named = getattr(measure.given, "nav", None)
    call = named if isinstance(named, Call) else _model(navigation, ground)
    trees = ground.assessments.nodes is not None and not measure.reads_highlights(ground)
    return Reader(call, "trees" if trees else "text", "length", Fraction(0), "esr", "sum")


def _model(navigation: str | None, ground: Ground) -> Call:
    call = parse_call((navigation or "none").strip())
    return call_in_grains(NAVIGATIONS[call.name], call, GRAIN[ground.unit], str(call))


@dataclass(eq=False)
class _Mending:
    """The values of a run with one thing mended at a time."""

    measure: Measure
    aligned: Aligned
    read: Aligned
    cutoff: Cutoff
    in_trees: bool
    classes: np.ndarray
    value: np.ndarray

    def all(self) -> tuple[np.ndarray, np.ndarray, dict[int, str]]:
        """The values with what the class asks for, and at twice the budget; the mendings that are refused."""
        own, twice = np.full((2, len(self.value)), np.nan)
        refused = {}
        for at in range(len(MENDINGS)):
            concerned = mendable(self.classes, at) & ~np.isnan(self.value)
            if not concerned.any():
                continue
            try:
                values = self.with_mended(at, concerned)
            except CannotMend as reason:
                refused[at] = str(reason)
                continue
            (twice if at == BUDGET else own)[concerned] = values[concerned]
        return own, twice, refused

    def with_mended(self, mending: int, topics: np.ndarray) -> np.ndarray:
        """The values of the topics with one thing mended; those of others mean nothing."""
        if mending == BUDGET:
            return doubled(self.measure)(replace(self.aligned, notices=Notices()))
        view = in_topics(self.aligned, topics)
        if mending == RANKING:
            view = reordered(view, self.in_trees)
        elif mending == WIDER:
            view = widened(view)
        elif mending == REPETITION:
            view = without_repetition(view)
        elif mending == DOCUMENTS:
            view = self._with_other_documents(view)
        return self.measure(view)

    @property
    def ends_early(self) -> bool:
        """Whether the list of some topic ends before twice the cut-off."""
        twice = Cutoff(2 * self.cutoff.amount, self.cutoff.unit)
        ranked = twice.unit == "ranks"
        short = self.aligned.count < twice.amount if ranked else self.aligned.ending_before(twice)
        return bool((short & ~np.isnan(self.value)).any())

    def _with_other_documents(self, view: Aligned) -> Aligned:
        ground = view.ground
        places = (
            gold_places(ground, self.in_trees) if ground.chunks is None
            else best_chunks(ground, view.run.name)
        )  # fmt: skip
        spent = spent_in_all(self.aligned, self.cutoff.unit)
        return with_places(view, places, self._last_read(), spent < self.cutoff.amount)

    def _last_read(self) -> np.ndarray:
        """The place of the last result of each topic that is read, or that opens the last document."""
        if self.cutoff.unit != "documents":
            return self.read.count - 1
        opens = np.zeros(len(self.aligned), dtype=np.int64)
        opens[self.aligned.openings] = 1
        number = self.aligned.cumulated(opens)
        last = np.flatnonzero(opens & (number <= self.cutoff.amount))
        place = np.zeros(len(self.aligned.count), dtype=np.int64)
        place[self.aligned.topic[last]] = self.aligned.by_topic.place[last]
        return place


def doubled(measure: Measure) -> Measure:
    """The measure at twice its cut-off."""
    cutoff = measure.expression.cutoff
    if cutoff is None:
        raise CannotMend(f"{measure.label} has no cut-off to double")
    other = copy(measure)
    vars(other).pop("canonical", None)
    other.expression = replace(measure.expression, cutoff=Cutoff(2 * cutoff.amount, cutoff.unit))
    return other
