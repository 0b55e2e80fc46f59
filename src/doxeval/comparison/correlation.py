"""Correlations of system rankings between measures, or of values with outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np

from doxeval.comparison.difference import directions
from doxeval.comparison.ranking_draws import TIE_DECIMALS, ranking_intervals, ranking_p_values
from doxeval.comparison.rankings import COEFFICIENTS
from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.core.phrases import counted, stated
from doxeval.core.records import rendered
from doxeval.core.table import Readable, Table, shown
from doxeval.measurement.base import Measure, Measures
from doxeval.measurement.listed import measure_names
from doxeval.scoring.evaluation import NavigationModels, models_of
from doxeval.scoring.inputs import scores_given, scores_in
from doxeval.scoring.scores import Scores, mean

if TYPE_CHECKING:
    import polars

    from doxeval.comparison.outcomes.result import OutcomeCorrelation

DRAWS = 1_000

ESR_THRESHOLD = 0.25
"""Above this tau, ESR's Table 19 calls a measure an appropriate representation of another."""


@dataclass(eq=False, repr=False)
class Correlation(Readable):
    """`value[row, column]` of a coefficient, two-sided p-values, and bootstrap intervals over topics."""

    coefficient: str
    rows: list[str]
    columns: list[str]
    systems: int
    topics: int
    value: np.ndarray
    p: np.ndarray
    low: np.ndarray
    high: np.ndarray
    confidence: float
    seed: int
    notices: Notices = field(default_factory=Notices)

    @cached_property
    def frame(self) -> polars.DataFrame:
        """A polars frame, one row per pair of measures."""
        from doxeval.core.polars_here import polars

        pairs = [(row, column) for row in self.rows for column in self.columns]
        return polars.DataFrame(
            {
                "coefficient": [self.coefficient] * len(pairs),
                "row": [row for row, _ in pairs],
                "column": [column for _, column in pairs],
                "value": self.value.ravel(),
                "p": self.p.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
            }
        )

    @property
    def records(self) -> list[dict[str, Any]]:
        """One row per pair of measures, as in `frame`."""
        numbers = np.stack([self.value, self.p, self.low, self.high], axis=-1).tolist()
        return [
            {"coefficient": self.coefficient, "row": row, "column": column}
            | dict(zip(("value", "p", "low", "high"), found, strict=True))
            for row, several in zip(self.rows, numbers, strict=True)
            for column, found in zip(self.columns, several, strict=True)
        ]

    def at(self, row: str, column: str) -> tuple[float, float]:
        """Value and p-value of one pair."""
        r, c = self.rows.index(row), self.columns.index(column)
        return float(self.value[r, c]), float(self.p[r, c])

    @property
    def _footer(self) -> list[str]:
        basis = f"{counted(self.systems, 'system')}, {counted(self.topics, 'topic')}"
        return [f"{COEFFICIENTS[self.coefficient].title}; {basis}"]

    def table(self, intervals: bool = False) -> Table:
        """The form of ESR's Tables 15 to 18: the coefficient, its p-value in parentheses."""

        def cell(r: int, c: int) -> str:
            text = f"{shown(self.value[r, c], 2)} ({shown(self.p[r, c], 2)})"
            if intervals and self.low[r, c] == self.low[r, c]:
                text += f" [{self.low[r, c]:.2f}, {self.high[r, c]:.2f}]"
            return text

        body = [[row, *(cell(r, c) for c in range(len(self.columns)))] for r, row in enumerate(self.rows)]
        interval = f"; intervals: {stated(self.confidence)}, bootstrap over topics, seed {self.seed}"
        footer = [self._footer[0] + "; p-values in parentheses" + (interval if intervals else "")]
        return Table(["", *self.columns], body, 1, footer, notices=self.notices)

    def rendered(
        self, format: str = "table", show_intervals: bool = True, verdicts: float | None = None
    ) -> bytes:
        """The coefficients, and a table of the pairs above a threshold; csv and jsonl have all pairs."""
        listed = [] if verdicts is None else [self.verdicts(verdicts)]
        return rendered(format, self.frame.to_dicts, lambda: [self.table(show_intervals), *listed])

    @property
    def tables(self) -> list[Table]:
        """The coefficients with p-values and intervals."""
        return [self.table(intervals=True)]

    def verdicts(self, threshold: float = ESR_THRESHOLD) -> Table:
        """The form of ESR's Table 19: whether one measure represents the other."""
        body = [
            [row, column, shown(self.value[r, c], 2), shown(self.p[r, c], 2),
             "Yes" if self.value[r, c] > threshold else "No"]
            for r, row in enumerate(self.rows) for c, column in enumerate(self.columns) if row != column
        ]  # fmt: skip
        footer = [*self._footer, f"Yes: {self.coefficient} > {threshold:g}"]
        return Table(
            ["measure", "represents", self.coefficient, "p", "appropriate"],
            body,
            2,
            footer,
            notices=self.notices,
        )


@overload
def correlate(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    outcomes: None = None,
    **options: Any,
) -> Correlation: ...


@overload
def correlate(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    outcomes: Any,
    **options: Any,
) -> OutcomeCorrelation: ...


def correlate(  # type: ignore[misc]  # the overloads leave the names of options to the check of calls
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    coefficient: str = "tau",
    rows: str | Sequence[str | Measure] | None = None,
    columns: str | Sequence[str | Measure] | None = None,
    outcomes: Any = None,
    outcome_column: str | None = None,
    chosen_on: str | float | None = None,
    topics_file: Any = None,
    draws: int | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    lower_is_better: Iterable[str] = (),
    higher_is_better: Iterable[str] = (),
    **options: Unpack[ScoringOptions],
) -> Correlation | OutcomeCorrelation:
    """Correlate the rankings of the runs under every measure of `rows` with those under `columns`.

    All measures by default. `runs` are scores, or runs with what :func:`doxeval.evaluate` needs to score
    them. Means are over topics with a value; each of the bootstrap's `draws` (1,000) is of new topics, the
    same for all measures. Scores with only means have no intervals.

    >>> answers = [{"topic": t, "doc": "d", "start": 0, "end": 9} for t in "abc"]
    >>> runs = {end: [row | {"rank": 1, "end": end} for row in answers] for end in (3, 9, 27)}
    >>> found = correlate(runs, answers, "iP@1 iR@1 IoU@1", rows="iP@1", columns="iR@1", draws=0)
    >>> found.value.round(2).tolist()
    [[-0.5]]

    With `outcomes`, correlate values with what came of them: a table (CSV, TSV, JSON Lines, Parquet, rows or
    a frame) with `topic`, `run` and an outcome, yes or no or a number, whose column is named if there are
    several. The result has for each measure the chance that a success has a higher value than a failure,
    with intervals from `draws` (10,000) of topics. `chosen_on`, as in ``"half=A"`` or ``0.5``, are topics on
    which the best of listed settings, as in ``F(beta=1,2)``, is chosen; it is reported on the others.
    Attributes of topics come from the assessments, the outcomes or a `topics_file`.

    >>> runs = {"a": [row | {"rank": 1, "end": end} for row, end in zip(answers, (9, 3, 9))]}
    >>> solved = [{"topic": t, "run": "a", "solved": yes} for t, yes in zip("abc", (True, False, False))]
    >>> correlate(runs, answers, "iR@1", outcomes=solved, draws=0).predictors[0].value
    0.75
    """
    if outcomes is not None:
        from doxeval.comparison.outcomes.chosen import measure_groups
        from doxeval.comparison.outcomes.correlate import OUTCOME_DRAWS, correlate_outcomes

        _refuse_for_outcomes(coefficient, rows, columns, options)
        scores = scores_given(runs, assessments, measures, documents, navigation, _all_topics(runs, options))
        models = models_of(navigation)
        return correlate_outcomes(
            scores.with_topics(topics_file), measure_groups(scores, measures, models),
            directions(scores, lower_is_better, higher_is_better), outcomes, outcome_column, chosen_on,
            OUTCOME_DRAWS if draws is None else draws, confidence, seed,
        )  # fmt: skip
    for name, value in (
        ("outcome_column", outcome_column),
        ("chosen_on", chosen_on),
        ("topics_file", topics_file),
    ):
        if value is not None:
            raise UsageError(f"{name} would do nothing: it is about outcomes, and none are given (outcomes)")
    scores = scores_given(runs, assessments, measures, documents, navigation, options)
    draws = DRAWS if draws is None else draws
    compute = COEFFICIENTS[coefficient]
    if len(scores.runs) < 3:
        raise UsageError(f"rankings of {counted(len(scores.runs), 'run')} mean nothing; give at least 3")
    picked = [_positions(scores, names) for names in (rows, columns)]
    signs = directions(scores, lower_is_better, higher_is_better)
    values = np.array([run.values for run in scores.runs]) * signs[:, None]
    means = ranking_means(scores, values)
    x, y = means[picked[0]], means[picked[1]]
    found = compute(*np.broadcast_arrays(x[:, None], y[None, :]))
    low = high = np.full(found.shape, np.nan)
    if len(scores.topics) > 1 and draws:
        low, high = ranking_intervals(values, picked, compute, draws, confidence, seed)
    return Correlation(
        coefficient, [scores.measures[at] for at in picked[0]], [scores.measures[at] for at in picked[1]],
        len(scores.runs), len(scores.topics), found, ranking_p_values(compute, x, y, found, seed), low, high,
        confidence, seed, scores.notices,
    )  # fmt: skip


def _refuse_for_outcomes(coefficient: str, rows: Any, columns: Any, options: ScoringOptions) -> None:
    """Refuse what is about rankings, and topics without which a run would have no value."""
    if coefficient != "tau" or rows is not None or columns is not None:
        raise UsageError(
            "coefficient, rows and columns are about rankings of runs; with outcomes, each measure is "
            "correlated with the outcome"
        )
    if options.get("topics") == "run":
        raise UsageError(
            "topics='run' (--topics run) would leave out topics that a run failed to answer; with outcomes, "
            "such a topic has the value of an empty list"
        )


def _all_topics(runs: Any, options: ScoringOptions) -> ScoringOptions:
    """The options with all assessed topics counted, in runs that are yet to be scored."""
    return options if scores_in(runs) is not None else {**options, "topics": "qrels"}


def ranking_means(scores: Scores, values: np.ndarray) -> np.ndarray:
    """`means[measure, run]` by which the runs are ranked, of `values[run, measure, topic]`; ties are ties."""
    means = np.array([[mean(of_measure) for of_measure in of_run] for of_run in values]).T.round(TIE_DECIMALS)
    _check_defined(scores, means)
    return means


def _positions(scores: Scores, names: str | Sequence[str | Measure] | None) -> list[int]:
    if names is None:
        return list(range(len(scores.measures)))
    return [scores.position(name) for name in measure_names(names, scores.measures)]


def _check_defined(scores: Scores, means: np.ndarray) -> None:
    missing = np.argwhere(np.isnan(means))
    if len(missing):
        measure, run = missing[0]
        raise UsageError(f"{scores.names[run]} has no value of {scores.measures[measure]} on any topic")
