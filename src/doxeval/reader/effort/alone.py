"""Results read on their own: a list of passages without the documents around them (Effort section 6)."""

from __future__ import annotations

import numpy as np

from doxeval.core.facts import once
from doxeval.core.ragged import Ragged, sums_by
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.reader.effort.opened import DocumentPieces, Opened


@once
def open_results(aligned: Aligned) -> Opened:
    """The results of a run, each as a document that ends where the result ends.

    A relevant passage is found once: its text is relevant in the first result that shows any of it, so that
    cutting a passage into many results earns nothing. Text shown again is read again. Text of a result that
    is in no document is read before its ranges.
    """
    finds, begins = _finds(aligned), _starts(aligned)
    finding = np.flatnonzero(finds)
    result = aligned.stretches.first[finding]
    relevant = sums_by(result, aligned.stretches.weight[finding], len(aligned)).astype(np.int64)
    first = np.full(len(aligned), np.iinfo(np.int64).max)
    np.minimum.at(first, result, aligned.stretches.start[finding])
    return Opened(
        aligned.ground, len(aligned), aligned.by_topic, np.arange(len(aligned)), aligned.size, relevant,
        begins, np.where(relevant > 0, first, 0), _pieces(aligned, finds, begins, relevant > 0), relevant > 0,
        in_context=False,
    )  # fmt: skip


def _finds(aligned: Aligned) -> np.ndarray:
    """Which stretches are relevant text by which their first result finds a passage."""
    stretches, (_, start, end) = aligned.stretches, aligned.ground.relevant
    shown = np.flatnonzero((stretches.first >= 0) & (stretches.weight > 0))
    width = 1 + int(end.max(initial=0))
    passages = aligned.ground.relevant_by_pair.row * width + start
    place = stretches.pair[shown] * width + stretches.start[shown]
    passage = np.searchsorted(passages, place, side="right") - 1
    found_by = np.full(len(passages), len(aligned))
    np.minimum.at(found_by, passage, stretches.first[shown])
    finds = np.zeros(len(stretches.first), dtype=bool)
    finds[shown] = stretches.first[shown] == found_by[passage]
    return finds


def _starts(aligned: Aligned) -> np.ndarray:
    """Where each result begins, with any text before its ranges; 0 for one without ranges."""
    return aligned.spans.at(aligned.start, 0) - aligned.added_size


def _pieces(aligned: Aligned, finds: np.ndarray, begins: np.ndarray, finding: np.ndarray) -> DocumentPieces:
    """The ranges of the results `finding` a passage, cut where relevant text or a result begins or ends."""
    stretches = aligned.stretches
    span = np.flatnonzero(finding[aligned.result] & (aligned.end > aligned.start))
    width = 1 + int(max(aligned.end.max(initial=0), stretches.start.max(initial=0)))
    place, key = stretches.pair * width + stretches.start, aligned.pair[aligned.result[span]] * width
    begin = np.searchsorted(place, key + aligned.start[span])
    within = Ragged.of_counts(np.searchsorted(place, key + aligned.end[span]) - begin)
    at = within.expand(begin) + within.place
    result = within.expand(aligned.result[span])
    added = np.flatnonzero(finding & (aligned.added_size > 0))
    start = begins[added]
    owner = np.concatenate([added, result])
    return DocumentPieces(
        owner,
        np.concatenate([start, stretches.start[at]]),
        np.concatenate([start + aligned.added_size[added], stretches.end[at]]),
        np.concatenate([np.zeros(len(added), dtype=bool), finds[at] & (stretches.first[at] == result)]),
        owner,
    )


@once
def relevant_passages(ground: Ground) -> np.ndarray:
    """The number of relevant passages of each topic, those that touch counted as one."""
    topic = ground.assessments.pair_topic[ground.relevant_by_pair.row]
    return np.bincount(topic, minlength=len(ground.topics))
