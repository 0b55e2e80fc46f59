"""Simulate the readers of measures on a run, and compare what they see with the formulas."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from doxeval import Evaluation, Notices, ScoringOptions, Table, UsageError
from doxeval.extend import Aligned, Measures, Records, RunScores
from doxeval.lab.simulation.simulation import VISITS, Estimate, Simulation
from doxeval.measurement.families.phrases import WHERE_TO
from doxeval.measurement.listed import listed_measures
from doxeval.scoring.evaluation import NavigationModels
from doxeval.scoring.inputs import evaluation_given

Played = tuple[float, float]
"""The mean over topics of a simulated measure, and its standard error."""


@dataclass(frozen=True)
class PlayLook:
    """Simulate the reader of every measure on an aligned run."""

    readers: int
    seed: int
    visits: str

    def __call__(self, evaluation: Evaluation, aligned: Aligned, scores: RunScores) -> list[Played]:
        simulation = Simulation(evaluation.measures, aligned, self.readers, self.seed, self.visits)
        return [_over_topics(simulation.estimate(one), scores.counted) for one in evaluation.measures]


def _over_topics(found: Estimate, counted: np.ndarray) -> Played:
    used = counted & ~np.isnan(found.mean)
    if not used.any():
        return np.nan, np.nan
    return float(found.mean[used].mean()), float(np.sqrt((found.error[used] ** 2).sum()) / used.sum())


SIMULATED_BY_DEFAULT = "Hits@10 NearMisses@10 Misses@10"


@dataclass(frozen=True)
class SimulatedMean:
    """The mean of a measure over topics by its formula and by simulated readers, with a standard error.

    `formula` and `readers` are None if nothing is relevant to any topic.
    """

    measure: str
    formula: float | None
    readers: float | None
    error: float | None

    @property
    def off_by(self) -> str:
        """How far off the readers are, in standard errors; 'nothing' within rounding, even with no spread."""
        if self.formula is None or self.readers is None:
            return "nothing is relevant to any topic"
        if math.isclose(self.formula, self.readers, rel_tol=1e-9, abs_tol=1e-12):
            return "nothing"
        return f"{abs(self.formula - self.readers) / self.error:.1f} errors" if self.error else "any error"


@dataclass(eq=False, repr=False)
class Simulated(Records):
    """Measures of one run by their formulas and by simulated readers; `frame` is a polars frame."""

    run: str
    means: list[SimulatedMean]
    readers: int
    notices: Notices = field(default_factory=Notices)

    @property
    def table(self) -> Table:
        """A row per measure."""
        body = [
            [mean.measure, _shown(mean.formula), _shown(mean.readers), _shown(mean.error), mean.off_by]
            for mean in self.means
        ]
        footer = [f"{self.run}, {self.readers:,} readers; error: standard error of the readers' mean"]
        header = ["measure", "formula", "readers", "error", "off by"]
        return Table(header, body, 1, footer, notices=self.notices)


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.5f}"


def simulate(
    run: Any,
    assessments: Any = None,
    measures: Measures = SIMULATED_BY_DEFAULT,
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    readers: int = 1000,
    seed: int = 0,
    visits: str = VISITS[0],
    **options: Unpack[ScoringOptions],
) -> Simulated:
    """Simulate readers of a run, and compare each measure's mean over topics with the readers'.

    Readers can be simulated if they leave something to chance: ``doxeval measures NAME`` says what, or why
    they cannot be. At several cut-offs, the readers are the same. Formulas assume that visits are
    `independent`: a reader decides anew at every result. With `visits="persistent"` they decide once for each
    place, which shows how far off the formulas are for readers who do not change their minds. The other
    arguments are those of :func:`doxeval.evaluate`.

    >>> answers = [{"topic": "t", "doc": "d", "start": 0, "end": 9}]
    >>> results = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 9}]
    >>> found = simulate(results, answers, "Hits(nav=readon(mean=9))@1", {"d": "Some text."}, readers=20)
    >>> found.means[0].off_by
    'nothing'
    """
    if visits not in VISITS:
        raise UsageError(f"visits must be {' or '.join(map(repr, VISITS))}, not {visits!r}")
    if readers < 20:
        raise UsageError(f"readers must be at least 20, not {readers}")
    named = listed_measures(measures) or SIMULATED_BY_DEFAULT
    evaluation = evaluation_given(assessments, named, documents, navigation, options)
    if visits != VISITS[0] and all(measure.draws != WHERE_TO for measure in evaluation.measures):
        raise UsageError("visits would do nothing here: it applies only to readers who navigate")
    scores = evaluation.scores(run, PlayLook(readers, seed, visits))
    if len(scores.runs) != 1:
        raise UsageError(f"only one run can be simulated at a time, not {len(scores.runs)}")
    means = []
    for measure, (mean, error) in zip(scores.measures, scores.runs[0].seen, strict=True):
        formula = scores.value(scores.names[0], measure)
        known = None if formula is None else mean, None if formula is None else error
        means.append(SimulatedMean(measure, formula, *known))
    return Simulated(scores.names[0], means, readers, scores.notices)
