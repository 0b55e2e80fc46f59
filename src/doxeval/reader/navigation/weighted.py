"""Sums of weighted names, as in 0.7*hierarchical+0.3*none: parts of a mixture, types of links."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from doxeval.core.errors import UsageError
from doxeval.core.grammar import show

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
