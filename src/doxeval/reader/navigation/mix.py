"""Readers of several kinds."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call, parse_call, show
from doxeval.core.parameters import Parameter, canonical_call
from doxeval.reader.navigation.base import NAVIGATIONS, Array, Navigation, navigation_named
from doxeval.tables.documents import Documents

TERM = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*\*\s*(.+?)\s*")


def _canonical_sum(text: str) -> str:
    """The sum with exact decimals as weights and canonical models; invalid terms are unchanged."""
    terms = []
    for term in _terms(text):
        if match := TERM.fullmatch(term):
            model = canonical_call(NAVIGATIONS, parse_call(match[2], text), text)
            term = f"{show(Fraction(match[1]))}*{model}"
        terms.append(term)
    return "+".join(terms)


class Mix(Navigation):
    """The weighted sum of other models; if the weights add up to less than 1, the rest goes nowhere.

    Between nodes p(e; f) is the weighted sum of the parts' chances. In text mode each part follows its own
    rule, and what is seen is the weighted sum of what each kind of reader sees.
    """

    name = "mix"
    reader = "Is a reader of one kind or another, by given shares."
    paper = "ours"
    parameters = (
        Parameter(
            "parts", "text", "", "weights and models, as in 0.7*hierarchical+0.3*readon(mean=500)",
            canonical=_canonical_sum,
        ),
    )  # fmt: skip
    example = "mix(0.7*hierarchical+0.3*readon(mean=500))"

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        mixed = mixed_models(self.given.parts)
        weights = [weight for weight, _ in mixed]
        self.parts = tuple((float(weight), navigation_named(model, documents)) for weight, model in mixed)
        if not self.parts or sum(weights) > 1:
            raise UsageError(f"{str(call)!r}: weights must add up to at most 1, not {float(sum(weights)):g}")
        if any(part.crosses for _, part in self.parts):
            raise UsageError(f"{str(call)!r}: links cannot be mixed with other models")
        if all(part.leads != "anywhere" for _, part in self.parts):
            self.leads = "branch"
        self.minds_coverage = any(part.minds_coverage for _, part in self.parts)
        for _, part in self.parts:
            self.notices.extend(part.notices)

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return sum(
            (weight * part.chance(doc, source, target, coverage) for weight, part in self.parts),
            np.zeros(len(doc)),
        )


def mixed_models(text: str) -> list[tuple[Fraction, str]]:
    """The models of a mixture, each with its weight."""
    found = []
    for term in _terms(text):
        match = TERM.fullmatch(term)
        if not match:
            raise UsageError(f"'mix({text})': expected terms such as 0.7*hierarchical, found {term!r}")
        found.append((Fraction(match[1]), match[2]))
    return found


def _terms(text: str) -> list[str]:
    """The terms of a sum; a plus inside brackets belongs to its term."""
    terms, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "+" and depth == 0:
            terms.append("")
        else:
            terms[-1] += letter
    return [term for term in terms if term.strip()]
