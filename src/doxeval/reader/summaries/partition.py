"""Partitions of nodes into classes: by tag, path, path and children, depth class, expression or map."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from doxeval.core.catalogue import some
from doxeval.core.errors import InputError, UsageError, nearest
from doxeval.core.parameters import Parameter
from doxeval.core.strings import Strings
from doxeval.io.json_text import json_at
from doxeval.io.source import Source
from doxeval.tables.documents import Documents

PARTITIONS = ("node", "tag", "path", "children", "path+children", "depth")
NAMES_IN_PAPERS = {"p*": "path", "c": "children", "p*|c": "path+children"}
"""Names of the summaries in SR."""
DEPTH_CLASSES = {"article": "article", "a": "article", "section": "section", "sec": "section", "ss1": "ss1"}
OTHER = "other"


def partition_parameter(default: str) -> Parameter:
    """The parameter that chooses the classes of nodes for a model."""
    known = ", ".join(PARTITIONS)
    return Parameter(
        "partition", "text", default,
        f"{known} (p*, c, p*|c are path, children and both), a map (*.json) or an expression on paths",
        canonical=lambda text: NAMES_IN_PAPERS.get(text, text),
    )  # fmt: skip


@dataclass(eq=False)
class Partition:
    """Classes of nodes: `code` is an index into `names` for each node of the collection."""

    names: list[str]
    code: np.ndarray


def partition_nodes(documents: Documents, kind: str) -> Partition:
    """Put every node of a collection into a class.

    `kind` is one of PARTITIONS (but `node`: see :func:`every_node`) or of their names in the papers, a file
    (`*.json`) that maps node ids or tags to classes, or a regular expression searched in paths such as
    /article/sec/p: the class is what its groups match, or else the whole match; anything that does not match
    is `other`. A map or an expression that does not separate any nodes is an error. Classes are in the order
    in which they first occur, as the papers number them.
    """
    return _as_they_occur(_partition(documents, NAMES_IN_PAPERS.get(kind, kind)))


def every_node(documents: Documents) -> Partition:
    """Every node as a class of its own."""
    rows = np.arange(len(documents.parent))
    return Partition(list(map(documents.node_told, rows.tolist())), rows)


def _partition(documents: Documents, kind: str) -> Partition:
    if kind == "tag":
        return _used(list(documents.tags), documents.tag)
    if kind == "depth":
        return _renamed(_used(list(documents.tags), documents.tag), lambda tag: DEPTH_CLASSES.get(tag, OTHER))
    if kind == "path":
        return _by_path(documents)
    if kind == "children":
        return _by_children(documents, Partition([""], np.zeros(len(documents.parent), dtype=np.int32)))
    if kind == "path+children":
        return _by_children(documents, _by_path(documents))
    made = _by_map(documents, kind) if kind.endswith(".json") else _by_expression(documents, kind)
    if len(made.names) < 2 and len(documents.parent) > 1:
        matched = "matches no node" if made.names == [OTHER] else "puts all nodes into one class"
        raise UsageError(
            f"partition {kind!r} {matched}; it is none of {', '.join([*PARTITIONS, *NAMES_IN_PAPERS])}, and "
            f"as an expression or a map it must separate paths such as {some(_by_path(documents).names)}"
        )
    return made


def _as_they_occur(classes: Partition) -> Partition:
    used, first = np.unique(classes.code, return_index=True)
    order = used[np.argsort(first)]
    place = np.zeros(len(classes.names), dtype=np.int32)
    place[order] = np.arange(len(order))
    return Partition([classes.names[at] for at in order], place[classes.code])


def _used(names: list[str], code: np.ndarray) -> Partition:
    """Only the classes that have a node."""
    used, place = np.unique(code, return_inverse=True)
    return Partition([names[name] for name in used], place.astype(np.int32))


def _renamed(partition: Partition, rename: Callable[[str], str]) -> Partition:
    """Classes under new names, those with the same name joined."""
    new = [rename(name) for name in partition.names]
    names = list(dict.fromkeys(new))
    number = {name: at for at, name in enumerate(names)}
    codes = np.array([number[name] for name in new], dtype=np.int32)
    return Partition(names, codes[partition.code] if len(codes) else partition.code)


def _by_path(documents: Documents) -> Partition:
    """Classes by the tags from the root down, level by level."""
    parent = parent_rows(documents)
    code = np.zeros(len(parent), dtype=np.int64)
    names: list[str] = []
    tags = max(1, len(documents.tags))
    for depth in range(1, int(documents.depth.max(initial=0)) + 1):
        rows = np.flatnonzero(documents.depth == depth)
        above = code[parent[rows]] + 1 if depth > 1 else np.zeros(len(rows), dtype=np.int64)
        found, place = np.unique(above * tags + documents.tag[rows], return_inverse=True)
        code[rows] = len(names) + place
        names += [
            (names[key // tags - 1] if key >= tags else "") + "/" + documents.tags[key % tags]
            for key in found.tolist()
        ]
    return Partition(names, code.astype(np.int32))


def _by_children(documents: Documents, classes: Partition) -> Partition:
    """Classes cut further by the set of the children's tags."""
    parent = parent_rows(documents)
    child = np.flatnonzero(parent >= 0)
    tags = max(1, len(documents.tags))
    pairs = np.unique(parent[child] * tags + documents.tag[child])
    signs = np.random.default_rng(0).integers(1, 1 << 63, size=tags, dtype=np.uint64)
    children = np.zeros(len(parent), dtype=np.uint64)
    np.add.at(children, pairs // tags, signs[pairs % tags])
    both = np.stack([classes.code.astype(np.uint64), children], axis=1)
    found, first, place = np.unique(both, axis=0, return_index=True, return_inverse=True)
    begin, stop = np.searchsorted(pairs, first * tags), np.searchsorted(pairs, (first + 1) * tags)
    names = []
    for at in range(len(found)):
        below = ",".join(sorted(documents.tags[key % tags] for key in pairs[begin[at] : stop[at]].tolist()))
        names.append(classes.names[int(found[at, 0])] + f"{{{below}}}")
    return Partition(names, place.reshape(-1).astype(np.int32))


def _by_map(documents: Documents, path: str) -> Partition:
    with Source(path) as source:
        mapping = json_at(source.name, source.read())
    if not isinstance(mapping, dict) or not all(isinstance(value, str) for value in mapping.values()):
        raise InputError(
            f'{path}: expected an object from node ids or tags to classes, as in {{"sec": "section"}}'
        )
    names = [*dict.fromkeys(mapping.values()), OTHER]
    number = {name: at for at, name in enumerate(names)}
    table = np.array([number[value] for value in mapping.values()] + [-1], dtype=np.int64)
    keys = Strings.of(mapping)
    code = table[keys.codes(documents.tags)][documents.tag]
    if documents.node_ids is not None:
        by_id = table[keys.codes(documents.node_ids)]
        code = np.where(by_id >= 0, by_id, code)
    return _used(names, np.where(code >= 0, code, len(names) - 1))


def _by_expression(documents: Documents, expression: str) -> Partition:
    try:
        pattern = re.compile(expression)
    except re.error as problem:
        raise UsageError(
            f"partition {expression!r} is none of {', '.join(PARTITIONS)}, not a *.json map, "
            f"and not a regular expression: {problem}"
        ) from None
    if expression.isidentifier():
        raise UsageError(
            f"unknown partition {expression!r}{nearest(expression, PARTITIONS)} ({', '.join(PARTITIONS)})"
        )

    def rename(path: str) -> str:
        match = pattern.search(path)
        if not match:
            return OTHER
        return "|".join(group or "" for group in match.groups()) if match.groups() else match[0]

    return _renamed(_by_path(documents), rename)


def parent_rows(documents: Documents) -> np.ndarray:
    """The row of each node's parent in the node columns, -1 for roots."""
    base = documents.nodes.expand(documents.nodes.first)
    return np.where(documents.parent >= 0, base + documents.parent, -1)
