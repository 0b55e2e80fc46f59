"""The classes of a diagnosis, the ways to mend them, and the thresholds between them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Cutoff, show
from doxeval.core.units import UNITS
from doxeval.measurement.base import Measure
from doxeval.tables.places import AREA, CHARACTERS, COUNTED, GRAIN, LINES

FIRST = 5
"""The number of results that are read where the measure has no cut-off."""
NEAR_GAPS = {CHARACTERS: 500, LINES: 20}
"""The widest gap that is near for a reader who goes nowhere."""


class TopicClass(NamedTuple):
    """A class of topics: its name, a title, and what it means."""

    name: str
    title: str
    meaning: str


CLASSES = (
    TopicClass("not judged", "not judged", "no relevant text is known"),
    TopicClass("nothing returned", "nothing returned", "the list is empty"),
    TopicClass("not locatable", "not locatable", "no result has a place in a document"),
    TopicClass("below", "below the cut-off", "a later result shows relevant text, the first ones none"),
    TopicClass("near", "near", "no relevant text is shown, but readers of the first results may get to some"),
    TopicClass("far", "right document, wrong place", "a result is in a document with relevant text"),
    TopicClass("never", "wrong documents", "no result is in a document with relevant text"),
    TopicClass("cut", "cut off", "relevant text is shown, but no need is met"),
    TopicClass("part", "in part", "some needs are met, and some are not"),
    TopicClass("buried", "complete but buried", "all needs are met, under much irrelevant text"),
    TopicClass("complete", "complete", "all needs are met"),
)
"""The classes, in order; a topic falls into the first that holds."""
NAMES = tuple(one.name for one in CLASSES)
NOT_JUDGED, NONE_RETURNED, NOT_LOCATABLE, BELOW, NEAR, FAR, NEVER_FOUND, CUT, SOME_MET, BURIED, ALL_MET = (
    range(len(CLASSES))
)


class Mending(NamedTuple):
    """A way to mend: its name, the classes it mends, all if none is named, what is done, and how often.

    No class is mended by two that name some.
    """

    name: str
    classes: tuple[int, ...]
    how: str
    extent: str = ""


MENDINGS = (
    Mending("better ranking", (BELOW, SOME_MET), "the results returned, reordered by new relevant text"),
    Mending(
        "wider results",
        (NEAR, CUT),
        "each result widened to its paragraph, or else to its section or parent node",
    ),
    Mending(
        "other documents",
        (FAR, NEVER_FOUND),
        "the last result read replaced by the best chunk; more replaced may bring more",
        "for one result replaced",
    ),
    Mending("no repetition", (BURIED,), "text shown before is cut out"),
    Mending("twice the budget", (), "the reader goes on to twice the cut-off"),
)
RANKING, WIDER, DOCUMENTS, REPETITION, BUDGET = range(len(MENDINGS))


def mendable(classes: np.ndarray, mending: int) -> np.ndarray:
    """Whether each topic, given its class, is one that a mending concerns."""
    concerned = MENDINGS[mending].classes
    return np.isin(classes, concerned) if concerned else classes >= 0


EXTENTS = {mending.name: mending.extent for mending in MENDINGS}
BY_PLACE = "the last result read replaced by the longest relevant place; more replaced may bring more"
"""What is done for other documents where no chunks are known."""


@dataclass(frozen=True)
class Thresholds:
    """The limits of classes; `near_gap` is in the unit of the text, None as usual there.

    A need is met if `met_from` of the text of one of its places is shown. Relevant text is near if readers
    reach it with a chance of at least `near_chance` or, if they go nowhere, if the gap is at most `near_gap`.
    What is complete is buried if the precision of the text shown is below `buried_below`.
    """

    met_from: Fraction = Fraction(1)
    near_chance: float = 0.1
    near_gap: float | None = None
    buried_below: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.met_from <= 1:
            raise UsageError(f"met_from must be more than 0 and at most 1, not {float(self.met_from):g}")
        for name in ("near_chance", "buried_below"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} must be from 0 to 1, not {getattr(self, name):g}")
        if self.near_gap is not None and not self.near_gap >= 0:
            raise UsageError(f"near_gap must be at least 0, not {self.near_gap:g}")

    def gap_in(self, unit: str) -> int | None:
        """The widest gap that is near, in grains of the unit; None in area, which has no distances."""
        if unit == AREA:
            if self.near_gap is not None:
                raise UsageError(
                    "near_gap would do nothing: pages measured in area have no distances between places"
                )
            return None
        if self.near_gap is None and unit not in NEAR_GAPS:
            raise UsageError(
                f"text is counted in {unit}, but a gap that is near is by default a number of characters or "
                f"lines; give it in {unit} (--near-gap)"
            )
        given = NEAR_GAPS.get(unit, 0) if self.near_gap is None else self.near_gap
        return int(given * GRAIN[unit])

    def told(self, unit: str, navigation: str) -> str:
        """The thresholds in words."""
        parts, shown = [], "no relevant text is shown, but some"
        if navigation != "none":
            chance = f"{self.near_chance:g} or more ({navigation})"
            parts.append(f"near: {shown} is reached with a chance of {chance}")
        elif unit != AREA:
            gap = NEAR_GAPS.get(unit) if self.near_gap is None else self.near_gap
            parts.append(f"near: {shown} is at most {gap:g} {COUNTED[unit]} away")
        else:
            parts.append("near is not told apart: area has no distances")
        share = f"{float(self.met_from):g} of" if self.met_from < 1 else "all of"
        parts.append(f"a need is met by {share} one of its places")
        parts.append(f"buried: precision below {self.buried_below:g}")
        return "; ".join(parts)


def cutoff_of(measure: Measure) -> Cutoff:
    """The reader's cut-off: that of the measure, or else the first results."""
    cutoff = measure.expression.cutoff or Cutoff(FIRST)
    ranks_documents = measure.ranks_documents and cutoff.unit == "ranks"
    return Cutoff(cutoff.amount, "documents") if ranks_documents else cutoff


def cutoff_told(cutoff: Cutoff) -> str:
    """A cut-off in words.

    >>> cutoff_told(Cutoff(5)), cutoff_told(Cutoff(2000, "characters"))
    ('5 results', '2,000 characters')
    """
    told = UNITS[cutoff.unit].told(show(Fraction(cutoff.amount)))
    return told.replace("rank", "result")
