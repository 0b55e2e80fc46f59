"""Summarise the structure of a collection: its classes of nodes, the steps between them, drawings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.output import atomic
from doxeval.core.records import Records
from doxeval.core.table import Table
from doxeval.io.read import read_documents
from doxeval.reader.navigation.logs import Sessions, read_sessions
from doxeval.reader.summaries.drawing import Extents, as_dot, as_rows, as_svg, as_table, extents_of
from doxeval.reader.summaries.steps import Steps
from doxeval.reader.summaries.structure import Summary, summarise

MOST_CLASSES = 30
"""Classes that are shown and drawn by default."""


@dataclass(eq=False, repr=False)
class CollectionSummary(Records):
    """Classes of nodes with their nodes, text and steady state pi; `frame` is a polars frame of all.

    `extents` are the nodes of each class, if they were asked for; `most` is how many classes are shown.
    """

    summary: Summary
    extents: Extents = None
    most: int = MOST_CLASSES
    notices: Notices = field(default_factory=Notices)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per class."""
        return as_rows(self.summary, self.extents)

    @property
    def table(self) -> Table:
        """The classes with the largest pi."""
        return as_table(self.summary, self.most, self.extents)

    @property
    def steps(self) -> Steps:
        """The single steps between classes, with their weights."""
        return self.summary.steps()

    @property
    def json(self) -> str:
        """The summary as it is saved for the navigation model ``summary(file=...)``."""
        return self.summary.to_json()

    @property
    def dot(self) -> str:
        """The summary as a graph in the DOT language."""
        return as_dot(self.summary, self.most, self.extents)

    @property
    def svg(self) -> str:
        """The summary as a picture."""
        return as_svg(self.summary, self.most, self.extents)

    def _repr_svg_(self) -> str:
        return self.svg


def summary(
    documents: Any,
    path: str | Path | None = None,
    *,
    partition: str = "path",
    weight: str = "extent",
    log: Any = None,
    extents: bool = False,
    most: int = MOST_CLASSES,
) -> CollectionSummary:
    """Summarise documents: classes of nodes, their nodes and text, and their steady-state probabilities.

    `partition` says how nodes are classified: by tag, path (p*), children (c), path+children (p*|c), depth, a
    map (\\*.json) or a regular expression on paths; or each node by itself (node). An edge is weighted by its
    child nodes (`weight="extent"`), their text (`length`), 1 / their depth (`depth`), or readers' steps
    (`routes`) in a `log`: JSON Lines, or dicts, with `doc` and `route`. With `extents`, the nodes of each
    class are listed. The summary is saved at `path`: as JSON, or drawn if it ends with .dot or .svg.

    >>> nodes = [{"id": "a", "parent": None, "tag": "a", "start": 0, "end": 9},
    ...          {"id": "b", "parent": "a", "tag": "b", "start": 0, "end": 4}]
    >>> summary([{"doc": "d", "length": 9, "nodes": nodes}], partition="tag")
        class  nodes  characters  depth      pi
    S1  a          1           9    1.0  0.5000
    S2  b          1           4    2.0  0.5000
    """
    if (weight == "routes") != (log is not None):
        raise UsageError("weight='routes' needs the sessions of readers, as log=, and only that takes a log")
    if most < 1:
        raise UsageError(f"most must be at least 1, not {most}")
    collection = read_documents(documents)
    sessions = None if log is None else log if isinstance(log, Sessions) else read_sessions(log, collection)
    made, classes = summarise(collection, partition, weight, sessions)
    listed = extents_of(collection, classes) if extents else None
    found = CollectionSummary(made, listed, most, Notices() if sessions is None else sessions.notices)
    if path is not None:
        content = {".dot": "dot", ".svg": "svg"}.get(Path(path).suffix.lower(), "json")
        with atomic(path) as stream:
            stream.write(getattr(found, content).encode())
    return found
