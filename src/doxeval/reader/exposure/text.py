"""Exposure where relevance is highlighted text: partial hits, and reading on from what a result covers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from doxeval.core.grammar import Call
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.reader.exposure.expose import Changes, Reader, navigation_of
from doxeval.reader.exposure.grouping import expand, keys, overlaps, sums, width_of
from doxeval.reader.exposure.meetings import Encounters, Meetings, meet
from doxeval.reader.exposure.pieces import Pieces, cut_at_nodes, text_pieces
from doxeval.reader.exposure.results import covered, document_of_result
from doxeval.reader.exposure.units import Trees, make_trees
from doxeval.reader.navigation.base import Navigation


@dataclass(eq=False)
class OwnedText:
    """Relevant text by the node that owns it: one row a (pair, node), and the owner of every piece."""

    pieces: Pieces
    owner: np.ndarray
    pair: np.ndarray
    node: np.ndarray


def plain_text(ground: Ground) -> Pieces:
    """All relevant text, made once for all runs."""
    return ground.shared("plain text", lambda: text_pieces(ground))


def owned_text(ground: Ground) -> OwnedText:
    """All relevant text by owner, made once for all runs."""

    def make() -> OwnedText:
        pieces = cut_at_nodes(plain_text(ground), ground)
        width = width_of(pieces.node)
        group, owner = np.unique(keys(pieces.pair, pieces.node, width), return_inverse=True)
        return OwnedText(pieces, owner, group // width, group % width)

    return ground.shared("owned text", make)


def total_worth(topics: Aligned, rel: str) -> np.ndarray:
    """All there is to gain of each topic."""
    ground = topics.ground

    def make() -> np.ndarray:
        pieces = plain_text(ground)
        worth = pieces.worth(rel) * (pieces.end - pieces.start)
        return sums(ground.assessments.pair_topic[pieces.pair], worth, len(topics.count))

    return ground.shared(("total worth", rel), make)


def changes_in_text(topics: Aligned, reader: Reader, model: Navigation) -> Changes:
    """Hits, near-misses and misses of relevant text, by the rule of the model's kind."""
    if model.parts:
        return _mixed(topics, reader, model)
    if model.by_distance:
        from doxeval.reader.exposure.reading_on import changes_by_distance

        return changes_by_distance(topics, reader, model)
    return _by_nodes(topics, reader, model)


def with_repetition(topics: Aligned, reader: Reader, hits: np.ndarray) -> np.ndarray:
    """Hits with alpha times the worth of text that results show again."""
    if not reader.alpha:
        return hits
    return hits + float(reader.alpha) * repeated_worth(topics, reader.rel)


def repeated_worth(topics: Aligned, rel: str) -> np.ndarray:
    """Per result the worth of the relevant text in it that was shown before."""
    pieces = plain_text(topics.ground)
    worth = pieces.worth(rel)
    span = np.flatnonzero(topics.pair[topics.result] >= 0)
    row, piece, length = _shared_text(
        pieces, topics.pair[topics.result[span]], topics.start[span], topics.end[span]
    )
    held = sums(topics.result[span[row]], worth[piece] * length, len(topics))
    result, piece, length = freshly_shown(topics, pieces)
    fresh = sums(result, worth[piece] * length, len(topics))
    return np.maximum(held - fresh, 0.0)


def _shared_text(pieces: Pieces, pair: np.ndarray, start: np.ndarray, end: np.ndarray):  # type: ignore[no-untyped-def]
    """Ranges against pieces: range, piece and the characters they share, a row each."""
    width = width_of(end, pieces.end)
    row, piece = overlaps(
        keys(pair, start, width), keys(pair, end, width),
        keys(pieces.pair, pieces.start, width), keys(pieces.pair, pieces.end, width),
    )  # fmt: skip
    length = np.minimum(end[row], pieces.end[piece]) - np.maximum(start[row], pieces.start[piece])
    return row, piece, length


def freshly_shown(topics: Aligned, pieces: Pieces) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Relevant text at its first showing: the result, the piece it is of, and how many characters."""
    stretches = topics.stretches
    first = np.flatnonzero((stretches.first >= 0) & (stretches.weight > 0))
    row, piece, length = _shared_text(
        pieces, stretches.pair[first], stretches.start[first], stretches.end[first]
    )
    return stretches.first[first[row]], piece, length


def _by_nodes(topics: Aligned, reader: Reader, model: Navigation) -> Changes:
    """Near-misses by the nodes that own the text: Eq. 4 with the owner as the tree to be seen."""
    hits, near, misses = encounters_of_text(topics, reader, model).changes(len(topics))
    return Changes(with_repetition(topics, reader, hits), near, misses, total_worth(topics, reader.rel))


def encounters_of_text(topics: Aligned, reader: Reader, model: Navigation) -> Encounters:
    """Owners of relevant text and the results they meet, with the text each result is the first to show."""
    text = owned_text(topics.ground)
    worth = text.pieces.worth(reader.rel)
    length = text.pieces.end - text.pieces.start
    meetings = topics.shared(("owners met", reader.navigation), lambda: _meet_owners(topics, model, text))
    at, piece, characters = topics.shared(
        ("fresh text", reader.navigation), lambda: _fresh_at(topics, text, meetings)
    )
    shown = sums(at, worth[piece] * characters, len(meetings.unit))
    return Encounters(meetings, shown, sums(text.owner, worth * length, len(text.pair)))


def _fresh_at(topics: Aligned, text: OwnedText, meetings: Meetings):  # type: ignore[no-untyped-def]
    """Text at its first showing: the meeting of its owner with the result, the piece, how many characters."""
    result, piece, characters = freshly_shown(topics, text.pieces)
    width = max(1, len(topics))
    at = np.searchsorted(meetings.unit * width + meetings.result, text.owner[piece] * width + result)
    return at, piece, characters


def _meet_owners(topics: Aligned, model: Navigation, text: OwnedText) -> Meetings:
    """Owners of text meet results: the mean of p(owner; f) over the nodes f of the result.

    Where the owner itself is one of them, the chance is the share of its text that the result holds.
    """
    doc = topics.ground.doc_index[topics.ground.assessments.pair_doc[text.pair]]
    owners = Trees(doc, np.arange(len(text.pair) + 1), text.node)
    meetings = meet(model, topics, owners, text.pair, _nodes_of_results(topics, model))
    if model.name != "none":
        inside = np.flatnonzero(meetings.common > 0)
        meetings.chance[inside] = _shares_held(
            topics, meetings.result[inside], text.node[meetings.unit[inside]]
        )
    return meetings


def _nodes_of_results(topics: Aligned, model: Navigation) -> Trees:
    """The nodes that results cover; a document without a known tree is one node, 0."""
    relevant = np.zeros(len(topics), dtype=bool)
    assessed = topics.pair >= 0
    relevant[assessed] = topics.ground.pair_relevant[topics.pair[assessed]] > 0
    rows = np.arange(len(topics)) if model.crosses else np.flatnonzero(relevant)
    doc = document_of_result(topics)
    owner, node = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if topics.ground.documents is not None and model.name != "none":
        trees = covered(topics, rows)
        owner, node = rows[trees.owner], trees.node
    alone = np.flatnonzero(relevant & (doc < 0) & (topics.size > 0))
    return make_trees(
        doc, np.concatenate([owner, alone]), np.concatenate([node, np.zeros(len(alone), dtype=np.int64)])
    )


def _shares_held(topics: Aligned, result: np.ndarray, node: np.ndarray) -> np.ndarray:
    """The share of each node's text that the result shows."""
    documents, doc = topics.ground.documents, document_of_result(topics)[result]
    begin, stop = np.zeros(len(result), dtype=np.int64), topics.doc_length[topics.doc[result]]
    known = doc >= 0
    if documents is not None and known.any():
        begin[known], stop[known] = documents.extent(doc[known], node[known])
    owner, span = expand(*topics.spans_of(result))
    held = np.minimum(topics.end[span], stop[owner]) - np.maximum(topics.start[span], begin[owner])
    total = sums(owner, np.maximum(held, 0), len(result))
    return np.divide(total, stop - begin, out=np.zeros(len(result)), where=stop > begin)


def _mixed(topics: Aligned, reader: Reader, model: Navigation) -> Changes:
    """Readers of several kinds: each part by its own rule, weighted; who is of no kind goes nowhere."""
    rest = 1.0 - sum(weight for weight, _ in model.parts)
    parts = [(weight, part.call) for weight, part in model.parts] + [(rest, Call("none"))]
    changes = [
        (
            weight,
            changes_in_text(topics, replace(reader, navigation=call), navigation_of(topics.ground, call)),
        )
        for weight, call in parts
        if weight > 0
    ]
    return Changes.mean(changes, len(topics), total_worth(topics, reader.rel))
