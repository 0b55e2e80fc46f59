"""The places among which readers choose their next step: which nodes, and whether the same again.

A log says where readers went, not where they could have gone. A container that nobody could open, or a place
that nobody would visit again, makes far steps look rarer than they are, and readers more patient.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.core.ragged import Ragged
from doxeval.tables.documents import Documents

if TYPE_CHECKING:
    from doxeval.reader.navigation.logs import Sessions

CANDIDATES = ("logged", "all", "leaves")
"""Nodes of the kinds (tags) that the log leads to; all nodes; nodes without others in them."""


@dataclass(frozen=True, eq=False)
class StepCandidates:
    """`nodes` marks, among all nodes of all documents, those that a step can lead to.

    Places visited before in the session are candidates only if there are `revisits`.
    """

    nodes: np.ndarray
    revisits: bool
    kinds: str

    def __str__(self) -> str:
        again = "visited before or not" if self.revisits else "not visited before"
        return f"the next step is chosen among {self.kinds}, {again}"


def with_candidates(
    sessions: Sessions, documents: Documents, which: str = "logged", revisits: bool | None = None
) -> Sessions:
    """Sessions with the candidates declared, which their notices name; as they are if they have some."""
    if sessions.candidates is not None:
        return sessions
    declared, notices = candidates_in(sessions, documents, which, revisits), Notices(sessions.notices)
    notices.add(str(declared), harmless=True, lasting=True)
    return replace(sessions, candidates=declared, notices=notices)


def candidates_in(
    sessions: Sessions, documents: Documents, which: str = "logged", revisits: bool | None = None
) -> StepCandidates:
    """The candidates declared, by default as the log shows them; an error if the log leads elsewhere."""
    if which not in CANDIDATES:
        known = ", ".join(CANDIDATES)
        raise UsageError(f"candidates must be one of {known}, not {which!r}{nearest(str(which), CANDIDATES)}")
    targets = sessions.row[sessions.moves + 1]
    nodes, kinds = _nodes(documents, targets, which)
    again = int(visited_again(sessions).sum())
    if elsewhere := int((~nodes[targets]).sum()):
        raise UsageError(
            f"candidates={which} does not suit the log: {counted(elsewhere, 'step')} of {len(targets):,} "
            "to other nodes; use candidates=logged or candidates=all"
        )
    if again and revisits is False:
        raise UsageError(
            f"revisits=False does not suit the log: {counted(again, 'step')} of {len(targets):,} back to a "
            "place visited before"
        )
    return StepCandidates(nodes, bool(again) if revisits is None else revisits, kinds)


def _nodes(documents: Documents, targets: np.ndarray, which: str) -> tuple[np.ndarray, str]:
    if which == "leaves":
        inner = documents.parent >= 0
        leaves = np.ones(len(documents.parent), dtype=bool)
        base = np.repeat(documents.node_offset[:-1], documents.nodes.counts)
        leaves[(base + documents.parent)[inner]] = False
        return leaves, "nodes without others in them"
    if which == "all" or not len(targets):
        return np.ones(len(documents.parent), dtype=bool), "all nodes"
    tags = np.unique(documents.tag[targets])
    names = sorted(documents.tags[tag] for tag in tags.tolist())
    return np.isin(documents.tag, tags), f"nodes of the kinds in the log ({', '.join(names)})"


def visited_again(sessions: Sessions) -> np.ndarray:
    """A mask of the moves that lead to a place that the session visited before."""
    step, row = earlier_places(sessions)
    moves = sessions.moves
    again = np.zeros(len(moves), dtype=bool)
    again[step[row == sessions.row[moves[step] + 1]]] = True
    return again


def earlier_places(sessions: Sessions) -> tuple[np.ndarray, np.ndarray]:
    """The places visited before each move, its source left out: numbers of moves, and rows of nodes."""
    moves = sessions.moves
    before = Ragged.of_counts(sessions.steps.place[moves])
    row = sessions.row[sessions.steps.first[sessions.steps.row[moves]][before.row] + before.place]
    elsewhere = row != sessions.row[moves][before.row]
    found = np.unique(np.stack([before.row[elsewhere], row[elsewhere]]), axis=1)
    return found[0], found[1]
