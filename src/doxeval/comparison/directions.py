"""The direction of measures: known, or stated by the user."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.scoring.scores import Scores


def directions(
    scores: Scores, lower_is_better: Iterable[str] = (), higher_is_better: Iterable[str] = ()
) -> np.ndarray:
    """+1 for each measure if more is better, -1 if less is; an error if neither is known.

    >>> directions(Scores(["AiP", "cost", "CE@5"], [], []), lower_is_better=["cost"]).tolist()
    [1, -1, -1]
    """
    told: dict[int, bool] = {}
    for higher, names in ((False, lower_is_better), (True, higher_is_better)):
        for name in [names] if isinstance(names, str) else names:
            if told.setdefault(scores.position(name), higher) != higher:
                raise UsageError(f"{name!r}: either lower or higher values are better, not both")
    better = [
        told.get(at, scores.meaning(label).higher_is_better) for at, label in enumerate(scores.measures)
    ]
    if unknown := [label for label, known in zip(scores.measures, better, strict=True) if known is None]:
        raise UsageError(
            f"it is unknown whether higher or lower values of {', '.join(map(repr, unknown))} are better: "
            f"--higher-is-better {unknown[0]!r} or --lower-is-better {unknown[0]!r} "
            "(higher_is_better=[...], lower_is_better=[...] in Python)"
        )
    return np.array([1 if known else -1 for known in better], dtype=np.int64)
