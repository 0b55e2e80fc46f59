"""Recall of the relevant text."""

from __future__ import annotations

from doxeval.measurement.base import ALPHA
from doxeval.measurement.families.characters import CharacterMeasure
from doxeval.measurement.families.weights import Weights


class CharacterRecall(CharacterMeasure):
    """Share of the relevant text that has been shown.

    ``iR@r`` = (sum of rsize over the first r results) / T_rel (ESR Eq. 17). With alpha > 0 repeated text is
    counted again and the value may exceed 1. What chunk evaluation calls *recall* is ``iR@k``.
    """

    name = "iR"
    user = "Reads the results in order and asks how much of all relevant text they have seen."
    paper = "ESR Eq. 17 (HiXEval)"
    parameters = (ALPHA,)
    grows = True
    variants = ("alpha=1", "alpha=0.3")
    meaning = "relevant text gained / all relevant text"
    weights = Weights(wanted=1)
