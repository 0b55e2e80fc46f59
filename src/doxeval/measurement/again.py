"""The share of the reading that had been read before."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.aligned import Aligned
from doxeval.kernels.stretches import paint_first
from doxeval.measurement.base import Measure
from doxeval.measurement.families import phrases


class Again(Measure):
    """Share of the text shown that an earlier step of a trajectory had shown.

    What one step shows twice is not read again. In a run without steps every result is a step of its own.
    Whether repeated relevant text has any worth is what alpha says, as in ``iR(alpha=0.5)``.
    """

    name = "Again"
    question = phrases.EFFORT
    user = "Reads all that each step shows, and asks how much of it they had read in earlier steps."
    paper = "ours, for trajectories of agents"
    cutoff = "optional"
    higher_is_better = False
    empty_is_worst = False
    no_sum = "it is a quotient of sizes of text, not a gain"
    example = "Again"

    def score(self, aligned: Aligned) -> np.ndarray:
        shown = aligned.top(self.rank)
        return quotient(shown.by_topic.sum(shown_again(shown)), shown.by_topic.sum(shown.size))


def shown_again(aligned: Aligned) -> np.ndarray:
    """How much of the text of each result an earlier step has shown; without steps, an earlier result."""
    step = np.arange(len(aligned)) if aligned.run.step is None else aligned.run.step[aligned.row]
    _, article = np.unique(aligned.article, return_inverse=True)
    width = 1 + int(aligned.end.max(initial=0))
    base = article[aligned.result] * width
    cuts = np.unique(np.concatenate([base + aligned.start, base + aligned.end]))
    begin = np.searchsorted(cuts, base + aligned.start)
    after = np.searchsorted(cuts, base + aligned.end)
    first = paint_first(begin, after, aligned.result, max(0, len(cuts) - 1))
    pieces = Ragged.of_counts(after - begin)
    piece = pieces.place + pieces.expand(begin)
    earlier = step[first[piece]] < pieces.expand(step[aligned.result])
    length = np.append(np.diff(cuts), 0)[piece]
    return aligned.spans.sum(pieces.sum(np.where(earlier, length, 0)))
