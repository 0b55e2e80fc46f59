"""Krippendorff's alpha for units: agreement about where highlights begin and end."""

from __future__ import annotations

import numpy as np

from doxeval.comparison.agreement.shared import Sections, Shared
from doxeval.core.keys import first_of_equals, key_width, keys
from doxeval.core.ragged import quotient, running_totals, sums_by

ASSESSORS = 2


def unitised_alpha(shared: Shared, seed: int) -> np.ndarray:
    """alpha_U = 1 - (sum of D_o over grades) / (sum of D_e over grades).

    Krippendorff, On the reliability of unitizing continuous data, Sociological Methodology 25, 1995, in the
    form of Content Analysis, 2004, 11.6, for two observers; the changes of 2013 and 2016 concern more of
    them. A unit is a highlight, with touching ones of one grade joined; the documents of a topic are pieces
    of one continuum of length L, and no section crosses their ends. Undefined if D_e is 0: nothing was
    highlighted.
    """
    observed, expected = np.zeros(len(shared.topics)), np.zeros(len(shared.topics))
    length = shared.tables.sum(axis=(1, 2))
    for grade in range(1, 1 + len(shared.grades)):
        first, second = (shared.sections(labels == grade) for labels in shared.labels)
        observed += quotient(_differences(first, second, len(shared.topics)), length**2)
        expected += _chance(first, second, length)
    return 1 - quotient(observed, expected, float("nan"))


def _differences(first: Sections, second: Sections, topics: int) -> np.ndarray:
    """Sums of delta^2 by topic: (s - s')^2 + (e - e')^2 of units that meet, length^2 of one in a gap."""
    meet = first.marked[first.of] & second.marked[second.of]
    one, other = first.of[meet], second.of[meet]
    new = first_of_equals(one, other)
    one, other = one[new], other[new]
    apart = (first.start[one] - second.start[other]) ** 2.0 + (first.end[one] - second.end[other]) ** 2.0
    found = sums_by(first.topic[one], apart, topics)
    for sections, met in ((first, one), (second, other)):
        alone = np.flatnonzero(sections.marked & (np.bincount(met, minlength=len(sections.marked)) == 0))
        found += sums_by(sections.topic[alone], (sections.end[alone] - sections.start[alone]) ** 2.0, topics)
    return found


def _chance(first: Sections, second: Sections, length: np.ndarray) -> np.ndarray:
    """D_e of each topic: delta^2 over all ways in which units of that length could meet units and gaps.

    With N units of lengths b and gaps of lengths l: 2 / L times the sum over units of b ((N - 1) / 3 (2 b^2 -
    3 b + 1) + b times the sum of l - b + 1 over gaps with l >= b), over m L (m L - 1) - the sum of b (b - 1).
    """
    topics = len(length)
    topic = np.append(first.topic, second.topic)
    size = np.append(first.end - first.start, second.end - second.start)
    marked = np.append(first.marked, second.marked)
    of_unit, unit = topic[marked], size[marked]
    places = _places_in_gaps(of_unit, unit, topic[~marked], size[~marked], topics)
    b = unit.astype(np.float64)
    others = np.bincount(of_unit, minlength=topics)[of_unit] - 1
    terms = b * (others / 3 * (2 * b**2 - 3 * b + 1) + b * places)
    text = ASSESSORS * length
    ways = text * (text - 1) - sums_by(of_unit, b * (b - 1), topics)
    return quotient(2 * sums_by(of_unit, terms, topics), length * ways)


def _places_in_gaps(
    of_unit: np.ndarray, unit: np.ndarray, of_gap: np.ndarray, gap: np.ndarray, topics: int
) -> np.ndarray:
    """The number of places at which each unit would fit into a gap of its topic."""
    width = key_width(unit, gap)
    order = np.lexsort((gap, of_gap))
    sorted_keys = keys(of_gap[order], gap[order], width)
    total = running_totals(gap[order] + 1)
    from_here = np.searchsorted(sorted_keys, keys(of_unit, unit, width))
    after = np.searchsorted(of_gap[order], of_unit, side="right")
    return total[after] - total[from_here] - (after - from_here) * unit
