"""The verdict of scores, in sentences: each names its measure, and says only what the numbers support."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from doxeval.comparison.standing import Standing, Standings, listed, standings_of
from doxeval.core.options import ScoringOptions
from doxeval.core.phrases import percent
from doxeval.core.units import BY_SUFFIX
from doxeval.measurement.base import Measure, Measures
from doxeval.scoring.evaluation import NavigationModels
from doxeval.scoring.repetition import REPETITION_DEPTH, REPETITION_MEASURES
from doxeval.scoring.scores import Scores
from doxeval.scoring.selection import of_documents

if TYPE_CHECKING:
    from doxeval.comparison.compare import Comparison

LEAST_REPEATED = 0.01


def waste(standings: Standings) -> list[str]:
    """How much irrelevant text comes with the run that shows most of the relevant text."""
    for standing in standings.values():
        name, rank, unit = standing.cutoff
        precision = standings.get(_label(standings, f"iP@{rank}"))
        if name != "iR" or unit or precision is None:
            continue
        recall = [percent(value) for value in standing.overall]
        shows = [run for run in standing.order.tolist() if not standing.scores.runs[run].shows_nothing]
        top = [run for run in shows if recall[run] == recall[standing.leaders[0]]]
        if not top:
            continue
        wasteful = min(top, key=lambda run: float(precision.overall[run]))
        who = listed([standing.scores.labels.said(standing.scores.names[run]) for run in top], "or")
        results, hold = ("result", "holds") if rank == "1" else (f"{rank} results", "hold")
        told = f"The first {results} of {who} {hold} {recall[wasteful]} of the relevant text, but "
        told += f"{percent(1 - precision.overall[wasteful])} of what {standing.named([wasteful])} shows is "
        told += f"irrelevant ({standing.measure}, {precision.measure})."
        union = standings.get(_label(standings, f"IoU@{rank}"))
        if union is not None and len(union.overall) > 1:
            told += f" Closest to just that text: {union.named(union.leaders)} ({union.measure})."
        return [told] if precision.overall[wasteful] < 0.5 else []
    return []


def within_budget(standings: Standings) -> list[str]:
    """The best run for a reader who stops after a given amount of text, documents, or the like."""
    sentences = []
    for standing in standings.values():
        name, amount, unit = standing.cutoff
        if name == "iR" and unit and percent(standing.overall.max()) != percent(standing.overall.min()):
            worst = int(standing.order[-1])
            most, least = percent(standing.overall.max()), percent(standing.overall[worst])
            sentences.append(
                f"A reader who stops after {BY_SUFFIX[unit].told(amount)} gets most from "
                f"{standing.named(standing.leaders)}: {most} of the relevant text, against {least} from "
                f"{standing.named([worst])} ({standing.measure})."
            )
    return sentences


def repeats(scores: Scores) -> list[str]:
    """The runs that show relevant text again."""
    shares = {run.name: run.repeated.share for run in scores.runs if run.repeated is not None}
    found = sorted(
        (name for name in shares if shares[name] >= LEAST_REPEATED), key=lambda name: -shares[name]
    )
    if not found or len(shares) < len(scores.runs):
        return []
    first, *more = found
    said = scores.labels.said
    told = (
        f"{said(first)} repeats itself: {percent(shares[first])} of the relevant text in its first "
        f"{REPETITION_DEPTH} results was "
    )
    also = listed([f"{said(name)} ({percent(shares[name])})" for name in more])
    told += (
        f"shown before{f', and so do {also}' if len(more) > 1 else f', and so does {also}' if more else ''}"
    )
    return [f"{told} ({', '.join(REPETITION_MEASURES)})."]


def hidden(standings: Standings) -> list[str]:
    """Differences that measures of documents hide."""
    flat = next(
        (
            standing
            for standing in standings.values()
            if of_documents(standing.measure) and _is_share(standing)
        ),
        None,
    )
    fine = [
        standing
        for standing in standings.values()
        if not of_documents(standing.measure) and _is_share(standing)
    ]
    if flat is None or not fine:
        return []
    text = next((standing for standing in fine if standing.cutoff[0] == "IoU"), fine[0])
    if text.spread < 2 * flat.spread:
        return []
    ranges = [
        f"between {standing.overall.min():.2f} and {standing.overall.max():.2f}" for standing in (flat, text)
    ]
    return [
        f"Judged by documents alone ({flat.measure}), all runs lie {ranges[0]}; judged by the text they show "
        f"({text.measure}), {ranges[1]}."
    ]


def _label(standings: Standings, canonical: str) -> str:
    """The text under which a measure was typed, if it was."""
    return next((name for name, one in standings.items() if one.meaning.canonical == canonical), "")


def _is_share(one: Standing) -> bool:
    return one.meaning.high <= 1 and one.measure not in one.scores.summed


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
    ['`a` leads by iP@1 (1.0000), 0.5000 ahead of `b`; one topic cannot tell that from chance.']
    """
    from doxeval.scoring.inputs import scores_given

    scores = scores_given(runs, assessments, measures, documents, navigation, options, pooled=True)
    names = scores.names
    if len(set(names)) < len(names) or scores.pooled:
        return []
    if comparison is not None and comparison.shapes:
        from doxeval.comparison.leads import changes

        return changes(comparison)
    if scores.runs and all(run.shows_nothing for run in scores.runs):
        verb = "shows" if len(names) == 1 else "show"
        who = listed([*map(scores.labels.said, names)])
        return [f"{who} {verb} nothing for any topic: there is nothing to compare."]
    standings = standings_of(scores, comparison)
    if len(scores.runs) < 2:
        return [*waste(standings), *within_budget(standings), *repeats(scores)]
    from doxeval.comparison.leads import leads, told_measures

    told = told_measures(scores, standings, comparison, lead_by)
    others = {name: one for name, one in standings.items() if name not in told}
    return [
        *leads(standings, told, comparison),
        *waste(standings),
        *within_budget(others),
        *repeats(scores),
        *hidden(standings),
    ]
