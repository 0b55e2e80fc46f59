"""The reader who looks around less and less, further down the list."""

from __future__ import annotations

from fractions import Fraction

from doxeval.core.parameters import share
from doxeval.core.ragged import Ragged
from doxeval.reader.navigation.around import OF, AroundNavigation
from doxeval.reader.navigation.base import Array


class Tiring(AroundNavigation):
    """p_i(e; f) = patience^(i - 1) times the model's p(e; f) from the result at rank i.

    The chance to leave a result falls with its rank; results themselves are read as ever.
    """

    name = "tiring"
    reader = "Looks around from the first results, and less and less from those further down."
    paper = "ours"
    parameters = (OF, share("patience", Fraction(9, 10), "the factor from each rank to the next"))
    example = "tiring(of=hierarchical,patience=0.9)"

    def along(self, by_target: Ragged, rank: Array, chance: Array) -> Array:
        return chance * float(self.given.patience) ** (rank - 1)
