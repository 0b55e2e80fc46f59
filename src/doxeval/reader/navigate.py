"""The chances of a navigation model in documents, for people and programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.errors import IdleOption, UsageError
from doxeval.core.notices import Notices
from doxeval.core.output import atomic, form_of
from doxeval.core.records import Records
from doxeval.core.table import Table
from doxeval.ground.ground import prepare_ground
from doxeval.io.read import read_assessments, read_documents
from doxeval.reader.navigation.listing import CHANCE_COLUMNS, AskedChances, render_rows
from doxeval.reader.navigation.model import Navigation, navigation_named
from doxeval.reader.summaries.steps import Steps
from doxeval.reader.units_sought import coverage_for_topic
from doxeval.tables.documents import Documents


@dataclass(eq=False, repr=False)
class NavigationChances(Records):
    """p(to; from) of a navigation model between the nodes of documents; `frame` is a polars frame.

    `whole` tables have all pairs of nodes, with zeros and p(e; e).
    """

    asked: AskedChances
    whole: bool = False

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per step."""
        return [dict(zip(CHANCE_COLUMNS, row, strict=True)) for row in self.asked.rows(self.whole)]

    @property
    def notices(self) -> Notices:
        """Notices of the model."""
        return self.asked.model.notices

    @property
    def table(self) -> Table:
        """A row per step."""
        body = [[doc, start, end, f"{chance:.6f}"] for doc, start, end, chance in self.asked.rows(self.whole)]
        return Table(["document", "from", "to", "p(to; from)"], body, 3, notices=self.notices)

    @property
    def tables(self) -> list[Table]:
        """One table of all steps; if they are whole, the matrix of each document."""
        return list(self.asked.matrices()) if self.whole else [self.table]

    def write(self, path: str | Path, *, format: str | None = None, **how: Any) -> None:
        """Write the chances to a file; as CSV, the navigation model ``matrix(file=...)`` reads them back."""
        form = format or form_of(path)
        if form not in ("csv", "jsonl"):
            super().write(path, format=form, **how)
            return
        with atomic(path) as stream:
            for piece in render_rows(self.asked.rows(self.whole), form):
                stream.write(piece.encode())

    @property
    def steps(self) -> Steps:
        """The single steps that the model is made of, with their weights."""
        steps = self.asked.model.steps()
        if steps is None:
            call = self.asked.model.call
            raise UsageError(f"{call} is not made of single steps, as routes(...) and summary(...) are")
        return steps


def navigate(
    documents: Any,
    navigation: str = "hierarchical",
    *,
    doc: str | list[str] | tuple[str, ...] = (),
    node: str | None = None,
    matrix: bool = False,
    assessments: Any = None,
    topic: str | None = None,
) -> NavigationChances:
    """The chances p(to; from) of a navigation model between the nodes of documents, where they are not 0.

    `doc` names one document or several, `node` the node (id or path) from which steps lead. A `matrix` has
    all pairs of nodes. A model that depends on how nodes were judged (err) takes `assessments` by codes, and
    the `topic` if they have several. `steps` of the result are the single steps that the model is made of.

    >>> nodes = [{"id": "a", "parent": None, "tag": "a", "start": 0, "end": 9},
    ...          {"id": "b", "parent": "a", "tag": "b", "start": 0, "end": 4}]
    >>> navigate([{"doc": "d", "length": 9, "nodes": nodes}], "hierarchical")
    document  from  to  p(to; from)
    d         a     b      0.444444
    d         b     a      0.444444
    """
    collection = read_documents(documents)
    model = navigation_named(navigation, collection)
    names = (doc,) if isinstance(doc, str) else tuple(doc)
    coverage = _coverage(model, collection, assessments, topic)
    return NavigationChances(AskedChances(model, collection, names, node, coverage), matrix)


def _coverage(
    model: Navigation, documents: Documents, assessments: Any, topic: str | None
) -> np.ndarray | None:
    """The coverage of every node as judged for the topic, for a model that depends on it."""
    if not model.minds_coverage and (assessments is not None or topic is not None):
        raise IdleOption(
            "assessments" if assessments is not None else "topic",
            f"assessments would do nothing here: {model.call} does not depend on judgements, as err does",
        )
    if assessments is None and topic is not None:
        raise IdleOption("topic", "topic would do nothing here: it says which of the assessments to use")
    if not model.minds_coverage:
        return None
    if assessments is None:
        model.notices.add(
            f"{model.call} depends on how nodes were judged: without assessments none counts as judged (N)",
            harmless=True,
        )
        return None
    ground = prepare_ground(read_assessments(assessments), documents)
    model.notices.extend(ground.notices)
    return coverage_for_topic(ground, topic)
