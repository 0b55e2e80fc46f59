"""One run in the documents of a report, as plain data: results, reading path, chances."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from doxeval.core.grammar import parse_call
from doxeval.ground.align import align
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import prepare_ground
from doxeval.io.read import read_assessments, read_run
from doxeval.reader.consulted import results_by_pair
from doxeval.reader.effort.opened import open_documents
from doxeval.reader.effort.reading_orders import read
from doxeval.reader.exposure.expose import expose
from doxeval.reader.exposure.meetings import Reader
from doxeval.show.explanation.explain import place_of, spans_of
from doxeval.show.report.topics_shown import Chosen
from doxeval.tables.places import CHARACTERS, LINES


@dataclass
class InDocument:
    """One run in one document of a topic, the `opened`-th that its reader opens.

    `topic` is its place among those shown, `results` are [rank, spans, gained, repeated, perhaps a place].
    """

    topic: int
    doc: str
    length: int
    opened: int
    results: list[list[Any]] = field(default_factory=list)
    path: list[int] | None = None
    near: list[list[Any]] = field(default_factory=list)


def retrieved(
    aligned: Aligned, shown: int, order: str, navigation: str | None, topics: Chosen
) -> list[InDocument]:
    """A run in every document of the topics shown that it ranks high or in which something is relevant."""
    rank = aligned.by_topic.place
    key = aligned.article
    relevant = (aligned.pair >= 0) & (aligned.ground.pair_relevant[aligned.pair] > 0)
    among_shown = topics.place[aligned.topic]
    wanted = among_shown >= 0
    opened = open_documents(aligned)
    first = opened.first_result[wanted[opened.first_result]]
    places = opened.rank[wanted[opened.first_result]]
    place_of_document = dict(zip(key[first].tolist(), places.tolist(), strict=True))
    documents: dict[int, InDocument] = {}
    of_pair: dict[int, InDocument] = {}
    for result in np.flatnonzero(wanted & (relevant | np.isin(key, key[wanted & (rank < shown)]))).tolist():
        code = int(aligned.doc[result])
        place = documents.setdefault(
            int(key[result]),
            InDocument(
                int(among_shown[result]),
                aligned.run.docs[code],
                int(aligned.doc_length[code]),
                place_of_document[int(key[result])],
            ),
        )
        place.results.append(
            [
                int(rank[result]) + 1,
                [list(span) for span in spans_of(aligned, result)],
                int(aligned.fresh[result]),
                int(aligned.relevant[result] - aligned.fresh[result]),
                *([place_of(aligned, result)] if aligned.nodes else []),
            ]
        )
        if aligned.pair[result] >= 0:
            of_pair[int(aligned.pair[result])] = place
    _add_paths(aligned, order, of_pair)
    if navigation is not None:
        for pair, start, end, chance in chances(aligned, navigation, np.array(sorted(of_pair))):
            of_pair[pair].near.append([start, end, round(chance, 4)])
    return list(documents.values())


def _add_paths(aligned: Aligned, order: str, of_pair: dict[int, InDocument]) -> None:
    """Add the pieces of each relevant document in reading order, as [start, end, start, end, ...]."""
    opened = open_documents(aligned)
    reading = read(opened, order, "top")
    pair = aligned.pair[opened.first_result]
    bounds = np.flatnonzero(np.diff(reading.document, prepend=-1, append=-2))
    for first, after in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        place = of_pair.get(int(pair[reading.document[first]]))
        if place is not None:
            place.path = _joined(reading.start[first:after], reading.length[first:after])


def _joined(start: np.ndarray, length: np.ndarray) -> list[int]:
    """Join adjacent pieces: start, end, start, end, ..."""
    bounds: list[int] = []
    for first, size in zip(start.tolist(), length.tolist(), strict=True):
        if bounds and bounds[-1] == first:
            bounds[-1] = first + size
        elif size:
            bounds += [first, first + size]
    return bounds


LONGEST_PIECE = {CHARACTERS: 200, LINES: 5}
"""Stretches are cut into pieces of this many characters or lines: chances fall with the distance."""


def chances(aligned: Aligned, navigation: str, pairs: np.ndarray) -> list[tuple[int, int, int, float]]:
    """Unshown relevant text of assessed pairs as `(pair, start, end, chance)`, in order."""
    pieces = _unshown(aligned, pairs)
    if not pieces:
        return []
    by_pair, by_rank = results_by_pair(aligned)
    names, docs = aligned.ground.assessments.docs, aligned.ground.assessments.pair_doc
    assessed: list[dict[str, Any]] = []
    retrieved: list[dict[str, Any]] = []
    for number, (pair, start, end) in enumerate(pieces):
        place = {"topic": str(number), "doc": names[docs[pair]]}
        rows = by_rank[by_pair.slice(pair)].tolist()
        length = int(aligned.doc_length[aligned.doc[rows[0]]])
        assessed.append(place | {"length": length})
        assessed.append(place | {"start": start, "end": end})
        retrieved += [
            place | {"rank": rank, "spans": [list(span) for span in spans_of(aligned, row)]}
            for rank, row in enumerate(rows, 1)
        ]
    unit = aligned.ground.unit
    ground = prepare_ground(replace(read_assessments(assessed), unit=unit), aligned.ground.documents)
    alone = align(replace(read_run(retrieved, name=aligned.run.name), unit=unit), ground)
    reader = Reader(parse_call(navigation.strip()), "text", "length", Fraction(0), "esr", "sum")
    seen = expose(alone, reader)
    reached = alone.last(seen.near) / seen.total
    order = [ground.topic_codes[str(number)] for number in range(len(pieces))]
    return [(*piece, float(reached[at])) for piece, at in zip(pieces, order, strict=True)]


def _unshown(aligned: Aligned, pairs: np.ndarray) -> list[tuple[int, int, int]]:
    """Relevant stretches that no result shows, in documents that results open."""
    stretches = aligned.stretches
    wanted = (stretches.first < 0) & (stretches.weight > 0) & np.isin(stretches.pair, pairs)
    found = []
    for at in np.flatnonzero(wanted).tolist():
        start, end = int(stretches.start[at]), int(stretches.end[at])
        cuts = [*range(start, end, LONGEST_PIECE[aligned.ground.unit]), end]
        found += [(int(stretches.pair[at]), *piece) for piece in pairwise(cuts)]
    return found
