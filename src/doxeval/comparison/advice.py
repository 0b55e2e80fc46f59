"""The advice of an evaluation: what to use, what is known and what is not, and what to do next.

The first screen of a report opens with it. It is the verdict, with its first sentence in short: nothing here
is tested in another way than there, or than by `compare`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from doxeval.comparison.leads import LeadDoubts, headline, lead_doubts, told_measures
from doxeval.comparison.standing import Standing, standings_of
from doxeval.comparison.verdict import verdict
from doxeval.core.phrases import counted, percent

if TYPE_CHECKING:
    from doxeval.comparison.compare import Comparison
    from doxeval.scoring.scores import Scores

POWER = 1.959964 + 0.841621
"""Standard errors by which a mean must exceed 0 to be found at 5%, two-sided, in 80% of the trials."""
MOST_TOPICS = 20_000
"""More topics than these are not advised: the difference is next to nothing."""
UNJUDGED = 0.1
"""The share of results in unjudged documents from which judging them is advised."""


@dataclass(frozen=True)
class Advice:
    """The first things to tell: a headline, the verdict's `sentences` behind it, and what to do `next`.

    `measure` is the one that decides, `leaders` the best runs by it, `doubtful` those that may be as good;
    empty where runs are not compared.
    """

    headline: str
    sentences: list[str]
    next: list[str]
    measure: str = ""
    leaders: list[int] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)


def advice_of(scores: Scores, comparison: Comparison | None = None) -> Advice:
    """The advice that follows from scores, tested as in a comparison of their runs."""
    sentences = verdict(scores, comparison=comparison)
    standings = standings_of(scores, comparison)
    told = told_measures(scores, standings, comparison, None)
    if len(scores.runs) < 2 or not told or not sentences:
        first = sentences[0] if sentences else ""
        return Advice(first, sentences[1:], [], told[0] if told else "", [0] if told else [])
    standing = standings[told[0]]
    tested = lead_doubts(standing, comparison)
    level = len(standing.leaders) == len(standing.overall)
    short = "" if level else headline(standings, told[0], comparison)
    doubtful = tested.doubtful if tested is not None and not level else []
    return Advice(
        short or sentences[0], sentences if short else sentences[1:], _next(standing, tested),
        told[0], standing.leaders, doubtful,
    )  # fmt: skip


def _next(standing: Standing, tested: LeadDoubts | None) -> list[str]:
    """The next things to do: judge more, ask more, or keep what is."""
    found = []
    leader = standing.leaders[0]
    run = standing.scores.runs[leader]
    if run.results > 0 and run.unjudged / run.results >= UNJUDGED:
        found.append(
            f"Judge more: {percent(run.unjudged / run.results)} of what {standing.name(leader)} returned is "
            "in documents that nobody judged (doxeval pool)."
        )
    if tested is not None and tested.doubtful and len(standing.leaders) == 1:
        rival = tested.doubtful[0]
        if needed := topics_needed(standing.values[leader] - standing.values[rival]):
            found.append(
                f"Ask more: to tell {standing.name(leader)} from {standing.name(rival)}, about "
                f"{counted(needed, 'question')} are needed instead of {standing.topics:,}, if the difference "
                "stays as it is (80% power at 5%)."
            )
    if tested is not None and not tested.doubtful and tested.certain:
        found.append("Keep it: a build can compare every change with this run (doxeval gate).")
    return found


def topics_needed(differences: np.ndarray) -> int:
    """The number of topics that would show a difference to be beyond chance; 0 if these do, or none would.

    >>> topics_needed(np.array([0.1, -0.1, 0.2, 0.0]))
    53
    """
    known = differences[~np.isnan(differences)]
    if len(known) < 2 or not (mean := float(known.mean())):
        return 0
    needed = math.ceil((POWER * float(known.std(ddof=1)) / mean) ** 2)
    return needed if len(known) < needed <= MOST_TOPICS else 0
