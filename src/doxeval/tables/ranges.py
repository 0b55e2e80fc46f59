"""The ranges of a result: sorted, joined, and never without a place."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import Ragged


def joined_ranges(rows: Ragged, start: np.ndarray, end: np.ndarray) -> tuple[Ragged, np.ndarray, np.ndarray]:
    """Ranges of each result joined where they overlap or touch: by result, starts, ends.

    They come sorted by start. Empty ranges go, but a result that has no others keeps its first one: it shows
    nothing, yet somewhere, which is where a reader who follows it enters the document.
    """
    joined, joined_start, joined_end = rows.merge(start, end)
    empty = (joined.counts == 0) & (rows.counts > 0)
    if not empty.any():
        return joined, joined_start, joined_end
    place, before = start[rows.first[empty]], joined.first[empty]
    return (
        Ragged.of_counts(joined.counts + empty),
        np.insert(joined_start, before, place),
        np.insert(joined_end, before, place),
    )
