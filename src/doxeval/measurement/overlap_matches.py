"""Measures that count a result for a place if the two overlap enough: intersection over union."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import key_width, keys, overlaps
from doxeval.core.parameters import FINEST_STEP, Parameter, levels
from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure
from doxeval.measurement.families import phrases


@dataclass(eq=False)
class Places:
    """The relevant places of all topics as they were given, touching ones apart; `pieces` are disjoint."""

    topic: np.ndarray
    pair: np.ndarray
    size: np.ndarray
    pieces: Ragged
    start: np.ndarray
    end: np.ndarray


@once
def places_of(ground: Ground) -> Places:
    """The relevant places of a ground truth, in the order of their documents."""
    told, first, place = np.unique(ground.unit_place, return_index=True, return_inverse=True)
    pieces, start, end = Ragged.gathered(place, len(told), ground.unit_start, ground.unit_end)
    pieces, start, end = pieces.merge(start, end)
    pair = ground.unit_pair[first]
    topic = ground.assessments.pair_topic[pair]
    return Places(topic, pair, pieces.sum(end - start), pieces, start, end)


@dataclass(eq=False)
class Overlaps:
    """Pairs of a `result` and a `place` that share text, by result, the closest place first."""

    result: np.ndarray
    place: np.ndarray
    shared: np.ndarray
    union: np.ndarray

    def at_least(self, iou: Fraction) -> tuple[np.ndarray, np.ndarray]:
        """The pairs whose intersection over union is at least `iou`, in exact arithmetic."""
        close = self.shared * iou.denominator >= self.union * iou.numerator
        return self.result[close], self.place[close]


@once
def overlaps_of(aligned: Aligned) -> Overlaps:
    """All pairs of a result and a place of its topic that share text."""
    places = places_of(aligned.ground)
    pair, width = aligned.pair[aligned.result], key_width(aligned.end, places.end)
    begins, ends = (keys(places.pair[places.pieces.row], at, width) for at in (places.start, places.end))
    order = np.argsort(begins, kind="stable")
    begins, ends, of_place = begins[order], ends[order], places.pieces.row[order]
    read = (pair >= 0) & (aligned.end > aligned.start)
    start, end = (keys(pair[read], at[read], width) for at in (aligned.start, aligned.end))
    # Places may overlap each other: the furthest end so far finds all that can meet a range, and some more.
    span, piece = overlaps(start, end, begins, np.maximum.accumulate(ends))
    shared = np.maximum(np.minimum(end[span], ends[piece]) - np.maximum(start[span], begins[piece]), 0)
    some = shared > 0
    count = max(1, len(places.size))
    met = aligned.result[read][span[some]] * count + of_place[piece[some]]
    met, which = np.unique(met, return_inverse=True)
    total = np.bincount(which, weights=shared[some], minlength=len(met)).astype(np.int64)
    result, place = met // count, met % count
    union = aligned.size[result] + places.size[place] - total
    order = np.lexsort((place, -quotient(total, union), result))
    return Overlaps(result[order], place[order], total[order], union[order])


@once
def matched(aligned: Aligned, iou: Fraction, wanted: Wanted) -> np.ndarray:
    """A mask of the results that match a place not matched by a result before, the closest one left."""
    result, place = overlaps_of(aligned).at_least(iou)
    counts = wanted.counts(places_of(aligned.ground))[place]
    found = np.zeros(len(aligned), dtype=bool)
    taken: set[int] = set()
    for at, spot in zip(result[counts].tolist(), place[counts].tolist(), strict=True):
        if not found[at] and spot not in taken:
            found[at] = True
            taken.add(spot)
    return found


class Wanted(NamedTuple):
    """The sizes of places that are wanted: more than `over`, at most `upto`; None: any."""

    over: Fraction | None
    upto: Fraction | None

    def counts(self, places: Places) -> np.ndarray:
        """A mask of the places that are wanted."""
        counts = np.ones(len(places.size), dtype=bool)
        if self.over is not None:
            counts &= places.size * self.over.denominator > self.over.numerator
        if self.upto is not None:
            counts &= places.size * self.upto.denominator <= self.upto.numerator
        return counts

    def per_topic(self, ground: Ground) -> np.ndarray:
        """The number of places of each topic that are wanted."""
        places = places_of(ground)
        return np.bincount(places.topic[self.counts(places)], minlength=len(ground.topics))


class OfMatches(Measure):
    """A measure of results that match a place: intersection over union of at least `iou`.

    With a range of thresholds the value is the mean over them.
    """

    question = phrases.MATCHES
    cutoff = "optional"
    grows = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "iou", "levels", Fraction(1, 2), "least intersection over union of a result and a place",
            low=Fraction(1, FINEST_STEP), high=1,
        ),
        Parameter("over", "number", None, "only places larger than this count", low=0, in_characters=True),
        Parameter("upto", "number", None, "only places up to this size count", low=0, in_characters=True),
    )  # fmt: skip
    variants: ClassVar[tuple[str, ...]] = ("iou=0.5..0.95", "iou=0.3,over=1,upto=999")

    @property
    def wanted(self) -> Wanted:
        """The sizes of places that count."""
        return Wanted(self.given.over, self.given.upto)

    def defined(self, aligned: Aligned) -> np.ndarray:
        return self.wanted.per_topic(aligned.ground) > 0

    def score(self, aligned: Aligned) -> np.ndarray:
        shown = aligned.top(self.rank)
        found = [self.at_threshold(shown, iou) for iou in levels(self.given.iou)]
        return np.mean(found, axis=0)

    @abstractmethod
    def at_threshold(self, shown: Aligned, iou: Fraction) -> np.ndarray:
        """The value of each topic for one threshold."""


class Hit(OfMatches):
    """1 if one of the first k results matches a place: intersection over union of at least `iou`, else 0.

    ``Hit(iou=0.5)@1`` is what benchmarks of moments in videos call R1@0.5.
    """

    name = "Hit"
    user = "Opens the first results, and is content with one that is cut about as the answer is."
    paper = "recall at 1 of temporal grounding (QVHighlights, Lei et al. 2021, R1@IoU)"
    no_sum = "it is 1 or 0"
    example = "Hit(iou=0.5)@1"

    def at_threshold(self, shown: Aligned, iou: Fraction) -> np.ndarray:
        result, place = overlaps_of(shown).at_least(iou)
        counts = self.wanted.counts(places_of(shown.ground))[place]
        return np.bincount(shown.topic[result[counts]], minlength=len(shown.count)) > 0


class OverlapAveragePrecision(OfMatches):
    """Average precision over places, each matched once: by the first result that overlaps it enough.

    Results in order; each is matched to the place, not matched before, with which its intersection over union
    is largest, if that is at least `iou`. The sum of precision at the matching results is divided by the
    number of places. `interpolated` takes the largest precision at this or any later rank (up to the cut-off)
    instead, as the scorers of PASCAL VOC, ActivityNet and QVHighlights do; the latter looks at ten results:
    ``IoUAP(iou=0.5..0.95,interpolated=true)@10`` is its mAP.
    """

    name = "IoUAP"
    user = "Goes down the list until a random place has been found, each cut about as it should be."
    no_draws = phrases.EVERY_STOP
    paper = "average precision of detection (QVHighlights, Lei et al. 2021, mAP)"
    no_sum = "precision at a match depends on those before it"
    parameters = (
        *OfMatches.parameters,
        Parameter("interpolated", "flag", False, "take the largest precision at this or a later rank"),
    )
    variants = ("iou=0.5..0.95", "iou=0.3,over=1,upto=999", "iou=0.2,interpolated=true")
    example = "IoUAP(iou=0.5)"

    def at_threshold(self, shown: Aligned, iou: Fraction) -> np.ndarray:
        hit = matched(shown, iou, self.wanted)
        precision = quotient(shown.cumulated(hit.astype(np.int64)), shown.rank)
        if self.given.interpolated:
            backwards = shown.by_topic.items - 1 - np.arange(len(shown))
            rows = Ragged.of_counts(shown.count[::-1])
            precision = rows.cumulate(precision[backwards], np.maximum)[backwards]
        return quotient(
            shown.by_topic.add(np.where(hit, precision, 0.0)), self.wanted.per_topic(shown.ground)
        )
