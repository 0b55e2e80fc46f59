"""Native documents: one JSON object each, in lines, lists or frames.

`{"doc": ..., "text": ..., "length": ..., "nodes": [{"id", "parent", "tag", "start", "end", "length"}]}`;
`metadata`, and any other short values, are the document's attributes.
A parent is named by its id or, if ids are not numbers, by its position in the list from 0. Nodes may come in
any order. Nodes with a length may omit their extent: they are then laid out one after another within their
parent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from doxeval.core.errors import nearest
from doxeval.core.notices import Notices
from doxeval.core.strings import index_of
from doxeval.core.values import is_number, is_text, name_of, quoted
from doxeval.io.documents.docling import is_docling, name_of_docling, parse_docling
from doxeval.io.documents.json_documents import load_json
from doxeval.io.documents.tree import ROOT, Refused, TagCodes, Tree, refused_alone, tree_of_nodes
from doxeval.io.formats.field_lines import LARGEST_OFFSET
from doxeval.io.json_text import NotJson, json_value
from doxeval.io.limits import Limits
from doxeval.kernels import nodes as kernel

BAD_DOCUMENT = "native documents that are not valid"
BAD_TREE = "native documents whose nodes are not a tree"
BAD_METADATA = "native documents whose metadata is not an object"
DOCUMENT_KEYS = ("doc", "text", "length", "nodes", "metadata")
LONGEST_METADATA = 80
"""Longer texts are not kept as metadata."""


def is_native(value: Any) -> bool:
    """Whether a JSON value is a native document."""
    return isinstance(value, Mapping) and "doc" in value and bool(value.keys() & {"text", "length", "nodes"})


def parse_lines(
    data: bytes, name: str, first_line: int, tags: TagCodes, limits: Limits, notices: Notices
) -> Iterator[Tree]:
    """Parse one document per line; invalid lines are refused, the others kept."""
    for at, line in enumerate(data.split(b"\n"), start=first_line):
        if line.strip():
            with refused_alone(place := f"{name}:{at}", notices):
                tree = parse_record(load_json(line), tags, limits)
                tree.origin = place
                yield tree


def parse_records(
    records: Iterable[Any], name: str, tags: TagCodes, limits: Limits, notices: Notices
) -> Iterator[Tree]:
    """Parse documents given as dictionaries."""
    for at, record in enumerate(records, start=1):
        with refused_alone(place := f"{name}: document {at}", notices):
            tree = parse_record(record, tags, limits)
            tree.origin = place
            yield tree


def parse_record(record: Any, tags: TagCodes, limits: Limits) -> Tree:
    """Parse one document; an error says what was expected and what was found."""
    if is_docling(record):
        tree = parse_docling(record, tags, limits)
        tree.doc = name_of_docling(record)
        return tree
    if not isinstance(record, Mapping):
        raise Refused(
            BAD_DOCUMENT, f"expected an object with {', '.join(DOCUMENT_KEYS)}, found {quoted(record)}"
        )
    doc, text, nodes = (_value_or_none(record.get(key)) for key in ("doc", "text", "nodes"))
    if doc is None or doc == "":
        near = next((hint for key in record if (hint := nearest(str(key), ["doc"]))), "")
        raise Refused(
            BAD_DOCUMENT, f'expected "doc", found only {", ".join(map(repr, record)) or "{}"}{near}'
        )
    doc = _name_given(doc, '"doc"')
    if text is not None and not (isinstance(text, str) and is_text(text)):
        raise Refused(BAD_DOCUMENT, f'expected a string as "text" of {doc!r}, found {quoted(text)}')
    if nodes is not None and (isinstance(nodes, str | bytes | Mapping) or not hasattr(nodes, "__len__")):
        raise Refused(BAD_DOCUMENT, f'expected a list as "nodes" of {doc!r}, found {quoted(nodes)}')
    length = _whole_number(record.get("length"), f'"length" of {doc!r}')
    if text is not None and length is not None and length != len(text):
        raise Refused(BAD_DOCUMENT, f"{doc!r} has length {length:,} but a text of {len(text):,} characters")
    length = len(text) if text is not None else length
    if nodes is None or len(nodes) == 0:
        if length is None:
            raise Refused(BAD_DOCUMENT, f'{doc!r} needs one of "text", "length", "nodes"')
        tree = tree_of_nodes([-1], [tags[ROOT]], [0], [length], length, limits)
    else:
        tree = _NodeList(doc, nodes).tree(length, tags, limits)
    tree.doc, tree.text, tree.metadata = doc, text, metadata_of(record)
    return tree


class _NodeList:
    """The nodes of one document, as given."""

    def __init__(self, doc: str, nodes: Any) -> None:
        self.doc = doc
        self.nodes = list(nodes)
        for at, node in enumerate(self.nodes):
            if not isinstance(node, Mapping):
                raise Refused(BAD_TREE, f"{doc!r}: expected an object as node {at + 1}, found {quoted(node)}")
        named = [node.get("id") is not None for node in self.nodes]
        if any(named) and not all(named):
            raise Refused(BAD_TREE, f"{doc!r}: node {named.index(False) + 1} has no id, but others have one")
        self.ids = (
            [_name_given(node["id"], f'"id" of {doc!r}') for node in self.nodes] if all(named) else None
        )
        self.numbered = all(named) and isinstance(self.nodes[0]["id"], int)
        self.start = self._numbers("start")
        self.end = self._numbers("end")
        self.lengths = self._numbers("length")

    def _numbers(self, key: str) -> list[int | None]:
        return [
            _whole_number(node.get(key), f'"{key}" of {self._called(at)}')
            for at, node in enumerate(self.nodes)
        ]

    def _called(self, at: int) -> str:
        return f"node {self.ids[at] if self.ids else at!r} of {self.doc!r}"

    def _tag(self, at: int) -> str:
        return _name_given(self.nodes[at].get("tag"), f'"tag" of {self._called(at)}') or "node"

    def _parents(self) -> list[int]:
        """The position of each node's parent in the list, -1 for the root."""
        places = index_of(self.ids or [])
        if self.ids and len(places) < len(self.ids):
            twice = next(name for at, name in enumerate(self.ids) if places[name] != at)
            raise Refused(BAD_TREE, f"{self.doc!r} has two nodes with the id {twice!r}")
        parents = []
        for at, node in enumerate(self.nodes):
            above = node.get("parent")
            if above is None:
                parents.append(-1)
                continue
            name = _name_given(above, f'"parent" of {self._called(at)}')
            by_place = isinstance(above, int) and not self.numbered
            place = above if by_place else places.get(name, -1)
            if not 0 <= place < len(self.nodes):
                near = nearest(name, places)
                raise Refused(
                    BAD_TREE, f"{self._called(at)} has the parent {above!r}, which does not exist{near}"
                )
            parents.append(place)
        return parents

    def _document_order(self, parents: list[int]) -> list[int]:
        """The positions of the nodes, root first, each before its children, children by start."""
        children: list[list[int]] = [[] for _ in parents]
        roots: list[int] = []
        for at, above in enumerate(parents):
            (children[above] if above >= 0 else roots).append(at)
        if len(roots) != 1:
            found = ", ".join(self._called(at) for at in roots[:3]) or "none"
            raise Refused(
                BAD_TREE, f"{self.doc!r}: expected one root, a node without a parent; found {found}"
            )
        order, waiting = [], roots
        while waiting:
            at = waiting.pop()
            order.append(at)
            in_order = sorted(children[at], key=lambda child: self.start[child] or 0)
            waiting.extend(reversed(in_order))
        if len(order) < len(parents):
            lost = min(set(range(len(parents))) - set(order))
            raise Refused(BAD_TREE, f"{self._called(lost)} is its own ancestor")
        return order

    def tree(self, length: int | None, tags: TagCodes, limits: Limits) -> Tree:
        """The nodes in document order, checked."""
        parents = self._parents()
        order = self._document_order(parents)
        place = {node: row for row, node in enumerate(order)}
        rows = [place[parents[node]] if parents[node] >= 0 else -1 for node in order]
        self._lay_out(order, rows, length)
        end_of_root = self.end[order[0]]
        whole = length if length is not None else int(end_of_root or 0)
        tree = tree_of_nodes(
            rows,
            [tags[self._tag(node)] for node in order],
            [self.start[node] or 0 for node in order],
            [self.end[node] or 0 for node in order],
            whole,
            limits,
        )
        self._check(tree, order)
        extents = tree.end - tree.start
        given = np.array(
            [-1 if self.lengths[node] is None else self.lengths[node] for node in order], dtype=np.int64
        )
        if ((given >= 0) & (given != extents)).any():
            tree.node_length = np.where(given >= 0, given, extents)
        tree.node_ids = [self.ids[node] for node in order] if self.ids else None
        return tree

    def _lay_out(self, order: list[int], rows: list[int], length: int | None) -> None:
        """Give an extent to the nodes that have only a length."""
        reach: list[int] = []
        for row, node in enumerate(order):
            above = rows[row]
            if self.start[node] is None or self.end[node] is None:
                size = self.lengths[node] if self.lengths[node] is not None else length if above < 0 else None
                if size is None or self.start[node] is not None or self.end[node] is not None:
                    raise Refused(BAD_TREE, f'{self._called(node)} needs "start" and "end", or "length"')
                limit = size if above < 0 else self.end[order[above]] or 0
                self.start[node] = min(reach[above], limit) if above >= 0 else 0
                self.end[node] = min((self.start[node] or 0) + size, limit)
            reach.append(self.start[node] or 0)
            if above >= 0:
                reach[above] = self.end[node] or 0

    def _check(self, tree: Tree, order: list[int]) -> None:
        offset = np.array([0, len(order)], dtype=np.int64)
        sizes = np.array([tree.length], dtype=np.int64)
        bad = int(kernel.first_misplaced(offset, tree.parent, tree.start, tree.end, sizes)[0])
        if bad < 0:
            return
        said = f"{self._called(order[bad])} is [{tree.start[bad]}, {tree.end[bad]})"
        if bad == 0:
            raise Refused(BAD_TREE, f"{said}, which is not inside the document's [0, {tree.length})")
        above = tree.parent[bad]
        raise Refused(
            BAD_TREE,
            f"{said}; expected an extent inside its parent's [{tree.start[above]}, {tree.end[above]}) "
            "that begins at or after the end of the sibling before it",
        )


def _value_or_none(value: Any) -> Any:
    """A value, or None if it is missing (NaN in frames)."""
    return None if isinstance(value, float) and np.isnan(value) else value


def _name_given(value: Any, what: str) -> str:
    """A value as a name; empty if it is missing."""
    name = name_of(value)
    if name is None:
        raise Refused(BAD_DOCUMENT, f"expected a name as {what}, found {quoted(value)}")
    return name


def _whole_number(value: Any, what: str) -> int | None:
    """A whole number up to the largest offset, or None if it is missing."""
    if _value_or_none(value) is None:
        return None
    if not is_number(value) or not 0 <= value <= LARGEST_OFFSET or value != int(value):
        raise Refused(
            BAD_DOCUMENT,
            f"expected a whole number from 0 to {LARGEST_OFFSET:,} as {what}, found {quoted(value)}",
        )
    return int(value)


def metadata_of(record: Mapping[str, Any]) -> str:
    """The short texts, numbers and flags of a document's `metadata` and of unknown keys.

    They are returned as one JSON object, as text; empty if there are none.

    >>> metadata_of({"doc": "d", "text": "...", "year": 2020, "metadata": {"doc_type": "lease", "tags": []}})
    '{"year": 2020, "doc_type": "lease"}'
    """
    further = {str(name): value for name, value in record.items() if name not in DOCUMENT_KEYS}
    told = {
        name: _short_value(value)
        for name, value in (further | _metadata_object(record.get("metadata"))).items()
    }
    kept = {name: value for name, value in told.items() if value is not None and is_text(name)}
    return json.dumps(kept, ensure_ascii=False) if kept else ""


def _metadata_object(value: Any) -> dict[str, Any]:
    """The metadata as an object; foreign tables hold it as text."""
    try:
        metadata = json_value(value) if isinstance(value, str) and value else value
    except NotJson:
        metadata = value
    if metadata is None or metadata == "" or (isinstance(metadata, float) and np.isnan(metadata)):
        return {}
    if not isinstance(metadata, Mapping):
        raise Refused(BAD_METADATA, f'expected an object as "metadata", found {quoted(value)}')
    return {str(name): one for name, one in metadata.items()}


def _short_value(value: Any) -> str | int | float | None:
    """The value if it is short, else None."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str):
        return value if 0 < len(value) <= LONGEST_METADATA and is_text(value) else None
    plain = isinstance(value, bool) or (is_number(value) and isinstance(value, int | float))
    return value if plain and np.isfinite(float(value)) else None
