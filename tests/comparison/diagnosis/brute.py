"""A diagnosis by hand, on sets of characters: the classes, and what mending would bring."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Place = tuple[str, int, int]
"""A document, and the start and the end of a range in it."""
Characters = set[tuple[str, int]]


def characters(doc: str, start: int, end: int) -> Characters:
    """The characters of a range."""
    return {(doc, at) for at in range(start, end)}


def union(places: list[Place]) -> Characters:
    """The characters of several ranges."""
    return set().union(*(characters(*place) for place in places)) if places else set()


@dataclass
class Topic:
    """A topic by hand: gold `places`, each with the name of its need or none, and `results`, in order."""

    places: list[tuple[Place, str]]
    results: list[Place]

    @property
    def relevant(self) -> Characters:
        return union([place for place, _ in self.places])

    @property
    def stretches(self) -> list[Place]:
        """The relevant text, joined where it touches."""
        return joined(self.relevant)

    def needs(self) -> list[list[Characters]]:
        """For each need the places at which it is met."""
        named: dict[str, list[Characters]] = {}
        for place, need in self.places:
            if need:
                named.setdefault(need, []).append(characters(*place))
        plain = union([place for place, need in self.places if not need])
        return [*named.values(), *([characters(*place)] for place in joined(plain))]

    def met(self, shown: Characters, part: Fraction) -> list[bool]:
        return [any(len(place & shown) >= part * len(place) for place in need) for need in self.needs()]


def joined(text: Characters) -> list[Place]:
    """Characters as maximal ranges."""
    found: list[Place] = []
    for doc, at in sorted(text):
        if found and found[-1][0] == doc and found[-1][2] == at:
            found[-1] = (doc, found[-1][1], at + 1)
        else:
            found.append((doc, at, at + 1))
    return found


def read_of(results: list[Place], cutoff: int, unit: str) -> list[Place]:
    """The results up to a rank, or up to so many characters, the last one cut."""
    if unit == "":
        return results[:cutoff]
    read, left = [], cutoff
    for doc, start, end in results:
        if left <= 0:
            break
        read.append((doc, start, min(end, start + left)))
        left -= end - start
    return read


def value_of(name: str, topic: Topic, results: list[list[Place]], cutoff: int, unit: str) -> float:
    """iP or iR of results, each of which has several ranges."""
    flat: list[Place] = []
    if unit == "":
        flat = [place for result in results[:cutoff] for place in result]
    else:
        flat = read_of([place for result in results for place in result], cutoff, unit)
    gain = len(union(flat) & topic.relevant)
    size = sum(end - start for _, start, end in flat)
    return gain / len(topic.relevant) if name == "iR" else gain / size if size else 0.0


def diagnosis(topic: Topic, cutoff: int, unit: str, gap: int, part: Fraction, precision: float) -> str:
    """The class of a topic."""
    relevant, results = topic.relevant, topic.results
    if not relevant:
        return "not judged"
    if not results:
        return "nothing returned"
    read = read_of(results, cutoff, unit)
    shown = union(read)
    if not shown & relevant:
        if union(results) & relevant:
            return "below"
        near = [abs(a - b) - 1 for doc, a in shown for other, b in relevant if doc == other]
        if near and min(near) <= gap:
            return "near"
        right = {doc for doc, _ in relevant}
        return "far" if any(doc in right for doc, _, _ in results) else "never"
    met = topic.met(shown, part)
    if not any(met):
        return "cut"
    if not all(met):
        return "part"
    size = sum(end - start for _, start, end in read)
    return "buried" if len(shown & relevant) / size < precision else "complete"


def reordered(topic: Topic) -> list[list[Place]]:
    """The results, each time the one with the most new relevant text."""
    left, order = list(topic.results), []
    seen: Characters = set()
    while left:
        best = max(left, key=lambda one: len((characters(*one) & topic.relevant) - seen))
        if not (characters(*best) & topic.relevant) - seen:
            break
        left.remove(best)
        seen |= characters(*best)
        order.append(best)
    return [[one] for one in [*order, *left]]


def widened(topic: Topic, paragraphs: dict[str, list[tuple[int, int]]]) -> list[list[Place]]:
    """Each result with the paragraphs it begins and ends in; whole paragraphs have no section here."""
    found = []
    for doc, start, end in topic.results:
        first = [low for low, high in paragraphs[doc] if low <= start < high]
        last = [high for low, high in paragraphs[doc] if low < end <= high]
        found.append([(doc, min([start, *first]), max([end, *last]))])
    return found


def replaced(topic: Topic, place: Place, cutoff: int, unit: str) -> list[list[Place]]:
    """The last result that is read replaced by a place, or that added where there is room."""
    spent = len(topic.results) if unit == "" else sum(end - start for _, start, end in topic.results)
    results = list(topic.results)
    if spent < cutoff:
        return [[one] for one in [*results, place]]
    results[len(read_of(results, cutoff, unit)) - 1] = place
    return [[one] for one in results]


def without_repetition(topic: Topic) -> list[list[Place]]:
    """Each result without what earlier ones have shown."""
    seen: Characters = set()
    found = []
    for one in topic.results:
        found.append(joined(characters(*one) - seen))
        seen |= characters(*one)
    return found


def best_chunk(topic: Topic, chunks: list[Place]) -> Place | None:
    """The chunk with the most relevant text, the shortest of equals, then the first."""
    useful = [one for one in chunks if characters(*one) & topic.relevant]
    if not useful:
        return None
    return max(useful, key=lambda one: (len(characters(*one) & topic.relevant), one[1] - one[2]))


def as_rows(topics: dict[str, Topic]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Assessments and results as rows; a topic without places is judged, with nothing relevant."""
    gold, run = [], []
    for name, topic in topics.items():
        if not topic.places:
            gold.append({"topic": name, "doc": "d0"})
        for (doc, start, end), need in topic.places:
            row = {"topic": name, "doc": doc, "start": start, "end": end}
            gold.append(row | ({"need": need} if need else {}))
        for rank, (doc, start, end) in enumerate(topic.results, 1):
            run.append({"topic": name, "doc": doc, "rank": rank, "start": start, "end": end})
        if not topic.results:
            run.append({"topic": name})
    return gold, run
