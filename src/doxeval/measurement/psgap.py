"""Average precision over passages (TREC Genomics, PASSAGE)."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.measurement.families import chance, questions
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.effort.touched import touched_units


class PassageAveragePrecision(SumOfTerms):
    """Mean of character precision at the results that touch a highlighted passage.

    A result counts for the first passage (in the file's order) that it touches; other passages in it count as
    irrelevant text. At each such result precision is relevant characters so far / characters so far, repeats
    included. The sum is divided by the number of those results + the passages without a result.
    """

    name = "PsgAP"
    question = questions.TEXT
    user = "Reads results to their end until a random passage is found, each equally likely to be the last."
    no_draws = chance.EVERY_STOP
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
