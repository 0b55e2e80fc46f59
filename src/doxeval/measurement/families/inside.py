"""The inside of a score: tables of the terms behind it, and the steps of a navigating reader."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.table import Readable, Table, shown
from doxeval.reader.consulted import consulted, result_nodes
from doxeval.reader.ideal_search import Search
from doxeval.reader.units_sought import tree_of

if TYPE_CHECKING:
    import polars

    from doxeval.ground.aligned import Aligned
    from doxeval.tables.documents import Documents

MOST_ROWS, MOST_COLUMNS = 40, 16
"""A readable table has at most this many rows and columns; the data has all."""


@dataclass(eq=False, repr=False)
class Inside(Readable):
    """A table of what a score is made of: `columns` by name, the first `names` of them words."""

    name: str
    columns: dict[str, list[Any]]
    meaning: tuple[str, ...]
    names: int = 1

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row per line, for programs."""
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]

    @cached_property
    def frame(self) -> polars.DataFrame:
        """A polars frame of the columns."""
        import polars

        return polars.DataFrame(self.columns, strict=False)

    @property
    def tables(self) -> list[Table]:
        """The columns as a table; what it leaves out is counted below it."""
        header, rows, footer = list(self.columns)[:MOST_COLUMNS], self.rows, list(self.meaning)
        if len(self.columns) > MOST_COLUMNS:
            footer.append(f"{len(self.columns) - MOST_COLUMNS} columns are left out (csv has all)")
        if len(rows) > MOST_ROWS:
            footer.append(f"{len(rows) - MOST_ROWS} rows before the last are left out (csv has all)")
            rows = [*rows[: MOST_ROWS - 1], rows[-1]]
        body = [[_cell(row[name]) for name in header] for row in rows]
        return [Table(header, body, self.names, footer)]


def _cell(value: Any) -> str:
    return shown(value) if value is None or isinstance(value, float) else str(value)


def nodes_told(documents: Documents, doc: np.ndarray, node: np.ndarray) -> list[str]:
    """Nodes for people: each by its document, and its id or else its path."""
    distinct, place = np.unique(documents.rows(doc, node), return_inverse=True)
    names = [documents.node_told(int(row)) for row in distinct]
    return [names[at] for at in place]


def results_told(aligned: Aligned, topic: int) -> list[str]:
    """The nodes of each result of a topic, for people."""
    documents, trees, here = tree_of(aligned.ground), result_nodes(aligned), aligned.by_topic.slice(topic)
    return [trees.told(documents, result) for result in range(here.start, here.stop)]


class StepsToIdeals:
    """The steps of a reader to the ideal elements of one topic; `listed` is P(L) of the consulted nodes."""

    def __init__(
        self, aligned: Aligned, topic: int, search: Search, listed: np.ndarray | None = None
    ) -> None:
        documents, read = tree_of(aligned.ground), consulted(aligned)
        ideals = search.elements(aligned.ground).positive
        steps = search.chances(aligned)
        possible = aligned.topic[steps.result] == topic
        if listed is not None:
            possible &= listed[steps.row] > 0
        here = np.flatnonzero(possible)
        here = here[np.lexsort((steps.element[here], steps.result[here]))]
        row = steps.row[here]
        inside = ideals.by_topic.slice(topic)
        self.results = int(aligned.count[topic])
        self.rank = steps.result[here] - aligned.by_topic.offset[topic] + 1
        self.element = steps.element[here] - inside.start
        self.chance = steps.chance[here]
        self.listed = None if listed is None else listed[row]
        self.source = nodes_told(documents, read.doc[row], read.node[row])
        self.names = nodes_told(documents, ideals.doc[inside], ideals.node[inside])

    @cached_property
    def seen(self) -> np.ndarray:
        """P(x in S_i): the chance to have seen the step's ideal element after it (PRUM Eq. 6)."""
        unseen = np.ones(len(self.names))
        seen = np.zeros(len(self.rank))
        lead = self.chance if self.listed is None else self.listed * self.chance
        for at, element in enumerate(self.element):
            unseen[element] *= 1.0 - lead[at]
            seen[at] = 1.0 - unseen[element]
        return seen

    @property
    def seen_at_last(self) -> np.ndarray:
        """The chance to have seen each ideal element in the end."""
        last = np.zeros(len(self.names))
        last[self.element] = self.seen
        return last

    def inside(self) -> Inside:
        """A row per step that is possible."""
        columns = {
            "rank": self.rank.tolist(),
            "from": self.source,
            "to": [self.names[element] for element in self.element],
            **({} if self.listed is None else {"P(L)": self.listed.tolist()}),
            "p": self.chance.tolist(),
            "seen": self.seen.tolist(),
        }
        meaning = ["p: the chance to get from the result to the element (to; from)"]
        if self.listed is not None:
            meaning.append("P(L): the chance that the result is within the cut-off")
        meaning.append("seen: the chance that the element has been seen by then (PRUM Eq. 6)")
        return Inside("steps", columns, tuple(meaning), 3)
