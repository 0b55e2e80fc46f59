"""Quotients of character counts, the form of several measures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Weights(NamedTuple):
    """The weights of times * gain / (size * text shown + wanted * T_rel - less * gain)."""

    times: float = 1
    size: int = 0
    wanted: float = 0
    less: int = 0

    def total(self, gain: np.ndarray, size: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """The denominator."""
        below = self.size * size + self.wanted * wanted if self.wanted else self.size * size
        return below - gain if self.less else below
