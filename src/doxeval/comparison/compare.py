"""Compare runs topic by topic: differences, intervals, effect sizes, tests, wins and losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from doxeval.comparison.corrections import CORRECTIONS
from doxeval.comparison.difference import BOUNDS, DIFFERENCE_COLUMNS, Difference, directions, moved_most
from doxeval.comparison.family import (
    WITH_ITSELF,
    corrected,
    default_test,
    joint_p,
    members,
    note_copies,
)  # fmt: skip
from doxeval.comparison.intervals import INTERVALS
from doxeval.comparison.methods import Correction, Interval, SignificanceTest
from doxeval.comparison.micro import pooled_differences
from doxeval.comparison.pair_differences import PairDifferences
from doxeval.comparison.paired import DEFAULT_ALPHA, DRAWS, moments
from doxeval.comparison.slices import FEWEST_IN_SLICE, slices_of
from doxeval.comparison.tests import TESTS
from doxeval.core.errors import UsageError, nearest
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.core.progress import each
from doxeval.core.quick_class import dataclass
from doxeval.core.records import rendered
from doxeval.core.run_labels import some_names
from doxeval.core.table import Readable, Table
from doxeval.measurement.base import Measures
from doxeval.scoring.bounded import bounds_between
from doxeval.scoring.evaluation import NavigationModels
from doxeval.scoring.inputs import scores_given
from doxeval.scoring.scores import Scores
from doxeval.scoring.scores import mean as mean_of

if TYPE_CHECKING:
    import polars

    from doxeval.comparison.diagnosis.diagnosis import Diagnosis


@dataclass(eq=False, repr=False)
class Comparison(Readable):
    """Differences of runs by measures, and how they were tested; `frame` is a polars frame.

    `slices` are the differences in slices of topics, if an attribute was named that defines them; their p is
    corrected over all slices. `shapes` are those in which each run was compared with itself, if it was. The
    `diagnosis` says which topics a run mends and breaks, if it was asked for.
    """

    scores: Scores
    differences: list[Difference]
    baseline: str | None
    test: str
    correction: str
    interval: str
    confidence: float
    alpha: float
    draws: int
    seed: int
    notices: Notices = field(default_factory=Notices)
    slices: list[Difference] = field(default_factory=list)
    shapes: tuple[str, ...] = ()
    diagnosis: Diagnosis | None = None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row per comparison, those in slices last."""
        bounds = BOUNDS if self.scores.bounded else ()
        more = (*(("slice",) if self.slices else ()), *(("change",) if self.shapes else ()))
        columns = (*DIFFERENCE_COLUMNS, *bounds, *more)
        return [{name: getattr(d, name) for name in columns} for d in [*self.differences, *self.slices]]

    @cached_property
    def frame(self) -> polars.DataFrame:
        """A polars frame, one row per comparison."""
        from doxeval.core.polars_here import polars

        return polars.DataFrame(self.rows)

    def significant(self, difference: Difference) -> bool:
        """Whether a difference is significant at the level, after correction."""
        return difference.adjusted_p < self.alpha

    def between(self, measure: str, baseline: str, run: str) -> Difference:
        """One comparison."""
        for found in self.differences:
            if (found.measure, found.baseline, found.run) == (measure, baseline, run):
                return found
        raise UsageError(f"{run} was not compared with {baseline} by {measure}")

    @property
    def tables(self) -> list[Table]:
        """Means, differences and the topics that moved most."""
        from doxeval.comparison.render import comparison_tables

        return comparison_tables(self)

    def rendered(self, format: str = "table", all_pairs: bool = False) -> bytes:
        """Tables of the pairs that matter, or of all; csv, jsonl, json and parquet have a row for each."""
        from doxeval.comparison.render import comparison_tables

        return rendered(format, lambda: self.rows, lambda: comparison_tables(self, all_pairs))

    @property
    def sentences(self) -> list[str]:
        """The verdict in sentences: who leads, and whether that may be chance."""
        from doxeval.comparison.verdict import verdict

        return verdict(self.scores, comparison=self)


class ComparisonOptions(ScoringOptions, total=False):
    """How runs are compared, see :func:`compare`, and scored, see :class:`ScoringOptions`."""

    test: str | None
    correction: str
    interval: str
    confidence: float
    alpha: float
    draws: int
    seed: int
    lower_is_better: Iterable[str]
    higher_is_better: Iterable[str]
    by: str | None
    topics_file: Any


def compare(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    baseline: str | None = None,
    test: str | None = None,
    correction: str = "holm",
    interval: str = "bootstrap",
    confidence: float = 0.95,
    alpha: float = DEFAULT_ALPHA,
    draws: int = DRAWS,
    seed: int = 0,
    lower_is_better: Iterable[str] = (),
    higher_is_better: Iterable[str] = (),
    by: str | None = None,
    topics_file: Any = None,
    pairs: Sequence[tuple[str, str]] = (),
    with_diagnosis: bool = False,
    **options: Unpack[ScoringOptions],
) -> Comparison:
    """Compare every run with the baseline or, without one, every run with every other.

    `runs` are scores, or runs with what :func:`doxeval.evaluate` needs to score them. `pairs` names the runs
    to compare instead, each as (baseline, run).

    `test` is randomisation, t, wilcoxon, sign, bootstrap or tukey. By default, two runs or runs against a
    baseline get the randomisation test, all pairs of more than two runs the randomised Tukey HSD, which needs
    no correction; `correction` (holm, bonferroni, bh, none) is over the comparisons by one measure. Measures
    that doxeval does not know must be in `lower_is_better` or `higher_is_better`. The same seed gives the
    same numbers whatever resources the machine has. `by` is an attribute of the topics, from the assessments
    or `topics_file`: runs are compared in every slice of them, too. `with_diagnosis` it also
    says which topics a run mends and breaks, see :func:`doxeval.diagnose`.

    >>> answers = [{"topic": t, "doc": "d", "start": 0, "end": 9} for t in "abc"]
    >>> runs = {end: [row | {"rank": 1, "end": end} for row in answers] for end in (3, 9)}
    >>> found = compare(runs, answers, "iR@1")
    >>> [(one.baseline, one.run, round(one.difference, 3)) for one in found.differences]
    [('3', '9', 0.667)]
    """
    scores = scores_given(runs, assessments, measures, documents, navigation, options, pooled=True)
    scores = scores.with_topics(topics_file)
    baseline = None if baseline is None else scores.labels.find(baseline)
    numbers = _pairs(scores, baseline, pairs)
    test = test or ("randomisation" if pairs or scores.pooled else default_test(scores, baseline))
    _check(confidence, alpha, draws)
    methods = TESTS[test], CORRECTIONS[correction], INTERVALS[interval]
    if pairs and methods[0].joint:
        raise UsageError(f"{test} looks at all pairs of runs at once, and only some are compared here")
    if methods[0].joint:
        methods = methods[0], CORRECTIONS["none"], methods[2]
    notices = Notices(scores.notices)
    signs = directions(scores, lower_is_better, higher_is_better)

    def differences(part: Scores, notices: Notices) -> list[Difference]:
        compared = pooled_differences if part.pooled else _by_measure
        return [
            found
            for at, measure in enumerate(each(part.measures, "testing differences by measure"))
            for found in compared(
                part, measure, int(signs[at]), np.array([run.values[at] for run in part.runs]), numbers,
                notices, *methods, confidence, draws, seed,
            )
        ]  # fmt: skip

    overall = differences(scores, notices)
    note_copies(scores, notices)
    parts = {} if by is None else _comparable_slices(scores, by, numbers, notices)
    found = [
        replace(one, slice=name, member=one.member and f"{name} {one.member}")
        for name, part in parts.items()
        for one in differences(part, Notices())
    ]
    return Comparison(
        scores,
        overall,
        baseline,
        test,
        methods[1].name,
        interval,
        confidence,
        alpha,
        draws,
        seed,
        notices,
        _corrected(found, CORRECTIONS[correction]),
        diagnosis=_diagnosis(scores, by) if with_diagnosis else None,
    )


def _diagnosis(scores: Scores, by: str | None) -> Diagnosis:
    """The diagnosis of the runs."""
    from doxeval.comparison.diagnosis.diagnose import diagnose

    return diagnose(scores, by=by)


def _comparable_slices(
    scores: Scores, by: str, pairs: Sequence[tuple[int, int]], notices: Notices
) -> dict[str, Scores]:
    """The slices in which all runs to compare have enough topics in common; others are reported."""
    before, after = (list(side) for side in zip(*pairs, strict=True))
    found = {}
    for value, part in slices_of(scores, by).items():
        defined = ~np.isnan([run.values for run in part.runs])
        if (defined[before] & defined[after]).sum(axis=2).min() >= FEWEST_IN_SLICE:
            found[f"{by}={value}"] = part
        else:
            notices.add(
                f"{{count}} {{slice has|slices have}} fewer than {FEWEST_IN_SLICE} topics to compare runs "
                f"on, and {{is|are}} left out",
                f"{by}={value}",
                harmless=True,
                lasting=True,
            )
    return found


def _corrected(slices: list[Difference], correction: Correction) -> list[Difference]:
    """Differences in slices with p-values corrected over all comparisons by their measure."""
    found = list(slices)
    for measure in {one.measure for one in slices}:
        rows = [row for row, one in enumerate(slices) if one.measure == measure]
        names = {name: at for at, name in enumerate(dict.fromkeys(slices[row].member for row in rows))}
        member = np.array([names[slices[row].member] if slices[row].member else WITH_ITSELF for row in rows])
        adjusted = corrected(np.array([slices[row].p for row in rows]), member, correction)
        for row, p in zip(rows, adjusted.tolist(), strict=True):
            found[row] = replace(slices[row], adjusted_p=p)
    return found


def _check(confidence: float, alpha: float, draws: int) -> None:
    for what, share in (("confidence", confidence), ("alpha", alpha)):
        if not 0 < share < 1:
            raise UsageError(f"{what} must be between 0 and 1, not {share}")
    if draws < 100:
        raise UsageError(f"draws must be at least 100, not {draws}")


def _pairs(
    scores: Scores, baseline: str | None, pairs: Sequence[tuple[str, str]] = ()
) -> list[tuple[int, int]]:
    """The pairs of runs to compare, as (baseline, run)."""
    names = scores.names
    if len(names) < 2:
        raise UsageError(f"there is only {', '.join(names) or 'no run'} to compare; give at least two runs")
    if len(set(names)) < len(names):
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        raise UsageError(f"more than one run is named {', '.join(twice)}; rename the files")
    if pairs and baseline is not None:
        raise UsageError("a baseline is for all runs; name it in the pairs")
    for name in (name for pair in pairs for name in pair):
        if name not in names:
            raise UsageError(
                f"there is no run {name!r}{nearest(name, names)} (there are {some_names(names)})"
            )
    if pairs:
        return [(names.index(first), names.index(second)) for first, second in pairs]
    if baseline is None:
        return list(combinations(range(len(names)), 2))
    first = names.index(baseline)
    return [(first, at) for at in range(len(names)) if at != first]


def _by_measure(
    scores: Scores, measure: str, direction: int, values: np.ndarray, pairs: Sequence[tuple[int, int]],
    notices: Notices, test: SignificanceTest, correction: Correction, interval: Interval, confidence: float,
    draws: int, seed: int,
) -> list[Difference]:  # fmt: skip
    """All comparisons by one measure; `values[run, topic]`.

    A joint test needs the topics that all runs share; any other takes those of each pair. Everything is
    computed for many pairs at once, in columns, and only then put into one :class:`Difference` for each.
    """
    if test.joint:
        shared = ~np.isnan(values).any(axis=0)
        _tell_left_out(measure, values, shared, notices)
        values = np.where(shared, values, np.nan)
    before, after = (np.array(side) for side in zip(*pairs, strict=True))
    differences = PairDifferences(values, before, after)
    parts = [_counted(differences, rows, direction) for rows in differences.slabs()]
    count, mean, deviation, *outcomes = (np.concatenate(column) for column in zip(*parts, strict=True))
    _check_topics_in_common(scores, measure, pairs, count)
    if test.joint:
        p = joint_p(values[:, shared], test, draws, seed)[before, after]
    else:
        p = test(differences, draws, seed)
    member = members(values, pairs)
    adjusted = corrected(p, member, correction)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(deviation > 0, mean / deviation, np.where(mean == 0, 0.0, np.nan))
    low, high = interval(differences, confidence, draws, seed)
    counted = np.logical_and.reduce([run.counted for run in scores.runs]) if test.joint else None
    columns = count, *_means_of_pairs(differences), mean, low, high, effect, p, adjusted, *outcomes
    moved = moved_most(scores.topics, differences, direction)
    names, number, bounded = scores.names, scores.measures.index(measure), scores.bounded
    compared = []
    rows: Iterable[tuple[Any, ...]] = zip(*(column.tolist() for column in columns), strict=True)
    for (first, second), told, (worst, best), own in zip(pairs, rows, moved, member.tolist(), strict=True):
        least = most = None
        if bounded:
            runs = scores.runs[first], scores.runs[second]
            both = runs[0].counted & runs[1].counted if counted is None else counted
            least, most = bounds_between(*runs, number, both)
        named = "" if own == WITH_ITSELF else f"{measure} {own}"
        compared.append(
            Difference(
                measure=measure,
                baseline=names[first],
                run=names[second],
                worst=worst,
                best=best,
                direction=direction,
                least=least,
                most=most,
                member=named,
                **dict(zip(COMPUTED, told, strict=True)),
            )
        )
    return compared


COMPUTED = (
    "topics", "baseline_mean", "run_mean", "difference", "low", "high", "effect", "p", "adjusted_p",
    "wins", "ties", "losses",
)  # fmt: skip
"""What is computed of all comparisons at once, in columns."""


def _counted(differences: PairDifferences, rows: slice, direction: int) -> tuple[np.ndarray, ...]:
    """Of some pairs: topics, mean and deviation; topics won, tied and lost."""
    part = differences[rows]
    gains = direction * part
    return *moments(part), (gains > 0).sum(axis=1), (gains == 0).sum(axis=1), (gains < 0).sum(axis=1)


def _means_of_pairs(pairs: PairDifferences) -> tuple[np.ndarray, np.ndarray]:
    """The mean of either run of each pair over the topics that both have a value for."""
    defined = ~np.isnan(pairs.values)
    if pairs.alike:
        means = np.array([mean_of(row[defined[0]]) for row in pairs.values])
        return means[pairs.before], means[pairs.after]
    found = [
        [mean_of(pairs.values[run][defined[one] & defined[other]]) for run in (one, other)]
        for one, other in zip(pairs.before, pairs.after, strict=True)
    ]
    before, after = np.array(found).T
    return before, after


def _check_topics_in_common(
    scores: Scores, measure: str, pairs: Sequence[tuple[int, int]], count: np.ndarray
) -> None:
    """Refuse pairs of runs that have values for fewer than two topics in common."""
    if count.min() < 2:
        pair = int(count.argmin())
        first, second = (scores.names[run] for run in pairs[pair])
        raise UsageError(
            f"{first} and {second} have {'one topic' if count[pair] else 'no topic'} with a value of "
            f"{measure} in common; a comparison needs at least 2 (are these scores per topic?)"
        )


def _tell_left_out(measure: str, values: np.ndarray, shared: np.ndarray, notices: Notices) -> None:
    left_out = int((~np.isnan(values).all(axis=0) & ~shared).sum())
    if left_out:
        notices.add(
            f"{measure}: {{count}} {{topic|topics}} without a value for all runs {{is|are}} left out",
            count=left_out,
        )
