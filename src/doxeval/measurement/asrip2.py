"""Mean over recall points of text precision with near-misses."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.base import register
from doxeval.measurement.families.averages import AverageOverRecall
from doxeval.measurement.families.exposed import recall_with_navigation
from doxeval.reader.exposure.changes import Exposure


@register
class AverageNavigatedTextPrecision(AverageOverRecall):
    """Mean of ``SRiP2[x]`` over the 101 recall points (recall SRiR2); its mean over topics is MASRiP2."""

    name = "ASRiP2"
    aliases = ("MASRiP2",)
    user = "Stops at some share of the relevant text found, every share from 0 to 1 being equally likely."
    paper = "ESR section 7, Eqs. 30, 31"
    example = "ASRiP2"

    def recall(self, seen: Exposure) -> np.ndarray:
        return recall_with_navigation(seen)

    def terms_of(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.gain, seen.size
