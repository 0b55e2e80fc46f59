"""Coefficients of agreement between two assessors, one value per topic; NaN if undefined.

Text is compared character by character, but counted in whole segments (:class:`Shared`): the cost depends on
the highlights, not on the documents' length.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from doxeval.comparison.agreement.shared import Sections, Shared
from doxeval.comparison.methods import Agreeing
from doxeval.core.errors import MissingExtra
from doxeval.core.keys import first_of_equals, key_width, keys
from doxeval.core.ragged import quotient, running_totals, sums_by
from doxeval.core.registry import Registry

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


GammaUnit = tuple[int, int, int]
"""Start and end of a highlight among all text of its topic, and its grade."""


def gamma(shared: Shared, seed: int) -> np.ndarray:
    """1 - the disorder of the best alignment / its mean over continua drawn at random, with the seed.

    Mathet, Widlöcher and Métivier, The unified and holistic method gamma, Computational Linguistics 41(3),
    2015, as computed by pygamma-agreement (its statistical sampler, 30 samples). A unit is a highlight, with
    touching ones of one grade joined; the documents of a topic are concatenated. Undefined if one of the two
    highlighted nothing.
    """
    try:
        import pygamma_agreement
    except ImportError:
        raise MissingExtra("agree", "gamma") from None
    values = np.full(len(shared.topics), np.nan)
    units = [_by_topic(shared, assessor) for assessor in (0, 1)]
    with _drawing_quietly():
        for topic, (first, second) in enumerate(zip(*units, strict=True)):
            if first and second:
                np.random.seed(seed)
                values[topic] = _gamma(pygamma_agreement, first, second, len(shared.grades) > 1)
    return values


@contextmanager
def _drawing_quietly() -> Iterator[None]:
    """Restore numpy's global generator and the logging, both of which the library changes."""
    state, silent = np.random.get_state(), logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(silent)
        np.random.set_state(state)


def _by_topic(shared: Shared, assessor: int) -> list[list[GammaUnit]]:
    """The highlights of an assessor in each topic, with its documents concatenated."""
    ends = {document: end for _, document, end in shared.judged()}
    before = running_totals([ends.get(document, 0) for document in range(len(shared.names))])
    found: list[list[GammaUnit]] = [[] for _ in shared.topics]
    for topic, document, start, end, grade in shared.units(assessor):
        found[topic].append((start + int(before[document]), end + int(before[document]), grade))
    return found


def _gamma(library: Any, first: list[GammaUnit], second: list[GammaUnit], graded: bool) -> float:
    continuum = library.Continuum()
    for name, units in (("first", first), ("second", second)):
        for start, end, grade in units:
            continuum.add(name, library.continuum.Segment(start, end), str(grade))
    compared = library.CombinedCategoricalDissimilarity if graded else library.PositionalSporadicDissimilarity
    return float(continuum.compute_gamma(compared()).gamma)


NAN = float("nan")


def overlap(shared: Shared, seed: int) -> np.ndarray:
    """Jaccard's index: text highlighted by both / by either. Undefined if neither highlighted any."""
    both, first, second = _highlighted(shared)
    return quotient(both, first + second - both, NAN)


def f1(shared: Shared, seed: int) -> np.ndarray:
    """Twice the text highlighted by both / the sum of each one's. Undefined if neither highlighted any.

    It is the F of either assessor's highlights scored against those of the other, and, since hardly any text
    is relevant, close to kappa (Hripcsak and Rothschild, JAMIA 2005).
    """
    both, first, second = _highlighted(shared)
    return quotient(2 * both, first + second, NAN)


def cohens_kappa(shared: Shared, seed: int) -> np.ndarray:
    """Cohen's kappa (1960) on characters: (p_o - p_e) / (1 - p_e).

    p_e is the agreement expected of two assessors who mark as much as these at random. Undefined if both put
    all text into one and the same class, so p_e is 1.
    """
    tables = shared.tables
    size = tables.sum(axis=(1, 2))
    chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)
    return quotient(size * _agreed(tables) - chance, size**2 - chance, NAN)


def krippendorffs_alpha(shared: Shared, seed: int) -> np.ndarray:
    """Krippendorff's alpha for nominal data (Content Analysis, 2004, 11.3) on characters: 1 - D_o / D_e.

    With n = 2 N values of N characters, n_c of them in class c: D_o = disagreeing characters / N, D_e =
    (n^2 - sum of n_c^2) / (n (n - 1)). Undefined if all values are in one class.
    """
    tables = shared.tables
    values = 2 * tables.sum(axis=(1, 2))
    classes = tables.sum(axis=1) + tables.sum(axis=2)
    differing = values - 2 * _agreed(tables)
    return 1 - quotient((values - 1) * differing, values**2 - (classes**2).sum(axis=1), NAN)


def _highlighted(shared: Shared) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Characters that both highlighted, that the first did, and that the second did."""
    tables = shared.tables
    return (
        tables[:, 1:, 1:].sum(axis=(1, 2)),
        tables[:, 1:].sum(axis=(1, 2)),
        tables[:, :, 1:].sum(axis=(1, 2)),
    )


def _agreed(tables: np.ndarray) -> np.ndarray:
    return np.trace(tables, axis1=1, axis2=2)


AGREEMENTS = Registry(
    "agreement",
    Agreeing("overlap", "overlap (Jaccard) of what was highlighted", overlap),
    Agreeing("F1", "F1 of what was highlighted", f1),
    Agreeing("kappa", "Cohen's kappa on characters", cohens_kappa, extent=True),
    Agreeing("alpha", "Krippendorff's alpha on characters", krippendorffs_alpha, extent=True),
    Agreeing("alphaU", "Krippendorff's alpha of units (1995)", unitised_alpha, extent=True),
    Agreeing("gamma", "gamma (Mathet et al. 2015)", gamma, extent=True, drawn=True),
)
"""The coefficients of agreement, by name."""

USUAL_COEFFICIENTS = ("overlap", "F1", "kappa", "alpha", "alphaU")
"""The coefficients that need no extra and no random draws."""
