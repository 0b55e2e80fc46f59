"""The chance that a reader gets to relevant text that no result shows.

A stretch of text gets a topic of its own, in which nothing else is relevant; the chance is then the expected
share of it that the results of the document expose. This works in the same way for all navigation models.
"""

from __future__ import annotations

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
from doxeval.reader.exposure.expose import expose
from doxeval.reader.exposure.meetings import Reader
from doxeval.show.explanation.explain import spans_of

LONGEST = 200
"""Stretches are cut into pieces of this many characters: chances fall with the distance."""


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
    ground = prepare_ground(read_assessments(assessed), aligned.ground.documents)
    alone = align(read_run(retrieved, name=aligned.run.name), ground)
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
        cuts = [*range(start, end, LONGEST), end]
        found += [(int(stretches.pair[at]), *piece) for piece in pairwise(cuts)]
    return found
