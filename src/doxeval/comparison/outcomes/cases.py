"""Cases: what a run returned for a topic, with its values by measures and its outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from doxeval.core.errors import InputError, UsageError, nearest
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.core.strings import encode, natural_order
from doxeval.io.outcomes import OutcomeTable
from doxeval.scoring.scores import Scores

NO_SCORE = (
    "{count} {outcome is of a topic|outcomes are of topics} without a value by any measure and {is|are} left "
    "out"
)
TWELVE_DIGITS = float(1 << 40)
FEWEST_TOPICS, FEWEST_OF_EACH = 10, 5
"""Least number of topics, and of topics with a success and with a failure, for which topics are resampled."""


@dataclass(eq=False)
class Cases:
    """The topic, the run and the outcome of each case, and `values[measure, case]`, higher being better.

    Outcomes are yes (1) or no (0), or numbers. Topics are numbered in natural order, so that nothing depends
    on the order of a file.
    """

    name: str
    topics: list[str]
    runs: list[str]
    measures: list[str]
    topic: np.ndarray
    run: np.ndarray
    outcome: np.ndarray
    values: np.ndarray
    yes_no: bool
    notices: Notices = field(default_factory=Notices)

    def __len__(self) -> int:
        return len(self.topic)

    @property
    def defined(self) -> np.ndarray:
        """`defined[measure, case]`: whether a case has a value."""
        return ~np.isnan(self.values)

    def where(self, kept: np.ndarray) -> Cases:
        """Some of the cases; topics keep their numbers."""
        return replace(
            self,
            topic=self.topic[kept],
            run=self.run[kept],
            outcome=self.outcome[kept],
            values=self.values[:, kept],
        )

    def of_topics(self, chosen: np.ndarray) -> Cases:
        """The cases of some topics, numbered anew."""
        place = np.cumsum(chosen) - 1
        some = self.where(chosen[self.topic])
        names = [name for name, there in zip(self.topics, chosen.tolist(), strict=True) if there]
        return replace(some, topics=names, topic=place[some.topic])

    def by(self, measures: Sequence[str]) -> Cases:
        """The same cases with some of the measures."""
        at = [self.measures.index(name) for name in measures]
        return replace(self, measures=list(measures), values=self.values[at])


def settled(values: np.ndarray) -> np.ndarray:
    """Values rounded to twelve digits, however small: the order of a sum must not break a tie.

    >>> settled(np.array([0.1 + 0.2, 0.3, 1e-20])).tolist() == settled(np.array([0.3, 0.3, 1e-20])).tolist()
    True
    """
    digits, exponent = np.frexp(values)
    return np.ldexp(np.round(digits * TWELVE_DIGITS) / TWELVE_DIGITS, exponent)


def one_outcome(cases: Cases) -> str:
    """The reason why these cases can tell nothing: all outcomes are the same; empty if they are not."""
    if len(cases) and cases.outcome.min() < cases.outcome.max():
        return ""
    only = ""
    if len(cases):
        only = f" are {('no', 'yes')[int(cases.outcome[0])] if cases.yes_no else f'{cases.outcome[0]:g}'}"
    return f"all {counted(len(cases), 'outcome')}{only}: nothing can be told from one outcome alone"


def too_few(cases: Cases) -> str:
    """The reason why cases are too few to resample topics, and what they could show; empty if enough."""
    if problem := one_outcome(cases):
        return problem
    topics = len(np.unique(cases.topic))
    if not cases.yes_no:
        return f"{counted(topics, 'topic')}, expected {FEWEST_TOPICS}" if topics < FEWEST_TOPICS else ""
    won, lost = (len(np.unique(cases.topic[cases.outcome == one])) for one in (1, 0))
    if topics >= FEWEST_TOPICS and min(won, lost) >= FEWEST_OF_EACH:
        return ""
    return (
        f"{counted(topics, 'topic')}, {won} with a success and {lost} with a failure; expected "
        f"{FEWEST_TOPICS}, and {FEWEST_OF_EACH} of each. Even if all {counted(len(cases), 'case')} were "
        f"independent, only an AUC beyond 0.5 +- {least_told(cases):.2f} could be told from chance"
    )


def least_told(cases: Cases) -> float:
    """How far from one half an AUC must be to be told from chance (95%) by this many independent cases.

    The standard error of Mann and Whitney without ties: root of (m + n + 1) / 12mn.
    """
    won = int((cases.outcome == 1).sum())
    lost = len(cases) - won
    return float(1.96 * np.sqrt((won + lost + 1) / (12 * won * lost)))


def cases_of(scores: Scores, table: OutcomeTable, column: str, signs: np.ndarray) -> Cases:
    """The cases of an outcome table, with values from scores; an error for an unknown run.

    Values of measures where less is better (`signs` of -1) have their sign turned.
    """
    outcome = table.numbers(column)
    notices = Notices(scores.notices, table.notices)
    runs = _runs(scores, table, notices)
    outcome[[not run for run in runs]] = np.nan
    kept = ~np.isnan(outcome) & (_repeated(table, runs, outcome, notices) < 0)
    topic_at = {name: at for at, name in enumerate(scores.topics)}
    place = np.array([topic_at.get(name, -1) for name in table.topic], dtype=np.int64)
    if not (place[kept] >= 0).any():
        name = next((name for name, one in zip(table.topic, kept, strict=True) if one), "")
        raise InputError(
            f"none of the topics with an outcome is assessed: the outcomes have {name!r}"
            f"{nearest(name, scores.topics) or f', the assessments {scores.topics[0]!r}'}"
        )
    run_at = {name: at for at, name in enumerate(scores.names)}
    run = np.array([run_at.get(name, -1) for name in runs], dtype=np.int64)
    values = settled(np.array([one.values for one in scores.runs])) * signs[:, None]
    found = values[run, :, np.maximum(place, 0)].T
    found[:, place < 0] = np.nan
    unscored = kept & np.isnan(found).all(axis=0)
    notices.add_each(
        NO_SCORE,
        np.flatnonzero(unscored),
        lambda row: f"{table.place[row]}: {table.topic[row]}",
        lasting=True,
    )
    rows = np.flatnonzero(kept & ~unscored)
    _note_rest(scores, table, runs, rows, notices)
    topics, code = encode([table.topic[row] for row in rows.tolist()])
    order = natural_order(topics)
    number = np.empty(len(topics), dtype=np.int64)
    number[order] = np.arange(len(topics))
    sorted_rows = np.lexsort((run[rows], number[code]))
    rows, code = rows[sorted_rows], code[sorted_rows]
    return Cases(
        column, [topics[at] for at in order], scores.names, scores.measures, number[code], run[rows],
        outcome[rows], found[:, rows], bool(np.isin(outcome[rows], (0.0, 1.0)).all()), notices,
    )  # fmt: skip


def _runs(scores: Scores, table: OutcomeTable, notices: Notices) -> list[str]:
    """The run of each row: the one named, or the only one; empty if it is of a run that is not scored."""
    known, have = set(scores.names), f"the runs are {', '.join(scores.names)}"
    found: list[str] = []
    others: dict[str, int] = {}
    for row, (run, unnamed) in enumerate(zip(table.run, table.from_file, strict=True)):
        if run not in known and unnamed:
            if len(known) > 1:
                raise InputError(f"{table.place[row]}: expected a run, since there are several; {have}")
            run = scores.names[0]
        if run not in known:
            others.setdefault(run, row)
        found.append(run if run in known else "")
    missing = [name for name in scores.names if name not in found]
    for name, row in others.items():
        hint = nearest(name, missing)
        if len(missing) == len(known) or hint:
            raise UsageError(f"{table.place[row]}: there is no run {name!r}{hint} ({have})")
    notices.add_names(
        "{count} {run|runs} with outcomes {is|are} not among those given and {is|are} left out",
        others,
        lasting=True,
    )
    return found


def _repeated(table: OutcomeTable, runs: Sequence[str], outcome: np.ndarray, notices: Notices) -> np.ndarray:
    """The earlier row of the same topic and run, -1 if there is none; an error if their outcomes differ."""
    first: dict[tuple[str, str], int] = {}
    again = np.full(len(runs), -1, dtype=np.int64)
    for row, key in enumerate(zip(table.topic, runs, strict=True)):
        if np.isnan(outcome[row]):
            continue
        before = first.setdefault(key, row)
        if before != row and outcome[before] != outcome[row]:
            raise InputError(
                f"{table.place[row]}: topic {key[0]} of run {key[1]} has another outcome than in "
                f"{table.place[before]}; attempts at one topic are runs of their own"
            )
        again[row] = before if before != row else -1
    notices.add_each(
        "{count} {row repeats|rows repeat} an outcome and {counts|count} once",
        np.flatnonzero(again >= 0),
        table.place.__getitem__,
    )
    return again


def _note_rest(
    scores: Scores, table: OutcomeTable, runs: Sequence[str], rows: np.ndarray, notices: Notices
) -> None:
    """Report topics and runs that have no outcome."""
    have = {table.topic[row] for row in rows.tolist()}
    named = {runs[row] for row in rows.tolist()}
    notices.add_names(
        "{count} assessed {topic has|topics have} no outcome and {is|are} left out",
        [topic for topic in scores.topics if topic not in have],
        harmless=True,
    )
    notices.add_names(
        "{count} {run has|runs have} no outcome and {is|are} left out",
        [name for name in scores.names if name not in named],
        lasting=True,
    )
    if not len(rows):
        raise InputError(f"no outcome is left of {counted(len(runs), 'row')}")
