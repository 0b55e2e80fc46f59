"""How many results measures look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import doxeval
from doxeval import Notices, UsageError
from doxeval.core.grammar import Cutoff, split_names
from doxeval.core.phrases import counted
from doxeval.extend import Measure
from doxeval.ground.budget import counter_of
from doxeval.io.placing.place_chunks import Chunk

FIRST_ASKED = 10
"""How many results to ask for at first if a measure limits the text it looks at."""

ASKED_WITHOUT_CUTOFF = 100
"""How many to ask for if a measure looks at all results."""


@dataclass(frozen=True)
class Depth:
    """How much to ask for: at least `results`, and more until each of the `budgets` is filled."""

    results: int
    budgets: tuple[Cutoff, ...] = ()
    measures: tuple[Measure, ...] = field(default=())

    def filled(self, chunks: Sequence[Chunk]) -> bool:
        """Whether chunks hold as much as any measure looks at."""
        return all(budget.amount <= counter_of(budget.unit).held(chunks) for budget in self.budgets)

    def tell(self, notices: Notices, run: str, most: int) -> None:
        """Report which measures look deeper than what was retrieved."""
        deeper = [measure.label for measure in self.measures if (measure.rank or 0) > most]
        if deeper:
            notices.add(
                f"{run}: {', '.join(deeper)} {'looks' if len(deeper) == 1 else 'look'} deeper than what was "
                f"retrieved, at most {counted(most, 'result')}",
                harmless=True,
                lasting=True,
            )
        endless = [measure.label for measure in self.measures if measure.expression.cutoff is None]
        if endless and most >= self.results:
            notices.add(
                f"{run}: {', '.join(endless)} look at all results; the first {most} were retrieved (k=)",
                harmless=True,
                lasting=True,
            )


def depth_of(measures: Iterable[str | Measure], k: int | None) -> Depth:
    """The depth that measures look at: `k` results if given, else as many as the deepest cut-off."""
    if k is not None and k < 1:
        raise UsageError(f"k must be at least 1, not {k}")
    chosen = [
        one
        for given in measures
        for one in ([given] if isinstance(given, Measure) else map(doxeval.measure, split_names(given)))
    ]
    if k is not None:
        return Depth(k, measures=tuple(chosen))
    cutoffs = [measure.expression.cutoff for measure in chosen]
    budgets = tuple(cutoff for cutoff in cutoffs if cutoff is not None and cutoff.unit != "ranks")
    ranks = [measure.rank for measure in chosen if measure.rank is not None]
    ranks += [FIRST_ASKED] if budgets else []
    ranks += [ASKED_WITHOUT_CUTOFF] if None in cutoffs or not cutoffs else []
    return Depth(max(ranks), budgets, tuple(chosen))
