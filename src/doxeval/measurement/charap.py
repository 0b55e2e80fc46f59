"""Average precision over characters (TREC Genomics 2007, PASSAGE2)."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure, register
from doxeval.measurement.families.characters import ratio
from doxeval.reader.effort.arrivals import arrivals
from doxeval.reader.effort.harmonic import summed_precision


@register
class CharacterAveragePrecision(Measure):
    """Mean, over the relevant characters, of precision when each is met for the first time.

    Results are read in order, each from its start. Relevant characters met before are skipped; irrelevant
    ones always count, also when met again. The sum of precision at each new relevant character is divided by
    the number of distinct relevant characters. Over a stretch of L new ones met after p characters, r of them
    relevant, the sum is L + (r - p)(H(p + L) - H(p)).
    """

    name = "CharAP"
    user = "Reads characters down the list until some relevant one, each equally likely the last one wanted."
    paper = "TREC 2007 Genomics track (PASSAGE2 MAP)"
    cutoff = "optional"
    example = "CharAP"

    def score(self, topics: Aligned) -> np.ndarray:
        if self.rank is not None:
            topics = topics.top(self.rank)
        met = arrivals(topics)
        counted = met.shown - (met.relevant_shown - met.fresh)
        terms = summed_precision(counted, met.fresh, met.length)
        total = topics.ground.total_relevant
        return ratio(np.bincount(met.topic, weights=terms, minlength=len(total)), total)
