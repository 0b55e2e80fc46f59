"""Passages on which assessors differ, those that matter most first, and how far assessors agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from doxeval import Agreement, Assessments, UsageError, agree
from doxeval.extend import Source
from doxeval.io.formats.judgements import Judgement, JudgementsFile, merged_assessments, read_judgements
from doxeval.io.formats.merging import JudgedRange, agreed
from doxeval.judging.judging_progress import Pair
from doxeval.judging.runs_so_far import Effect, RunsSoFar

KINDS = ("whether", "where", "grade")
COEFFICIENTS = ("overlap", "F1", "kappa")
MOST_SCORED = 200
"""Disagreements whose effect is computed; of more, those with the most text."""


@dataclass
class Dispute:
    """A passage on which assessors who have finished a document differ, and the ways to decide it."""

    pair: Pair
    start: int
    end: int
    kind: str
    characters: int
    said: dict[str, Judgement]
    effect: Effect | None = None

    @property
    def choices(self) -> list[dict[str, Any]]:
        """The decisions that can be made without drawing: as each has it, all that any has, what all have."""
        marks = {name: self.marks_of(said.marks.values()) for name, said in self.said.items()}
        every = list(marks.values())
        ways = [("pick", name, own) for name, own in marks.items()]
        ways += [("merge", "", agreed(every, 1)), ("common", "", agreed(every, len(every)))]
        return [
            {"how": how, "start": self.start, "end": self.end, "people": list(self.said),
             "marks": [_told(f"m{at}", mark) for at, mark in enumerate(found)],
             **({"as": name} if name else {})}
            for how, name, found in ways
        ]  # fmt: skip

    def marks_of(self, marks: Iterable[JudgedRange]) -> list[JudgedRange]:
        """The parts of marks that lie in the passage."""
        inside = (one for one in marks if one.start < self.end and self.start < one.end)
        return [
            replace(one, start=max(one.start, self.start), end=min(one.end, self.end))
            for one in sorted(inside, key=lambda one: one.start)
        ]

    @property
    def order(self) -> tuple[Any, ...]:
        """The most consequential first; where nothing is known of that, the most text."""
        weight = self.effect.weight if self.effect else (False, 0.0, 0.0)
        return (*(-value for value in weight), -self.characters, self.pair, self.start)


def _told(name: str, mark: JudgedRange) -> dict[str, Any]:
    needs = {"needs": list(mark.needs)} if mark.needs else {}
    rel = {} if mark.rel == 1 else {"rel": mark.rel}
    return {"id": name, "start": mark.start, "end": mark.end, **rel, **needs}


def read_database(path: str | Path, decisions: bool = True) -> JudgementsFile:
    """The present content of a database."""
    with Source(path) as source:
        return read_judgements(source, decisions)


def _finished(kept: JudgementsFile) -> dict[str, Assessments]:
    """The judgements of each assessor on documents that they have finished."""
    done = {
        pair: {name: one for name, one in said.items() if one.done} for pair, said in kept.judgements.items()
    }
    found = replace(kept, judgements={pair: said for pair, said in done.items() if said})
    return {name: merged_assessments(found, name, name) for name in found.assessors}


def agreement_of(kept: JudgementsFile) -> Agreement | None:
    """How far assessors agree on the documents that they have finished; None if no two can be compared."""
    tables = _finished(kept)
    if len(tables) < 2:
        return None
    try:
        return agree(tables, coefficients=COEFFICIENTS, draws=100)
    except UsageError:
        return None


def disputes(kept: JudgementsFile, standing: RunsSoFar | None, pairs: Iterable[Pair]) -> list[Dispute]:
    """The disagreements about some documents of topics, the most consequential first."""
    found = agreement_of(kept)
    if found is None:
        return []
    wanted = set(pairs)
    rows = [one for one in found.disagreements if (one.topic, one.doc) in wanted]
    queue = []
    for pair, start, end, kind, characters in _joined(
        ((one.topic, one.doc), one.start, one.end, one.kind, one.characters) for one in rows
    ):
        said = {name: one for name, one in kept.judgements[pair].items() if one.done}
        queue.append(Dispute(pair, start, end, kind, characters, said))
    if standing is not None and queue:
        queue.sort(key=lambda one: -one.characters)
        scored = queue[:MOST_SCORED]
        effects = standing.effects(kept, [(one.pair, one.choices) for one in scored])
        for one, effect in zip(scored, effects, strict=True):
            one.effect = effect
    return sorted(queue, key=lambda one: one.order)


def _joined(rows: Iterable[tuple[Pair, int, int, str, int]]) -> Iterator[tuple[Pair, int, int, str, int]]:
    """Passages that overlap, as they do where more than two differ, as one."""
    last: tuple[Pair, int, int, str, int] | None = None
    for row in sorted(rows):
        pair, start, end, kind, characters = row
        if last is not None and last[0] == pair and start < last[2]:
            kinds = min(last[3], kind, key=KINDS.index)
            last = (pair, last[1], max(last[2], end), kinds, max(last[4], characters))
            continue
        if last is not None:
            yield last
        last = row
    if last is not None:
        yield last


def told_agreement(kept: JudgementsFile, before: JudgementsFile) -> list[dict[str, Any]]:
    """Agreement of every two assessors, before disagreements were decided and now."""
    found = []
    for when, agreement in (("before", agreement_of(before)), ("now", agreement_of(kept))):
        if agreement is None:
            continue
        for pair in agreement.pairs:
            row: dict[str, Any] = {"first": pair.first, "second": pair.second, "when": when}
            row |= {name: agreement.value(pair.first, pair.second, name) for name in COEFFICIENTS}
            found.append(row | pair.passages.counts() | {"documents": len(pair.shared.names)})
    return found if kept.decided else [row for row in found if row["when"] == "now"]
