"""A structural summary of a collection: classes with their extents, weighted edges, steady state."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxeval.core.errors import InputError, UsageError
from doxeval.core.values import is_number
from doxeval.io.json_text import json_at
from doxeval.io.source import Source
from doxeval.reader.summaries.partition import Partition, parent_rows, partition_nodes
from doxeval.reader.summaries.steady import reversible_steady_state
from doxeval.tables.documents import Documents

WEIGHTS = ("extent", "length", "depth")
LARGEST_NUMBER = 1 << 62
CLASS_COLUMNS = ("extent", "length", "mean_depth", "steady")


@dataclass(eq=False)
class Summary:
    """Classes of nodes, in columns: number of nodes, amount of text, mean depth, and pi.

    Edge i leads from class `parent[i]` to class `child[i]` with weight `weight[i]`.
    """

    partition: str
    weighting: str
    names: list[str]
    extent: np.ndarray
    length: np.ndarray
    mean_depth: np.ndarray
    steady: np.ndarray
    parent: np.ndarray
    child: np.ndarray
    weight: np.ndarray

    def to_json(self) -> str:
        """The summary as saved in a file."""
        columns = [getattr(self, name).tolist() for name in CLASS_COLUMNS]
        classes = [
            {"name": name, **dict(zip(CLASS_COLUMNS, row, strict=True))}
            for name, row in zip(self.names, zip(*columns, strict=True), strict=True)
        ]
        told = {
            "partition": self.partition,
            "weight": self.weighting,
            "classes": classes,
            "edges": self.edges(),
        }
        return json.dumps(told, indent=1)

    def edges(self) -> list[tuple[int, int, float]]:
        """Parent, child and weight of every edge."""
        return list(zip(self.parent.tolist(), self.child.tolist(), self.weight.tolist(), strict=True))


def read_summary(path: str) -> Summary:
    """Read a saved summary."""
    with Source(path) as source:
        data = json_at(source.name, source.read())
        summary = _summary_in(data) if isinstance(data, dict) else None
        if summary is None:
            raise InputError(f"{path}: is not a summary; 'doxeval summary DOCS -o FILE.json' writes one")
        return summary


def _summary_in(data: dict[str, Any]) -> Summary | None:
    """The summary in a file; None if something in it is missing or invalid."""
    classes, edges = data.get("classes"), data.get("edges")
    if not isinstance(classes, list) or not all(isinstance(one, dict) for one in classes):
        return None
    if not isinstance(edges, list) or not all(isinstance(one, list) and len(one) == 3 for one in edges):
        return None
    names = [one.get("name") for one in classes]
    if not all(isinstance(name, str) for name in [data.get("partition"), data.get("weight"), *names]):
        return None
    columns = [[one.get(name) for one in classes] for name in CLASS_COLUMNS]
    columns += [[one[at] for one in edges] for at in range(3)]
    if not all(is_number(value) and 0 <= value <= LARGEST_NUMBER for column in columns for value in column):
        return None
    extent, length, depth, steady, parent, child, weight = (np.array(column) for column in columns)
    ends = np.concatenate([parent, child])
    if (ends != np.floor(ends)).any() or (ends >= len(names)).any():
        return None
    parent, child = parent.astype(np.int64), child.astype(np.int64)
    return Summary(
        data["partition"], data["weight"], names, extent, length, depth, steady, parent, child, weight
    )


def node_weights(weighting: str, length: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """The weights of nodes: 1 for `extent`, their length, or 1 / their depth."""
    if weighting == "length":
        return length.astype(np.float64)
    return 1.0 / depth if weighting == "depth" else np.ones(len(depth))


def summarise(documents: Documents, partition: str, weighting: str = "extent") -> tuple[Summary, Partition]:
    """Summarise a collection in one pass over its columns; its nodes are put into classes (SR section 5).

    An edge's weight is the sum over its parent-child pairs of the child's weight: 1 for `extent`, its length,
    or 1 / its depth.
    """
    if weighting not in WEIGHTS:
        raise UsageError(f"weight must be one of {', '.join(WEIGHTS)}, not {weighting!r}")
    if partition == "node":
        raise UsageError(
            "partition=node makes every node a class of its own; summarise by tag, path or depth"
        )
    classes = partition_nodes(documents, partition)
    count = len(classes.names)
    length = documents.end - documents.start if documents.node_length is None else documents.node_length
    extent = np.bincount(classes.code, minlength=count)
    parent = parent_rows(documents)
    below = np.flatnonzero(parent >= 0)
    weight = node_weights(weighting, length[below], documents.depth[below])
    key = classes.code[parent[below]].astype(np.int64) * max(1, count) + classes.code[below]
    edges, place = np.unique(key, return_inverse=True)
    weights = np.bincount(place, weights=weight, minlength=len(edges))
    above, under = edges // max(1, count), edges % max(1, count)
    summary = Summary(
        partition, weighting, classes.names, extent,
        np.bincount(classes.code, weights=length, minlength=count).astype(np.int64),
        np.bincount(classes.code, weights=documents.depth, minlength=count) / np.maximum(extent, 1),
        reversible_steady_state(above, under, weights, extent), above, under, weights,
    )  # fmt: skip
    return summary, classes


def assign(documents: Documents, summary: Summary) -> np.ndarray:
    """The class of every node of a collection in a saved summary; -1 if it has none."""
    classes = partition_nodes(documents, summary.partition)
    number = {name: at for at, name in enumerate(summary.names)}
    table = np.array([number.get(name, -1) for name in classes.names], dtype=np.int64)
    return table[classes.code] if len(table) else classes.code
