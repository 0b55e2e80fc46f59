"""Measures of a measure, which is their parameter `of`: they share its reader, its range and its needs."""

from __future__ import annotations

import numpy as np

from doxeval.core.grammar import Call, Expression
from doxeval.core.parameters import keyed
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import MEASURES, Measure


class OfMeasure(Measure):
    """A measure made of the values of another at several cut-offs."""

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        measure = self.measure
        self.ranks_documents = measure.ranks_documents
        typed = keyed(self.parameters, expression.call, self.label).get("of")
        self._navigation_is_named = isinstance(typed, Call) and "nav" in dict(typed.arguments)
        self.unit, self.higher_is_better = measure.unit, measure.higher_is_better

    @property
    def measure(self) -> Measure:
        """The measure that it is made of, at the same cut-off."""
        kind = MEASURES.named(self.given.of.name, self.label)
        cutoff = self.expression.cutoff if kind.cutoff != "none" else None
        return kind(Expression(self.given.of, None, cutoff))

    @property
    def takes_navigation(self) -> bool:
        return not self._navigation_is_named and self.measure.takes_navigation

    def under(self, navigation: str) -> None:
        if self.takes_navigation:
            measure = self.measure
            measure.under(navigation)
            vars(self).pop("canonical", None)
            self.given.of = measure.call

    @property
    def low(self) -> float:
        return self.measure.low

    @property
    def high(self) -> float:
        return self.measure.high

    @property
    def reads_text(self) -> bool:
        return self.measure.reads_text

    @property
    def summed(self) -> bool:
        return self.measure.summed

    def reads_highlights(self, ground: Ground) -> bool:
        return self.measure.reads_highlights(ground)

    def ignores_grades(self, ground: Ground) -> bool:
        return self.measure.ignores_grades(ground)

    def prepare(self, ground: Ground) -> None:
        self.measure.prepare(ground)

    def defined(self, aligned: Aligned) -> np.ndarray:
        return self.measure.defined(aligned)
