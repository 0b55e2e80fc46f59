"""The ranges of a result: sorted, joined, and never without a place."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import Ragged
from doxeval.kernels.stretches import merge_ranges


def joined_ranges(
    offset: np.ndarray, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranges of each result joined where they overlap or touch: offsets by result, starts, ends.

    They come sorted by start. Empty ranges go, but a result that has no others keeps its first one: it shows
    nothing, yet somewhere, which is where a reader who follows it enters the document.
    """
    joined_offset, joined_start, joined_end = merge_ranges(offset, start, end, True)
    empty = np.flatnonzero((Ragged(joined_offset).counts == 0) & (Ragged(offset).counts > 0))
    if not len(empty):
        return joined_offset, joined_start, joined_end
    place = start[offset[empty]]
    before = joined_offset[empty]
    added = np.zeros(len(joined_offset), dtype=np.int64)
    added[empty + 1] = 1
    joined_offset += np.cumsum(added)
    return joined_offset, np.insert(joined_start, before, place), np.insert(joined_end, before, place)
