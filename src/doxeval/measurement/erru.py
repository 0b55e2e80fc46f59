"""Expected ratio of relevant units: the share of what is relevant that a navigating reader has seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Call
from doxeval.core.parameters import choice
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families.inside import Inside, StepsToIdeals
from doxeval.measurement.families.navigating import (
    IDEAL_ELEMENTS,
    NAV,
    QUANTISATION,
    GradedMeasure,
    NavigatingMeasure,
)
from doxeval.reader.consulted import chance_listed, ties
from doxeval.reader.ideal_search import Search
from doxeval.reader.navigation.model import navigation_of
from doxeval.reader.units_sought import ancestors_among, assessed_elements


class ExpectedRatioOfRelevantUnits(NavigatingMeasure, GradedMeasure):
    """Expected relevant units seen within k ranks / expected relevant units in all (ERR section 3.3).

    The papers' ERR, renamed because elsewhere that means expected reciprocal rank. A unit is relevant
    with the chance P(R) its code gives (3E 2E 1E: 1, 0.5, 0.25; a plain value is the chance itself), unless
    an ancestor is relevant with exact coverage; it is seen with the chance 1 - prod (1 - P(L) p(unit; e'))
    over the nodes e' of the list. P(L) is below 1 only for nodes of a tie that k cuts: the chance that the
    node is within k when the tied results come in random order. Flat past the end of the list.
    """

    name = "ERRU"
    user = "Reads k results, looks around from each, and counts what was relevant among all they have seen."
    paper = "ERR sections 3.3, 3.4"
    parameters = (
        replace(NAV, default=Call("err")),
        choice("exponents", "printed prose", "as printed, or as in the prose, which implies err"),
        IDEAL_ELEMENTS,
        replace(QUANTISATION, default="err"),
    )
    cutoff = "required"
    first_ranks_tell = True
    grows = True
    no_sum = "the chance to see what several results lead to is not the sum of their chances"
    variants = ("nav=hierarchical", "exponents=prose", "ideals=cover", "quantisation=strict")

    @property
    def search(self) -> Search:
        nav = self.given.nav
        if self.given.exponents != "printed":
            if nav.name != "err":
                if self.names_navigation:
                    raise UsageError(f"{self.label!r}: exponents needs the navigation model err, not {nav}")
                nav = Call("err")
            kept = tuple(argument for argument in nav.arguments if argument[0] != "exponents")
            nav = Call("err", (*kept, ("exponents", self.given.exponents)))
        return Search(nav, self.given.ideals, self.given.quantisation)

    def looked_at(self, aligned: Aligned) -> Aligned:
        """The first results, unless the cut-off falls into a tie."""
        tie, place = ties(aligned), aligned.by_topic.place
        cut = (place == self.rank) & (tie.first < np.arange(len(aligned)))
        return aligned if cut.any() else super().looked_at(aligned)

    def score(self, aligned: Aligned) -> np.ndarray:
        units = self.elements(aligned.ground).positive
        chance_relevant = relevance(aligned.ground, self.given.ideals, self.given.quantisation)
        seen = chance_seen(aligned, self.search, self.rank)
        there = np.bincount(units.topic, weights=chance_relevant, minlength=len(aligned.count))
        found = np.bincount(units.topic, weights=chance_relevant * seen, minlength=len(aligned.count))
        return np.where(there > 0, quotient(found, there), np.nan)

    def inside(self, aligned: Aligned, topic: int) -> list[Inside]:
        """P(R) and P(S) of every unit, whose products add up to the value, and the steps that lead to it."""
        units = self.elements(aligned.ground).positive.by_topic.slice(topic)
        chance_relevant = relevance(aligned.ground, self.given.ideals, self.given.quantisation)[units]
        steps = StepsToIdeals(aligned, topic, self.search, chance_listed(aligned, self.rank))
        seen = steps.seen_at_last
        columns = {
            "unit": steps.names,
            "coverage": self.elements(aligned.ground).positive.coverage[units].tolist(),
            "P(R)": chance_relevant.tolist(),
            "P(S)": seen.tolist(),
            "adds": (chance_relevant * seen / chance_relevant.sum()).tolist(),
        }
        meaning = (
            "P(R): the chance that the unit is relevant, 0 if an ancestor is relevant with exact coverage",
            f"P(S): the chance to have seen it; adds: P(R) P(S) / the sum of P(R), whose sum is {self.label}",
        )
        return [Inside("units", columns, meaning, 2), steps.inside()]


@once
def chance_seen(aligned: Aligned, search: Search, rank: int | None) -> np.ndarray:
    """The chance that each unit is seen within a rank: 1 - prod (1 - P(L) p(unit; e')) over the list."""
    steps = search.chances(aligned)
    listed = chance_listed(aligned, rank)[steps.row]
    if (listed % 1).any() and navigation_of(aligned.ground, search.nav).minds_list:
        raise UsageError(
            f"results are tied at the cut-off {rank} and have no ranks, on which the chances of {search.nav} "
            "depend"
        )
    unseen = np.ones(len(search.elements(aligned.ground).positive))
    np.multiply.at(unseen, steps.element, 1.0 - listed * steps.chance)
    return 1.0 - unseen


@once
def relevance(ground: Ground, ideals: str, quantisation: str) -> np.ndarray:
    """P(R): the value of each unit, 0 where an ancestor is relevant with exact coverage (ERR section 3.4)."""
    units = assessed_elements(ground, ideals, quantisation).positive
    above = ancestors_among(ground, units)
    chance, climber = units.value.copy(), above
    while (climber >= 0).any():
        chance[(climber >= 0) & (units.coverage[climber] == "E")] = 0.0
        climber = np.where(climber >= 0, above[climber], -1)
    return chance
