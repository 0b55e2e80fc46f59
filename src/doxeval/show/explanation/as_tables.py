"""An explanation as tables for a terminal or a notebook."""

from __future__ import annotations

from doxeval.core.phrases import percent
from doxeval.core.table import Table
from doxeval.show.explanation.explain import Explanation

DIGITS = 6
SEEN_DIGITS = 3
QUIET_RANKS = 3
"""If more ranks in a row than this neither gain nor add anything, the rest share one line."""


def ranks_table(explanation: Explanation) -> Table:
    """One row per rank; the last rows add up to the score."""
    moving = explanation.reader != ""
    header = ["rank", "document", "place", "shown", "gained", "repeated", "reachable",
              *(["hits", "near"] if moving else []), "unopened", "adds"]  # fmt: skip
    body: list[list[str]] = []
    quiet = 0
    for at, rank in enumerate(explanation.ranks):
        idle = not (rank.gained or rank.repeated or rank.added)
        quiet = quiet + 1 if idle else 0
        if quiet > QUIET_RANKS and at + 1 < len(explanation.ranks):
            continue
        seen = [f"{value:.{SEEN_DIGITS}f}" for value in (rank.hits, rank.near) if value is not None]
        body.append(
            [str(rank.rank), rank.doc, rank.place, *map(_count, (rank.shown, rank.gained, rank.repeated)),
             _count(rank.reachable), *seen, _count(rank.unopened), _added(rank.added)]
        )  # fmt: skip
    blank = [""] * (len(header) - 3)
    if explanation.rest:
        body.append(["", "", "no result", *blank[:-1], _added(explanation.rest)])
    body.append(["", "", explanation.measure, *blank[:-1], f"{explanation.score:.{DIGITS}f}"])
    footer = [
        f"adds: {explanation.meaning}",
        f"gained and repeated: relevant {explanation.unit} shown for the first time and again",
        f"reachable: relevant {explanation.unit} not shown, in documents opened so far; unopened: in the "
        "others",
    ]
    if explanation.degrees:
        footer.append(
            f"relevant {explanation.unit}: of all nodes with a positive judgement, by {explanation.degrees}"
        )
    if moving:
        footer.append(
            f"hits and near: expected hits and near-misses so far, of the reader of {explanation.reader}"
        )
    if sum(row[0] != "" for row in body) < len(explanation.ranks):
        footer.append("ranks without any relevant text are left out after the third in a row")
    return Table(header, body, 3, footer, explanation.title)


def missed_table(explanation: Explanation) -> Table:
    """The relevant documents, and their text that was never shown."""
    body = [
        [
            document.doc,
            _count(document.relevant),
            _count(document.missed),
            percent(document.missed / document.relevant),
            "yes" if document.retrieved else "no",
        ]
        for document in explanation.missed
    ]
    shown = explanation.total_relevant - sum(document.missed for document in explanation.missed)
    footer = [f"{shown:,} of {explanation.total_relevant:,} relevant {explanation.unit} were shown"]
    header = ["relevant document", "relevant", "missed", "share", "opened"]
    return Table(header, body, 1, footer, notices=explanation.notices)


def _count(number: int | float) -> str:
    return f"{number:,}" if number else "."


def _added(value: float) -> str:
    return f"{value:+.{DIGITS}f}" if value else "."
