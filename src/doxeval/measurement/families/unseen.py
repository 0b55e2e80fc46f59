"""How much of each result is text that no result before it has shown, relevant or not."""

from __future__ import annotations

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import keys, width_of
from doxeval.ground.aligned import Aligned
from doxeval.kernels.stretches import paint_first


@once
def unseen_sizes(topics: Aligned) -> np.ndarray:
    """Characters of each result that its topic's results before it have not shown."""
    result = topics.result
    _, group = np.unique(topics.article[result], return_inverse=True)
    width = width_of(topics.end)
    begin, end = keys(group, topics.start, width), keys(group, topics.end, width)
    cuts = np.unique(np.concatenate([begin, end]))
    pieces = np.diff(cuts)
    first = paint_first(np.searchsorted(cuts, begin), np.searchsorted(cuts, end), result, len(pieces))
    painted = first >= 0
    return np.bincount(first[painted], weights=pieces[painted], minlength=len(topics)).astype(np.int64)
