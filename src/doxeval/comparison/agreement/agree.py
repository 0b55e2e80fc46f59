"""Agreement of assessors: coefficients for each pair of them and each topic, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from doxeval.comparison.agreement.assessors import named_sources, options_for, read_assessors
from doxeval.comparison.agreement.coefficients import AGREEMENTS, USUAL_COEFFICIENTS
from doxeval.comparison.agreement.disagreements import (
    KINDS,
    SAME,
    Disagreement,
    MarkedPassages,
    marked_passages,
)
from doxeval.comparison.agreement.shared import JUDGED, Shared, shared_text
from doxeval.comparison.intervals import INTERVALS
from doxeval.comparison.methods import Agreeing
from doxeval.comparison.paired import DRAWS
from doxeval.core.errors import UsageError, nearest
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.core.phrases import counted, stated
from doxeval.core.records import rendered
from doxeval.core.table import Readable, Table, shown
from doxeval.ground.ground import prepare_ground
from doxeval.io.read import read_documents
from doxeval.scoring.evaluation import Evaluation, NavigationModels
from doxeval.scoring.scores import ALL, mean

if TYPE_CHECKING:
    import polars

    from doxeval.comparison.agreement.ranking import Rankings
    from doxeval.measurement.base import Measures
    from doxeval.tables.assessments import Assessments
    from doxeval.tables.documents import Documents

AGREEMENT_COLUMNS = ("first", "second", "topic", "measure", "value")


@dataclass(eq=False)
class PairAgreement:
    """Two assessors: `values[coefficient, topic]`, NaN if undefined, and intervals of their means.

    `passages` are those that either highlighted, with how they differ.
    """

    first: str
    second: str
    shared: Shared
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    passages: MarkedPassages


@dataclass(eq=False, repr=False)
class Agreement(Readable):
    """The agreement of every pair of assessors; `frame` and `means` are polars frames.

    `assessments` are those of each assessor, as read. `before` is the agreement before disagreements were
    decided, if any were.
    """

    coefficients: list[str]
    pairs: list[PairAgreement]
    assessments: dict[str, Assessments]
    documents: Documents | None
    confidence: float
    judged: str
    notices: Notices = field(default_factory=Notices)
    before: Agreement | None = None

    @property
    def assessors(self) -> list[str]:
        """The names of the assessors."""
        return list(self.assessments)

    @property
    def disagreements(self) -> list[Disagreement]:
        """The passages on which two assessors differ, and how: whether, where, or in the grade."""
        return [one for pair in self.pairs for one in pair.passages.disagreements(pair.first, pair.second)]

    def rows(self) -> Iterator[tuple[str, str, str, str, float | None]]:
        """`(first, second, topic, measure, value)`, None if undefined; means under the topic `all`."""
        for pair in self.pairs:
            if ALL in pair.shared.topics:
                raise UsageError(f"a topic is named {ALL!r}, which is the name of the means; rename it")
            for topic, values in zip(pair.shared.topics, pair.values.T, strict=True):
                for measure, value in zip(self.coefficients, values.tolist(), strict=True):
                    yield pair.first, pair.second, topic, measure, None if value != value else value
            for measure, values in zip(self.coefficients, pair.values, strict=True):
                value = mean(values)
                yield pair.first, pair.second, ALL, measure, None if value != value else value

    @cached_property
    def frame(self) -> polars.DataFrame:
        """Columns first, second, topic, measure, value; null if a value is undefined."""
        from doxeval.core.polars_here import polars

        schema = {**dict.fromkeys(AGREEMENT_COLUMNS[:-1], polars.String), "value": polars.Float64}
        return polars.DataFrame(list(self.rows()), schema=schema, orient="row")

    @cached_property
    def means(self) -> polars.DataFrame:
        """Columns first, second, measure, value, low, high, topics: means over topics that have a value."""
        from doxeval.core.polars_here import polars

        return polars.DataFrame(
            [
                (pair.first, pair.second, measure, _told(mean(values)), _told(low), _told(high),
                 int((~np.isnan(values)).sum()))
                for pair in self.pairs
                for measure, values, low, high in zip(
                    self.coefficients, pair.values, pair.low, pair.high, strict=True
                )
            ],
            schema={**dict.fromkeys(("first", "second", "measure"), polars.String),
                    **dict.fromkeys(("value", "low", "high"), polars.Float64), "topics": polars.Int64},
            orient="row",
        )  # fmt: skip

    def value(self, first: str, second: str, measure: str, topic: str = ALL) -> float | None:
        """The value of a topic, or the mean; None if undefined."""
        found = {row[:4]: row[4] for row in self.rows()}
        if (first, second, topic, measure) not in found:
            raise UsageError(f"there is no {measure} of {first} and {second} for topic {topic}")
        return found[first, second, topic, measure]

    @property
    def table(self) -> Table:
        """A row per pair: means over topics with their intervals."""
        body = [
            [pair.first, pair.second, str(len(pair.shared.topics)), str(len(pair.shared.names)),
             *map(_cell, pair.values, pair.low, pair.high)]
            for pair in self.pairs
        ]  # fmt: skip
        documents = "that both judged" if self.judged == "both" else "that either judged"
        footer = [
            f"means over topics, in documents {documents}; {stated(self.confidence)} bootstrap (BCa) "
            "intervals"
        ]
        grades = sorted({grade for pair in self.pairs for grade in pair.shared.grades})
        if len(grades) > 1:
            footer.append(
                f"kappa, alpha, alphaU and gamma distinguish grades: {', '.join(f'{g:g}' for g in grades)}"
            )
        footer += [_told_of_passages(pair) for pair in self.pairs]
        header = ["first", "second", "topics", "documents", *self.coefficients]
        return Table(header, body, 2, footer, notices=self.notices)

    def ranking(
        self,
        runs: Any,
        measures: Measures,
        navigation: NavigationModels = None,
        *,
        seed: int = 0,
        confidence: float = 0.95,
        **options: Unpack[ScoringOptions],
    ) -> Rankings:
        """Compare the rankings of runs under each assessor's judgements, by Kendall's tau.

        One correlation per measure, of the means over the topics that all assessors judged; runs, measures
        and options are those of :func:`doxeval.evaluate`.
        """
        from doxeval.comparison.agreement.ranking import rank_by_assessors

        scores = {
            name: Evaluation(
                table, measures, self.documents, navigation, **options_for(table, options)
            ).scores(runs)
            for name, table in self.assessments.items()
        }
        return rank_by_assessors(scores, confidence, seed)

    def rendered(self, format: str = "table", rankings: Rankings | None = None) -> bytes:
        """The coefficients, and how assessors rank runs, as tables; csv and jsonl have a row per topic.

        There the correlations of `rankings` are further coefficients, as in ``tau(AiP)``.
        """
        place = {name: at for at, name in enumerate(self.assessors)}
        taus = (
            (
                pair.first,
                pair.second,
                ALL,
                f"tau({measure})",
                float(found.value[place[pair.first], place[pair.second]]),
            )
            for measure, found in (rankings.correlations if rankings else {}).items()
            for pair in self.pairs
        )
        return rendered(
            format,
            lambda: [dict(zip(AGREEMENT_COLUMNS, row, strict=True)) for row in chain(self.rows(), taus)],
            lambda: [*self.tables, *(rankings.tables if rankings else [])],
        )

    @property
    def tables(self) -> list[Table]:
        """All that people read: coefficients and, if disagreements were decided, what that changed."""
        return [self.table] if self.before is None else [self.table, self._changes(self.before)]

    def _changes(self, before: Agreement) -> Table:
        """Agreement before and after, by kind of disagreement."""
        body = [
            [pair.first, pair.second, when, *(shown(mean(values)) for values in pair.values),
             *(str(count) for count in pair.passages.counts().values())]
            for pairs in zip(before.pairs, self.pairs, strict=True)
            for when, pair in zip(("before", "after"), pairs, strict=True)
        ]  # fmt: skip
        return Table(
            ["first", "second", "decided", *self.coefficients, SAME, *KINDS], body, 3,
            [f"passages marked the same by both, and those that differ: {', '.join(KINDS)}"],
            title="Before and after disagreements were decided",
        )  # fmt: skip


def _told_of_passages(pair: PairAgreement) -> str:
    """A sentence on the kinds of disagreements between two assessors."""
    counts = pair.passages.counts()
    every = counted(sum(counts.values()), "passage")
    return (
        f"{pair.first} and {pair.second}: {every}, {counts[SAME]:,} marked the same; they differ on "
        f"{', '.join(f'{kind}: {counts[kind]:,}' for kind in KINDS)}"
    )


def _told(value: float) -> float | None:
    return None if value != value else float(value)


def _cell(values: np.ndarray, low: float, high: float) -> str:
    return shown(mean(values)) + ("" if low != low else f" [{low:.4f}, {high:.4f}]")


def agree(
    assessments: Mapping[str, Any] | Sequence[Any],
    documents: Any = None,
    *,
    coefficients: Sequence[str] = (),
    judged: str = "both",
    graded: bool = False,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    **options: Unpack[ScoringOptions],
) -> Agreement:
    """Compare what assessors (people or models) highlighted, topic by topic.

    `assessments` are two or more, each anything that :func:`doxeval.read_assessments` takes, or a mapping
    from the assessors' names to them; each assessor in a database of judgements counts, unless `merge` makes
    them one. All `coefficients` but gamma are computed unless some are named. Documents count if both
    assessors of a pair judged them for the topic; with `judged="either"` also those that one did, in which
    nothing is relevant to the other. If `graded`, kappa, alpha, alphaU and gamma distinguish grades, not only
    relevant text from other text. Options are those of :func:`doxeval.evaluate` that affect how assessments
    are read. Judged answers (nuggets, citations) are compared nugget by nugget and citation by citation.

    >>> ann = [{"topic": "t1", "doc": "d1", "start": 0, "end": 30, "length": 100}]
    >>> bob = [{"topic": "t1", "doc": "d1", "start": 10, "end": 40, "length": 100}]
    >>> agree({"ann": ann, "bob": bob}, coefficients=["overlap", "kappa"])
    first  second  topics  documents  overlap   kappa
    ann    bob          1          1   0.5000  0.5238
    means over topics, in documents that both judged; 95% bootstrap (BCa) intervals
    ann and bob: 1 passage, 0 marked the same; they differ on whether: 0, where: 1, grade: 0
    """
    if judged not in JUDGED:
        raise UsageError(
            f"judged must be {' or '.join(map(repr, JUDGED))}, not {judged!r}{nearest(judged, JUDGED)}"
        )
    from doxeval.comparison.agreement.judged import agree_on_answers, answers_given

    named = [coefficients] if isinstance(coefficients, str) else coefficients
    if (answers := answers_given(named_sources(assessments))) is not None:
        drawn = confidence, draws, seed
        return agree_on_answers(answers, named, documents, judged, graded, drawn, options)
    methods = {name: AGREEMENTS[name] for name in dict.fromkeys(named or USUAL_COEFFICIENTS)}
    collection = None if documents is None else read_documents(documents)

    def agreement(tables: dict[str, Assessments]) -> Agreement:
        return _agreement(tables, collection, methods, judged, graded, (confidence, draws, seed), options)

    found = agreement(read_assessors(assessments, options))
    undecided = read_assessors(assessments, options, decisions=False)
    if undecided:
        found.before = agreement(undecided)
    return found


def _agreement(
    tables: dict[str, Assessments], collection: Documents | None, methods: Mapping[str, Agreeing],
    judged: str, graded: bool, drawn: tuple[float, int, int], options: ScoringOptions,
) -> Agreement:  # fmt: skip
    """The agreement of assessors, each given by a table."""
    confidence, draws, seed = drawn
    grounds = {
        name: prepare_ground(table, collection, None, options_for(table, options).get("highlighted"))
        for name, table in tables.items()
    }
    grades = any((ground.unit_grade != 1).any() for ground in grounds.values())
    if graded and not grades:
        raise UsageError("graded would do nothing: the assessments have no grades")
    notices = Notices()
    for ground in grounds.values():
        notices.extend(Notices(ground.assessments.notices, ground.notices))
    pairs = []
    for first, second in combinations(grounds, 2):
        two = grounds[first], grounds[second], (first, second), judged
        shared = shared_text(*two, graded, notices)
        for method in methods.values():
            if method.extent:
                shared.require_lengths(method.name)
        values = np.array([method(shared, seed) for method in methods.values()])
        low, high = INTERVALS["bootstrap"](values, confidence, draws, seed)
        passages = marked_passages(shared if graded or not grades else shared_text(*two, True, Notices()))
        pairs.append(PairAgreement(first, second, shared, values, low, high, passages))
    note_undefined(list(methods), pairs, notices, UNDEFINED)
    return Agreement(list(methods), pairs, tables, collection, confidence, judged, notices)


def note_undefined(
    names: list[str], pairs: list[PairAgreement], notices: Notices, reasons: Mapping[str, str]
) -> None:
    """Report how many topics have no value of a coefficient, and why; means are over the others."""
    values = np.concatenate([pair.values for pair in pairs], axis=1)
    alike: dict[tuple[int, str], list[str]] = {}
    for name, count in zip(names, np.isnan(values).sum(axis=1).tolist(), strict=True):
        if count:
            alike.setdefault((count, reasons.get(name, "it is undefined")), []).append(name)
    for (count, why), undefined in alike.items():
        of = f"of {counted(values.shape[1], 'value')} {{is|are}} not in the mean: {why}"
        message = f"{', '.join(undefined)}: {{count}} {of}"
        notices.add(message, count=count, harmless=True, lasting=True)


UNDEFINED = {
    **dict.fromkeys(("overlap", "F1", "alphaU"), "neither assessor highlighted anything"),
    **dict.fromkeys(("kappa", "alpha"), "both put all text into one class, so chance explains it"),
    "gamma": "one of the assessors highlighted nothing",
}
