"""The xCG family: what results are worth, against the best list that the assessments allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Expression
from doxeval.core.parameters import Parameter
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.cumulated_gain import (
    GAIN_PARAMETERS,
    Gain,
    GainMeasure,
    gained_by_best_list,
    gained_by_results,
)
from doxeval.measurement.families.terms import SumOfTerms, Terms


class ExtendedCumulatedGain(GainMeasure, SumOfTerms):
    """Total worth of the first k results to a reader who has seen those before each (PRUM C.3).

    Judged nodes: the value q; (1 - alpha) q if an ancestor was shown; alpha times the worth of the children,
    weighted by size, plus (1 - alpha) q if only descendants were shown. The gain inside an
    ideal element never exceeds its own value. Highlights: (relevant - alpha * relevant seen before) / size.
    alpha is Kazai's: 1 punishes overlap in full.
    """

    name = "xCG"
    user = "Reads k results and adds up what each is worth, less for what was seen before."
    paper = "PRUM C.3 (Kazai, Lalmas, de Vries 2004)"
    parameters = tuple(parameter for parameter in GAIN_PARAMETERS if parameter.name != "ideal")
    cutoff = "required"
    grows = True
    unit = "gain"
    variants = ("alpha=0.5", "quantisation=strict", "ideals=strict", "nav=hierarchical")

    def terms(self, aligned: Aligned) -> Terms:
        return Terms(aligned, gained_by_results(aligned, self.gain), 1.0, "worth of the result")


class NormalisedExtendedCumulatedGain(GainMeasure, SumOfTerms):
    """xCG at k / gain of the best list at k.

    The best list takes, of all elements that hold something relevant, always the one with the largest gain
    (`greedy`), or all by their value alone (`sort`), or the most valuable one of every path from a root to a
    leaf (`paths`, INEX's ideal recall base). A run may gain more than the lists of `sort` and `paths`.
    """

    name = "nXCG"
    user = "Reads k results and compares their worth with the best that k results could be."
    paper = "PRUM C.3; Kazai, Lalmas 2005"
    cutoff = "required"

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        if self.rank is None:
            raise UsageError(f"{self.label!r}: {self.name} needs a cut-off in ranks, as in {self.example}")

    def defined(self, aligned: Aligned) -> np.ndarray:
        best, _ = self._best(aligned)
        return super().defined(aligned) & (best.counts > 0)

    def terms(self, aligned: Aligned) -> Terms:
        best, by_best = self._best(aligned)
        total = best.last(by_best, self.rank)[aligned.topic]
        meaning = "worth of the result / gain of the best list up to the cut-off"
        return Terms(aligned, gained_by_results(aligned, self.gain), total, meaning)

    def at_ranks(self, aligned: Aligned) -> np.ndarray:
        best, by_best = self._best(aligned, int(aligned.count.max(initial=1)))
        depth = np.minimum(best.counts[aligned.topic], aligned.rank)
        total = np.where(depth > 0, np.append(by_best, 0.0)[best.first[aligned.topic] + depth - 1], 0.0)
        return replace(self.terms(aligned), total=total).at_ranks()

    def _best(self, aligned: Aligned, rank: int | None = None) -> tuple[Ragged, np.ndarray]:
        """The best lists, up to a power of two, so that cut-offs that differ little share them."""
        limit = 1 << ((rank or self.rank or 1) - 1).bit_length()
        return gained_by_best_list(aligned.ground, self.gain, limit)


class GainRecall(GainMeasure, SumOfTerms):
    """xCG at k / gain of the whole best list."""

    name = "gr"
    user = "Reads k results and asks what share of all there is to gain they brought."
    paper = "Kazai, Lalmas 2005; ESR section 6"
    cutoff = "required"
    grows = True

    def defined(self, aligned: Aligned) -> np.ndarray:
        return super().defined(aligned) & (self._best(aligned) > 0)

    def terms(self, aligned: Aligned) -> Terms:
        gained, total = gained_by_results(aligned, self.gain), self._best(aligned)[aligned.topic]
        return Terms(aligned, gained, total, "worth of the result / gain of the whole best list")

    def _best(self, aligned: Aligned) -> np.ndarray:
        best, gained = gained_by_best_list(aligned.ground, self.gain)
        return best.last(gained)


ROUNDING = 1e-12
Targets = Callable[[np.ndarray], np.ndarray]


class EffortPrecision(GainMeasure):
    """Ranks of the best list / ranks of the run until a share x of all gain is reached, 0 if it never is."""

    name = "ep"
    user = (
        "Reads until a share of all there is to gain is reached, and asks how much sooner it could have been."
    )
    paper = "Kazai, Lalmas 2005; ESR section 6"
    point = "required"
    no_sum = "it compares a rank of the run with a rank of the best list"
    example = "ep[0.5]"

    def score(self, aligned: Aligned) -> np.ndarray:
        point = float(self.expression.point or 0)
        return each_topic(aligned, self.gain, lambda best: best[-1:] * point)


def each_topic(aligned: Aligned, gain: Gain, targets: Targets) -> np.ndarray:
    """The mean effort-precision of each topic over target gains, which `targets` derives from the best list.

    The first rank counts for a target of 0. Sums of gains are compared up to rounding.
    """
    gained = gained_by_results(aligned, gain)
    lists, best_gained = gained_by_best_list(aligned.ground, gain)
    scores = np.full(len(aligned.count), np.nan)
    for topic in np.flatnonzero(lists.counts).tolist():
        best, run = best_gained[lists.slice(topic)], gained[aligned.by_topic.slice(topic)]
        wanted = targets(best) * (1 - ROUNDING)
        needed, best_needed = np.searchsorted(run, wanted) + 1, np.searchsorted(best, wanted) + 1
        scores[topic] = np.mean(np.where(needed <= len(run), best_needed / needed, 0.0))
    return scores


class AverageEffortPrecision(GainMeasure):
    """Mean effort-precision, over the gains that the best list reaches after each of its elements.

    ``AEP(points=100)`` is the mean over 100 equal shares of all gain instead. Its mean over topics is INEX's
    MAep.
    """

    name = "AEP"
    aliases = ("MAep",)
    user = "Stops at a random rank of the best list and asks how much longer the run takes to gain as much."
    paper = "Kazai, Lalmas 2005; ESR section 6"
    parameters = (
        *GAIN_PARAMETERS,
        Parameter("points", "integer", None, "average over equal shares of all gain instead", low=1),
    )
    no_sum = "it compares a rank of the run with a rank of the best list"
    variants = (*GainMeasure.variants, "points=10")

    def score(self, aligned: Aligned) -> np.ndarray:
        if self.given.points is None:
            return each_topic(aligned, self.gain, lambda best: best)
        shares = np.arange(1, self.given.points + 1) / self.given.points
        return each_topic(aligned, self.gain, lambda best: best[-1] * shares)
