"""F-measure of the text shown."""

from __future__ import annotations

from doxeval.measurement.base import ALPHA
from doxeval.measurement.families.characters import CharacterMeasure
from doxeval.measurement.families.weights import Weights
from doxeval.reader.effort.set_scores import BETA


class CharacterF(CharacterMeasure):
    """F of ``iP@r`` and ``iR@r``: (1 + beta^2) P R / (beta^2 P + R).

    Computed from counts as (1 + beta^2) gain / (beta^2 T_rel + sum of sizes), which is the same number.
    """

    name = "F"
    user = "Reads the results in order and wants little waste and few misses, the latter beta times as much."
    paper = "Effort section 3.1 (per document there); INEX char_f1 for beta = 1 over a whole run"
    parameters = (BETA, ALPHA)
    example = "F(beta=1)@10"
    variants = ("beta=0.25", "beta=2,alpha=0.5")
    meaning = "(1 + beta^2) relevant text gained / (beta^2 all relevant text + all text shown)"

    @property
    def high(self) -> float:
        """Gains are at most the text shown; with repetition they may exceed the relevant text."""
        return 1.0 if not self.given.alpha else 1 + float(self.given.beta**2)

    @property
    def weights(self) -> Weights:
        squared = float(self.given.beta**2)
        return Weights(1 + squared, 1, squared)
