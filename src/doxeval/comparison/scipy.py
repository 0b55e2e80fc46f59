"""scipy, imported when a statistic needs it."""

from __future__ import annotations

from typing import Any


def special() -> Any:
    """`scipy.special`, which opens much faster than `scipy.stats`."""
    from scipy import special

    return special


def stats() -> Any:
    """`scipy.stats`."""
    from scipy import stats

    return stats
