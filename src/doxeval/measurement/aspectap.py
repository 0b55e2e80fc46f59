"""Average precision over aspects (TREC Genomics, ASPECT)."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure, register
from doxeval.measurement.families.characters import ratio
from doxeval.reader.effort.touched import touched_units


@register
class AspectAveragePrecision(Measure):
    """Mean, over the topic's aspects, of precision when each is met for the first time.

    The first highlighted passage a result touches gives it its aspects. With new ones among them, numerator
    and denominator grow by one and each new aspect earns their ratio; with none new nothing changes; a result
    without aspects makes the denominator grow.
    """

    name = "AspectAP"
    user = "Goes down the list for one aspect after another and does not mind meeting known ones again."
    paper = "TREC 2006-07 Genomics track (ASPECT MAP)"
    cutoff = "optional"
    needs = frozenset({"aspects"})
    example = "AspectAP"

    def score(self, topics: Aligned) -> np.ndarray:
        if self.rank is not None:
            topics = topics.top(self.rank)
        offset, aspect, names = aspects_of_units(topics.ground)
        count = np.append(np.diff(offset), 0)[touched_units(topics).unit]
        begin = offset[touched_units(topics).unit]
        result = np.repeat(np.arange(len(topics)), count)
        at = np.arange(len(result)) - np.repeat(np.cumsum(count) - count, count) + begin[result]
        first = np.unique(topics.topic[result] * names + aspect[at], return_index=True)[1]
        new = np.bincount(result[first], minlength=len(topics))
        hits = topics.cumulated((new > 0).astype(np.int64))
        seen = topics.cumulated(((new > 0) | (count == 0)).astype(np.int64))
        gained = np.bincount(topics.topic, weights=new * ratio(hits, seen), minlength=len(topics.count))
        return ratio(gained, _aspects_per_topic(topics.ground, offset, aspect, names))


def aspects_of_units(ground: Ground) -> tuple[np.ndarray, np.ndarray, int]:
    """Aspects of each highlighted passage: `(offset, codes)`, and how many names there are."""
    aspects = ground.assessments.ranges.aspects
    assert aspects is not None
    known = (ground.unit_row >= 0) & (ground.unit_row < len(aspects.offset) - 1)
    row = np.where(known, ground.unit_row, 0)
    count = np.where(known, np.diff(aspects.offset)[row], 0)
    offset = np.concatenate([[0], np.cumsum(count)])
    at = np.arange(offset[-1]) - np.repeat(offset[:-1] - aspects.offset[row], count)
    return offset, aspects.codes[at], max(1, len(aspects.table))


def _aspects_per_topic(ground: Ground, offset: np.ndarray, aspect: np.ndarray, names: int) -> np.ndarray:
    topic = np.repeat(ground.assessments.pair_topic[ground.unit_pair], np.diff(offset))
    distinct = np.unique(topic * names + aspect)
    return np.bincount(distinct // names, minlength=len(ground.topics))
