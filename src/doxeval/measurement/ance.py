"""Average normalised cumulated effort."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.families import chance
from doxeval.measurement.families.effort import EffortMeasure, StepRatios


class AverageNormalisedCumulatedEffort(EffortMeasure):
    """Mean of NCE over the ranks up to i: ANCE[i] = (1/i) sum over j <= i of NCE[j].

    Equal to (1/i) sum over j of (i - j + 1)(ES_j / IE_j - 1). The mean over topics is the paper's MANCE.
    """

    name = "ANCE"
    aliases = ("MANCE",)
    user = "Stops at a random rank up to i and compares the effort so far with that of an ideal list."
    no_draws = chance.EVERY_STOP
    paper = "Effort section 4.2.2"
    meaning = "(i - j + 1) / i times the effort beyond the ideal at rank j"
    example = "ANCE(screen=300)@600"

    def most_ranks(self, depth: int) -> float:
        return (depth + 1) / 2

    def weighed(self, steps: StepRatios) -> tuple[np.ndarray, np.ndarray]:
        return steps.averaged, steps.missed_averaged
