"""The reader who sees only what was retrieved."""

from __future__ import annotations

import numpy as np

from doxeval.reader.navigation.base import Array, Navigation


class NoNavigation(Navigation):
    """p(e; f) = 0 for e != f: the classical reader of PRUM section 2.2."""

    name = "none"
    reader = "Sees what was retrieved and goes nowhere from there."
    paper = "PRUM section 2.2, 'classical'"
    leads = "nowhere"
    example = "none"

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return np.zeros(len(doc))
