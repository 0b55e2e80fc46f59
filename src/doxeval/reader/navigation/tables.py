"""Chances and models as readable rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from inspect import cleandoc

import numpy as np

from doxeval.core.csv_out import csv_text
from doxeval.core.errors import UsageError, nearest
from doxeval.reader.navigation.base import NAVIGATIONS, Navigation
from doxeval.tables.documents import Documents

COLUMNS = ("doc", "from", "to", "p")
Row = tuple[str, str, str, float]


def chance_rows(
    model: Navigation, documents: Documents, names: Sequence[str] = (), source: str | None = None
) -> Iterator[Row]:
    """(document, from, to, p) for every step with a chance in the named documents, or in all."""
    codes = documents.codes(list(names)) if names else np.arange(len(documents))
    for name, code in zip(names, codes, strict=False):
        if code < 0:
            raise UsageError(f"there is no document {name!r}{nearest(name, documents.ids)}")
    for doc in codes.tolist():
        yield from _steps(model, documents, doc, source)


def _steps(model: Navigation, documents: Documents, doc: int, source: str | None) -> Iterator[Row]:
    count = int(documents.nodes.counts[doc])
    starts = np.arange(count) if source is None else np.array([documents.node_named(doc, source)])
    labels = [_label(documents, doc, node) for node in range(count)]
    every = np.arange(count)
    for start in starts.tolist():
        others = every[every != start]
        here = np.full(len(others), doc)
        chances = model.chance(here, np.full(len(others), start), others)
        for node, chance in zip(others.tolist(), chances.tolist(), strict=True):
            if chance > 0:
                yield documents.ids[doc], labels[start], labels[node], chance


def _label(documents: Documents, doc: int, node: int) -> str:
    name = documents.node_ids[int(documents.rows(doc, node))] if documents.node_ids is not None else ""
    return name or documents.path(doc, node)


def render_rows(rows: Iterable[Row], form: str) -> Iterator[str]:
    """Rows as CSV (which `matrix` reads back), JSON Lines, or aligned columns."""
    if form == "jsonl":
        for row in rows:
            yield json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n"
        return
    if form == "csv":
        yield csv_text([COLUMNS])
        for row in rows:
            yield csv_text([(*row[:3], repr(row[3]))])
        return
    yield f"{'document':<20} {'from':<28} {'to':<28} p(to; from)\n"
    for doc, start, end, chance in rows:
        yield f"{doc:<20} {start:<28} {end:<28} {chance:.6f}\n"


def list_models(name: str | None = None) -> str:
    """Every navigation model with its parameters and its reader; or a full description of one of them."""
    if name is None:
        known = NAVIGATIONS.all()
        width = max(map(len, known))
        lines = [f"{model.name:<{width}}  {model.reader}" for model in known.values()]
        return "\n".join([*lines, "", "'doxeval navigations NAME' explains one; --nav uses it in measures."])
    model = NAVIGATIONS[name]
    lines = [
        f"{model.name}: {model.reader}",
        "",
        cleandoc(model.__doc__ or ""),
        "",
        f"From: {model.paper}",
    ]
    for parameter in model.parameters:
        default = "" if parameter.default in (None, "") else f" (default {parameter.default})"
        lines.append(f"  {parameter.name}: {parameter.help}; {parameter.allowed}{default}")
    return "\n".join([*lines, f"Example: --nav '{model.example}'"])
