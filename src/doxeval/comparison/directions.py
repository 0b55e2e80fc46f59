"""Which way is better: a measure says so itself, for others the user does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from doxeval.core.errors import DoxevalError, UsageError, nearest


def directions(measures: Sequence[str], lower_is_better: Iterable[str] = ()) -> np.ndarray:
    """+1 for each measure where more is better, -1 where less is.

    >>> directions(["AiP", "something else", "cost"], lower_is_better=["cost"]).tolist()
    [1, 1, -1]
    """
    lower = set(lower_is_better)
    for name in lower - set(measures):
        raise UsageError(
            f"there is no measure {name!r} that lower values could be better of{nearest(name, measures)}"
        )
    return np.array([-1 if name in lower or not _more_is_better(name) else 1 for name in measures])


@cache
def _more_is_better(name: str) -> bool:
    from doxeval.measurement.base import measure_named

    try:
        return measure_named(name).higher_is_better
    except DoxevalError:
        return True
