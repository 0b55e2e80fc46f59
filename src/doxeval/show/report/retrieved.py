"""One run in the documents of a report, as plain data: results, reading path, chances."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.reader.effort.opened import open_documents
from doxeval.reader.effort.reading_orders import read
from doxeval.show.explanation.explain import place_of, spans_of


@dataclass
class InDocument:
    """One run in one document of a topic, the `opened`-th that its reader opens.

    `results` are [rank, spans, gained, repeated, perhaps a place].
    """

    topic: int
    doc: str
    length: int
    opened: int
    results: list[list[Any]] = field(default_factory=list)
    path: list[int] | None = None
    near: list[list[Any]] = field(default_factory=list)


def retrieved(aligned: Aligned, shown: int, order: str, navigation: str | None) -> list[InDocument]:
    """A run in every document that it ranks high or in which something is relevant."""
    rank = aligned.by_topic.place
    key = aligned.article
    relevant = (aligned.pair >= 0) & (aligned.ground.pair_relevant[aligned.pair] > 0)
    opened = open_documents(aligned)
    place_of_document = dict(zip(key[opened.first_result].tolist(), opened.rank.tolist(), strict=True))
    documents: dict[int, InDocument] = {}
    of_pair: dict[int, InDocument] = {}
    for result in np.flatnonzero(relevant | np.isin(key, key[rank < shown])).tolist():
        code = int(aligned.doc[result])
        place = documents.setdefault(
            int(key[result]),
            InDocument(
                int(aligned.topic[result]),
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
        from doxeval.show.report.chances import chances

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
