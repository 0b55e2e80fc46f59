"""The provider: it comes before those of ir_measures and computes everything about passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
from ir_measures.providers import Evaluator, FallbackProvider, Provider

import doxeval as dx
from doxeval import Evaluation, Scores
from doxeval.extend import DocumentMeasure, Measure
from doxeval.ir.measures import PassageMeasure, expression_of
from doxeval.ir.rows import GivenRows
from doxeval.ir.settings import settings


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
