"""Bounds for measures of documents under further judgements.

A document is relevant if any text in it is, so an open one is relevant or not, as a whole. None of the
measures here falls when a relevant document takes the place of an irrelevant one before it, or is retrieved
instead of not. With n open documents relevant, the value is therefore largest if they are the first n that
the run shows, and smallest if they are the last n, with those it does not show last of all. Going over all n
gives both extremes exactly. Measures in `MORE_IS_BETTER` never fall when one more document is relevant: there
the extremes are those of all and of none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.open_text import assessed_pairs, with_open_text
from doxeval.measurement.families.borrowed import compute, evaluator
from doxeval.measurement.families.bounds import Bounds
from doxeval.measurement.families.flat import judged_documents, ranked_documents

MORE_IS_BETTER = frozenset({"P", "RR", "Success", "SetP", "NumRel", "NumRelRet", "NumRet", "ERR", "RBP"})
EARLIER_IS_BETTER = MORE_IS_BETTER | {"AP", "nDCG", "R", "Rprec", "SetR", "SetF", "SetAP", "IPrec"}
GRADED = frozenset({"nDCG", "ERR", "RBP"})
MOST_ENTRIES = 30_000_000
"""The most documents in lists passed to ir_measures; more would take too long."""


def unbounded(measure: Any, ground: Ground) -> str:
    """The reason why a measure of ir_measures has no bounds; empty if it has."""
    if measure.NAME not in EARLIER_IS_BETTER:
        return "the effect of unjudged documents on it is not known"
    if measure.params.get("judged_only"):
        return "it leaves out unjudged documents (judged_only)"
    if measure.NAME in GRADED and "rel" not in measure.params and highest_grade(ground) > 1:
        return "it uses grades, and bounds are known only for binary relevance"
    return ""


def highest_grade(ground: Ground) -> int:
    """The highest grade of a document, at least 1; given to open documents that are relevant."""
    return max(1, int(np.ceil(ground.pair_grade.max(initial=0))))


def document_bounds(measure: Any, label: str, aligned: Aligned, opened: Ground) -> Bounds:
    """The smallest and the largest value of each topic."""
    ranked, judged = ranked_documents(aligned), judged_documents(aligned.ground)
    grade, at_once = highest_grade(aligned.ground), measure.NAME in MORE_IS_BETTER
    cutoff = measure.params.get("cutoff")
    lists: dict[str, dict[str, float]] = {}
    truths: dict[str, dict[str, int]] = {}
    for topic, names in enumerate(_open_documents(aligned, opened)):
        shown = ranked.get(str(topic), {})
        if cutoff is not None:
            shown = dict(sorted(shown.items(), key=lambda entry: -entry[1])[:cutoff])
        for count in {0, len(names)} if at_once else range(len(names) + 1):
            for side, chosen in (("high", names[:count]), ("low", names[len(names) - count :])):
                key = f"{topic}.{side}.{count}"
                lists[key] = shown
                truths[key] = judged[str(topic)] | dict.fromkeys(chosen, grade)
    if sum(map(len, lists.values())) > MOST_ENTRIES:
        raise UsageError(
            f"{label}: too many unjudged documents to try all their judgements; use fewer results "
            "(--depth 100), or a cut-off"
        )
    return _extremes(measure, label, lists, truths, len(aligned.count))


def _extremes(
    measure: Any, label: str, lists: dict[str, dict[str, float]], truths: dict[str, dict[str, int]], size: int
) -> Bounds:
    bounds = Bounds(np.full(size, np.nan), np.full(size, np.nan))
    ((_, found),) = compute(evaluator([measure], truths, label), lists, label)
    for key, value in found.items():
        topic, side, _ = key.split(".")
        values, pick = (bounds.high, np.fmax) if side == "high" else (bounds.low, np.fmin)
        values[int(topic)] = pick(values[int(topic)], value)
    return bounds


def _open_documents(aligned: Aligned, opened: Ground) -> list[list[str]]:
    """The names of each topic's open documents: those the run shows in order, then the others."""
    view, table = with_open_text(aligned, opened), opened.assessments
    first = aligned.openings
    place = Ragged.of_rows(aligned.topic[first], len(aligned.count)).place
    is_open = (aligned.pair[first] < 0) & (view.pair[first] >= 0)
    first = first[is_open]
    names: list[list[str]] = [[] for _ in aligned.count]
    for topic, rank in zip(aligned.topic[first].tolist(), place[is_open].tolist(), strict=True):
        names[topic].append(f"r{rank}")
    unjudged = assessed_pairs(aligned.ground, table.pair_topic, table.pair_doc, table.docs) < 0
    unjudged[view.pair[first]] = False
    for pair in np.flatnonzero(unjudged).tolist():
        names[table.pair_topic[pair]].append(f"u{pair}")
    return names
