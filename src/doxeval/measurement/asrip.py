"""Mean over recall points of text precision."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.base import register
from doxeval.measurement.families.averages import AverageOverRecall
from doxeval.measurement.families.exposed import recall_with_navigation
from doxeval.reader.exposure.changes import Exposure


@register
class AverageStructuralTextPrecision(AverageOverRecall):
    """Mean of ``SRiP[x]`` over the 101 recall points (recall SRiR2); its mean over topics is MASRiP."""

    name = "ASRiP"
    aliases = ("MASRiP",)
    user = "Stops at some share of the relevant text found, and asks how much of the reading was new."
    paper = "ESR section 7, Eqs. 18, 31"
    example = "ASRiP"

    def recall(self, seen: Exposure) -> np.ndarray:
        return recall_with_navigation(seen)

    def terms_of(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.hits, seen.size
