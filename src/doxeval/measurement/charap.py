"""Average precision over characters (TREC Genomics 2007, PASSAGE2)."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure
from doxeval.measurement.families import chance, questions
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.effort.arrivals import arrivals
from doxeval.reader.effort.harmonic import summed_precision


class CharacterAveragePrecision(SumOfTerms):
    """Mean, over the relevant characters, of the precision at which each is first met.

    Results are read in order, each from its start. Relevant characters met before are skipped; irrelevant
    ones always count, also when met again. The sum of precision at each new relevant character is divided by
    the number of distinct relevant characters. Over a stretch of L new ones met after p characters, r of them
    relevant, the sum is L + (r - p)(H(p + L) - H(p)).
    """

    name = "CharAP"
    question = questions.TEXT
    user = "Reads down the list until a random relevant character, each equally likely to be the last needed."
    no_draws = chance.EVERY_STOP
    paper = "TREC 2007 Genomics track (PASSAGE2 MAP)"
    example = "CharAP"

    def terms(self, aligned: Aligned) -> Terms:
        if self.rank is not None:
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
