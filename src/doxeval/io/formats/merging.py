"""The marks of several assessors merged into one truth, character by character.

A character has each assessor's grade, 0 where they did not mark it. Of the n who judged the document for the
topic, ``union`` takes the highest grade, ``intersection`` the lowest, ``majority`` the highest that more than
half of them reach: the k-th highest, with k = 1, n and n // 2 + 1. It answers a need if k of them say so.
A best entry point counts if k of them have set one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Protocol

import numpy as np

from doxeval.core.errors import IdleOption, UsageError, nearest
from doxeval.core.quick_class import dataclass
from doxeval.tables.assessments import Assessments, Ranges
from doxeval.tables.runs import Names

MERGE_RULES: dict[str, Callable[[int], int]] = {
    "union": lambda people: 1,
    "majority": lambda people: people // 2 + 1,
    "intersection": lambda people: people,
}
"""How many of n assessors must agree."""
BEST, MEAN = "best", "mean"
EACH = (BEST, MEAN)
"""Rules that merge nothing: runs are scored against each assessor, and the scores become one."""

SEVERAL_ASSESSORS = (
    "{count} {assessor has|assessors have} judged; what any of them marked counts (change this with --merge)"
)


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
        raise unknown_rule(rule, people, source)
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


def unknown_rule(rule: str, people: Sequence[str], source: str) -> UsageError:
    """The error for what is neither a rule nor an assessor."""
    rules = (*MERGE_RULES, *EACH)
    return UsageError(
        f"--merge {rule}: neither a rule ({', '.join(rules)}) nor an assessor in {source} "
        f"({', '.join(people)}){nearest(rule, [*rules, *people])}"
    )


def merged_table(table: Assessments, rule: str) -> Assessments:
    """The assessments by a rule, or by one assessor alone; by default what any of them names counts.

    Under the rules for scoring against each assessor the table stays as it is.
    """
    people, source = table.assessors, table.source or "the assessments"
    if not people:
        if rule:
            raise IdleOption("merge", f"--merge would do nothing: {source} does not tell assessors apart")
        return table
    if not rule and len(people) > 1:
        table.notices.add(SEVERAL_ASSESSORS, *people[:3], count=len(people), harmless=True, lasting=True)
    if rule in ("", "union", *EACH):
        return table
    if rule in people:
        return table.of_assessor(rule)
    if rule not in MERGE_RULES:
        raise unknown_rule(rule, people, source)
    return _agreed_table(table, rule)


def _agreed_table(table: Assessments, rule: str) -> Assessments:
    """The assessments with the text on which enough of those who judged a topic agree."""
    ranges, labels = table.ranges, table.ranges.labels
    if table.nodes is not None or table.quotes is not None or labels is None:
        known = " or ".join(f"--merge {other}" for other in EACH)
        raise UsageError(f"--merge {rule} needs ranges; for nodes and quotes of several people use {known}")
    topic = table.pair_topic[ranges.pair]
    judges: dict[int, set[str]] = defaultdict(set)
    marks: dict[int, dict[str, list[JudgedRange]]] = defaultdict(lambda: defaultdict(list))
    for row, person in enumerate(labels.assessor.tolist()):
        judges[int(topic[row])].add(person)
        needs = () if ranges.aspects is None else tuple(ranges.aspects.of(row))
        mark = JudgedRange(int(ranges.start[row]), int(ranges.end[row]), float(ranges.grade[row]), needs)
        marks[int(ranges.pair[row])][person].append(mark)
    found = []
    for pair, by_person in marks.items():
        people = judges[int(table.pair_topic[pair])]
        said = [by_person.get(person, []) for person in sorted(people)]
        found += [(pair, mark) for mark in agreed(said, MERGE_RULES[rule](len(people)))]
    return replace(
        table,
        ranges=Ranges(
            np.array([pair for pair, _ in found], dtype=np.int64),
            np.array([mark.start for _, mark in found], dtype=np.int64),
            np.array([mark.end for _, mark in found], dtype=np.int64),
            np.array([mark.rel for _, mark in found], dtype=np.float64),
            None if ranges.aspects is None else Names.of_lists(mark.needs for _, mark in found),
        ),
    )


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
