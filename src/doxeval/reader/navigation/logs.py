"""Files for navigation models: steps between nodes as CSV, sessions of readers as JSON Lines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.errors import InputError, nearest
from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.core.strings import encode
from doxeval.core.values import is_several, name_of, number_in, quoted
from doxeval.io.formats.csv_fields import csv_rows
from doxeval.io.json_text import NotJson, json_value
from doxeval.io.source import Source
from doxeval.reader.navigation.step_candidates import StepCandidates
from doxeval.reader.navigation.trajectory_log import routes_in, trajectory_given
from doxeval.tables.documents import Documents
from doxeval.tables.runs import Run

SESSION_FIELDS = ("doc", "route", "dwell")
WITHIN, ACROSS = ("doc", "from", "to"), ("from_doc", "to_doc")


@dataclass(eq=False)
class StepChances:
    """Chances of steps from node to node: documents, rows in the node columns, and the chance of each.

    `kind` is the type of each step, an index into `kinds`; NaN is a chance that the file leaves to its type.
    """

    source_doc: np.ndarray
    source_row: np.ndarray
    target_doc: np.ndarray
    target_row: np.ndarray
    chance: np.ndarray
    kind: np.ndarray
    kinds: list[str]
    notices: Notices


@dataclass(eq=False)
class Sessions:
    """Routes of readers: the `steps` of each session, in order, are node rows `row` of document `doc`.

    `dwell` is the time spent at each, NaN for a session without times. `candidates` are the places that the
    next step is chosen among, if that is declared.
    """

    steps: Ragged
    row: np.ndarray
    doc: np.ndarray
    dwell: np.ndarray
    notices: Notices = field(default_factory=Notices)
    candidates: StepCandidates | None = None

    def __len__(self) -> int:
        return len(self.doc)

    def select(self, chosen: np.ndarray) -> Sessions:
        """Only the chosen sessions."""
        steps, theirs = self.steps.select(chosen)
        return Sessions(
            steps, self.row[theirs], self.doc[chosen], self.dwell[theirs], candidates=self.candidates
        )

    @property
    def moves(self) -> np.ndarray:
        """The steps that are followed by one to another node."""
        at = np.flatnonzero(~self.ends)
        return at[self.row[at] != self.row[at + 1]]

    @property
    def timed(self) -> np.ndarray:
        """Whether each session has times."""
        return self.steps.sum(np.isnan(self.dwell)) == 0

    @property
    def ends(self) -> np.ndarray:
        """Whether each step is the last of its session."""
        ends = np.zeros(len(self.row), dtype=bool)
        ends[self.steps.offset[1:] - 1] = True
        return ends


def read_steps(path: str, documents: Documents, typed: bool = False) -> StepChances:
    """Read a CSV file of steps; rows with unknown nodes or invalid chances are refused and reported.

    Between documents, a node that is not named is the whole document. A `typed` file needs no chances.
    """
    with Source(path) as source:
        return _steps(source, documents, typed)


def _steps(source: Source, documents: Documents, typed: bool) -> StepChances:
    notices = Notices()
    rows = csv_rows(source.read().decode(errors="replace"))
    header = [name.strip() for name in next(rows, (1, []))[1]]
    across = set(ACROSS) <= set(header)
    last = "type" if typed else "p"
    if not {last, *(ACROSS if across else WITHIN)} <= set(header):
        raise InputError(
            f"{source.name}:1: expected the columns doc,from,to,{last} or from_doc,from,to_doc,to,{last}, "
            f"found {','.join(sorted(header)) or 'none'}"
        )
    kept: list[tuple[str, str, str, str, float, str]] = []
    lines = []
    for line, fields in rows:
        named = {key: field.strip() for key, field in zip(header, fields, strict=False)}
        docs = (named.get("from_doc" if across else "doc", ""), named.get("to_doc" if across else "doc", ""))
        chance = _chance(named.get("p", "")) if "p" in header else np.nan
        if chance is None:
            notices.add(
                f"{source.name}: {{count}} {{row|rows}} refused, expected a chance from 0 to 1 as p",
                f"{source.name}:{line}: found {named.get('p', '')!r}",
            )
            continue
        kept.append(
            (docs[0], named.get("from", ""), docs[1], named.get("to", ""), chance, named.get("type", ""))
        )
        lines.append(line)
    columns = list(zip(*kept, strict=True)) or [()] * 6
    source_doc, source_row = _rows(documents, columns[0], columns[1], whole=across)
    target_doc, target_row = _rows(documents, columns[2], columns[3], whole=across)
    good = (source_row >= 0) & (target_row >= 0)
    _note_unknown(notices, source.name, [(lines[at], kept[at][:5]) for at in np.flatnonzero(~good)])
    kinds, kind = encode(columns[5])
    p = np.array(columns[4], dtype=np.float64)
    return StepChances(
        source_doc[good], source_row[good], target_doc[good], target_row[good], p[good], kind[good], kinds,
        notices,
    )  # fmt: skip


def _chance(text: str) -> float | None:
    value = number_in(text)
    return value if value is not None and 0 <= value <= 1 else None


def _rows(
    documents: Documents, docs: Sequence[str], nodes: Sequence[str], whole: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Document and row of each named node, -1 for unknown nodes; without a name the `whole` document's."""
    names, codes = encode(nodes)
    doc = documents.catalogue.find(list(docs)).codes
    node = documents.resolve(doc, names, codes)
    if whole:
        node = np.where((doc >= 0) & np.array([not name for name in nodes], dtype=bool), 0, node)
    return doc, np.where(node >= 0, documents.node_offset[np.maximum(doc, 0)] + node, -1)


def _note_unknown(notices: Notices, name: str, refused: list[tuple[int, Any]]) -> None:
    if refused:
        notices.add(
            f"{name}: {{count}} {{row|rows}} refused: {{its|their}} nodes are not in the documents given",
            *(f"{name}:{line}: found {what}" for line, what in refused[:3]),
            count=len(refused),
        )


def read_sessions(log: str | Path | Run | Iterable[Mapping[str, Any]], documents: Documents) -> Sessions:
    """Read JSON Lines `{"doc": ..., "route": [node, node, ...]}`; a route with an unknown node is refused.

    `"dwell": [2.5, 10, ...]` is the time spent at each node, in any unit. Unknown fields are reported, since
    they are ignored. A trajectory is a log too: what the steps of a topic show of a document is a session.
    """
    if (run := trajectory_given(log)) is not None:
        routes = routes_in(run, documents)
        return Sessions(routes.steps, routes.row, routes.doc, routes.seconds, routes.notices)
    notices = Notices()
    if not isinstance(log, str | Path):
        if isinstance(log, Run) or not is_several(log):
            found = type(log).__name__
            raise InputError(f"expected sessions of readers: a path or a list of dicts, found {found}")
        return _sessions(enumerate(log, 1), "sessions", documents, notices)
    with Source(log) as source:
        return _sessions(_json_lines(source, notices), source.name, documents, notices)


def _sessions(
    records: Iterable[tuple[int, Mapping[str, Any]]], name: str, documents: Documents, notices: Notices
) -> Sessions:
    docs, routes, dwell, lines = [], [], [], []
    for line, record in records:
        if not isinstance(record, Mapping):
            raise InputError(f"{name}:{line}: expected a dict with doc and route, found {quoted(record)}")
        route = record.get("route")
        for key in record.keys() - set(SESSION_FIELDS):
            notices.add(
                f"{name}: {{count}} {{line has|lines have}} an unknown field {key!r}, which is ignored"
                f"{nearest(key, [one for one in SESSION_FIELDS if one not in record])}",
                f"{name}:{line}",
                lasting=True,
            )
        doc, nodes = name_of(record.get("doc")), list(map(name_of, route if isinstance(route, list) else ()))
        times = record.get("dwell", [math.nan] * len(nodes))
        if not doc or not nodes or not all(nodes) or not _are_times(times, len(nodes)):
            notices.add(
                f'{name}: {{count}} {{line|lines}} refused, expected {{"doc": "d1", "route": ["e1", "e2"]}}, '
                'with a time for each node if there is "dwell": [2.5, 10]',
                f"{name}:{line}: found {quoted(record)}",
            )
            continue
        docs.append(doc)
        routes.append([node for node in nodes if node])
        dwell += times
        lines.append(line)
    steps = Ragged.of_counts([len(route) for route in routes])
    flat = [node for route in routes for node in route]
    _, row = _rows(documents, [doc for doc, route in zip(docs, routes, strict=True) for _ in route], flat)
    good = steps.sum(row < 0) == 0
    _note_unknown(notices, name, [(lines[at], routes[at][:3]) for at in np.flatnonzero(~good)])
    times = np.array(dwell, dtype=np.float64)
    kept = Sessions(steps, row, documents.catalogue.find(docs).codes, times).select(good)
    kept.notices = notices
    return kept


def _are_times(values: object, count: int) -> bool:
    """Whether these are as many times, none of them negative; unknown ones are NaN."""
    return (
        isinstance(values, list)
        and len(values) == count
        and all(
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and not value < 0
            and value != math.inf
            for value in values
        )
    )


def _json_lines(source: Source, notices: Notices) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    for block in source.blocks():
        for text in block.splitlines():
            number += 1
            if not text.strip():
                continue
            try:
                record = json_value(text)
                problem = "" if isinstance(record, dict) else f"found {quoted(record)}"
            except NotJson as error:
                problem = str(error)
            if problem:
                notices.add(
                    f"{source.name}: {{count}} {{line|lines}} refused, expected a JSON object",
                    f"{source.name}:{number}: {problem}",
                )
            else:
                yield number, record
