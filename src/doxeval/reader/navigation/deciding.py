"""The reader who decides once about each place, and does not change their mind."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import Ragged, quotient
from doxeval.reader.navigation.around import OF, AroundNavigation
from doxeval.reader.navigation.base import Array


class Deciding(AroundNavigation):
    """e is seen after the results f with the largest of their p(e; f), not with 1 - prod (1 - p(e; f)).

    Readers differ in how much they want to see e: who did not go there from one result goes from a later one
    only if it leads there better. Given that the results before i did not lead to e, the chance at i is
    1 - u_i / u_{i-1}, u_i being the least of 1 - p(e; f) so far.
    """

    name = "deciding"
    reader = (
        "Decides once about each place how good an entry it takes, and goes there from the first such one."
    )
    paper = "ours, instead of PRUM Hypothesis 2.2"
    parameters = (OF,)
    example = "deciding(of=hierarchical)"

    def along(self, by_target: Ragged, rank: Array, chance: Array) -> Array:
        after = by_target.cumulate(1.0 - chance, np.minimum)
        return 1.0 - quotient(after, by_target.previous(after, 1.0))
