"""Documents as readers open them, each once, at its first result; or results, each read by itself."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from doxeval.core.facts import Facts, once
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged, sums_by
from doxeval.ground.aligned import Aligned, ByTopic
from doxeval.ground.ground import Ground
from doxeval.ground.seen import cut_into_stretches
from doxeval.tables.runs import NOWHERE


@dataclass(eq=False)
class DocumentPieces:
    """Relevant documents cut, from their first to their last character, where anything begins or ends.

    Columns in document order: the number of the `document`, `[start, end)`, whether the piece `is_relevant`,
    and the result that shows it `first` (-1: none was retrieved there).
    """

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    is_relevant: np.ndarray
    first: np.ndarray


@dataclass(eq=False)
class Opened(ByTopic):
    """The documents of `results` results in all, listed `by_topic`, best first.

    `first_result` is the first result of a document; `relevant` counts its relevant characters (0: not
    relevant, and no pieces); `entry` is where the best-ranked passage starts, `target` the best entry point,
    or the first relevant character if the assessor set none. Not `in_context`, each result is a document by
    itself (see :func:`open_results`). A document is `placed` if any of its results has a place in it; one
    that is not offers nothing to read.
    """

    ground: Ground
    results: int
    by_topic: Ragged
    first_result: np.ndarray
    length: np.ndarray
    relevant: np.ndarray
    entry: np.ndarray
    target: np.ndarray
    pieces: DocumentPieces
    placed: np.ndarray
    in_context: bool = True
    facts: Facts = field(default_factory=Facts)

    def __len__(self) -> int:
        return len(self.first_result)

    @property
    def is_relevant(self) -> np.ndarray:
        """Whether anything in the document is relevant to the topic."""
        return self.relevant > 0

    def per_document(self, document: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Sums of a column over pieces, for each document."""
        return sums_by(document, values, len(self))

    def per_result(self, values: np.ndarray) -> np.ndarray:
        """A column over documents as one over results, with each value at the document's first result."""
        column = np.zeros(self.results)
        column[self.first_result] = values
        return column


@once
def open_documents(aligned: Aligned) -> Opened:
    """The documents of a run."""
    first_result = aligned.openings
    topic, pair = aligned.topic[first_result], aligned.pair[first_result]
    length = aligned.doc_length[aligned.doc[first_result]]
    relevant = np.where(pair >= 0, aligned.ground.pair_relevant[pair], 0) if len(pair) else pair
    first_placed = _first_placed(aligned, first_result)
    placed = first_placed < len(aligned)
    entry = _first_character(aligned, np.where(placed, first_placed, first_result))
    entry = np.minimum(entry, np.maximum(length - 1, 0))
    target = _best_entry_points(aligned, pair, relevant, length)
    return Opened(
        aligned.ground,
        len(aligned),
        Ragged.of_rows(topic, len(aligned.ground.topics)),
        first_result,
        length,
        relevant,
        entry,
        target,
        _cut(aligned, pair, relevant, length, entry, target),
        placed,
    )


def _first_placed(aligned: Aligned, first_result: np.ndarray) -> np.ndarray:
    """For each document its first result that has a place in it; the number of all results if none has.

    A result without an offset has no place, nor has one whose nodes are unknown.
    """
    run = aligned.run
    placed = aligned.spans.counts > 0
    if aligned.nodes is not None:
        placed |= aligned.nodes[0].counts > 0
    without_offset = np.flatnonzero(run.start >= NOWHERE)
    placed &= ~np.isin(aligned.row, run.spans.row[without_offset])
    if placed.all():
        return first_result
    _, document = np.unique(aligned.article, return_inverse=True)
    first = np.full(len(aligned), len(aligned))
    np.minimum.at(first, document[placed], np.flatnonzero(placed))
    return first[document[first_result]]


def _first_character(aligned: Aligned, result: np.ndarray) -> np.ndarray:
    """The start of each result; 0 for one without any text."""
    ranges, span = aligned.spans.take(result)
    first = np.zeros(len(result), dtype=np.int64)
    has_text = ranges.counts > 0
    first[has_text] = aligned.start[span[ranges.first[has_text]]]
    return first


def _best_entry_points(
    aligned: Aligned, pair: np.ndarray, relevant: np.ndarray, length: np.ndarray
) -> np.ndarray:
    offset, start, _ = aligned.ground.relevant
    target = np.zeros(len(pair), dtype=np.int64)
    rows = np.flatnonzero(relevant > 0)
    bep = aligned.ground.assessments.bep[pair[rows]]
    target[rows] = np.where(bep >= 0, np.minimum(bep, length[rows]), start[offset[pair[rows]]])
    return target


@once
def tell_entry_points(ground: Ground) -> None:
    """Report best entry points without information: none was set, or all are the same."""
    bep = ground.assessments.bep[np.unique(ground.unit_pair)]
    set_points = bep[bep >= 0]
    if len(bep) and not len(set_points):
        ground.notices.add(
            "no relevant document has a best entry point; the first relevant character is used instead",
            harmless=True,
            lasting=True,
        )
    elif len(set_points) > 1 and (set_points == set_points[0]).all():
        message = f"all {len(set_points):,} best entry points are {set_points[0]}, so they cannot be real"
        ground.notices.add(message, lasting=True)


def _cut(
    aligned: Aligned,
    pair: np.ndarray,
    relevant: np.ndarray,
    length: np.ndarray,
    entry: np.ndarray,
    target: np.ndarray,
) -> DocumentPieces:
    rows = np.flatnonzero(relevant > 0)
    places = (np.zeros(len(rows), dtype=np.int64), length[rows], entry[rows], target[rows])
    stretches = cut_into_stretches(aligned, (np.tile(pair[rows], len(places)), np.concatenate(places)))
    document_of_pair = np.full(len(aligned.ground.pair_relevant), -1, dtype=np.int64)
    document_of_pair[pair[rows]] = rows
    document = document_of_pair[stretches.pair]
    inside = stretches.end <= length[document] if len(document) else np.zeros(0, dtype=bool)
    return DocumentPieces(
        document[inside],
        stretches.start[inside],
        stretches.end[inside],
        stretches.weight[inside] > 0,
        stretches.first[inside],
    )


@once
def open_results(aligned: Aligned) -> Opened:
    """The results of a run, each as a document that ends where the result ends.

    A relevant passage is found once: its text is relevant in the first result that shows any of it, so that
    cutting a passage into many results earns nothing. Text shown again is read again. Text of a result that
    is in no document is read before its ranges.
    """
    finds, begins = _finds(aligned), aligned.spans.at(aligned.start, 0) - aligned.added_size
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
    """Whether each stretch is relevant text by which its first result finds a passage."""
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


def _pieces(aligned: Aligned, finds: np.ndarray, begins: np.ndarray, finding: np.ndarray) -> DocumentPieces:
    """The ranges of the results `finding` a passage, cut where relevant text or a result begins or ends."""
    stretches = aligned.stretches
    span = np.flatnonzero(finding[aligned.result] & (aligned.end > aligned.start))
    width = 1 + int(max(aligned.end.max(initial=0), stretches.start.max(initial=0)))
    place, key = stretches.pair * width + stretches.start, aligned.pair[aligned.result[span]] * width
    begin = np.searchsorted(place, key + aligned.start[span])
    within = Ragged.of_counts(np.searchsorted(place, key + aligned.end[span]) - begin)
    stretch = within.expand(begin) + within.place
    result = within.expand(aligned.result[span])
    added = np.flatnonzero(finding & (aligned.added_size > 0))
    start = begins[added]
    owner = np.concatenate([added, result])
    return DocumentPieces(
        owner,
        np.concatenate([start, stretches.start[stretch]]),
        np.concatenate([start + aligned.added_size[added], stretches.end[stretch]]),
        np.concatenate(
            [np.zeros(len(added), dtype=bool), finds[stretch] & (stretches.first[stretch] == result)]
        ),
        owner,
    )


@once
def relevant_passages(ground: Ground) -> np.ndarray:
    """The number of relevant passages of each topic, those that touch counted as one."""
    topic = ground.assessments.pair_topic[ground.relevant_by_pair.row]
    return np.bincount(topic, minlength=len(ground.topics))
