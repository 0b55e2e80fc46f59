"""Average precision over aspects (TREC Genomics, ASPECT)."""

from __future__ import annotations

import numpy as np

from doxeval.core.facts import once
from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families import chance, questions
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.effort.touched import touched_units


class AspectAveragePrecision(SumOfTerms):
    """Mean, over the topic's aspects, of the precision at which each is first met.

    The first highlighted passage a result touches gives it its aspects. With new ones among them, numerator
    and denominator grow by one and each new aspect earns their ratio; with none new nothing changes; a result
    without aspects makes the denominator grow.
    """

    name = "AspectAP"
    question = questions.NEEDS
    user = "Goes down the list for one aspect after another, and does not mind seeing known ones again."
    no_draws = chance.EVERY_STOP
    paper = "TREC 2006-07 Genomics track (ASPECT MAP)"
    needs = frozenset({"aspects"})
    example = "AspectAP"

    def terms(self, aligned: Aligned) -> Terms:
        aspects, aspect, names = aspects_of_units(aligned.ground)
        touched = touched_units(aligned).unit
        rows = np.where(touched >= 0, touched, len(aspects))
        held, at = Ragged(np.append(aspects.offset, aspects.offset[-1])).take(rows)
        first = np.unique(aligned.topic[held.row] * names + aspect[at], return_index=True)[1]
        new = np.bincount(held.row[first], minlength=len(aligned))
        hits = aligned.cumulated((new > 0).astype(np.int64))
        seen = aligned.cumulated(((new > 0) | (held.counts == 0)).astype(np.int64))
        total = aspects_per_topic(aligned.ground)[aligned.topic]
        gained = aligned.cumulated(new * quotient(hits, seen))
        return Terms(aligned, gained, total, "precision where an aspect is first met / aspects")


def aspects_of_units(ground: Ground) -> tuple[Ragged, np.ndarray, int]:
    """Aspects of each highlighted passage: rows and codes, and the number of names."""
    aspects = ground.unit_aspects
    assert aspects is not None
    return aspects.rows, aspects.codes, max(1, len(aspects.table))


@once
def aspects_per_topic(ground: Ground) -> np.ndarray:
    """The number of distinct aspects of each topic."""
    held, aspect, names = aspects_of_units(ground)
    topic = held.expand(ground.assessments.pair_topic[ground.unit_pair])
    return np.bincount(np.unique(topic * names + aspect) // names, minlength=len(ground.topics))
