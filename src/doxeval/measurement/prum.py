"""Precision-recall with user modelling: the share of results read that lead to something new and ideal."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Expression
from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families.followed import Followed, scenarios
from doxeval.measurement.families.inside import Inside, StepsToIdeals, results_told
from doxeval.measurement.families.navigating import (
    IDEAL_ELEMENTS,
    NAV,
    RECALL,
    STRICT,
    UNIVERSE,
    WANTED,
    NavigatingMeasure,
    one_of,
    wanted_elements,
)
from doxeval.reader.consulted import consulted
from doxeval.reader.search import check_universe, elements_in_all, precisions, traced


class PrecisionRecallWithUserModelling(NavigatingMeasure):
    """Expected results that lead to an unseen ideal element / expected results consulted (PRUM Eq. 5).

    ``PRUM(r=2)`` is for a reader who wants two ideal elements, undefined if there are fewer;
    ``PRUM(recall=0.5)`` the largest value at a recall of at least that; ``PRUM`` the mean of the latter over
    `points` equally spaced recalls. Beyond the list the reader consults the other elements in random order.

    Eqs. 5-8 assume that first sights at one rank are independent given their number so far (Hypothesis 2.3);
    ``exact=true`` does not: P(F_{i-1} = F_i = s) is the coefficient of t^s in the product of q' + (1 - q) t
    over the ideals, q and q' being the chances to be unseen before and after rank i.
    """

    name = "PRUM"
    user = "Consults results in order, may navigate from each, and stops once r ideal elements were seen."
    paper = "PRUM Eqs. 5-8; exact=true: ours"
    parameters = (
        WANTED,
        RECALL,
        Parameter("points", "integer", 101, "number of recall levels from 0 to 1 to average over", low=2),
        Parameter("exact", "flag", False, "compute without Hypothesis 2.3"),
        NAV,
        IDEAL_ELEMENTS,
        STRICT,
        UNIVERSE,
    )
    empty_is_worst = False
    no_sum = "it divides two expectations over readers, who stop at different ranks"
    example = "PRUM(recall=0.5)"
    variants = (
        "",
        "r=1,nav=hierarchical",
        "r=1,exact=true,nav=hierarchical,universe=100",
        "points=11,ideals=cover",
        "recall=0.2,quantisation=gen",
    )

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        one_of(self, "r", "recall", needed=False)

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        ideals = np.diff(self.elements(ground).positive.by_topic.offset)
        size = elements_in_all(ground, self.given.universe)
        if (ideals > size).any():
            topic, most = ground.topics[int(np.argmax(ideals))], int(ideals.max())
            raise UsageError(
                f"{self.label!r}: {size} elements in all cannot include the {most} ideal elements of topic "
                f"{topic!r}; give universe={most} or more"
            )

    def score(self, aligned: Aligned) -> np.ndarray:
        check_universe(aligned, self.elements(aligned.ground).positive, self.given.universe)
        found = precisions(aligned, self.search, self.given.universe, self.given.exact)
        if self.given.r is not None:
            return found.by_topic.at(found.precision, self.given.r - 1, np.nan)
        best = best_from_here(found.by_topic.offset, found.precision)
        if self.given.recall is not None:
            return found.by_topic.at(best, wanted_elements(found.count, self.given.recall) - 1, np.nan)
        last = self.given.points - 1
        points = [Fraction(point, last) for point in range(self.given.points)]
        at_points = [
            found.by_topic.at(best, wanted_elements(found.count, point) - 1, np.nan) for point in points
        ]
        return np.stack(at_points, axis=1).mean(axis=1)

    def inside(self, aligned: Aligned, topic: int) -> list[Inside]:
        """Eq. 5 by recall and by rank, the reader's steps, and if exact all that can happen (Table III)."""
        given, found = self.given, precisions(aligned, self.search, self.given.universe, self.given.exact)
        ideals, wanted = int(found.count[topic]), given.r
        if given.recall is not None:
            least = int(wanted_elements(found.count, given.recall)[topic])
            wanted = least + int(np.argmax(found.precision[found.by_topic.slice(topic)][least - 1 :]))
        unranked = int((elements_in_all(aligned.ground, given.universe) - consulted(aligned).results)[topic])
        followed = Followed(traced(aligned, topic, self.search, given.exact), unranked)
        steps = StepsToIdeals(aligned, topic, self.search)
        return [
            followed.by_recall(wanted or ideals),
            *([followed.by_rank(wanted, results_told(aligned, topic))] if wanted else []),
            steps.inside(),
            *(scenarios(steps, wanted or ideals, unranked) if given.exact else []),
        ]


def best_from_here(offset: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The largest value from each recall on, topic by topic."""
    best = values.copy()
    for first, last in pairwise(offset):
        best[first:last] = np.maximum.accumulate(best[first:last][::-1])[::-1]
    return best
