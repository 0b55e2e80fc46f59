"""Cut a run where the reader's budget ends: after so many characters shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from doxeval.errors import UsageError
from doxeval.grammar import Cutoff

if TYPE_CHECKING:
    from doxeval.alignment.aligned import Aligned


def cut_to_budget(aligned: Aligned, budget: Cutoff) -> Aligned:
    """Keep what is shown within the budget; the result in which it ends is cut there.

    Every character shown counts, repeated ones too; the ranges of a result are shown in document order.
    """
    if budget.unit != "characters":
        raise UsageError(
            f"a cut-off in {budget.unit} is not available; give ranks (@10) or characters (@4000c)"
        )
    shown = aligned.cumulated(aligned.size)
    kept = aligned.select(shown - aligned.size < budget.amount)
    length = kept.end - kept.start
    shown_before = np.cumsum(length) - length
    first_span = kept.topic_offset if kept.span_offset is None else kept.span_offset[kept.topic_offset]
    bounds = np.concatenate([shown_before, [length.sum()]])[first_span[:-1]]
    spans_per_topic = np.diff(first_span)
    left = budget.amount - (shown_before - np.repeat(bounds, spans_per_topic))
    end = kept.start + np.clip(left, 0, length)
    return replace(kept, end=end, nodes=None, _shared={})
