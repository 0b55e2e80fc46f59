"""The rules of the tasks: how a violation is found, reported with its line, and repaired."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from doxeval.core.facts import Facts
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.kernels.stretches import paint_first


@dataclass(frozen=True, eq=False)
class Broken:
    """Results that break a rule, and for each the earlier result it clashes with."""

    result: np.ndarray
    other: np.ndarray


@dataclass(frozen=True)
class Rule:
    """One rule; `complaint` says how a result conflicts with an earlier one."""

    complaint: str
    find: Callable[[Aligned], Broken]
    repair: Callable[[Aligned, Broken], Aligned]

    def complaints(self, aligned: Aligned, broken: Broken) -> list[str]:
        """Every violation with its place in the file."""
        run, row = aligned.run, aligned.row
        return [
            f"{run.where(row[result])}: topic {aligned.ground.topics[aligned.topic[result]]}, "
            f"document {run.docs[aligned.doc[result]]}: {self.complaint} {run.where(row[other])}"
            for result, other in zip(broken.result.tolist(), broken.other.tolist(), strict=True)
        ]


def _told(aligned: Aligned, message: str, results: np.ndarray) -> None:
    aligned.notices.add_each(message, aligned.row[results], aligned.run.where)


class _Cut:
    """All text of a run, cut wherever a result begins or ends, with the first result to show each piece."""

    def __init__(self, aligned: Aligned) -> None:
        _, article = np.unique(aligned.article, return_inverse=True)
        width = 1 + int(aligned.end.max(initial=0))
        base = article[aligned.result] * width
        cuts = np.unique(np.concatenate([base + aligned.start, base + aligned.end]))
        self.begin = np.searchsorted(cuts, base + aligned.start)
        self.after = np.searchsorted(cuts, base + aligned.end)
        self.first = paint_first(self.begin, self.after, aligned.result, max(0, len(cuts) - 1))
        self.start = cuts[:-1] % width
        self.length = np.diff(cuts)
        shown = self.first >= 0
        unseen = np.bincount(self.first[shown], weights=self.length[shown], minlength=len(aligned))
        self.unseen = unseen.astype(np.int64)


def _find_overlap(aligned: Aligned) -> Broken:
    if not len(aligned.start):
        return Broken(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    cut = _Cut(aligned)
    late = np.flatnonzero(cut.unseen < aligned.size)
    other: dict[int, int] = {}
    for span in np.flatnonzero(np.isin(aligned.result, late)).tolist():
        owners = cut.first[cut.begin[span] : cut.after[span]]
        earlier = owners[owners != aligned.result[span]]
        if len(earlier):
            other.setdefault(int(aligned.result[span]), int(earlier[0]))
    return Broken(late, np.array([other[result] for result in late.tolist()], dtype=np.int64))


def _trim_overlap(aligned: Aligned, broken: Broken) -> Aligned:
    """Trim every result to text that no earlier one shows; drop those that become empty."""
    cut = _Cut(aligned)
    shown = np.flatnonzero(cut.first >= 0)
    shown = shown[np.lexsort((shown, cut.first[shown]))]
    start = cut.start[shown]
    spans, start, end = Ragged.of_rows(cut.first[shown], len(aligned)).merge(start, start + cut.length[shown])
    empty = cut.unseen[broken.result] == 0
    _told(
        aligned,
        "{count} overlapping {result was|results were} trimmed to text not shown before",
        broken.result[~empty],
    )
    _told(
        aligned,
        "{count} {result was|results were} dropped: all {its|their} text was shown before",
        broken.result[empty],
    )
    nodes = aligned.nodes if empty.all() else None
    trimmed = replace(aligned, start=start, end=end, spans=spans, nodes=nodes, facts=Facts())
    keep = np.ones(len(aligned), dtype=bool)
    keep[broken.result[empty]] = False
    return trimmed.select(keep)


def _find_scattered(aligned: Aligned) -> Broken:
    first = aligned.first_of_article
    back = np.flatnonzero((first < np.arange(len(first))) & (np.diff(first, prepend=-1) != 0))
    return Broken(back, first[back])


def _group_articles(aligned: Aligned, broken: Broken) -> Aligned:
    """Move every result up to the first of its article."""
    _told(
        aligned,
        "{count} {result was|results were} moved up to the others of {its|their} article",
        broken.result,
    )
    order = np.argsort(aligned.first_of_article, kind="stable")
    return aligned.rearranged(order, aligned.by_topic)


def _find_further_entries(aligned: Aligned) -> Broken:
    first = aligned.first_of_article
    further = np.flatnonzero(first < np.arange(len(first)))
    return Broken(further, first[further])


def _keep_first_entry(aligned: Aligned, broken: Broken) -> Aligned:
    _told(
        aligned,
        "{count} {result was|results were} dropped: {its|their} article has an entry point already",
        broken.result,
    )
    keep = np.ones(len(aligned), dtype=bool)
    keep[broken.result] = False
    return aligned.select(keep)


NO_OVERLAP = Rule("overlaps the result at", _find_overlap, _trim_overlap)
TOGETHER = Rule("is separated from the result of the same document at", _find_scattered, _group_articles)
ONE_ENTRY_POINT = Rule(
    "is a further entry point; the first one is at", _find_further_entries, _keep_first_entry
)
