"""Snippets as BioASQ counts them: adjacent ones are merged, and the end offset is inclusive.

Published offsets are half-open, so every piece counts one character too many, in runs and gold alike.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.facts import Facts
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.tables.runs import WHOLE


def inclusive_ground(ground: Ground) -> Ground:
    """The ground truth with one unit for each piece of relevant text, a character longer."""
    offset, start, end = ground.relevant
    return replace(
        ground, unit_pair=Ragged(offset).row, unit_start=start, unit_end=end + 1,
        unit_grade=np.ones(len(start)), unit_place=np.arange(len(start)), unit_aspects=None, unit_labels=None,
        facts=Facts(),
    )  # fmt: skip


def inclusive_results(aligned: Aligned) -> Aligned:
    """Results with those that meet in a document merged, at the rank of the first, a character longer."""
    if not len(aligned.start):
        return aligned
    article = np.unique(aligned.article, return_inverse=True)[1][aligned.result]
    width = 1 + int(aligned.end.max())
    order = np.lexsort((aligned.start, article))
    start, end = aligned.start[order], aligned.end[order]
    reached = np.maximum.accumulate(article[order] * width + end)
    begins = np.flatnonzero(np.append(True, (article[order] * width + start)[1:] > reached[:-1]))
    first = np.minimum.reduceat(aligned.result[order], begins)
    end = np.maximum.reduceat(end, begins)
    kept, place = np.unique(first, return_inverse=True)
    spans, start, end = Ragged.gathered(place, len(kept), start[begins], np.where(end < WHOLE, end + 1, end))
    united = aligned.select(np.isin(np.arange(len(aligned)), kept))
    return replace(united, start=start, end=end, spans=spans, nodes=None, facts=Facts())
