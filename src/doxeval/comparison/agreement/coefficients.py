"""Coefficients of agreement between two assessors, one value per topic; NaN if undefined.

Text is compared character by character, but counted in whole segments (:class:`Shared`): the cost depends on
the highlights, not on the documents' length.
"""

from __future__ import annotations

import numpy as np

from doxeval.comparison.agreement.gamma import gamma
from doxeval.comparison.agreement.shared import Shared
from doxeval.comparison.agreement.unitised import unitised_alpha
from doxeval.comparison.methods import Agreeing
from doxeval.core.ragged import quotient
from doxeval.core.registry import Registry

NAN = float("nan")


def overlap(shared: Shared, seed: int) -> np.ndarray:
    """Jaccard's index: text highlighted by both / by either. Undefined if neither highlighted any."""
    both, first, second = _highlighted(shared)
    return quotient(both, first + second - both, NAN)


def f1(shared: Shared, seed: int) -> np.ndarray:
    """Twice the text highlighted by both / the sum of each one's. Undefined if neither highlighted any.

    It is the F of either assessor's highlights scored against those of the other, and, since hardly any text
    is relevant, close to kappa (Hripcsak and Rothschild, JAMIA 2005).
    """
    both, first, second = _highlighted(shared)
    return quotient(2 * both, first + second, NAN)


def cohens_kappa(shared: Shared, seed: int) -> np.ndarray:
    """Cohen's kappa (1960) on characters: (p_o - p_e) / (1 - p_e).

    p_e is the agreement expected of two assessors who mark as much as these at random. Undefined if both put
    all text into one and the same class, so p_e is 1.
    """
    tables = shared.tables
    size = tables.sum(axis=(1, 2))
    chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)
    return quotient(size * _agreed(tables) - chance, size**2 - chance, NAN)


def krippendorffs_alpha(shared: Shared, seed: int) -> np.ndarray:
    """Krippendorff's alpha for nominal data (Content Analysis, 2004, 11.3) on characters: 1 - D_o / D_e.

    With n = 2 N values of N characters, n_c of them in class c: D_o = disagreeing characters / N, D_e =
    (n^2 - sum of n_c^2) / (n (n - 1)). Undefined if all values are in one class.
    """
    tables = shared.tables
    values = 2 * tables.sum(axis=(1, 2))
    classes = tables.sum(axis=1) + tables.sum(axis=2)
    differing = values - 2 * _agreed(tables)
    return 1 - quotient((values - 1) * differing, values**2 - (classes**2).sum(axis=1), NAN)


def _highlighted(shared: Shared) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Characters that both highlighted, that the first did, and that the second did."""
    tables = shared.tables
    return (
        tables[:, 1:, 1:].sum(axis=(1, 2)),
        tables[:, 1:].sum(axis=(1, 2)),
        tables[:, :, 1:].sum(axis=(1, 2)),
    )


def _agreed(tables: np.ndarray) -> np.ndarray:
    return np.trace(tables, axis1=1, axis2=2)


AGREEMENTS = Registry(
    "agreement",
    Agreeing("overlap", "overlap (Jaccard) of what was highlighted", overlap),
    Agreeing("F1", "F1 of what was highlighted", f1),
    Agreeing("kappa", "Cohen's kappa on characters", cohens_kappa, extent=True),
    Agreeing("alpha", "Krippendorff's alpha on characters", krippendorffs_alpha, extent=True),
    Agreeing("alphaU", "Krippendorff's alpha of units (1995)", unitised_alpha, extent=True),
    Agreeing("gamma", "gamma (Mathet et al. 2015)", gamma, extent=True, drawn=True),
)
"""The coefficients of agreement, by name."""

USUAL = ("overlap", "F1", "kappa", "alpha", "alphaU")
"""The coefficients that need no extra and no random draws."""
