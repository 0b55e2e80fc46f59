"""The provider: it comes before those of ir_measures and computes everything about passages.

Runs and judgements are rows as ir_measures takes them, with columns for the places of passages; what it has
no place for (documents, a navigation model, conventions) is set by :func:`use`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Unpack

import ir_measures
from ir_measures.providers import Evaluator, FallbackProvider, Provider

import doxeval as dx
from doxeval import Evaluation, Scores, ScoringOptions, read_documents
from doxeval.core.options import checked_options
from doxeval.extend import DocumentMeasure, Measure
from doxeval.io.formats.build_tables import ASSESSMENT_KEYS, RUN_KEYS
from doxeval.io.formats.row_places import PLACE_KEYS
from doxeval.ir.passage_measures import PassageMeasure, expression_of

OURS = {"query_id": "topic", "doc_id": "doc", "relevance": "rel"}
"""The names of their columns in doxeval."""
PLACE_COLUMNS = {*PLACE_KEYS, "page", "quote"}
PASSAGE_SUFFIX = re.compile(r"%p[0-9]+$")
"""The suffix that PyTerrier appends to the name of a document cut into passages."""


@dataclass
class GivenRows:
    """Rows of a frame, of named tuples or of a dict of dicts: as `given`, and the `columns` they have."""

    given: Any
    columns: list[str]
    value: str

    @classmethod
    def of(cls, data: Any, value: str) -> GivenRows:
        """Anything ir_measures takes; `value` names the values of a dict of dicts."""
        if hasattr(data, "columns"):
            return cls(data, [str(name) for name in data.columns], value)
        if isinstance(data, Mapping):
            return cls(data, ["query_id", "doc_id", value], value)
        rows = list(data)
        return cls(rows, list(getattr(rows[0], "_fields", ())) if rows else [], value)

    @property
    def have_places(self) -> bool:
        """Whether any column gives a place in a document."""
        return not PLACE_COLUMNS.isdisjoint(self.columns)

    def as_assessments(self) -> Any:
        """The assessments, as doxeval reads them."""
        return self._only(ASSESSMENT_KEYS)

    def as_run(self, with_documents: bool) -> Any:
        """Results as doxeval reads them, in the order of their scores as in ir_measures.

        Passages with a text but no place are located in the documents, if there are any.
        """
        sought = with_documents and "text" in self.columns and not self.have_places
        kept = self._only([key for key in RUN_KEYS if key != "rank" and (sought or key != "text")])
        return _with_documents_named(kept) if sought else kept

    def _only(self, keys: Any) -> Any:
        taken = {OURS[name] for name in self.columns if name in OURS}
        names = {name: OURS.get(name, name) for name in self.columns if name not in taken}
        names = {name: key for name, key in names.items() if key in keys}
        if hasattr(self.given, "columns"):
            return self.given[list(names)].rename(columns=names)
        if isinstance(self.given, Mapping):
            return [
                {"topic": topic, "doc": doc, names[self.value]: value}
                for topic, docs in self.given.items()
                for doc, value in docs.items()
            ]
        rows = ({key: getattr(row, name) for name, key in names.items()} for row in self.given)
        return [{key: value for key, value in row.items() if value is not None} for row in rows]


def _with_documents_named(rows: Any) -> Any:
    """Rows of passages under the names of their documents, without what PyTerrier appends."""
    if isinstance(rows, list):
        return [{**row, "doc": PASSAGE_SUFFIX.sub("", row["doc"])} for row in rows]
    return rows.assign(doc=[PASSAGE_SUFFIX.sub("", doc) for doc in rows["doc"]])


@dataclass(frozen=True)
class Settings:
    """The settings that measures are computed with."""

    documents: Any = None
    navigation: str | None = None
    options: ScoringOptions = field(default_factory=ScoringOptions)


_in_force = [Settings()]


def settings() -> Settings:
    """The settings in use."""
    return _in_force[-1]


class use:
    """Compute measures with these documents, navigation model and options; see :func:`doxeval.evaluate`.

    Permanently, or within a ``with`` block. Documents are read once, here.

    >>> with use({"d1": "One. Two."}, navigation="readon(mean=200)"):
    ...     settings().navigation
    'readon(mean=200)'
    >>> settings().navigation
    """

    def __init__(
        self, documents: Any = None, navigation: str | None = None, **options: Unpack[ScoringOptions]
    ) -> None:
        checked_options(options)
        known = None if documents is None else read_documents(documents)
        self._before = settings()
        _in_force[-1] = Settings(known, navigation, options)

    def __enter__(self) -> use:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _in_force[-1] = self._before


class PassageProvider(Provider):
    """Computes our measures, and those of ir_measures too where assessments have places in documents.

    A document with several passages in the list takes the rank of the first; with other providers, its last
    one would count. Input without places goes to the other providers as if this one were not there.
    """

    NAME = "doxeval"

    @property
    def others(self) -> Any:
        """The providers that come after this one."""
        return FallbackProvider([one for one in ir_measures.DefaultPipeline.providers if one is not self])

    def supports(self, measure: Any) -> bool:
        """Ours, and what any other provider computes."""
        measure.validate_params()
        return isinstance(measure, PassageMeasure) or self.others.supports(measure)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        judged, asked = GivenRows.of(qrels, "relevance"), list(measures)
        if judged.have_places or any(isinstance(measure, PassageMeasure) for measure in asked):
            return PassageEvaluator(asked, judged)
        return self.others.evaluator(asked, judged.given)

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        """The columns that every run has; a result without a place is a whole document."""
        return ["query_id", "doc_id", "score"]


class PassageEvaluator(Evaluator):
    """An evaluation of doxeval; `scores` are those of the last run, with all that was noticed."""

    scores: Scores

    def __init__(self, measures: list[Any], judged: GivenRows) -> None:
        self.settings = settings()
        asked = {measure: _named(measure) for measure in sorted(measures, key=str)}
        navigates = any(
            isinstance(name, str) and dx.measure(name).takes_navigation for name in asked.values()
        )
        self.evaluation = Evaluation(
            judged.as_assessments(), asked.values(), self.settings.documents,
            self.settings.navigation if navigates else None, **self.settings.options,
        )  # fmt: skip
        super().__init__(list(asked), self.evaluation.ground.topics)

    def _score(self, run: Any) -> Scores:
        rows = GivenRows.of(run, "score").as_run(self.settings.documents is not None)
        self.scores = self.evaluation.score(rows)
        self.scores.warn()
        return self.scores

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """The value of each topic that counts, NaN if nothing in it is relevant."""
        (scored,) = self._score(run).runs
        for measure, values in zip(self.measures, scored.values.tolist(), strict=True):
            for topic, value, counts in zip(self.qrel_qids, values, scored.counted.tolist(), strict=True):
                if counts:
                    yield ir_measures.Metric(topic, measure, value)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """The means that ``doxeval eval`` shows, digit for digit."""
        return self._means(self._score(run))

    def calc(self, run: Any) -> Any:
        """The same with the values of each topic."""
        metrics = list(self.iter_calc(run))
        return ir_measures.CalcResults(self._means(self.scores), metrics)

    def _means(self, scores: Scores) -> dict[Any, float]:
        means = [row[3] for row in scores.rows(per_topic=False)]
        return {
            measure: float("nan") if mean is None else mean
            for measure, mean in zip(self.measures, means, strict=True)
        }


def _named(measure: Any) -> str | Measure:
    """A measure of ours by its name, which a navigation model may be added to; one of theirs on documents."""
    return (
        measure.bound.label
        if isinstance(measure, PassageMeasure)
        else DocumentMeasure(expression_of(measure))
    )


def join_pipeline() -> None:
    """Put this provider before the others, once."""
    if PassageProvider.NAME not in ir_measures.providers.registry:
        provider = ir_measures.providers.register(PassageProvider())
        ir_measures.DefaultPipeline.providers.insert(0, provider)
