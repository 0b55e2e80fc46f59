"""Corrections for multiple comparisons: each p-value becomes one to compare with the level itself."""

from __future__ import annotations

import numpy as np

from doxeval.comparison.methods import Correction
from doxeval.core.registry import Registry


def unchanged(p: np.ndarray) -> np.ndarray:
    """No correction."""
    return p


def bonferroni(p: np.ndarray) -> np.ndarray:
    """Bonferroni: every p-value times their number."""
    return np.minimum(1.0, p * len(p))


def holm(p: np.ndarray) -> np.ndarray:
    """Holm (1979): the smallest times their number, the next times one less, never falling.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg (1995): controls the share of false discoveries, not the chance of one.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(p, kind="stable")[::-1]
    stepped = np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


CORRECTIONS = Registry(
    "correction",
    Correction("holm", "corrected by Holm", holm),
    Correction("bonferroni", "corrected by Bonferroni", bonferroni),
    Correction("bh", "corrected by Benjamini and Hochberg", benjamini_hochberg),
    Correction("none", "", unchanged),
)
