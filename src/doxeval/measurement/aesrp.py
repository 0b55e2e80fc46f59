"""Mean over recall points of structural precision."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.families.exposed import recall_of_base
from doxeval.measurement.families.exposed_averages import AverageOverRecall
from doxeval.reader.exposure.changes import Exposure


class AverageStructuralPrecision(AverageOverRecall):
    """Mean of ``ESRP`` over the 101 recall points (recall ESRR); its mean over topics is MAESRP."""

    name = "AESRP"
    aliases = ("MAESRP",)
    user = "Stops after a random share of all there is to gain, any share from 0 to 1 being equally likely."
    paper = "ESR section 7, Eqs. 13, 14"
    relevance = "binary"
    by_rank = True
    example = "AESRP"

    def recall(self, seen: Exposure) -> np.ndarray:
        return recall_of_base(seen)
