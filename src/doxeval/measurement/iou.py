"""Intersection over union of the text shown and the relevant text."""

from __future__ import annotations

from doxeval.measurement.base import ALPHA
from doxeval.measurement.families.characters import CharacterMeasure
from doxeval.measurement.families.weights import Weights


class IntersectionOverUnion(CharacterMeasure):
    """gain / (sum of sizes + T_rel - gain), gain and sizes as in ``iP@k``.

    Text shown twice counts twice in the sum of sizes: overlapping chunks pay for it. This is the *iou* of
    chunk evaluation.
    """

    name = "IoU"
    user = (
        "Puts the first k results into a context window and asks how close that is to just the relevant text."
    )
    paper = "chunk evaluation (token-wise intersection over union), in characters"
    parameters = (ALPHA,)
    example = "IoU@5"
    variants = ("alpha=1",)
    meaning = "relevant text gained / (all text shown + relevant text missed)"
    weights = Weights(size=1, wanted=1, less=1)
