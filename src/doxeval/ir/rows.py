"""Runs and judgements as ir_measures takes them, with columns for the places of passages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from doxeval.io.formats.build_tables import ASSESSMENT_KEYS, RUN_KEYS
from doxeval.io.formats.row_places import PLACE_KEYS

OURS = {"query_id": "topic", "doc_id": "doc", "relevance": "rel"}
"""The names of their columns in doxeval."""
PLACES = {*PLACE_KEYS, "page", "quote"}
PASSAGE = re.compile(r"%p[0-9]+$")
"""The suffix that PyTerrier appends to the name of a document cut into passages."""


@dataclass
class GivenRows:
    """Rows of a frame, of named tuples or of a dict of dicts: as `given`, and the `columns` they have."""

    given: Any
    columns: list[str]
    value: str

    @classmethod
    def of(cls, data: Any, value: str) -> GivenRows:
        """Anything ir_measures takes; `value` names the values of a dict of dicts."""
        if hasattr(data, "columns"):
            return cls(data, [str(name) for name in data.columns], value)
        if isinstance(data, Mapping):
            return cls(data, ["query_id", "doc_id", value], value)
        rows = list(data)
        return cls(rows, list(getattr(rows[0], "_fields", ())) if rows else [], value)

    @property
    def have_places(self) -> bool:
        """Whether any column gives a place in a document."""
        return not PLACES.isdisjoint(self.columns)

    def as_assessments(self) -> Any:
        """The assessments, as doxeval reads them."""
        return self._only(ASSESSMENT_KEYS)

    def as_run(self, with_documents: bool) -> Any:
        """Results as doxeval reads them, in the order of their scores as in ir_measures.

        Passages with a text but no place are located in the documents, if there are any.
        """
        sought = with_documents and "text" in self.columns and not self.have_places
        kept = self._only([key for key in RUN_KEYS if key != "rank" and (sought or key != "text")])
        return _with_documents_named(kept) if sought else kept

    def _only(self, keys: Any) -> Any:
        taken = {OURS[name] for name in self.columns if name in OURS}
        names = {name: OURS.get(name, name) for name in self.columns if name not in taken}
        names = {name: key for name, key in names.items() if key in keys}
        if hasattr(self.given, "columns"):
            return self.given[list(names)].rename(columns=names)
        if isinstance(self.given, Mapping):
            return [
                {"topic": topic, "doc": doc, names[self.value]: value}
                for topic, docs in self.given.items()
                for doc, value in docs.items()
            ]
        rows = ({key: getattr(row, name) for name, key in names.items()} for row in self.given)
        return [{key: value for key, value in row.items() if value is not None} for row in rows]


def _with_documents_named(rows: Any) -> Any:
    """Rows of passages under the names of their documents, without what PyTerrier appends."""
    if isinstance(rows, list):
        return [{**row, "doc": PASSAGE.sub("", row["doc"])} for row in rows]
    return rows.assign(doc=[PASSAGE.sub("", doc) for doc in rows["doc"]])
