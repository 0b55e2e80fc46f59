"""Correlations of system rankings between measures, with p-values and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from doxeval.comparison.difference import directions
from doxeval.comparison.intervals import resampled_means
from doxeval.comparison.methods import Coefficient
from doxeval.comparison.rankings import COEFFICIENTS
from doxeval.comparison.resampling import monte_carlo_p, order_blocks, reaches
from doxeval.core.errors import UsageError
from doxeval.core.grammar import split_names
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.core.phrases import counted, stated
from doxeval.core.records import rendered
from doxeval.core.table import Readable, Table, shown
from doxeval.measurement.base import Measure, Measures
from doxeval.scoring.evaluation import NavigationModels
from doxeval.scoring.inputs import scores_given
from doxeval.scoring.scores import Scores, mean

if TYPE_CHECKING:
    import polars

DRAWS = 1_000
PERMUTATIONS = 10_000
NUMBERS_AT_ONCE = 1 << 22
TIE_DECIMALS = 12
"""Means that agree to this many digits are ties: the order of a sum must not break one."""

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
        import polars

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


def correlate(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    coefficient: str = "tau",
    rows: str | Sequence[str | Measure] | None = None,
    columns: str | Sequence[str | Measure] | None = None,
    draws: int = DRAWS,
    confidence: float = 0.95,
    seed: int = 0,
    lower_is_better: Iterable[str] = (),
    higher_is_better: Iterable[str] = (),
    **options: Unpack[ScoringOptions],
) -> Correlation:
    """Correlate the rankings of the runs under every measure of `rows` with those under `columns`.

    All measures by default. `runs` are scores, or runs with what :func:`doxeval.evaluate` needs to score
    them. Means are over topics with a value; each of the bootstrap's `draws` is of new topics, the same for
    all measures. Scores with only means have no intervals.

    >>> answers = [{"topic": t, "doc": "d", "start": 0, "end": 9} for t in "abc"]
    >>> runs = {end: [row | {"rank": 1, "end": end} for row in answers] for end in (3, 9, 27)}
    >>> found = correlate(runs, answers, "iP@1 iR@1 IoU@1", rows="iP@1", columns="iR@1", draws=0)
    >>> found.value.round(2).tolist()
    [[-0.5]]
    """
    scores = scores_given(runs, assessments, measures, documents, navigation, options)
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
        low, high = _intervals(values, picked, compute, draws, confidence, seed)
    return Correlation(
        coefficient, [scores.measures[at] for at in picked[0]], [scores.measures[at] for at in picked[1]],
        len(scores.runs), len(scores.topics), found, _p_values(compute, x, y, found, seed), low, high,
        confidence, seed, scores.notices,
    )  # fmt: skip


def ranking_means(scores: Scores, values: np.ndarray) -> np.ndarray:
    """`means[measure, run]` by which the runs are ranked, of `values[run, measure, topic]`; ties are ties."""
    means = np.array([[mean(of_measure) for of_measure in of_run] for of_run in values]).T.round(TIE_DECIMALS)
    _check_defined(scores, means)
    return means


def _positions(scores: Scores, names: str | Sequence[str | Measure] | None) -> list[int]:
    if names is None:
        return list(range(len(scores.measures)))
    found: list[str | Measure] = []
    for name in [names] if isinstance(names, str) else names:
        found += split_names(name) if isinstance(name, str) and name not in scores.measures else [name]
    return [scores.position(name) for name in found]


def _check_defined(scores: Scores, means: np.ndarray) -> None:
    missing = np.argwhere(np.isnan(means))
    if len(missing):
        measure, run = missing[0]
        raise UsageError(f"{scores.names[run]} has no value of {scores.measures[measure]} on any topic")


def _intervals(
    values: np.ndarray,
    picked: list[list[int]],
    compute: Coefficient,
    draws: int,
    confidence: float,
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Percentiles of the coefficient over bootstrap samples of topics; `values[run, measure, topic]`."""
    runs, measures, topics = values.shape
    drawn = resampled_means(values.reshape(runs * measures, topics), draws, seed)
    drawn = np.round(drawn.reshape(draws, runs, measures).transpose(2, 0, 1), TIE_DECIMALS)
    step = max(1, NUMBERS_AT_ONCE // (runs * runs))
    low, high = (np.empty((len(picked[0]), len(picked[1]))) for _ in range(2))
    for r, row in enumerate(picked[0]):
        for c, column in enumerate(picked[1]):
            found = np.concatenate(
                [
                    compute(drawn[row, at : at + step], drawn[column, at : at + step])
                    for at in range(0, draws, step)
                ]
            )
            defined = found[~np.isnan(found)]
            shares = [(1 - confidence) / 2, (1 + confidence) / 2]
            low[r, c], high[r, c] = np.quantile(defined, shares) if len(defined) else (np.nan, np.nan)
    return low, high


def _p_values(
    coefficient: Coefficient, x: np.ndarray, y: np.ndarray, found: np.ndarray, seed: int
) -> np.ndarray:
    """P-values of the hypothesis that the rankings are unrelated.

    scipy's for tau-b, rho and r; for the others the share of random orders whose coefficient is as far from
    its mean over all orders.
    """
    import scipy

    p = np.full(found.shape, np.nan)
    for r, c in np.argwhere(~np.isnan(found)):
        if coefficient.p_value:
            p[r, c] = getattr(scipy.stats, coefficient.p_value)(x[r], y[c]).pvalue
        else:
            p[r, c] = _permutation_p(coefficient, x[r], y[c], float(found[r, c]), seed)
    return p


def _permutation_p(coefficient: Coefficient, x: np.ndarray, y: np.ndarray, found: float, seed: int) -> float:
    drawn = []
    for orders in order_blocks(PERMUTATIONS, len(x), seed):
        step = max(1, NUMBERS_AT_ONCE // len(x) ** 2)
        for at in range(0, len(orders), step):
            shuffled = x[orders[at : at + step]]
            drawn.append(coefficient(shuffled, np.broadcast_to(y, shuffled.shape)))
    values = np.concatenate(drawn)
    centre = values.mean()
    hits = reaches(np.abs(values - centre), np.abs(found - centre)).sum()
    return float(monte_carlo_p(hits, PERMUTATIONS))
