"""Gamma: agreement by the best alignment of two assessors' highlights."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from doxeval.comparison.agreement.shared import Shared
from doxeval.core.errors import MissingExtra
from doxeval.core.ragged import running_totals

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
