"""Which highlighted passage each result stands for: the first it touches (TREC Genomics)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.strings import group_offsets
from doxeval.ground.aligned import Aligned
from doxeval.kernels.reading import first_touched


@dataclass(eq=False)
class Touched:
    """Per result its `unit` (a row of the ground's units, -1: none) and the characters they `share`."""

    unit: np.ndarray
    share: np.ndarray


def touched_units(aligned: Aligned) -> Touched:
    """Made once for all measures of a run."""
    return aligned.shared("touched units", lambda: _touched(aligned))


def _touched(aligned: Aligned) -> Touched:
    ground = aligned.ground
    by_pair = np.argsort(ground.unit_pair, kind="stable")
    offset = group_offsets(ground.unit_pair, len(ground.assessments.pair_doc))
    starts, ends = ground.unit_start[by_pair], ground.unit_end[by_pair]
    result = aligned.result
    of_span = first_touched(aligned.pair[result], aligned.start, aligned.end, offset, starts, ends)

    nothing = len(by_pair)
    unit = np.full(len(aligned), nothing, dtype=np.int64)
    np.minimum.at(unit, result, np.where(of_span >= 0, of_span, nothing))
    bounds = np.append(starts, 0), np.append(ends, 0)
    low = np.maximum(aligned.start, bounds[0][unit[result]])
    high = np.minimum(aligned.end, bounds[1][unit[result]])
    share = aligned.per_result(np.maximum(high - low, 0))
    return Touched(np.append(by_pair, -1)[unit], share)
