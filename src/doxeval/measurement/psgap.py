"""Average precision over passages (TREC Genomics, PASSAGE)."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure, register
from doxeval.measurement.families.characters import ratio
from doxeval.reader.effort.touched import touched_units


@register
class PassageAveragePrecision(Measure):
    """Mean of character precision at the results that touch a highlighted passage.

    A result stands for the first passage (in the file's order) that it touches; other passages in it count as
    irrelevant text. At each such result precision is relevant characters so far / characters so far, repeats
    paid again. The sum is divided by the number of those results + the passages no result stands for.
    """

    name = "PsgAP"
    user = "Reads results to their end until some passage found there, each equally likely the last one."
    paper = "TREC 2006-07 Genomics track (PASSAGE MAP)"
    cutoff = "optional"
    example = "PsgAP"

    def score(self, topics: Aligned) -> np.ndarray:
        if self.rank is not None:
            topics = topics.top(self.rank)
        touched = touched_units(topics)
        precision = ratio(topics.cumulated(touched.share), topics.cumulated(topics.size))
        found = touched.unit >= 0
        ground = topics.ground
        missed = np.ones(len(ground.unit_pair), dtype=bool)
        missed[touched.unit[found]] = False
        missed_topic = ground.assessments.pair_topic[ground.unit_pair[missed]]
        count = len(ground.topics)
        wanted = np.bincount(topics.topic[found], minlength=count) + np.bincount(
            missed_topic, minlength=count
        )
        return ratio(np.bincount(topics.topic[found], weights=precision[found], minlength=count), wanted)
