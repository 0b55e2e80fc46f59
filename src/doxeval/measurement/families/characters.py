"""What the character-level measures share: text gained and text shown, rank by rank, in exact integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.kernels.interpolate import best_from


@dataclass(frozen=True)
class Shown:
    """Cumulated over the ranks of each topic: `gain` (relevant text, times `scale`) and `size` (all text).

    `scale` is the denominator of alpha, so that gains are integers whatever the tolerance to repetition.
    """

    gain: np.ndarray
    size: np.ndarray
    scale: int

    @classmethod
    def of(cls, topics: Aligned, alpha: Fraction | int) -> Shown:
        """rsize = fresh + alpha * repeated (ESR Eq. 15), cumulated; made once per alpha."""
        alpha = Fraction(alpha)

        def make() -> Shown:
            gain = alpha.denominator * topics.fresh
            if alpha:
                gain = gain + alpha.numerator * (topics.relevant - topics.fresh)
            return cls(topics.cumulated(gain), topics.cumulated(topics.cost), alpha.denominator)

        return topics.shared(("shown", alpha), make)


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Quotients, with 0/0 = 0."""
    below = np.asarray(below, dtype=np.float64)
    return np.divide(above, below, out=np.zeros(len(below)), where=below != 0)


def precision(shown: Shown) -> np.ndarray:
    """iP at every rank."""
    return ratio(shown.gain, shown.scale * shown.size)


def needed_gain(topics: Aligned, shown: Shown, points: Sequence[Fraction]) -> np.ndarray:
    """Per topic and recall point the least gain whose recall reaches it: gain >= x * T_rel, exactly."""
    whole = int(shown.scale * topics.ground.total_relevant.max(initial=0))
    exact = np.int64 if whole * max(point.numerator for point in points) < 1 << 62 else object
    total = (shown.scale * topics.ground.total_relevant).astype(exact)[:, None]
    above = np.array([point.numerator for point in points], dtype=exact)
    below = np.array([point.denominator for point in points], dtype=exact)
    return (-(-(above * total) // below)).astype(np.int64)


def best_precision(topics: Aligned, shown: Shown, points: Sequence[Fraction]) -> np.ndarray:
    """Per topic and recall point, the largest precision at a rank whose recall reaches the point, else 0."""
    needed = needed_gain(topics, shown, points)
    return best_from(topics.topic_offset, shown.gain, precision(shown), needed)
