"""The scores of an evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from doxeval.core.errors import DoxevalError, UsageError, nearest
from doxeval.core.notices import Notices, warn
from doxeval.core.phrases import percent
from doxeval.core.quick_class import dataclass
from doxeval.core.run_labels import RunLabels, run_labels
from doxeval.core.run_parameters import parameters_of_runs, shown_parameters
from doxeval.core.table import Readable
from doxeval.measurement.base import Measure
from doxeval.measurement.families.bounds import Bounds
from doxeval.measurement.meaning import Meaning, meaning_of
from doxeval.scoring.bounded import note_open_text, overall_bounds
from doxeval.scoring.pooled import pooled_value
from doxeval.scoring.repetition import Repeated
from doxeval.scoring.selection import listed_runs, select_measures, select_runs, sorted_runs

if TYPE_CHECKING:
    import pandas
    import polars

    from doxeval.comparison.compare import Comparison
    from doxeval.comparison.correlation import Correlation
    from doxeval.comparison.gate import Gate
    from doxeval.comparison.outcomes.result import OutcomeCorrelation
    from doxeval.comparison.slices import Slices
    from doxeval.core.table import Table
    from doxeval.scoring.evaluation import Evaluation
    from doxeval.scoring.loader import RunLoader
    from doxeval.scoring.references import Referred
    from doxeval.show.explanation.explain import Explanation
    from doxeval.show.report.assemble import Written
    from doxeval.tables.wordings import Topics

ALL = "all"
"""The topic under which means are written."""
SCORE_COLUMNS = ("run", "topic", "measure", "value")
"""The columns of scores; those with bounds have two more."""
UNJUDGED = (
    "{count} {run has|runs have} results in documents not judged for the topic, which count as irrelevant"
)
UNKNOWN_COUNT = -1
"""The number of results of a run that is only known by its scores."""


@dataclass(eq=False)
class RunScores:
    """The scores of one run: `values[measure, topic]`, NaN if undefined; `counted` marks topics that count.

    `seen` is the answer of a look at the aligned run, if there was one; `bounds` the possible effect of
    unjudged text on each measure. `repeated` is how much of the relevant text is shown in the first results
    of the topics, newly and in all (see :mod:`doxeval.scoring.repetition`), if that is known; `referred` is
    which of several references gives each value, if one does; `parts[above or below, measure, topic]` are the
    numerators and denominators of values, if they are to be summed over topics. `parameters` are those
    given with the run. `results` is :data:`UNKNOWN_COUNT` for scores from a file.
    """

    name: str
    values: np.ndarray
    counted: np.ndarray
    results: int
    unjudged: int
    notices: Notices = field(default_factory=Notices)
    seen: Any = None
    bounds: list[Bounds] | None = None
    repeated: Repeated | None = None
    referred: Referred | None = None
    parts: np.ndarray | None = None
    parameters: dict[str, str] = field(default_factory=dict)

    @property
    def averaged(self) -> np.ndarray:
        """The number of topics that the mean by each measure is over."""
        return (self.counted & ~np.isnan(self.values)).sum(axis=1)

    @property
    def shows_nothing(self) -> bool:
        """Whether the run has no results for any topic."""
        return self.results == 0

    def of_measures(self, measures: Sequence[int]) -> RunScores:
        """The scores by some measures."""
        return replace(
            self, values=self.values[measures], seen=None, bounds=self.bounds_of(measures),
            referred=None if self.referred is None else self.referred.take((measures, slice(None))),
            parts=None if self.parts is None else self.parts[:, measures],
        )  # fmt: skip

    def in_topics(self, topics: Sequence[int]) -> RunScores:
        """The scores of some topics."""
        return replace(
            self, values=self.values[:, topics], counted=self.counted[topics], bounds=self.bounds_in(topics),
            referred=None if self.referred is None else self.referred.take((slice(None), topics)),
            parts=None if self.parts is None else self.parts[:, :, topics],
        )  # fmt: skip

    def bounds_of(self, measures: Sequence[int]) -> list[Bounds] | None:
        """The bounds of some measures."""
        return None if self.bounds is None else [self.bounds[at] for at in measures]

    def bounds_in(self, topics: Sequence[int]) -> list[Bounds] | None:
        """The bounds in some topics."""
        return None if self.bounds is None else [bounds.take(topics) for bounds in self.bounds]


@dataclass(eq=False)
class Unscored:
    """A run that could not be read or scored, and why."""

    name: str
    problem: DoxevalError

    def __str__(self) -> str:
        text = str(self.problem)
        return text if self.name in text else f"{self.name}: {text}"


@dataclass(eq=False, repr=False)
class Scores(Readable):
    """The scores of runs; `per_topic` and `mean` are polars frames.

    A topic with nothing relevant has no value (null) and is left out of means. Runs that could not be scored
    are `unscored`. Measures have the names under which they were typed; :meth:`meaning` explains each.
    `origin` is the evaluation that the scores come from and its runs, if these can be read again.
    `attributes` are the attributes of topics, by name. Runs are in the order given unless they are `ordered`;
    they keep the labels with which they were `labelled` before some were chosen.
    """

    measures: list[str]
    topics: list[str]
    runs: list[RunScores]
    notices: Notices = field(default_factory=Notices)
    unscored: list[Unscored] = field(default_factory=list)
    meanings: dict[str, Meaning] = field(default_factory=dict)
    origin: tuple[Evaluation, Sequence[RunLoader]] | None = None
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    labelled: RunLabels | None = None
    ordered: bool = False

    @classmethod
    def gather(cls, evaluation: Evaluation, parts: Sequence[RunScores | Unscored]) -> Scores:
        """Collect the runs of an evaluation; equal notices are reported once.

        Runs that could not be scored do not affect the others; an error is raised if there are no others.
        """
        runs = [part for part in parts if isinstance(part, RunScores)]
        unscored = [part for part in parts if isinstance(part, Unscored)]
        if unscored and not runs:
            raise unscored[0].problem
        names = [run.name for run in runs]
        ground = evaluation.ground
        notices = Notices(ground.assessments.notices, ground.notices, *(run.notices for run in runs))
        if twice := sorted(name for name, count in Counter(names).items() if count > 1):
            notices.add_names(
                "{count} {name is that|names are those} of several runs; rename the files", twice
            )
        parameters_of_runs(names, [run.parameters for run in runs], notices)
        counts = {int(run.averaged.max(initial=0)) for run in runs}
        if len(counts) > 1:
            notices.add(
                f"runs are averaged over different numbers of topics: {', '.join(map(str, sorted(counts)))}"
            )
        notices.add_names(
            UNJUDGED,
            (f"{run.name} {percent(run.unjudged / run.results, 1)}" for run in runs if run.unjudged),
            harmless=True,
            lasting=True,
        )
        meanings = {measure.label: meaning_of(measure) for measure in evaluation.measures}
        if evaluation.opened is not None:
            note_open_text(evaluation.opened, notices)
        attributes = ground.attributes
        return cls(list(meanings), ground.topics, runs, notices, unscored, meanings, attributes=attributes)

    def warn(self) -> None:
        """Issue notices, and runs that could not be scored, as Python warnings."""
        for run in self.unscored:
            warn(f"not scored: {run}")
        self.notices.warn()

    @property
    def names(self) -> list[str]:
        """The runs' names."""
        return [run.name for run in self.runs]

    @property
    def labels(self) -> RunLabels:
        """The runs as people see them; see :mod:`doxeval.core.run_labels`."""
        if self.labelled is None or not self.labelled.knows(self.names):
            told = [run.parameters for run in self.runs]
            self.labelled = run_labels(self.names, shown_parameters(self.names, told))
        return self.labelled

    @property
    def parameters(self) -> list[dict[str, str]]:
        """The parameters of each run: those given with it, and those in names of one pattern."""
        return parameters_of_runs(self.names, [run.parameters for run in self.runs])

    @property
    def listed(self) -> Scores:
        """The same scores in the order of tables for people: as they were sorted, else the leader first."""
        return listed_runs(self)

    def meaning(self, measure: str | Measure) -> Meaning:
        """Direction, range, unit and canonical form of a measure; from its name if read from a file."""
        label = self.measures[self.position(measure)]
        return self.meanings.get(label) or meaning_of(label)

    def position(self, measure: str | Measure) -> int:
        """The position of the measure with this name or meaning."""
        found = self.find(measure)
        if found is None:
            name = str(measure)
            raise UsageError(f"these scores have no measure {name!r}{nearest(name, self.measures)}")
        return found

    def find(self, measure: str | Measure | Meaning) -> int | None:
        """Like :meth:`position`; None if there is none."""
        if isinstance(measure, str) and measure in self.measures:
            return self.measures.index(measure)
        wanted = measure if isinstance(measure, Meaning) else meaning_of(measure)
        meant = [(self.meanings.get(label) or meaning_of(label)).canonical for label in self.measures]
        return meant.index(wanted.canonical) if wanted.canonical in meant else None

    def value(self, run: str, measure: str | Measure, topic: str = ALL) -> float | None:
        """The value of a topic, or the mean; None if undefined."""
        for kind, name, known in (("run", run, self.names), ("topic", topic, [*self.topics, ALL])):
            _check_name(kind, name, known)
        at = self.position(measure)
        values = self.runs[self.names.index(run)].values[at]
        overall = self.over_topics(self.runs[self.names.index(run)], at)
        found = overall if topic == ALL else values[self.topics.index(topic)]
        return None if np.isnan(found) else float(found)

    def reference(self, run: str, measure: str | Measure, topic: str) -> str | None:
        """The reference that gives the value of a topic, where the best of several is taken; else None."""
        self.value(run, measure, topic)
        found = self.runs[self.names.index(run)].referred
        if found is None or topic == ALL:
            return None
        used = int(found.used[self.position(measure), self.topics.index(topic)])
        return found.names[used] if used >= 0 else None

    def __getitem__(self, measure: str | Measure) -> float | None:
        """The mean (for counts, the sum) of the only run; None if undefined."""
        if len(self.runs) != 1:
            raise UsageError(f"there are {len(self.runs)} runs; choose one, as in value(run, measure)")
        return self.value(self.runs[0].name, measure)

    @cached_property
    def summed(self) -> frozenset[str]:
        """The measures that count something; they are summed over topics rather than averaged."""
        return frozenset(label for label in self.measures if self.meaning(label).summed)

    def overall(self, measure: str, values: np.ndarray) -> float:
        """The value over all topics: the mean, for counts the sum."""
        defined = values[~np.isnan(values)]
        return float(defined.sum()) if measure in self.summed and len(defined) else mean(values)

    @cached_property
    def pooled(self) -> bool:
        """Whether numerators and denominators are summed over topics (micro average)."""
        return bool(self.runs) and all(run.parts is not None for run in self.runs)

    def over_topics(self, run: RunScores, measure: int) -> float:
        """The value of a run over all topics: the mean, for counts the sum, or the micro average."""
        if run.parts is not None:
            return pooled_value(run.parts[:, measure])
        return self.overall(self.measures[measure], run.values[measure])

    @cached_property
    def bounded(self) -> bool:
        """Whether these scores have bounds."""
        return bool(self.runs) and all(run.bounds is not None for run in self.runs)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rows: run, topic, measure, value and, with bounds, low and high."""
        return (*SCORE_COLUMNS, *(("low", "high") if self.bounded else ()))

    def bounds(self, run: str, measure: str | Measure, topic: str = ALL) -> tuple[float, float] | None:
        """The smallest and the largest value, of a topic or the mean, that further judgements could give."""
        self.value(run, measure, topic)
        if not self.bounded:
            raise UsageError("these scores have no bounds; score the runs with bounds=True (--bounds)")
        found, at = self.runs[self.names.index(run)], self.position(measure)
        place = None if topic == ALL else self.topics.index(topic)
        low, high = self._bounds(found, at, place)
        return None if np.isnan(low) else (low, high)

    def _bounds(self, run: RunScores, measure: int, topic: int | None) -> tuple[float, float]:
        """The bounds of a topic, or over all topics."""
        assert run.bounds is not None
        bounds = run.bounds[measure]
        if topic is not None:
            return float(bounds.low[topic]), float(bounds.high[topic])
        columns = (run.values[measure], bounds.low, bounds.high)
        values, low, high = (np.where(run.counted, column, np.nan) for column in columns)
        return overall_bounds(values, low, high, self.measures[measure] in self.summed)

    def rows(self, per_topic: bool, means: bool = True) -> Iterator[tuple[Any, ...]]:
        """`(run, topic, measure, value)` in order, value None where undefined; means under `all`.

        With bounds, followed by `low` and `high`.
        """
        if per_topic and means and ALL in self.topics:
            raise UsageError(
                f"a topic is named {ALL!r}, which is the name of the means; rename it, or leave "
                "out the topics or the means"
            )
        for run in self.runs:
            if per_topic and self.bounded:
                for at in np.flatnonzero(run.counted).tolist():
                    for number in range(len(self.measures)):
                        yield self.row(run, number, at)
            elif per_topic:
                counted = np.flatnonzero(run.counted)
                for at, values in zip(counted.tolist(), run.values.T[counted].tolist(), strict=True):
                    topic = self.topics[at]
                    for measure, value in zip(self.measures, values, strict=True):
                        yield run.name, topic, measure, None if value != value else value
            if means:
                for number in range(len(self.measures)):
                    yield self.row(run, number)

    def row(self, run: RunScores, measure: int, topic: int | None = None) -> tuple[Any, ...]:
        """One row: of a topic, or of all."""
        values = run.values[measure]
        value = self.over_topics(run, measure) if topic is None else float(values[topic])
        numbers = (value, *self._bounds(run, measure, topic)) if self.bounded else (value,)
        named = run.name, ALL if topic is None else self.topics[topic], self.measures[measure]
        return *named, *(None if number != number else number for number in numbers)

    def _frame(self, per_topic: bool, means: bool) -> polars.DataFrame:
        from doxeval.core.polars_here import polars

        names, numbers = self.columns[:3], self.columns[3:]
        schema = dict.fromkeys(names, polars.String) | dict.fromkeys(numbers, polars.Float64)
        return polars.DataFrame(list(self.rows(per_topic, means)), schema=schema, orient="row")

    @cached_property
    def per_topic(self) -> polars.DataFrame:
        """Columns run, topic, measure, value; null where a value is undefined."""
        return self._frame(per_topic=True, means=False)

    @cached_property
    def mean(self) -> polars.DataFrame:
        """Columns run, measure, value, topics: means over the topics that have a value, and their number."""
        from doxeval.core.polars_here import polars

        counts = [count for run in self.runs for count in run.averaged.tolist()]
        frame = self._frame(per_topic=False, means=True).drop("topic")
        return frame.with_columns(polars.Series("topics", counts, dtype=polars.Int64))

    def metrics(self) -> dict[str, float]:
        """The means under names that experiment trackers accept, as in ``mlflow.log_metrics(...)``."""
        from doxeval.scoring.scores_table import metrics_of

        return metrics_of(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The per-topic scores as a pandas frame."""
        try:
            import pandas
        except ImportError:
            from doxeval.core.errors import MissingExtra

            raise MissingExtra("pandas", "to_pandas()") from None
        return pandas.DataFrame(
            list(self.rows(per_topic=True, means=False)), columns=list(self.columns)
        ).astype(dict.fromkeys(self.columns[3:], float))

    def compare(self, baseline: str | None = None, **options: Any) -> Comparison:
        """Compare the runs topic by topic; see :func:`doxeval.compare`."""
        import doxeval

        return doxeval.compare(self, baseline=baseline, **options)

    def verdict(self, lead_by: str | Measure | None = None) -> list[str]:
        """The verdict of the scores, in sentences; see :func:`doxeval.verdict`."""
        import doxeval

        return doxeval.verdict(self, lead_by=lead_by)

    @overload
    def correlate(
        self, coefficient: str = "tau", *, outcomes: None = None, **options: Any
    ) -> Correlation: ...

    @overload
    def correlate(self, coefficient: str = "tau", *, outcomes: Any, **options: Any) -> OutcomeCorrelation: ...

    def correlate(
        self, coefficient: str = "tau", *, outcomes: Any = None, **options: Any
    ) -> Correlation | OutcomeCorrelation:
        """Correlate rankings of the runs, or values with outcomes; see :func:`doxeval.correlate`."""
        import doxeval

        return doxeval.correlate(self, coefficient=coefficient, outcomes=outcomes, **options)

    def gate(self, baseline: str, **options: Any) -> Gate:
        """Check whether any run has fallen behind the baseline; see :func:`doxeval.gate`."""
        import doxeval

        return doxeval.gate(self, baseline=baseline, **options)

    def explain(
        self, topic: str, measures: str | Measure | None = None, run: str | None = None
    ) -> Explanation:
        """Explain how one score comes about; run and measure may be omitted if there is only one."""
        import doxeval

        if self.origin is None:
            raise UsageError("these scores have no runs attached; doxeval.explain takes runs and assessments")
        for parameter, wanted, known in (("run", run, self.names), ("measures", measures, self.measures)):
            if wanted is None and len(known) != 1:
                kind = f"{parameter.removesuffix('s')}s"
                raise UsageError(f"there are {len(known)} {kind}; choose one, as in {parameter}={known[0]!r}")
        evaluation, loaders = self.origin
        label = self.measures[0 if measures is None else self.position(measures)]
        name = self.names[0] if run is None else run
        _check_name("run", name, self.names)
        return doxeval.explain(loaders[self.names.index(name)](), evaluation, label, topic=topic)

    def report(self, path: str | Path, **options: Any) -> Written:
        """Write a report as a single HTML file that works offline; see :func:`doxeval.write_report`."""
        import doxeval

        return doxeval.write_report(self, path=path, **options)

    def write(self, path: str | Path, *, format: str | None = None, **options: Any) -> None:
        """Write the scores to a file; see :func:`doxeval.write_scores`."""
        import doxeval

        doxeval.write_scores(self, path, format=format, **options)

    def with_topics(self, topics: Topics | Mapping[str, Any] | str | Path | None) -> Scores:
        """The same scores with attributes of topics from a file or mapping, which take precedence."""
        if topics is None:
            return self
        from doxeval.io.topics import topics_of

        return replace(self, attributes=merged(self.attributes, topics_of(topics).attributes))

    def by(self, attribute: str, **options: Any) -> Slices:
        """Means with intervals in slices of topics; see :func:`doxeval.slice_scores`."""
        import doxeval

        return doxeval.slice_scores(self, by=attribute, **options)

    def select(
        self, runs: Sequence[str] | None = None, measures: Sequence[str | Measure] | None = None
    ) -> Scores:
        """Only some runs and measures, in that order; measures under the names given."""
        picked = self if runs is None else select_runs(self, runs)
        return picked if measures is None else select_measures(picked, measures)

    def sort(self, by: str | Measure) -> Scores:
        """The same scores with the best run by a measure first, or with runs by `name`."""
        return sorted_runs(self, by)

    def rendered(self, format: str = "table", per_topic: bool = False, baseline: str | None = None) -> bytes:
        """The scores as a table (table, md, latex), as rows (csv, jsonl, json, parquet), or as `metrics`.

        In a table, differences from the run that is the `baseline` stand beside the values.
        """
        from doxeval.scoring.scores_table import render

        return render(self, format, per_topic, baseline)

    @property
    def tables(self) -> list[Table]:
        """The table of means."""
        from doxeval.scoring.scores_table import scores_table

        return [scores_table(self)]

    @property
    def sentences(self) -> list[str]:
        """The verdict of the scores, in sentences."""
        return self.verdict()


def _check_name(kind: str, name: str, known: Sequence[str]) -> None:
    """Raise an error for an unknown name."""
    if name not in known:
        raise UsageError(f"these scores have no {kind} {name!r}{nearest(name, known)}")


def merged(*known: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Merge attributes of topics; later ones take precedence."""
    found: dict[str, dict[str, str]] = {}
    for told in known:
        for topic, attributes in told.items():
            found.setdefault(topic, {}).update(attributes)
    return found


def check_attribute(by: str, attributes: Mapping[str, Mapping[str, str]]) -> None:
    """Raise an error if no topic has the attribute."""
    known = sorted({name for described in attributes.values() for name in described})
    if by not in known:
        have = f"they have {', '.join(known)}" if known else "they have none; give a file of topics"
        raise UsageError(f"no topic has an attribute {by!r}{nearest(by, known)} ({have})")


def mean(values: np.ndarray) -> float:
    """The mean of the defined values; NaN if there are none."""
    defined = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):
        return float(defined.mean()) if len(defined) else float("nan")
