"""The marks of several assessors merged into one truth, character by character.

A character has each assessor's grade, 0 where they did not mark it. Of the n who judged the document for the
topic, ``union`` takes the highest grade, ``intersection`` the lowest, ``majority`` the highest that more than
half of them reach: the k-th highest, with k = 1, n and n // 2 + 1. It answers a need if k of them say so.
A best entry point counts if k of them have set one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from doxeval.core.errors import UsageError, nearest

MERGE_RULES: dict[str, Callable[[int], int]] = {
    "union": lambda people: 1,
    "majority": lambda people: people // 2 + 1,
    "intersection": lambda people: people,
}
"""How many of n assessors must agree."""


@dataclass(frozen=True)
class JudgedRange:
    """A range that an assessor judged relevant, with a grade and perhaps the needs it answers."""

    start: int
    end: int
    rel: float = 1.0
    needs: tuple[str, ...] = ()


class Said(Protocol):
    """The judgement of one assessor on a document."""

    marks: dict[str, JudgedRange]
    bep: int | None
    done: bool

    @property
    def assessed(self) -> bool:
        """Whether they judged it."""


MergedTruth = tuple[list[JudgedRange], list[int], bool]
"""The relevant text of a document, its best entry points, and whether all who judged it have finished."""


def merged_judgements(
    judgements: Mapping[tuple[str, str], Mapping[str, Said]], rule: str, people: Sequence[str], source: str
) -> dict[tuple[str, str], MergedTruth]:
    """The truth for each judged pair, by a rule or by one assessor alone."""
    if rule not in MERGE_RULES and rule not in people:
        known = [*MERGE_RULES, *people]
        raise UsageError(
            f"--merge {rule}: neither a rule ({', '.join(MERGE_RULES)}) nor an assessor in {source} "
            f"({', '.join(people)}){nearest(rule, known)}"
        )
    merged = {}
    for pair, by_person in judgements.items():
        said = [
            judged for name, judged in by_person.items() if judged.assessed and rule in (name, *MERGE_RULES)
        ]
        if said:
            enough = MERGE_RULES.get(rule, MERGE_RULES["union"])(len(said))
            beps = [judged.bep for judged in said if judged.bep is not None]
            marks = [list(judged.marks.values()) for judged in said]
            merged[pair] = (
                marks[0] if len(said) == 1 else agreed(marks, enough),
                beps if len(beps) >= enough else [],
                all(judged.done for judged in said),
            )
    return merged


def agreed(marks: Sequence[Sequence[JudgedRange]], enough: int) -> list[JudgedRange]:
    """The text that at least `enough` assessors judged relevant, as disjoint ranges.

    >>> agreed([[JudgedRange(0, 10)], [JudgedRange(5, 20, 2.0)], [JudgedRange(8, 9)]], 2)
    [JudgedRange(start=5, end=10, rel=1.0, needs=())]
    """
    found: list[JudgedRange] = []
    for start, end, here in _pieces_between(marks):
        rel = sorted((max((mark.rel for mark in one), default=0.0) for one in here), reverse=True)[enough - 1]
        if rel <= 0:
            continue
        answered = Counter(need for one in here for need in {need for mark in one for need in mark.needs})
        needs = tuple(sorted(need for need, people in answered.items() if people >= enough))
        last = found[-1] if found else None
        if last is not None and (last.end, last.rel, last.needs) == (start, rel, needs):
            found[-1] = JudgedRange(last.start, end, rel, needs)
        else:
            found.append(JudgedRange(start, end, rel, needs))
    return found


def _pieces_between(
    marks: Sequence[Sequence[JudgedRange]],
) -> Iterator[tuple[int, int, list[set[JudgedRange]]]]:
    """The pieces of text between neighbouring boundaries, each with every assessor's marks on it."""
    opening, closing = defaultdict(list), defaultdict(list)
    for person, one in enumerate(marks):
        for mark in set(one):
            opening[mark.start].append((person, mark))
            closing[mark.end].append((person, mark))
    here: list[set[JudgedRange]] = [set() for _ in marks]
    for start, end in pairwise(sorted({*opening, *closing})):
        for person, mark in closing[start]:
            here[person].discard(mark)
        for person, mark in opening[start]:
            here[person].add(mark)
        yield start, end, here
