"""The verdict of scores, in sentences: each names its measure, and says only what the numbers support."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from doxeval.comparison.observations import hidden, repeats, waste, within_budget
from doxeval.comparison.standing import listed, standing
from doxeval.core.options import ScoringOptions
from doxeval.measurement.base import Measure, Measures
from doxeval.scoring.evaluation import NavigationModels
from doxeval.scoring.inputs import scores_given

if TYPE_CHECKING:
    from doxeval.comparison.compare import Comparison


def verdict(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    comparison: Comparison | None = None,
    lead_by: str | Measure | None = None,
    **options: Unpack[ScoringOptions],
) -> list[str]:
    """Summarise scores: who leads, what may be chance, who serves a hurried reader, who repeats text.

    `runs` are scores, or runs with what :func:`doxeval.evaluate` needs to score them. The lead is given by
    the measure `lead_by`, by default the first one that uses text; for a comparison, which has tested them
    all, by the first few. Without one, the lead is tested as by `compare`. Measures of unknown direction are
    left out, as are those by which runs have values for different topics.

    >>> import doxeval
    >>> answers = [{"topic": "t1", "doc": "d1", "start": 0, "end": 10}]
    >>> result = {"topic": "t1", "doc": "d1", "rank": 1, "start": 0}
    >>> runs = {"a": [result | {"end": 10}], "b": [result | {"end": 20}]}
    >>> doxeval.verdict(runs, answers, "iP@1")
    ['a leads by iP@1 (1.0000), 0.5000 ahead of b; one topic cannot tell that from chance.']
    """
    scores = scores_given(runs, assessments, measures, documents, navigation, options, pooled=True)
    names = scores.names
    if len(set(names)) < len(names) or scores.pooled:
        return []
    if comparison is not None and comparison.shapes:
        from doxeval.comparison.leads import changes

        return changes(comparison)
    if scores.runs and all(run.shows_nothing for run in scores.runs):
        verb = "shows" if len(names) == 1 else "show"
        return [f"{listed(names)} {verb} nothing for any topic: there is nothing to compare."]
    found = [standing(scores, measure, comparison) for measure in scores.measures]
    standings = {one.measure: one for one in found if one is not None}
    sentences = [*waste(standings), *within_budget(standings), *repeats(scores)]
    if len(scores.runs) < 2:
        return sentences
    from doxeval.comparison.leads import leads

    return [*leads(scores, standings, comparison, lead_by), *sentences, *hidden(standings)]
