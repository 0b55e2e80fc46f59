"""A measure averaged over the ranks up to its cut-off."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call, Expression
from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import MEASURES
from doxeval.measurement.families.of_measure import OfMeasure
from doxeval.measurement.families.terms import Shares


class Mean(OfMeasure):
    """The mean of a measure at the ranks 1 to k: ``SRP(mean=true)@10``, or ``Mean(of=SRP)@10``.

    SR ranks its systems by the mean-averaged SRP (section 7); ESR averages over cut-offs in sections 6.1 and
    6.2. Past the end of a list the measure goes on as it does at any such rank.
    """

    name = "Mean"
    user = (
        "Stops at some rank up to k, each equally likely, and judges the list as the measure's own user does."
    )
    paper = "SR section 7; ESR sections 6.1, 6.2"
    parameters = (
        Parameter("of", "call", Call("iP"), "the measure, one with a cut-off in ranks", choices=MEASURES),
    )
    cutoff = "required"
    draws = "what the readers of the measure draw"
    variants = ("of=ESRP", "of=F(beta=2)", "of=gP", "of=nXCG", "of=NearMisses")

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        measure = self.measure
        if self.rank is None or measure.cutoff == "none":
            raise UsageError(
                f"{self.label!r}: a mean is taken over ranks, and "
                + (
                    f"{measure.name} takes no cut-off"
                    if measure.cutoff == "none"
                    else "this cut-off counts none"
                )
            )
        self.no_sum, self.draws, self.no_draws = measure.no_sum, measure.draws, measure.no_draws

    def looked_at(self, aligned: Aligned) -> Aligned:
        return self.measure.looked_at(aligned)

    def score(self, aligned: Aligned) -> np.ndarray:
        assert self.rank is not None
        return self.cut(aligned, self.rank)

    def shares(self, aligned: Aligned) -> Shares | None:
        """The mean of the shares at every rank, of a measure that has any."""
        measure, ranks = self.measure, range(1, (self.rank or 0) + 1)
        parts = [part for rank in ranks if (part := measure.with_cutoff(rank).shares(aligned)) is not None]
        if not parts:
            return None
        added, rest = (np.mean([getattr(part, name) for part in parts], axis=0) for name in ("added", "rest"))
        return Shares(aligned, added, rest, f"{parts[0].meaning}, mean over the ranks")

    def cut(self, aligned: Aligned, rank: int) -> np.ndarray:
        measure, total = self.measure, np.zeros(len(aligned.count))
        for at in range(1, rank + 1):
            total += measure.cut(aligned, at)
        return total / rank

    def at_ranks(self, aligned: Aligned) -> np.ndarray:
        values = self.measure.at_ranks(aligned)
        for first, last in zip(aligned.by_topic.offset[:-1], aligned.by_topic.offset[1:], strict=True):
            values[first:last] = np.cumsum(values[first:last]) / np.arange(1, last - first + 1)
        return values
