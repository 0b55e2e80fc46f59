"""Shared by the measures of navigating readers: their parameters, and recall in whole elements."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter, choice, share
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure
from doxeval.measurement.families import phrases
from doxeval.reader.consulted import consulted
from doxeval.reader.ideal_search import Search
from doxeval.reader.navigation.model import NAVIGATIONS, navigation_of
from doxeval.reader.quantisation import quantisation_named
from doxeval.reader.units_sought import IDEALS, Elements, assessed_elements

NAV = Parameter(
    "nav", "call", Call("none"), "how the reader navigates; 'doxeval navigations' lists the models",
    choices=NAVIGATIONS,
)  # fmt: skip
IDEAL_ELEMENTS = choice(
    "ideals", IDEALS, "what the reader looks for: judged nodes, or nodes that cover relevant text"
)
QUANTISATION = Parameter(
    "quantisation", "text", "gen",
    "the worth of a code: strict, gen, spec, exh, err, or a file of code,value",
)  # fmt: skip
STRICT = replace(QUANTISATION, default="strict")
"""By default near misses do not count as ideal elements (PRUM 4.2.1)."""
UNIVERSE = Parameter(
    "universe", "integer", None,
    "the number of elements in all; by default the nodes of the documents", low=1,
)  # fmt: skip
WANTED = Parameter("r", "integer", None, "the number of ideal elements the reader wants", low=1)
RECALL = share("recall", None, "the share of the ideal elements the reader wants")


class ElementMeasure(Measure):
    """A measure of elements themselves: they count by their worth, with or without text."""

    question = phrases.NODES
    needs = frozenset({"tree"})

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        quantisation_named(getattr(self.given, "quantisation", "gen"))
        self.elements(ground)

    @classmethod
    def auto(cls) -> dict[str, str]:
        meaning = "judged nodes, and nodes that cover highlighted text"
        return {"ideals": meaning} if IDEAL_ELEMENTS in cls.parameters else {}

    def reads_highlights(self, ground: Ground) -> bool:
        """Only if judged nodes are treated as text to be covered."""
        return getattr(self.given, "ideals", "") == "cover"

    def ignores_grades(self, ground: Ground) -> bool:
        """Judged nodes are worth their grade; of highlighted text only the amount counts."""
        return ground.assessments.nodes is None or self.reads_highlights(ground)

    def elements(self, ground: Ground) -> Elements:
        """The assessed elements, including worthless ones, and the worth of each to this measure."""
        return assessed_elements(ground, self.given.ideals, self.given.quantisation)

    def defined(self, aligned: Aligned) -> np.ndarray:
        return super().defined(aligned) | (assessed_elements(aligned.ground).total > 0)


class GradedMeasure(ElementMeasure):
    """A measure that reads the worth of elements as degrees, or chances, of relevance, from 0 to 1."""

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        elements = self.elements(ground)
        if (elements.value > 1).any():
            topic = ground.topics[elements.topic[np.argmax(elements.value)]]
            raise UsageError(
                f"topic {topic!r}: a node has the value {elements.value.max():g}, but {self.name} expects "
                "degrees of relevance, from 0 to 1"
            )


def consulted_values(aligned: Aligned, elements: Elements) -> np.ndarray:
    """The worth of each consulted node; 0 if it was not assessed, or consulted before."""
    read = consulted(aligned)
    return np.where(read.fresh, np.append(elements.value, 0.0)[elements.find(read.pair, read.node)], 0.0)


class NavigatingMeasure(ElementMeasure):
    """A measure of a reader who looks for ideal elements; sets up the search its parameters describe."""

    draws = phrases.WHERE_TO

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        navigation_of(ground, self.search.nav)

    @property
    def search(self) -> Search:
        """The search described by the parameters."""
        return Search(self.given.nav, self.given.ideals, self.given.quantisation)


def one_of(measure: Measure, *names: str, needed: bool) -> None:
    """Refuse parameters that exclude each other, and the lack of any where one is needed."""
    given = [name for name in names if getattr(measure.given, name) is not None]
    if len(given) > 1:
        raise UsageError(f"{measure.label!r}: give either {' or '.join(given)}, not both")
    if needed and not given:
        raise UsageError(f"{measure.label!r}: state how much is wanted, as in {measure.example}")


def wanted_elements(ideals: np.ndarray, recall: Fraction) -> np.ndarray:
    """The least number of elements, at least 1, that is a share `recall` of the ideals, exactly."""
    return np.maximum(1, -(-(ideals * recall.numerator) // recall.denominator))
