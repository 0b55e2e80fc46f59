"""Topics that one run mends and breaks against another: those whose class differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.comparison.diagnosis.diagnosis import Diagnosis
from doxeval.comparison.diagnosis.topic_classes import (
    ALL_MET,
    BELOW,
    BURIED,
    CUT,
    FAR,
    NAMES,
    NEAR,
    NEVER_FOUND,
    NONE_RETURNED,
    NOT_JUDGED,
    NOT_LOCATABLE,
    SOME_MET,
)
from doxeval.core.table import Table

WORST_FIRST = (
    NOT_JUDGED, NONE_RETURNED, NOT_LOCATABLE, NEVER_FOUND, FAR, NEAR, BELOW, CUT, SOME_MET, BURIED, ALL_MET,
)  # fmt: skip
GOODNESS = np.argsort(WORST_FIRST)
"""How good each class is: its position among all, the worst first."""
MOST_NAMED = 5
"""The topics that are named of a kind of move."""


@dataclass(frozen=True)
class Move:
    """A topic whose class in a run is another than in the baseline."""

    baseline: str
    run: str
    topic: str
    before: str
    after: str
    mended: bool


def moves_between(
    found: Diagnosis, baseline: str, run: str, topics: Iterable[int] | None = None
) -> list[Move]:
    """The topics whose class differs between two runs that both count it, or some of them by position."""
    before, after = (found.seen[found.runs.index(name)].classes for name in (baseline, run))
    among = np.arange(len(before)) if topics is None else np.array(sorted(topics), dtype=np.int64)
    moved = among[(before[among] != after[among]) & (before[among] >= 0) & (after[among] >= 0)]
    return [
        Move(
            baseline, run, found.topics[at], NAMES[before[at]], NAMES[after[at]],
            bool(GOODNESS[after[at]] > GOODNESS[before[at]]),
        )
        for at in moved.tolist()
    ]  # fmt: skip


def moves_table(found: Diagnosis, pairs: Sequence[tuple[str, str]]) -> Table:
    """A row for each kind of move of each pair of (baseline, run), the most frequent first."""
    body = []
    for baseline, run in dict.fromkeys(pairs):
        kinds: dict[tuple[bool, str, str], list[str]] = {}
        for move in moves_between(found, baseline, run):
            kinds.setdefault((not move.mended, move.before, move.after), []).append(move.topic)
        for (broken, before, after), topics in sorted(
            kinds.items(), key=lambda one: (one[0][0], -len(one[1]))
        ):
            what = "broken" if broken else "mended"
            body.append(
                [
                    found.labels.of(run),
                    found.labels.of(baseline),
                    what,
                    before,
                    after,
                    named(topics),
                    f"{len(topics):,}",
                ]
            )
    header = ["run", "against", "", "was", "is", "which", "topics"]
    footer = [] if body else ["every topic is in the same class in both"]
    return Table(header, body, 6, footer, f"Topics mended and broken within {found.cutoff}", keys=2)


def named(topics: Sequence[str]) -> str:
    """The first few topics by name."""
    return ", ".join(topics[:MOST_NAMED]) + ", ..." * (len(topics) > MOST_NAMED)


def slice_moves_table(
    found: Diagnosis, pairs: Sequence[tuple[str, str]], slices: Mapping[str, Sequence[int]]
) -> Table:
    """A row for each slice and pair of runs: how many topics are mended and broken."""
    body = []
    for name, topics in slices.items():
        for baseline, run in dict.fromkeys(pairs):
            moves = moves_between(found, baseline, run, topics)
            mended, broken = ([move.topic for move in moves if move.mended == way] for way in (True, False))
            who = [found.labels.of(run), found.labels.of(baseline)]
            body.append([name, *who, named(broken), f"{len(mended):,}", f"{len(broken):,}"])
    header = ["slice", "run", "against", "worse", "mended", "broken"]
    return Table(header, body, 4, title=f"Topics mended and broken within {found.cutoff}, by slices")


def moves_told(moves: Sequence[Move]) -> str:
    """How many topics were mended and broken, and which were broken, in words; empty if none."""
    broken = [move for move in moves if not move.mended]
    if not moves:
        return ""
    told = f"{len(moves) - len(broken)} mended, {len(broken)} broken"
    kinds: dict[tuple[str, str], list[str]] = {}
    for move in broken:
        kinds.setdefault((move.before, move.after), []).append(move.topic)
    most = sorted(kinds.items(), key=lambda one: -len(one[1]))
    parts = [f"{len(topics)} {before} to {after}: {named(topics)}" for (before, after), topics in most]
    return f"{told} ({'; '.join(parts)})" if parts else told
