"""Readers who go up and down the tree."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.parameters import Parameter, choice
from doxeval.reader.navigation.distance import node_gaps
from doxeval.reader.navigation.model import NORMALISE, Array, Navigation
from doxeval.tables.documents import Documents


def length_ratio(documents: Documents, doc: Array, source: Array, target: Array) -> Array:
    """Length of the inner node / length of the outer one if they are nested, else (and without text) 0."""
    nested = documents.nested(doc, source, target)
    first, second = documents.lengths(doc, source), documents.lengths(doc, target)
    outer = np.maximum(first, second)
    return np.divide(np.minimum(first, second), outer, out=np.zeros(len(nested)), where=nested & (outer > 0))


class Hierarchical(Navigation):
    """p(e; f) = length of the inner node / length of the outer one if nested, else 0 (PRUM Eq. 9)."""

    name = "hierarchical"
    reader = "Goes from a node to its ancestors and descendants, the more likely the more text they share."
    paper = "PRUM Eq. 9"
    parameters = (NORMALISE,)
    leads = "branch"
    example = "hierarchical"

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return length_ratio(self.tree(), doc, source, target)


EXACT, FITTING, OTHERWISE = 7 / 8, 3 / 4, 1 / 2


class ExpectedRatioReader(Navigation):
    """Nested: (length ratio)^a; else 1 / (2 + distance / word) (ERR section 3.4).

    a is 7/8 if the node the reader is on has exact coverage, 3/4 if it is too small and they go up, or too
    large and they go down, 1/2 otherwise. That makes the fitting step the less likely one, against the
    paper's prose; `exponents=prose` uses 1 - a.
    """

    name = "err"
    reader = "Goes up from what is too small, down from what is too large, and to what is near."
    paper = "ERR section 3.4"
    parameters = (
        Parameter(
            "word",
            "number",
            1,
            "characters per word; 6 is advised for text",
            low=Fraction(1, 1000),
            in_characters=True,
        ),
        choice("exponents", "printed prose", "as printed, or as in the prose"),
        NORMALISE,
    )
    minds_coverage = True
    example = "err(word=6)"

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        documents = self.tree()
        letters = np.full(len(doc), "N") if coverage is None else coverage
        upwards = target < source
        fitting = np.where(upwards, letters == "S", letters == "L")
        exponent = np.select([letters == "E", fitting], [EXACT, FITTING], OTHERWISE)
        if self.given.exponents == "prose":
            exponent = 1 - exponent
        near = 1 / (2 + node_gaps(documents, doc, source, target) / float(self.given.word))
        nested = documents.nested(doc, source, target)
        return np.where(nested, length_ratio(documents, doc, source, target) ** exponent, near)
