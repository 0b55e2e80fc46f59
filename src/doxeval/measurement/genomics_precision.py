"""The average precisions of the TREC Genomics track: over passages, aspects and characters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.facts import once
from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.kernels.reading import first_touched
from doxeval.measurement.base import Measure
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.effort.arrivals import arrivals, summed_precision


@dataclass(eq=False)
class Touched:
    """For each result its `unit` (a row of the ground's units, -1: none) and the characters they `share`."""

    unit: np.ndarray
    share: np.ndarray


@once
def touched_units(aligned: Aligned) -> Touched:
    """The highlighted passages that a run's results count for."""
    ground = aligned.ground
    numbers = np.arange(len(ground.unit_pair))
    units, by_pair, starts, ends = ground.units_by_pair(numbers, ground.unit_start, ground.unit_end)
    result = aligned.result
    of_span = first_touched(aligned.pair[result], aligned.start, aligned.end, units.offset, starts, ends)

    nothing = len(by_pair)
    unit = np.full(len(aligned), nothing, dtype=np.int64)
    np.minimum.at(unit, result, np.where(of_span >= 0, of_span, nothing))
    bounds = np.append(starts, 0), np.append(ends, 0)
    low = np.maximum(aligned.start, bounds[0][unit[result]])
    high = np.minimum(aligned.end, bounds[1][unit[result]])
    share = aligned.spans.sum(np.maximum(high - low, 0))
    return Touched(np.append(by_pair, -1)[unit], share)


class PassageAveragePrecision(SumOfTerms):
    """Mean of character precision at the results that touch a highlighted passage.

    A result counts for the first passage (in the file's order) that it touches; other passages in it count as
    irrelevant text. At each such result precision is relevant characters so far / characters so far, repeats
    included. The sum is divided by the number of those results + the passages without a result.
    """

    name = "PsgAP"
    question = phrases.TEXT
    user = "Reads results to their end until a random passage is found, each equally likely to be the last."
    no_draws = phrases.EVERY_STOP
    paper = "TREC 2006-07 Genomics track (PASSAGE MAP)"
    example = "PsgAP"

    def terms(self, aligned: Aligned) -> Terms:
        touched = touched_units(aligned)
        precision = quotient(aligned.cumulated(touched.share), aligned.cumulated(aligned.size))
        found = touched.unit >= 0
        again = found.copy()
        again[np.flatnonzero(found)[np.unique(touched.unit[found], return_index=True)[1]]] = False
        ground = aligned.ground
        passages = np.bincount(ground.assessments.pair_topic[ground.unit_pair], minlength=len(aligned.count))
        wanted = passages[aligned.topic] + aligned.cumulated(again.astype(np.int64))
        gained = aligned.cumulated(np.where(found, precision, 0.0))
        return Terms(aligned, gained, wanted, "precision where a passage is found / passages wanted")


class AspectAveragePrecision(SumOfTerms):
    """Mean, over the topic's aspects, of the precision at which each is first met.

    The first highlighted passage a result touches gives it its aspects. With new ones among them, numerator
    and denominator grow by one and each new aspect earns their ratio; with none new nothing changes; a result
    without aspects makes the denominator grow.
    """

    name = "AspectAP"
    question = phrases.NEEDS
    user = "Goes down the list for one aspect after another, and does not mind seeing known ones again."
    no_draws = phrases.EVERY_STOP
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


class CharacterAveragePrecision(SumOfTerms):
    """Mean, over the relevant characters, of the precision at which each is first met.

    Results are read in order, each from its start. Relevant characters met before are skipped; irrelevant
    ones always count, also when met again. The sum of precision at each new relevant character is divided by
    the number of distinct relevant characters. Over a stretch of L new ones met after p characters, r of them
    relevant, the sum is L + (r - p)(H(p + L) - H(p)).
    """

    name = "CharAP"
    question = phrases.TEXT
    user = "Reads down the list until a random relevant character, each equally likely to be the last needed."
    no_draws = phrases.EVERY_STOP
    paper = "TREC 2007 Genomics track (PASSAGE2 MAP)"
    example = "CharAP"

    def terms(self, aligned: Aligned) -> Terms:
        aligned = aligned.top(self.rank)
        met = arrivals(aligned)
        counted = met.shown - (met.relevant_shown - met.fresh)
        stretches = Ragged.of_rows(met.topic, len(aligned.count))
        precision = stretches.cumulate(summed_precision(counted, met.fresh, met.length))
        read = np.searchsorted(aligned.result[met.span], np.arange(len(aligned)), "right")
        begun = aligned.by_topic.expand(stretches.first)
        gained = np.where(read > begun, np.append(precision, 0.0)[read - 1], 0.0)
        total = aligned.ground.total_relevant[aligned.topic]
        return Terms(aligned, gained, total, "precision at each relevant character first met / all of them")

    at_ranks = Measure.at_ranks
