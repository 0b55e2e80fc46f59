"""The best intersection over union that a chunker allows."""

from __future__ import annotations

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import key_width, keys
from doxeval.core.ragged import Ragged, quotient, sums_by
from doxeval.ground.aligned import Aligned
from doxeval.ground.document_names import assessed_codes
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure
from doxeval.measurement.families import phrases


class IntersectionOverUnionOfChunks(Measure):
    """Intersection over union of the relevant text and all chunks that touch any of it.

    A chunk that merely adjoins a highlighted passage counts too; overlapping chunks count once. It depends on
    the chunks alone (``--chunks FILE``), not on the run: it is the value of a retriever that finds
    everything.
    """

    name = "IoUomega"
    question = phrases.CHUNKS
    user = "Has a perfect retriever and asks what the chunker alone costs them."
    paper = "chunk evaluation (precision omega), in characters"
    needs = frozenset({"chunks"})
    no_sum = "it uses only the chunks, and no results"

    def score(self, aligned: Aligned) -> np.ndarray:
        return iou_of_chunks(aligned.ground)


@once
def iou_of_chunks(ground: Ground) -> np.ndarray:
    """For each topic, the IoU of all chunks that touch or adjoin a highlighted passage."""
    chunks = ground.chunks
    assert chunks is not None
    doc = assessed_codes(ground, chunks.docs)[chunks.doc]
    known = np.where(chunks.end > chunks.start, doc, -1)
    by_doc, start, end = Ragged.gathered(known, len(ground.length), chunks.start, chunks.end)
    pair = np.flatnonzero(ground.pair_relevant > 0)
    held, at = by_doc.take(ground.assessments.pair_doc[pair])
    pair, start, end = held.expand(pair), start[at], end[at]

    owner, (_, *relevant) = ground.relevant_by_pair.row, ground.relevant
    width = key_width(end, relevant[1])
    pieces = [keys(owner, place, width) for place in relevant]
    begun = np.searchsorted(pieces[0], keys(pair, end, width), side="right")
    touching = begun > np.searchsorted(pieces[1], keys(pair, start, width))
    chosen = (column[touching] for column in (start, end))
    merged, start, end = Ragged.gathered(pair[touching], len(ground.pair_relevant), *chosen)
    merged, start, end = merged.merge(start, end)
    pair = merged.row
    both = ground.relevant_in(pair, start, end)
    topic = ground.assessments.pair_topic[pair]
    gain, size = (sums_by(topic, amount, len(ground.topics)) for amount in (both, end - start))
    return quotient(gain, size + ground.total_relevant - gain)
