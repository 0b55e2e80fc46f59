"""Chances and models as readable rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import cleandoc

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.records import csv_text
from doxeval.core.table import Table
from doxeval.reader.navigation.model import NAVIGATIONS, Navigation
from doxeval.reader.summaries.walk_steps import explained, number
from doxeval.tables.documents import Documents

CHANCE_COLUMNS = ("doc", "from", "to", "p")
Row = tuple[str, str, str, float]


@dataclass(frozen=True)
class AskedChances:
    """The chances of a model to print: in the named documents, or in all, from one node, or from all.

    `coverage` is the letter of each node of the collection, for a model that minds it.
    """

    model: Navigation
    documents: Documents
    names: Sequence[str] = ()
    source: str | None = None
    coverage: np.ndarray | None = None

    def docs(self) -> list[int]:
        """The documents asked for."""
        if not self.names:
            return list(range(len(self.documents)))
        codes = self.documents.catalogue.find(list(self.names)).codes.tolist()
        for name, code in zip(self.names, codes, strict=True):
            if code < 0:
                raise UsageError(f"there is no document {name!r}{nearest(name, self.documents.ids)}")
        return codes

    def starts(self, doc: int) -> list[int]:
        """The nodes to start from."""
        if self.source is None:
            return list(range(int(self.documents.nodes.counts[doc])))
        return [self.documents.node_named(doc, self.source)]

    def chances(self, doc: int, start: int) -> np.ndarray:
        """p(e; start) of every node e of the document, itself included."""
        every = np.arange(self.documents.nodes.counts[doc])
        here, source = np.full(len(every), doc), np.full(len(every), start)
        letters = None if self.coverage is None else self.coverage[self.documents.rows(here, source)]
        chances = self.model.chance(here, source, every, letters)
        chances[start] = self.model.staying(here[:1], source[:1])[0]
        return chances

    def rows(self, whole: bool = False) -> Iterator[Row]:
        """(document, from, to, p) of every step to another node; of all pairs of nodes if `whole`."""
        for doc in self.docs():
            names = self.documents.names_of_nodes(doc)
            for start in self.starts(doc):
                for node, chance in enumerate(self.chances(doc, start).tolist()):
                    if whole or (chance > 0 and node != start):
                        yield self.documents.ids[doc], names[start], names[node], chance

    def matrices(self) -> Iterator[Table]:
        """The whole matrix of each document, from rows to columns, as ESR prints Table 5."""
        for doc in self.docs():
            labels = self.documents.labels(doc)
            body = [[labels[at], *map(number, self.chances(doc, at).tolist())] for at in self.starts(doc)]
            footer = explained(labels, self.documents.names_of_nodes(doc))
            yield Table(["from", *labels], body, 1, footer, self.documents.ids[doc])


def render_rows(rows: Iterable[Row], form: str) -> Iterator[str]:
    """Rows as CSV (which `matrix` reads back) or JSON Lines, one by one: there may be millions."""
    if form == "jsonl":
        for row in rows:
            yield json.dumps(dict(zip(CHANCE_COLUMNS, row, strict=True))) + "\n"
        return
    yield csv_text([CHANCE_COLUMNS])
    for row in rows:
        yield csv_text([(*row[:3], repr(row[3]))])


def model_entries(names: Iterable[str] = ()) -> list[dict[str, object]]:
    """Navigation models as plain data, those of some names or all."""
    chosen = [NAVIGATIONS[name] for name in names] or list(NAVIGATIONS.all().values())
    return [
        {
            "name": model.name,
            "reader": model.reader,
            "paper": model.paper,
            "example": model.example,
            "parameters": {
                one.name: {
                    "default": "" if one.default is None else str(one.default),
                    "allowed": one.allowed,
                    "help": one.help,
                }
                for one in model.parameters
            },
        }
        for model in chosen
    ]


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
