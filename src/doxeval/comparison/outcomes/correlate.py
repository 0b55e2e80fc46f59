"""Correlate values of measures with the outcomes of topics: which measure predicts success."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from doxeval.comparison.outcomes.bins import binned
from doxeval.comparison.outcomes.cases import Cases, cases_of, one_outcome, too_few
from doxeval.comparison.outcomes.chosen import Tried, chosen_topics, tried
from doxeval.comparison.outcomes.resampled import Sample, Sampler, differences, percentiles
from doxeval.comparison.outcomes.result import OutcomeCorrelation, Predictor
from doxeval.comparison.outcomes.strata import strata
from doxeval.comparison.outcomes.within import permutation_p, within_topics
from doxeval.core.errors import UsageError
from doxeval.core.phrases import counted
from doxeval.io.outcomes import outcomes_of
from doxeval.scoring.scores import Scores, merged

OUTCOME_DRAWS = 10_000


def correlate_outcomes(
    scores: Scores,
    groups: Sequence[Sequence[str]],
    signs: np.ndarray,
    outcomes: Any,
    outcome: str | None = None,
    chosen_on: str | float | None = None,
    draws: int = OUTCOME_DRAWS,
    confidence: float = 0.95,
    seed: int = 0,
) -> OutcomeCorrelation:
    """How well each measure goes with an outcome; `groups` are measures that are settings of one.

    `signs` are +1 where more is better and -1 where less is.
    """
    table = outcomes_of(outcomes)
    column = table.chosen(outcome)
    cases = cases_of(scores, table, column, signs)
    explored = {label: len(group) for group in groups for label in group}
    words, settings = "", []
    if chosen_on is not None:
        choice = chosen_topics(cases, merged(table.attributes, scores.attributes), chosen_on, seed)
        words, settings, cases = choice.words, *_chosen(cases, choice.topics, groups)
        explored = {}
    cases = _tellable(cases, draws)
    found = _result(cases, dict(zip(scores.measures, signs.tolist(), strict=True)), draws, confidence, seed)
    there = {one.measure: one.value for one in settings}
    return found.with_choice(words, settings, there, explored)


def _chosen(cases: Cases, chosen: np.ndarray, groups: Sequence[Sequence[str]]) -> tuple[list[Tried], Cases]:
    """The measures tried on the chosen topics, and the other cases by the measures chosen there."""
    here, elsewhere = cases.of_topics(chosen), cases.of_topics(~chosen)
    if problem := one_outcome(here):
        raise UsageError(f"where measures are chosen, {problem}")
    settings = tried(here, groups)
    return settings, elsewhere.by([one.measure for one in settings if one.chosen])


def _tellable(cases: Cases, draws: int) -> Cases:
    """The cases by the measures that can be looked at; the others are left out and named."""
    find_problem = too_few if draws else one_outcome
    if problem := find_problem(cases):
        hint = " (draws=0, --draws 0 gives values without intervals)" if not one_outcome(cases) else ""
        raise UsageError(f"{problem}{hint}")
    kept = []
    for number, measure in enumerate(cases.measures):
        if problem := find_problem(cases.where(cases.defined[number])):
            cases.notices.add(f"{measure} is left out: where it has a value, {problem}", lasting=True)
        else:
            kept.append(measure)
    if not kept:
        raise UsageError("; ".join(str(notice) for notice in cases.notices.lasting))
    missing = int((~cases.by(kept).defined).any(axis=0).sum())
    if missing:
        cases.notices.add(
            f"{counted(missing, 'case has', 'cases have')} no value by some measure; each measure is taken "
            "where it has one, and two are compared where both have one",
            lasting=True,
        )
    return cases.by(kept)


def _result(
    cases: Cases, signs: dict[str, int], draws: int, confidence: float, seed: int
) -> OutcomeCorrelation:
    sampler = Sampler(cases, draws, seed)
    samples = [sampler.sample(number, cases.defined[number]) for number in range(len(cases.measures))]
    p = permutation_p(cases, draws, seed)
    order = sorted(range(len(samples)), key=lambda at: -samples[at].value)
    predictors = [_predictor(cases, samples[at], p[at], confidence) for at in order]
    for one in predictors:
        if one.low is not None and one.low == one.high:
            cases.notices.add(
                f"{one.measure} is {one.value:.3f} in every resample: its interval has no width, which does "
                "not mean that it is certain",
                lasting=True,
            )
    return OutcomeCorrelation(
        outcome=cases.name,
        yes_no=cases.yes_no,
        runs=[cases.runs[at] for at in np.unique(cases.run).tolist()],
        topics=len(np.unique(cases.topic)),
        cases=len(cases),
        mean=float(cases.outcome.mean()),
        predictors=predictors,
        differences=differences(sampler, [samples[at] for at in order], confidence),
        strata=strata(sampler, confidence),
        bins=[one for at in order for one in binned(cases, at, signs[cases.measures[at]], confidence)],
        tried=[],
        chosen_on="",
        confidence=confidence,
        draws=draws,
        redrawn=sampler.redrawn,
        seed=seed,
        notices=cases.notices,
    )


def _predictor(cases: Cases, sample: Sample, p: float | None, confidence: float) -> Predictor:
    some = cases.where(sample.kept)
    higher, lower, equal = within_topics(cases, sample.measure)
    return Predictor(
        cases.measures[sample.measure], len(some), len(np.unique(some.topic)), sample.value,
        *sample.interval(confidence), sample.tau, *percentiles(sample.tau_drawn, confidence),
        higher, lower, equal, p,
    )  # fmt: skip
