"""scipy, imported when a statistic needs it."""

from __future__ import annotations

from typing import Any

from doxeval.core.errors import MissingExtra


def special() -> Any:
    """`scipy.special`, which opens much faster than `scipy.stats`."""
    try:
        from scipy import special
    except ImportError:
        raise MissingExtra("stats", "comparing runs") from None
    return special


def stats() -> Any:
    """`scipy.stats`."""
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtra("stats", "comparing runs") from None
    return stats
