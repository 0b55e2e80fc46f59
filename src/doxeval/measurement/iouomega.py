"""The best intersection over union that a chunker allows."""

from __future__ import annotations

from typing import Literal

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import key_width, keys
from doxeval.core.parameters import Parameter
from doxeval.core.ragged import Ragged, quotient, sums_by
from doxeval.ground.aligned import Aligned
from doxeval.ground.document_names import assessed_codes
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure
from doxeval.measurement.families import phrases


class IntersectionOverUnionOfChunks(Measure):
    """Intersection over union of the relevant text and all chunks that touch any of it.

    A chunk that merely adjoins a highlighted passage counts too, unless ``touch=false``; overlapping chunks
    count once. It depends on the chunks alone (``--chunks FILE``), not on what a run retrieved: it is the
    value of a retriever that finds everything.
    """

    name = "IoUomega"
    question = phrases.CHUNKS
    user = "Has a perfect retriever and asks what the chunker alone costs them."
    paper = "chunk evaluation (precision omega), in characters"
    needs = frozenset({"chunks"})
    parameters = (Parameter("touch", "flag", True, "whether chunks that merely adjoin relevant text count"),)
    variants = ("touch=false",)
    no_sum = "it uses only the chunks, and no results"

    def score(self, aligned: Aligned) -> np.ndarray:
        return iou_of_chunks(aligned.ground, aligned.run.name, self.given.touch)


@once
def iou_of_chunks(ground: Ground, run: str, touch: bool) -> np.ndarray:
    """For each topic, the IoU of all chunks that overlap, or also of those that adjoin, relevant text."""
    chunks = ground.chunks_of(run)
    doc = assessed_codes(ground, chunks.docs)[chunks.doc]
    known = np.where(chunks.end > chunks.start, doc, -1)
    by_doc, start, end = Ragged.gathered(known, len(ground.length), chunks.start, chunks.end)
    pair = np.flatnonzero(ground.pair_relevant > 0)
    held, at = by_doc.take(ground.assessments.pair_doc[pair])
    pair, start, end = held.expand(pair), start[at], end[at]

    owner, (_, *relevant) = ground.relevant_by_pair.row, ground.relevant
    width = key_width(end, relevant[1])
    pieces = [keys(owner, place, width) for place in relevant]
    sides: tuple[Literal["left", "right"], ...] = ("right", "left") if touch else ("left", "right")
    begun = np.searchsorted(pieces[0], keys(pair, end, width), side=sides[0])
    touching = begun > np.searchsorted(pieces[1], keys(pair, start, width), side=sides[1])
    chosen = (column[touching] for column in (start, end))
    merged, start, end = Ragged.gathered(pair[touching], len(ground.pair_relevant), *chosen)
    merged, start, end = merged.merge(start, end)
    pair = merged.row
    both = ground.relevant_in(pair, start, end)
    topic = ground.assessments.pair_topic[pair]
    gain, size = (sums_by(topic, amount, len(ground.topics)) for amount in (both, end - start))
    return quotient(gain, size + ground.total_relevant - gain)
