"""An explanation as tables for a terminal or a notebook."""

from __future__ import annotations

from doxeval.core.phrases import percent
from doxeval.core.table import Table
from doxeval.show.explanation.explain import Explanation

DIGITS = 6
SEEN_DIGITS = 3
QUIET_RANKS = 3
"""If more ranks in a row than this neither gain nor add anything, the rest share one line."""


def ranks_table(told: Explanation) -> Table:
    """One row per rank; the last rows add up to the score."""
    moving = told.reader != ""
    header = ["rank", "document", "place", "shown", "gained", "repeated", "reachable",
              *(["hits", "near"] if moving else []), "unopened", "adds"]  # fmt: skip
    body: list[list[str]] = []
    quiet = 0
    for at, rank in enumerate(told.ranks):
        idle = not (rank.gained or rank.repeated or rank.added)
        quiet = quiet + 1 if idle else 0
        if quiet > QUIET_RANKS and at + 1 < len(told.ranks):
            continue
        seen = [f"{value:.{SEEN_DIGITS}f}" for value in (rank.hits, rank.near) if value is not None]
        body.append(
            [str(rank.rank), rank.doc, rank.place, *map(_count, (rank.shown, rank.gained, rank.repeated)),
             _count(rank.reachable), *seen, _count(rank.unopened), _added(rank.added)]
        )  # fmt: skip
    blank = [""] * (len(header) - 3)
    if told.rest:
        body.append(["", "", "no result", *blank[:-1], _added(told.rest)])
    body.append(["", "", told.measure, *blank[:-1], f"{told.score:.{DIGITS}f}"])
    footer = [
        f"adds: {told.meaning}",
        f"gained and repeated: relevant {told.unit} shown for the first time and again",
        f"reachable: relevant {told.unit} not shown, in documents opened so far; unopened: in the others",
    ]
    if told.degrees:
        footer.append(f"relevant {told.unit}: of all nodes with a positive judgement, by {told.degrees}")
    if moving:
        footer.append(f"hits and near: expected hits and near-misses so far, of the reader of {told.reader}")
    if len(body) < len(told.ranks):
        footer.append("ranks without any relevant text are left out after the third in a row")
    return Table(header, body, 3, footer, told.title)


def missed_table(told: Explanation) -> Table:
    """The relevant documents, and their text that was never shown."""
    body = [
        [one.doc, _count(one.relevant), _count(one.missed), percent(one.missed / one.relevant),
         "yes" if one.retrieved else "no"]
        for one in told.missed
    ]  # fmt: skip
    shown = told.total_relevant - sum(one.missed for one in told.missed)
    footer = [f"{shown:,} of {told.total_relevant:,} relevant {told.unit} were shown"]
    header = ["relevant document", "relevant", "missed", "share", "opened"]
    return Table(header, body, 1, footer, notices=told.notices)


def _count(number: int) -> str:
    return f"{number:,}" if number else "."


def _added(value: float) -> str:
    return f"{value:+.{DIGITS}f}" if value else "."
