"""The highlighted passage that each result counts for: the first it touches (TREC Genomics)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.facts import once
from doxeval.ground.aligned import Aligned
from doxeval.kernels.reading import first_touched


@dataclass(eq=False)
class Touched:
    """For each result its `unit` (a row of the ground's units, -1: none) and the characters they `share`."""

    unit: np.ndarray
    share: np.ndarray


@once
def touched_units(aligned: Aligned) -> Touched:
    """The highlighted passages that a run's results count for."""
    ground = aligned.ground
    numbers = np.arange(len(ground.unit_pair))
    units, by_pair, starts, ends = ground.units_by_pair(numbers, ground.unit_start, ground.unit_end)
    result = aligned.result
    of_span = first_touched(aligned.pair[result], aligned.start, aligned.end, units.offset, starts, ends)

    nothing = len(by_pair)
    unit = np.full(len(aligned), nothing, dtype=np.int64)
    np.minimum.at(unit, result, np.where(of_span >= 0, of_span, nothing))
    bounds = np.append(starts, 0), np.append(ends, 0)
    low = np.maximum(aligned.start, bounds[0][unit[result]])
    high = np.minimum(aligned.end, bounds[1][unit[result]])
    share = aligned.spans.sum(np.maximum(high - low, 0))
    return Touched(np.append(by_pair, -1)[unit], share)
