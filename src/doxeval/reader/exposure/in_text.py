"""Exposure for relevance as highlighted text: partial hits, and reading on from what a result covers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from doxeval.core.facts import once
from doxeval.core.grammar import Call
from doxeval.core.ragged import sums_by
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.reader.consulted import covered_nodes, document_of_result
from doxeval.reader.exposure.meeting_chances import blocks_if_few, meet
from doxeval.reader.exposure.meetings import Changes, Encounters, Meetings, Reader, changes_at
from doxeval.reader.navigation.model import Navigation, navigation_of
from doxeval.reader.node_trees import Trees
from doxeval.reader.relevant_text import RelevantText, owned_text, relevant_text

Showings = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Text shown, one row each: the result or range, the piece, and the number of characters."""


@once
def total_worth(ground: Ground, rel: str) -> np.ndarray:
    """All there is to gain in each topic."""
    pieces = relevant_text(ground)
    worth = pieces.worth(rel) * (pieces.end - pieces.start)
    return sums_by(ground.assessments.pair_topic[pieces.pair], worth, len(ground.has_relevant))


def with_repetition(aligned: Aligned, reader: Reader, hits: np.ndarray) -> np.ndarray:
    """Hits with alpha times the worth of text that results show again."""
    if not reader.alpha:
        return hits
    return hits + float(reader.alpha) * repeated_worth(aligned, reader.rel)


def repeated_worth(aligned: Aligned, rel: str) -> np.ndarray:
    """For each result the worth of the relevant text in it that was shown before."""
    pieces = relevant_text(aligned.ground)
    worth = pieces.worth(rel)
    span = np.flatnonzero(aligned.pair[aligned.result] >= 0)
    row, piece, length = _shared_text(
        pieces, aligned.pair[aligned.result[span]], aligned.start[span], aligned.end[span]
    )
    held = sums_by(aligned.result[span[row]], worth[piece] * length, len(aligned))
    result, piece, length = freshly_shown(aligned, pieces)
    fresh = sums_by(result, worth[piece] * length, len(aligned))
    return np.maximum(held - fresh, 0.0)


def _shared_text(pieces: RelevantText, pair: np.ndarray, start: np.ndarray, end: np.ndarray) -> Showings:
    """Text shared by ranges and pieces, one row each: range, piece and number of characters."""
    row, piece, first, last = pieces.shared_with(pair, start, end)
    return row, piece, last - first


def freshly_shown(aligned: Aligned, pieces: RelevantText) -> Showings:
    """Relevant text when first shown: the result, the piece, and the number of characters."""
    stretches = aligned.stretches
    first = np.flatnonzero((stretches.first >= 0) & (stretches.weight > 0))
    row, piece, length = _shared_text(
        pieces, stretches.pair[first], stretches.start[first], stretches.end[first]
    )
    return stretches.first[first[row]], piece, length


def changes_by_nodes(aligned: Aligned, reader: Reader, model: Navigation) -> Changes:
    """Changes with near-misses by the nodes that own the text: Eq. 4 with the owner as the target tree."""
    hits, near, misses = changes_at(encounters_of_text(aligned, reader, model), len(aligned))
    return Changes(
        with_repetition(aligned, reader, hits), near, misses, total_worth(aligned.ground, reader.rel)
    )


def encounters_of_text(aligned: Aligned, reader: Reader, model: Navigation) -> Iterator[Encounters]:
    """Owners of relevant text and the results they meet, with the text each result is the first to show."""
    text = owned_text(aligned.ground)
    worth = text.pieces.worth(reader.rel)
    total = text.per_owner(worth * (text.pieces.end - text.pieces.start))
    _, piece, characters = first_shown(aligned)
    for met in _kept_meetings(aligned, model.call) or _meet_owners(aligned, model):
        fresh = met.fresh
        shown = sums_by(met.fresh_at, worth[piece[fresh]] * characters[fresh], len(met))
        yield Encounters(met, shown, total[met.first : met.first + len(met.by_unit)])


@dataclass(eq=False)
class OwnersMet(Meetings):
    """Meetings of owners of text with results: rows of `fresh` are at the meetings `fresh_at`."""

    fresh: slice
    fresh_at: np.ndarray


@once
def first_shown(aligned: Aligned) -> Showings:
    """Text when first shown, by owner, and in the order of results for each."""
    text = owned_text(aligned.ground)
    result, piece, characters = freshly_shown(aligned, text.pieces)
    order = np.argsort(text.owner[piece], kind="stable")
    return result[order], piece[order], characters[order]


@once
def _kept_meetings(aligned: Aligned, navigation: Call) -> list[OwnersMet] | None:
    return blocks_if_few(_meet_owners(aligned, navigation_of(aligned.ground, navigation)))


def _meet_owners(aligned: Aligned, model: Navigation) -> Iterator[OwnersMet]:
    """Meetings of owners of text with results: the mean of p(owner; f) over the nodes f of the result.

    If the owner itself is one of them, the chance is the share of its text that the result holds.
    """
    text, (result, piece, _) = owned_text(aligned.ground), first_shown(aligned)
    doc = aligned.ground.doc_index[aligned.ground.assessments.pair_doc[text.pair]]
    results, owner, width = nodes_of_results(aligned, model), text.owner[piece], max(1, len(aligned))
    for met in meet(model, aligned, Trees.single(doc, text.node), text.pair, results, also=(owner, result)):
        if model.name != "none":
            inside = np.flatnonzero(met.common > 0)
            met.chance[inside] = shares_held(aligned, met.result[inside], text.node[met.unit[inside]])
        fresh = slice(*np.searchsorted(owner, [met.first, met.first + len(met.by_unit)]).tolist())
        rows = owner[fresh] * width + result[fresh]
        matters = met.along(model, aligned).chance > 0
        matters[np.searchsorted(met.unit * width + met.result, rows)] = True
        met = met.keep(matters)
        at = np.searchsorted(met.unit * width + met.result, rows)
        yield OwnersMet(**vars(met), fresh=fresh, fresh_at=at)


@once
def nodes_of_results(aligned: Aligned, model: Navigation) -> Trees:
    """The nodes that results cover; a document without a known tree is one node, 0."""
    relevant = aligned.pair >= 0
    relevant[relevant] = aligned.ground.pair_relevant[aligned.pair[relevant]] > 0
    rows = np.arange(len(aligned)) if model.crosses else np.flatnonzero(relevant)
    doc = document_of_result(aligned)
    owner, node = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if aligned.ground.documents is not None and model.name != "none":
        trees = covered_nodes(aligned, rows)
        owner, node = rows[trees.owner], trees.node
    alone = np.flatnonzero(relevant & (doc < 0) & (aligned.size > 0))
    return Trees.gathered(
        doc, np.concatenate([owner, alone]), np.concatenate([node, np.zeros(len(alone), dtype=np.int64)])
    )


def shares_held(aligned: Aligned, result: np.ndarray, node: np.ndarray) -> np.ndarray:
    """The share of each node's text that the result shows."""
    documents, doc = aligned.ground.documents, document_of_result(aligned)[result]
    begin, stop = np.zeros(len(result), dtype=np.int64), aligned.doc_length[aligned.doc[result]]
    has_tree = doc >= 0
    if documents is not None and has_tree.any():
        begin[has_tree], stop[has_tree] = documents.extent(doc[has_tree], node[has_tree])
    ranges, span = aligned.spans.take(result)
    first, after = (
        np.maximum(aligned.start[span], ranges.expand(begin)),
        np.minimum(aligned.end[span], ranges.expand(stop)),
    )
    total = ranges.sum(np.maximum(after - first, 0))
    return np.divide(total, stop - begin, out=np.zeros(len(result)), where=stop > begin)
