"""A few judgements of people and many of a model: means by the model, corrected by the people.

Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Science 382, 2023) for means,
with the power tuning of PPI++ (Angelopoulos, Duchi and Zrnic, arXiv 2311.01453, 2023).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

from doxeval.core.catalogue import some
from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.core.phrases import stated
from doxeval.core.records import Records
from doxeval.core.table import Table, shown
from doxeval.io.read import read_documents
from doxeval.measurement.base import Measure, Measures
from doxeval.scoring.evaluation import NavigationModels
from doxeval.scoring.inputs import evaluation_given, scores_given, scores_in
from doxeval.scoring.loader import repeatable
from doxeval.scoring.scores import ALL, Scores, mean

FEWEST_JUDGED_BY_BOTH = 3
"""Least number of topics judged by both: two parameters, weight and mean, are fitted to them."""


@dataclass(frozen=True)
class TrustedMean:
    """One run by one measure: the corrected mean and its interval.

    `model` is the mean by the model's judgements over all `topics`, `human` that by the trusted ones over the
    `trusted` topics, `weight` the weight of the model's judgements (lambda, 0 to 1), `halving` the number of
    topics that people would have to judge for half the interval: beyond `topics`, new ones.
    """

    run: str
    topic: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    model: float | None
    human: float | None
    weight: float | None
    topics: int
    trusted: int
    halving: int | None


@dataclass(eq=False, repr=False)
class Trusted(Records):
    """Corrected means of runs by measures; `frame` is a polars frame of them, `scores` are the model's."""

    means: list[TrustedMean]
    scores: Scores
    confidence: float
    notices: Notices = field(default_factory=Notices)

    def sort(self, by: str | Measure) -> Trusted:
        """The same with the run first that is best by a measure of the model's, or with runs by `name`."""
        scores = self.scores.sort(by)
        means = sorted(self.means, key=lambda mean: scores.names.index(mean.run))
        return replace(self, means=means, scores=scores)

    @property
    def table(self) -> Table:
        """A row per run and measure."""
        labels = self.scores.labels
        body = [
            [labels.of(mean.run), mean.measure, _cell(mean), shown(mean.model), shown(mean.human),
             shown(mean.weight, 2), str(mean.topics), str(mean.trusted),
             "" if mean.halving is None else str(mean.halving)]
            for mean in self.means
        ]  # fmt: skip
        footer = [
            f"corrected: prediction-powered means with {stated(self.confidence)} intervals, weight: that of "
            "the model's judgements",
            "judged topics are treated as a random sample of all; to halve: judged topics that would halve "
            "the interval",
        ]
        header = ["run", "measure", "corrected", "model", "human", "weight", "topics", "judged", "to halve"]
        return Table(header, body, 2, footer, "Corrected by trusted judgements", self.notices)


def _cell(mean: TrustedMean) -> str:
    return shown(mean.value) + ("" if mean.low is None else f" [{mean.low:.4f}, {mean.high:.4f}]")


@dataclass(frozen=True)
class Moments:
    """Variances of the trusted values and of the model's (where both judged, and overall), a covariance."""

    trusted: float
    model: float
    everywhere: float
    shared: float

    def weight(self, judged: int, topics: int) -> float:
        """PPI++, Eq. 6 for a mean: Cov(Y, f) / ((1 + n / N) Var(f)), within 0 and 1."""
        share = (topics - judged) / topics
        return min(1.0, max(0.0, self.shared / self.everywhere * share)) if self.everywhere > 0 else 0.0

    def half_width(self, judged: int, topics: int, confidence: float) -> float:
        """Half the width of Student's interval, with Satterthwaite's degrees of freedom.

        The variance is Var(Y - lambda f) / n + lambda^2 Var(f) / N (PPI++, Section 2), of n topics judged by
        both and N by the model alone; fitting lambda takes one degree of freedom.
        """
        from doxeval.core.scipy_here import special

        weight = self.weight(judged, topics)
        fitted = 2 if weight > 0 else 1
        rest = max(0.0, self.trusted - 2 * weight * self.shared + weight**2 * self.model)
        of_rest = rest * (judged - 1) / (judged - fitted) / judged
        of_model = weight**2 * self.everywhere / (topics - judged) if weight > 0 else 0.0
        variance = of_rest + of_model
        if variance <= 0:
            return 0.0
        freedom = variance**2 / (of_rest**2 / (judged - fitted) + of_model**2 / (topics - 1))
        return float(special.stdtrit(freedom, (1 + confidence) / 2) * variance**0.5)

    def halving(self, judged: int, topics: int, confidence: float) -> int | None:
        """The number of judged topics that would halve the interval, if spread like the observed ones."""
        wanted = self.half_width(judged, topics, confidence) / 2
        if wanted <= 0:
            return None
        low, high = judged, judged + 1
        while self.half_width(high, max(topics, high), confidence) > wanted:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            narrow = self.half_width(middle, max(topics, middle), confidence) <= wanted
            low, high = (low, middle) if narrow else (middle, high)
        return high


def trust(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    trusted: Any,
    confidence: float = 0.95,
    **options: Unpack[ScoringOptions],
) -> Trusted:
    """Correct the means of scores by those of the same runs and measures under trusted judgements.

    `runs` are scores, or runs with what :func:`doxeval.evaluate` needs to score them; `trusted` are scores of
    the same runs, or, to score these, the trusted assessments. Topics judged by both show how far the model's
    judgements can be trusted: mean(Y) - lambda (mean(f) there - mean(f) elsewhere), Y the values by trusted
    judgements, f those by the model's. The judged topics must be a random sample of the topics, which are
    themselves a sample of those that could be asked.

    >>> gold = [{"topic": f"t{n}", "doc": "d", "start": 0, "end": 20 + n % 3} for n in range(30)]
    >>> model = [{**row, "end": row["end"] + 5} for row in gold]
    >>> run = [{"topic": f"t{n}", "doc": "d", "rank": 1, "start": n % 7, "end": 40} for n in range(30)]
    >>> trust(run, model, "iP@1", trusted=gold[:10]).means[0].trusted
    10
    """
    runs = repeatable(runs)
    documents = None if documents is None else read_documents(documents)
    given = _merged_apart(assessments, trusted, options)
    scores = scores_given(runs, assessments, measures, documents, navigation, given[0])
    human = scores_in(trusted, trusted=True)
    if human is None:
        if assessments is None:
            raise UsageError("give trusted scores of these runs, or the runs with both assessments")
        evaluation = evaluation_given(trusted, measures, documents, navigation, given[1])
        human = evaluation.scores(runs)
    return trust_scores(scores, human, confidence)


def _merged_apart(assessments: Any, trusted: Any, options: ScoringOptions) -> list[ScoringOptions]:
    """The options for each of two assessments: `merge` is for those that name their assessors.

    The name of a model whose suggestions are in a database is for the first: it is people who are trusted.
    """
    from doxeval.io.formats.judgements import judgements_in

    first = judgements_in(assessments)
    if first is not None and options.get("merge") in first.sources:
        return [options, {**options, "merge": ""}]
    named = [one is not None and bool(one.assessors) for one in (first, judgements_in(trusted))]
    if not options.get("merge") or not any(named):
        return [options, options]
    return [options if own else {**options, "merge": ""} for own in named]


def trust_scores(scores: Scores, human: Scores, confidence: float) -> Trusted:
    """Correct the means of scores by those of the same runs under trusted judgements."""
    at = np.array([human.topics.index(topic) if topic in human.topics else -1 for topic in scores.topics])
    both = at >= 0
    if not both.any():
        raise UsageError(
            f"the trusted judgements have no topic in common with the others: {some(human.topics)}, and "
            f"{some(scores.topics)}"
        )
    if summed := [measure for measure in scores.measures if measure in scores.summed]:
        raise UsageError(f"only means can be corrected, but {', '.join(summed)} is summed over topics")
    if not set(human.names) & set(scores.names):
        raise UsageError(
            f"the trusted judgements have no run in common with the others: {some(human.names)}, and "
            f"{some(scores.names)}"
        )
    means = []
    without = np.zeros((2, len(at)), dtype=bool)
    for run in scores.runs:
        theirs = human.runs[human.names.index(run.name)] if run.name in human.names else None
        judged_by_people = np.zeros(len(at), dtype=bool)
        if theirs is not None:
            judged_by_people[both] = theirs.counted[at[both]]
        judged, alone = run.counted & judged_by_people, run.counted & ~judged_by_people
        for number, measure in enumerate(scores.measures):
            model, trusted = run.values[number], np.full(len(at), np.nan)
            if theirs is not None:
                trusted[both] = theirs.values[human.position(measure), at[both]]
            without |= np.isnan([model, trusted]) & [run.counted, judged]
            means.append(_corrected((run.name, ALL, measure), model, trusted, judged, alone, confidence))
    return Trusted(means, scores, confidence, _notices(scores, human, means, without))


def _notices(scores: Scores, human: Scores, means: list[TrustedMean], without: np.ndarray) -> Notices:
    """Notices about the means; topics are `without` a value by the model or the trusted judgements."""
    notices = Notices(scores.notices)
    for notice in human.notices.lasting:
        notices.adopt(notice)
    unknown = [topic for topic in human.topics if topic not in scores.topics]
    missing = [[scores.topics[at] for at in np.flatnonzero(marks)] for marks in without]
    for message, topics in (
        (
            "{count} {topic has|topics have} trusted judgements only and {is|are} left out",
            unknown,
        ),
        (
            "{count} {topic has|topics have} no value by the model's judgements, and {is|are} predicted to "
            "have its mean",
            missing[0],
        ),
        (
            "{count} judged {topic has|topics have} no value by the trusted judgements and {is|are} not in "
            "the mean",
            missing[1],
        ),
    ):
        notices.add_names(message, topics, harmless=True, lasting=True)
    notices.add_names(
        f"{{count}} {{mean is|means are}} not corrected: fewer than {FEWEST_JUDGED_BY_BOTH} judged topics "
        "have a finite value",
        [f"{mean.run}, {mean.measure}" for mean in means if mean.value is None],
        lasting=True,
    )
    return notices


def _corrected(
    told: tuple[str, str, str], model: np.ndarray, trusted: np.ndarray, judged: np.ndarray, alone: np.ndarray,
    confidence: float,
) -> TrustedMean:  # fmt: skip
    """The mean of a run by a measure, of topics `judged` by both and of those by the model `alone`.

    If the model gives no value, any prediction that does not depend on the trusted ones is valid: its mean is
    used. The mean over topics with a trusted value is a ratio, whose deviations are used.
    """
    n, topics = int(judged.sum()), int(judged.sum() + alone.sum())
    defined = judged & ~np.isnan(trusted)
    human = mean(trusted[defined])
    means = _known(mean(model[judged | alone])), _known(human)
    predicted = np.where(np.isnan(model), mean(model[judged | alone]), model)
    finite = np.isfinite(predicted).all() and np.isfinite(trusted[defined]).all()
    if defined.sum() < FEWEST_JUDGED_BY_BOTH or not finite:
        return TrustedMean(*told, None, None, None, *means, None, topics, n, None)
    share = defined.sum() / n
    deviations = np.where(defined, (trusted - human) / share, 0.0)
    spread = np.cov(deviations[judged], predicted[judged])
    everywhere = float(np.var(predicted[judged | alone], ddof=1))
    moments = Moments(spread[0, 0], spread[1, 1], everywhere, spread[0, 1])
    weight = moments.weight(n, topics)
    value = human
    if weight > 0:
        value -= weight * float(predicted[judged].mean() - predicted[alone].mean())
    width = moments.half_width(n, topics, confidence)
    halving = moments.halving(n, topics, confidence)
    return TrustedMean(*told, value, value - width, value + width, *means, weight, topics, n, halving)


def _known(value: float) -> float | None:
    return None if value != value else value
