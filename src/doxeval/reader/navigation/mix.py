"""Readers of several kinds, and the sums of weighted names that describe them: 0.7*hierarchical+0.3*none."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call, parse_call, show
from doxeval.core.parameters import Parameter, call_in_grains, canonical_call
from doxeval.reader.navigation.logs import Sessions
from doxeval.reader.navigation.model import NAVIGATIONS, Array, Navigation, navigation_named
from doxeval.tables.documents import Documents

TERM = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*\*\s*(.+?)\s*")


def weighted_names(text: str, where: str, example: str) -> list[tuple[Fraction, str]]:
    """The names of a sum, each with its weight.

    >>> weighted_names("0.5*cites+.25*a(b+c)", "", "")
    [(Fraction(1, 2), 'cites'), (Fraction(1, 4), 'a(b+c)')]
    """
    found = []
    for term in terms(text):
        match = TERM.fullmatch(term)
        if not match:
            raise UsageError(f"{where!r}: expected terms such as {example}, found {term!r}")
        found.append((Fraction(match[1]), match[2]))
    return found


def canonical_sum(text: str, canonical: Callable[[str], str] = str) -> str:
    """The sum with exact decimals as weights and canonical names; invalid terms are unchanged."""
    parts = []
    for term in terms(text):
        match = TERM.fullmatch(term)
        parts.append(f"{show(Fraction(match[1]))}*{canonical(match[2])}" if match else term)
    return "+".join(parts)


def terms(text: str) -> list[str]:
    """The terms of a sum; a plus inside brackets belongs to its term."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "+" and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [term for term in found if term.strip()]


def _canonical_model(text: str) -> str:
    return str(canonical_call(NAVIGATIONS, parse_call(text), text))


def _model_in_grains(text: str, grain: int | Fraction) -> str:
    call = parse_call(text)
    return str(call_in_grains(NAVIGATIONS.named(call.name, text), call, grain, text))


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
            canonical=partial(canonical_sum, canonical=_canonical_model),
            in_grains=lambda text, grain: canonical_sum(text, partial(_model_in_grains, grain=grain)),
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
        if around := next((part.call for _, part in self.parts if part.minds_list), None):
            raise UsageError(f"{str(call)!r}: put the mixture into {around.name}(of=mix(...)), not around it")
        self.crosses = any(part.crosses for _, part in self.parts)
        if all(part.leads != "anywhere" for _, part in self.parts):
            self.leads = "branch"
        self.minds_coverage = any(part.minds_coverage for _, part in self.parts)
        self.learns = any(part.learns for _, part in self.parts)
        for _, part in self.parts:
            self.notices.extend(part.notices)

    def learn(self, sessions: Sessions) -> None:
        for _, part in self.parts:
            if part.learns:
                part.learn(sessions)

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return sum(
            (weight * part.chance(doc, source, target, coverage) for weight, part in self.parts),
            np.zeros(len(doc)),
        )

    def chance_between(
        self,
        source_doc: Array,
        source: Array,
        target_doc: Array,
        target: Array,
        coverage: Array | None = None,
    ) -> Array:
        places = source_doc, source, target_doc, target, coverage
        return sum(
            (weight * part.chance_between(*places) for weight, part in self.parts), np.zeros(len(source))
        )

    def is_start(self, doc: Array, node: Array) -> Array:
        return np.logical_or.reduce([part.is_start(doc, node) for _, part in self.parts])

    def is_goal(self, doc: Array, node: Array) -> Array:
        return np.logical_or.reduce([part.is_goal(doc, node) for _, part in self.parts])


def mixed_models(text: str) -> list[tuple[Fraction, str]]:
    """The models of a mixture, each with its weight."""
    return weighted_names(text, f"mix({text})", "0.7*hierarchical")
