"""Measures of needs: which of them results have met, and when."""

from __future__ import annotations

import heapq
import math
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import key_width, keys, overlaps
from doxeval.core.parameters import FINEST_STEP, Parameter, share
from doxeval.core.ragged import Ragged, sums_by
from doxeval.core.strings import distinct
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.need_sets import has_sets, sets_of
from doxeval.ground.needs import Needs, needs_of
from doxeval.ground.seen import cut_into_stretches
from doxeval.kernels.stretches import paint_first
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import SumOfTerms, Terms


@once
def shown_at(aligned: Aligned, part: Fraction) -> np.ndarray:
    """For each place the result after which `part` of its text has been shown.

    All results so far count together; a place that is never shown gets the number of results.
    """
    needs, never = needs_of(aligned.ground), len(aligned)
    pair = needs.pair[needs.pieces.row]
    cut = cut_into_stretches(aligned, (np.tile(pair, 2), np.append(needs.start, needs.end)))
    width = key_width(cut.start, needs.start, needs.end)
    begins = keys(cut.pair, cut.start, width)
    first, after = (np.searchsorted(begins, keys(pair, place, width)) for place in (needs.start, needs.end))
    within = Ragged.of_counts(after - first)
    stretch = within.place + within.expand(first)
    shown = cut.first[stretch] >= 0
    stretch, place = stretch[shown], within.expand(needs.pieces.row)[shown]

    order = np.lexsort((cut.first[stretch], place))
    stretch, place = stretch[order], place[order]
    length = cut.end[stretch] - cut.start[stretch]
    so_far = Ragged.of_rows(place, len(needs.pair)).cumulate(length)
    enough = so_far >= needs.enough(part)[place]
    found = np.full(len(needs.pair), never, dtype=np.int64)
    np.minimum.at(found, place[enough], cut.first[stretch[enough]])
    return found


@once
def met_at(aligned: Aligned, part: Fraction) -> np.ndarray:
    """For each need the result that meets it at one of its places; the number of results if none does."""
    needs = needs_of(aligned.ground)
    met = np.full(len(needs.topic), len(aligned), dtype=np.int64)
    np.minimum.at(met, needs.need, needs.answers.expand(shown_at(aligned, part)))
    return met


@once
def complete_at(aligned: Aligned, part: Fraction) -> np.ndarray:
    """For each set the result that completes it; the number of results if none does."""
    return sets_of(aligned.ground).complete(shown_at(aligned, part), len(aligned))


@once
def completed_text(aligned: Aligned) -> np.ndarray:
    """For each result the relevant text of the places that it completes, as far as no earlier one has."""
    needs, at = needs_of(aligned.ground), shown_at(aligned, Fraction(1))[needs_of(aligned.ground).pieces.row]
    shown = np.flatnonzero(at < len(aligned))
    shown = shown[np.argsort(at[shown], kind="stable")]
    pair, width = needs.pair[needs.pieces.row[shown]], key_width(needs.end)
    begins, ends = (keys(pair, place[shown], width) for place in (needs.start, needs.end))
    cuts = distinct(np.append(begins, ends))
    first = paint_first(np.searchsorted(cuts, begins), np.searchsorted(cuts, ends), at[shown], len(cuts))
    painted = np.flatnonzero(first >= 0)
    length = cuts[painted + 1] - cuts[painted]
    return np.bincount(first[painted], weights=length, minlength=len(aligned)).astype(np.int64)


def covered(
    needs: Needs, part: Fraction, item: np.ndarray, pair: np.ndarray, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """All pairs (item, need), sorted by need, in which the item alone shows `part` of a place of the need.

    An item is a result or a place; its ranges `[start, end)` of the pair's document are disjoint.
    """
    width = key_width(end, needs.end)
    begins, ends = (keys(needs.pair[needs.pieces.row], at, width) for at in (needs.start, needs.end))
    order = np.argsort(begins, kind="stable")
    begins, ends, of_place = begins[order], ends[order], needs.pieces.row[order]
    read = (pair >= 0) & (end > start)
    item, start, end = item[read], keys(pair[read], start[read], width), keys(pair[read], end[read], width)
    span, piece = overlaps(start, end, begins, np.maximum.accumulate(ends))
    shared = np.maximum(np.minimum(end[span], ends[piece]) - np.maximum(start[span], begins[piece]), 0)

    places, items = max(1, len(needs.pair)), 1 + int(item.max(initial=0))
    met, meeting = np.unique(item[span] * places + of_place[piece], return_inverse=True)
    shown = np.bincount(meeting, weights=shared, minlength=len(met))
    met = met[shown >= needs.enough(part)[met % places]]
    answers, at = needs.answers.take(met % places)
    found = np.unique(needs.need[at] * items + answers.expand(met // places))
    return found % items, found // items


PART = Parameter(
    "part", "number", 1, "share of the text of one of its places that must be shown for a need to be met",
    low=Fraction(1, FINEST_STEP), high=1,
)  # fmt: skip
SAME_GAIN = 12
"""Decimals up to which gains are compared."""


class OfNeeds(SumOfTerms):
    """A measure of the needs met; a need is met once enough of any of its places has been shown."""

    question = phrases.NEEDS
    parameters: ClassVar[tuple[Parameter, ...]] = (PART,)
    grows = True
    variants: ClassVar[tuple[str, ...]] = ("part=0.5",)

    def met(self, aligned: Aligned) -> tuple[np.ndarray, np.ndarray]:
        """The number of needs first met by each result, and the number of needs of its topic."""
        total = needs_of(aligned.ground).per_topic(len(aligned.count))[aligned.topic]
        return needs_met(aligned, self.given.part), total


def needs_met(aligned: Aligned, part: Fraction) -> np.ndarray:
    """The number of needs first met by each result."""
    return np.bincount(met_at(aligned, part), minlength=len(aligned) + 1)[: len(aligned)]


@once
def best_shares(aligned: Aligned, part: Fraction) -> np.ndarray:
    """After each result the largest share of the needs of a set that have been met."""
    sets = sets_of(aligned.ground)
    met = sets.met(shown_at(aligned, part), len(aligned))
    order = np.lexsort((met, sets.of))
    by_set = Ragged.of_rows(sets.of[order], len(sets.topic))
    share = (by_set.place + 1) / by_set.expand(np.maximum(by_set.counts, 1))
    best = np.zeros(len(aligned) + 1)
    np.maximum.at(best, met[order], share)
    return aligned.by_topic.cumulate(best[:-1], np.maximum)


@once
def gains_of_results(aligned: Aligned, part: Fraction, alpha: Fraction) -> np.ndarray:
    """Sum over the needs that a result covers of (1 - alpha) ^ (times it was covered before)."""
    result, need = covered(
        needs_of(aligned.ground),
        part,
        aligned.result,
        aligned.pair[aligned.result],
        aligned.start,
        aligned.end,
    )
    earlier = Ragged.of_runs(need).place
    worth = np.power(float(1 - alpha), earlier)
    return sums_by(result, worth, len(aligned))


@once
def best_gains(ground: Ground, part: Fraction, alpha: Fraction) -> tuple[Ragged, np.ndarray]:
    """Cumulated discounted gains of the places themselves, ranked greedily; by topic.

    The place that gains most comes next; ties go to the shortest, then to the first in its document.
    """
    needs = needs_of(ground)
    of_piece = needs.pieces.row
    place, need = covered(needs, part, of_piece, needs.pair[of_piece], needs.start, needs.end)
    by_place, need = Ragged.gathered(place, len(needs.pair), need)
    size, start = needs.size.tolist(), needs.start[needs.pieces.first].tolist()
    wanted = [need[by_place.slice(spot)].tolist() for spot in range(len(by_place))]
    again, seen = float(1 - alpha), np.zeros(len(needs.topic), dtype=np.int64).tolist()

    def worth(spot: int) -> float:
        return round(sum(again ** seen[need_code] for need_code in wanted[spot]), SAME_GAIN)

    by_topic, places = Ragged.gathered(
        ground.assessments.pair_topic[needs.pair], len(ground.topics), np.arange(len(needs.pair))
    )
    best = []
    for topic in range(len(by_topic)):
        queue = [
            (-worth(spot), size[spot], start[spot], spot) for spot in places[by_topic.slice(topic)].tolist()
        ]
        heapq.heapify(queue)
        while queue:
            gain, *rest, spot = heapq.heappop(queue)
            if gain != (now := -worth(spot)):
                heapq.heappush(queue, (now, *rest, spot))
                continue
            best.append(-gain)
            for need_code in wanted[spot]:
                seen[need_code] += 1
    return by_topic, by_topic.cumulate(np.array(best, dtype=np.float64) / discount(by_topic.place + 1))


def discount(rank: np.ndarray) -> np.ndarray:
    """log2(1 + rank)."""
    return np.log2(1.0 + rank)


class NeedRecall(OfNeeds):
    """Share of the topic's needs that the results shown so far have met.

    ``NeedRecall@k`` = needs met / needs. A need (a hop, a nugget, an aspect) is met when the first k results
    together show at least `part` of the text of any one of its places. Without needs in the assessments every
    highlight (touching ones joined) is a need. Where a topic can be answered by any one of several sets of
    places, the share is that of the set for which it is largest.
    """

    name = "NeedRecall"
    user = "Has several things to find out, and is content with one good place for each."
    paper = "subtopic recall of Zhai, Cohen, Lafferty 2003, on text"

    def no_quotient(self, ground: Ground) -> str:
        return "the best of several sets differs by run" if has_sets(ground) else ""

    def quotients(self, aligned: Aligned) -> tuple[np.ndarray, np.ndarray]:
        read = self.read(aligned)
        met = read.last(read.cumulated(needs_met(read, self.given.part)), self.rank)
        return met.astype(np.float64), needs_of(read.ground).per_topic(len(read.count)).astype(np.float64)

    def terms(self, aligned: Aligned) -> Terms:
        if has_sets(aligned.ground):
            share = best_shares(aligned, self.given.part)
            return Terms(aligned, share, 1.0, "largest share of the needs of a set, as this result raises it")
        new, total = self.met(aligned)
        return Terms(aligned, aligned.cumulated(new), total, "needs met by this result / needs")


class AlphaNormalisedGain(SumOfTerms):
    """Discounted gain, with needs worth less each time they are met / that of the best list of places.

    A result covers a need if it alone shows `part` of the text of one of its places. Its gain is the sum over
    these needs of (1 - alpha) ^ (results before it that cover the need), divided by log2(1 + rank). The best
    list has the places themselves as results, ranked greedily (the shortest first among equals), up to the
    cut-off in ranks if there is one. A long result that covers several places at once can beat it: the value
    may exceed 1.
    """

    name = "alphanDCG"
    question = phrases.NEEDS
    user = "Goes down the list with waning patience, and cares less for a need each time it has been met."
    no_draws = phrases.DISCOUNT
    paper = "Clarke et al. 2008, on needs and text"
    parameters = (share("alpha", Fraction(1, 2), "share of a need's worth lost each time it is met"), PART)
    variants = ("alpha=0", "alpha=1", "alpha=0.3,part=0.5")
    high = math.inf

    def _best(self, aligned: Aligned, rank: int | np.ndarray | None) -> np.ndarray:
        """For each result the gain of its topic's best list: at a rank, at one rank each, or at its end."""
        lists, gained = best_gains(aligned.ground, self.given.part, self.given.alpha)
        depth = lists.counts[aligned.topic] if rank is None else np.minimum(lists.counts[aligned.topic], rank)
        return np.where(depth > 0, np.append(gained, 0.0)[lists.first[aligned.topic] + depth - 1], 0.0)

    def terms(self, aligned: Aligned) -> Terms:
        gains = gains_of_results(aligned, self.given.part, self.given.alpha) / discount(aligned.rank)
        meaning = "needs covered, discounted / gain of the best list of places"
        return Terms(aligned, aligned.cumulated(gains), self._best(aligned, self.rank), meaning)

    def at_ranks(self, aligned: Aligned) -> np.ndarray:
        return replace(self.terms(aligned), total=self._best(aligned, aligned.rank)).at_ranks()
