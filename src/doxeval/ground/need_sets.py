"""Alternative sets of places: the places of a set answer their topic together, and any one set is enough."""

from __future__ import annotations

import numpy as np

from doxeval.core.facts import once
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged
from doxeval.ground.ground import Ground
from doxeval.ground.needs import Needs, needs_of, same_places


@dataclass(eq=False)
class NeedSets:
    """The sets of all topics, `topic` of each, and what each of them wants.

    A set wants the needs that its places answer, each met at any of those of its places that answer it: row
    i of `places` holds the places at which want i is met, `of` is its set. A topic whose places name no set
    has one of all its needs. Sets of the same places are one.
    """

    topic: np.ndarray
    of: np.ndarray
    places: Ragged
    place: np.ndarray

    def per_topic(self, topics: int) -> np.ndarray:
        """The number of sets of each topic."""
        return np.bincount(self.topic, minlength=topics)

    def met(self, shown_at: np.ndarray, never: int) -> np.ndarray:
        """The result at which each want is met, given the result at which each place has been shown."""
        met = np.full(len(self.of), never, dtype=np.int64)
        np.minimum.at(met, self.places.row, shown_at[self.place])
        return met

    def complete(self, shown_at: np.ndarray, never: int) -> np.ndarray:
        """The result at which each set is complete; `never` for one that is not."""
        found = np.zeros(len(self.topic), dtype=np.int64)
        np.maximum.at(found, self.of, self.met(shown_at, never))
        return found


def has_sets(ground: Ground) -> bool:
    """Whether any place names a set."""
    return ground.unit_labels is not None and bool((ground.unit_labels.set != "").any())


@once
def sets_of(ground: Ground) -> NeedSets:
    """The sets of all topics."""
    needs = needs_of(ground)
    topic_of_place = ground.assessments.pair_topic[needs.pair]
    sets = int(needs.set.max(initial=-1)) + 1
    named = needs.set >= 0
    told = np.unique(topic_of_place[named] * max(1, sets) + needs.set[named])
    plain = np.setdiff1d(topic_of_place, told // max(1, sets))
    topic = np.append(told // max(1, sets), plain)
    by_topic, code = Ragged.gathered(topic, len(ground.topics), np.arange(len(topic)))

    in_all = by_topic.counts[topic_of_place]
    held = Ragged.of_counts(np.where(named, 1, in_all))
    of_set = code[(held.place + held.expand(by_topic.first[topic_of_place])) % max(1, len(code))]
    own = np.searchsorted(told, topic_of_place * max(1, sets) + needs.set)
    of_set = np.where(held.expand(named), held.expand(own), of_set)
    found = _wants(needs, topic, held.row, of_set)
    return _without_copies(found, same_places(needs)) if sets else found


def _wants(needs: Needs, topic: np.ndarray, place: np.ndarray, of_set: np.ndarray) -> NeedSets:
    """The needs that each set wants, from the places of the sets."""
    answers, at = needs.answers.take(place)
    width = max(1, len(needs.topic))
    key = answers.expand(of_set) * width + needs.need[at]
    wanted, code = np.unique(key, return_inverse=True)
    places, where = Ragged.gathered(code, len(wanted), answers.expand(place))
    return NeedSets(topic, wanted // width, places, where)


def _without_copies(sets: NeedSets, text: np.ndarray) -> NeedSets:
    """The sets without those that want what an earlier one of the topic wants, in the same `text`."""
    by_set = Ragged.of_rows(sets.of, len(sets.topic))
    wants = [sorted(set(text[sets.place[sets.places.slice(want)]].tolist())) for want in range(len(sets.of))]
    seen: set[tuple[int, tuple[tuple[int, ...], ...]]] = set()
    kept = np.ones(len(sets.topic), dtype=bool)
    for number, topic in enumerate(sets.topic.tolist()):
        key = topic, tuple(sorted(map(tuple, wants[by_set.slice(number)])))
        kept[number] = key not in seen
        seen.add(key)
    if kept.all():
        return sets
    of_kept = kept[sets.of]
    places, at = sets.places.take(np.flatnonzero(of_kept))
    return NeedSets(sets.topic[kept], (np.cumsum(kept) - 1)[sets.of[of_kept]], places, sets.place[at])


@once
def note_sets(ground: Ground) -> None:
    """Report how many topics can be answered by any of several sets of places."""
    if not has_sets(ground):
        return
    several = sets_of(ground).per_topic(len(ground.topics))
    if (several > 1).any():
        ground.notices.add(
            f"{{count}} {{topic|topics}} can be answered by any one of several sets of places, "
            f"{int(several[several > 1].sum()):,} in all: measures of text count all of them",
            count=int((several > 1).sum()), harmless=True, lasting=True,
        )  # fmt: skip
