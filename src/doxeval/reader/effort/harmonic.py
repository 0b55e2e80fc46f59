"""Sums of precision over stretches of relevant text, in closed form."""

from __future__ import annotations

import numpy as np

SMALL = 32
_HARMONIC = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, SMALL + 1))])


def harmonic_difference(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """H(high) - H(low) for whole numbers 0 <= low <= high, H(n) = 1 + 1/2 + ... + 1/n.

    From a table up to 32, beyond it from the asymptotic series of H, with each term as a difference: the
    logarithm as log1p of the relative step. Errors stay near 1e-16 of the value, for any length.

    >>> harmonic_difference(np.array([0, 2]), np.array([3, 2])).tolist()
    [1.8333333333333333, 0.0]
    """
    low, high = np.asarray(low), np.asarray(high)
    small = _HARMONIC[np.minimum(high, SMALL)] - _HARMONIC[np.minimum(low, SMALL)]
    a, b = np.maximum(low, SMALL).astype(np.float64), np.maximum(high, SMALL).astype(np.float64)
    u, v = 1 / (a * a), 1 / (b * b)
    series = np.log1p((b - a) / a) - (b - a) / (2 * a * b) + (u - v) / 12
    return small + series - (u**2 - v**2) / 120 + (u**3 - v**3) / 252 - (u**4 - v**4) / 240


def summed_precision(before: np.ndarray, relevant_before: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Sum of precision at every character of a relevant stretch met after `before` characters.

    sum over i = 1..L of (r + i) / (p + i) = L + (r - p)(H(p + L) - H(p)).
    """
    return length + (relevant_before - before) * harmonic_difference(before, before + length)
