"""Whether results show the relevant text, and nothing else."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure


class Exact(Measure):
    """1 if the first k results, without a cut-off all, show all relevant text and no other, else 0.

    What is shown twice counts once: the question is which text, as in the exact match of supporting facts
    (``sp_em``) of HotpotQA.
    """

    name = "Exact"
    user = "Accepts only the relevant text, all of it."
    paper = "HotpotQA, exact match of supporting facts"
    cutoff = "optional"
    no_sum = "all results together are right, or they are not"
    example = "Exact@5"

    def score(self, aligned: Aligned) -> np.ndarray:
        shown = aligned.top(self.rank)
        found = shown.by_topic.sum(shown.fresh) == shown.ground.total_relevant
        return found & (shown.by_topic.sum(shown.size - shown.relevant) == 0)
