"""Shared by the measures of needs: when a need is met, and the best list of places."""

from __future__ import annotations

import heapq
from fractions import Fraction

import numpy as np

from doxeval.core.facts import once
from doxeval.core.parameters import FINEST_STEP, Parameter
from doxeval.core.ragged import Ragged, sums_by
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.needs import needs_of
from doxeval.measurement.families import questions
from doxeval.measurement.families.terms import SumOfTerms
from doxeval.reader.answered import covered, met_at

PART = Parameter(
    "part", "number", 1, "share of the text of one of its places that must be shown for a need to be met",
    low=Fraction(1, FINEST_STEP), high=1,
)  # fmt: skip
SAME_GAIN = 12
"""Decimals up to which gains are compared."""


class OfNeeds(SumOfTerms):
    """A measure of the needs met; a need is met once enough of any of its places has been shown."""

    question = questions.NEEDS
    parameters = (PART,)
    grows = True
    variants = ("part=0.5",)

    def met(self, aligned: Aligned) -> tuple[np.ndarray, np.ndarray]:
        """The number of needs first met by each result, and the number of needs of its topic."""
        total = needs_of(aligned.ground).per_topic(len(aligned.count))[aligned.topic]
        return needs_met(aligned, self.given.part), total


def needs_met(aligned: Aligned, part: Fraction) -> np.ndarray:
    """The number of needs first met by each result."""
    return np.bincount(met_at(aligned, part), minlength=len(aligned) + 1)[: len(aligned)]


@once
def gains_of_results(aligned: Aligned, part: Fraction, alpha: Fraction) -> np.ndarray:
    """Sum over the needs that a result covers of (1 - alpha) ^ (times it was covered before)."""
    result, need = covered(
        needs_of(aligned.ground),
        part,
        aligned.result,
        aligned.pair[aligned.result],
        aligned.start,
        aligned.end,
    )
    earlier = Ragged.of_runs(need).place
    worth = np.power(float(1 - alpha), earlier)
    return sums_by(result, worth, len(aligned))


@once
def best_gains(ground: Ground, part: Fraction, alpha: Fraction) -> tuple[Ragged, np.ndarray]:
    """Cumulated discounted gains of the places themselves, ranked greedily; by topic.

    The place that gains most comes next; ties go to the shortest, then to the first in its document.
    """
    needs = needs_of(ground)
    of_piece = needs.pieces.row
    place, need = covered(needs, part, of_piece, needs.pair[of_piece], needs.start, needs.end)
    by_place, need = Ragged.gathered(place, len(needs.pair), need)
    size, start = needs.size.tolist(), needs.start[needs.pieces.first].tolist()
    wanted = [need[by_place.slice(at)].tolist() for at in range(len(by_place))]
    again, seen = float(1 - alpha), np.zeros(len(needs.topic), dtype=np.int64).tolist()

    def worth(at: int) -> float:
        return round(sum(again ** seen[one] for one in wanted[at]), SAME_GAIN)

    by_topic, places = Ragged.gathered(
        ground.assessments.pair_topic[needs.pair], len(ground.topics), np.arange(len(needs.pair))
    )
    best = []
    for topic in range(len(by_topic)):
        queue = [(-worth(at), size[at], start[at], at) for at in places[by_topic.slice(topic)].tolist()]
        heapq.heapify(queue)
        while queue:
            gain, *rest, at = heapq.heappop(queue)
            if gain != (now := -worth(at)):
                heapq.heappush(queue, (now, *rest, at))
                continue
            best.append(-gain)
            for one in wanted[at]:
                seen[one] += 1
    return by_topic, by_topic.cumulate(np.array(best, dtype=np.float64) / discount(by_topic.place + 1))


def discount(rank: np.ndarray) -> np.ndarray:
    """log2(1 + rank)."""
    return np.log2(1.0 + rank)
