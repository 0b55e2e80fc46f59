"""A structural summary of a collection: classes with their extents, weighted edges, and the steady states of
walks along them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import InputError, UsageError
from doxeval.core.ragged import quotient, sums_by
from doxeval.core.values import is_number
from doxeval.io.json_text import json_at
from doxeval.io.source import Source
from doxeval.reader.summaries.partition import Partition, every_node, parent_rows, partition_nodes
from doxeval.reader.summaries.walk_steps import WalkSteps, class_labels
from doxeval.tables.documents import Documents

if TYPE_CHECKING:
    from doxeval.reader.navigation.logs import Sessions

LARGEST_NUMBER = 1 << 62
CLASS_COLUMNS = ("extent", "length", "mean_depth", "steady")


@dataclass(eq=False)
class Summary:
    """Classes of nodes, in columns: number of nodes, amount of text, mean depth, and pi.

    Edge i leads from class `parent[i]` to class `child[i]` with weight `weight[i]`: an edge of trees, taken
    both ways, or, weighted by routes, a step as observed.
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

    def steps(self) -> WalkSteps:
        """The single steps of the walk on the summary (SR Tables 1, 2), and its steady state."""
        source, target, weight = self.parent, self.child, self.weight
        if self.weighting != "routes":
            source, target = np.concatenate([source, target]), np.concatenate([target, source])
            weight = np.concatenate([weight, weight])
        return WalkSteps.of_weights(self.labels, self.names, source, target, weight, self.steady)

    @property
    def labels(self) -> list[str]:
        """The numbers of the classes: S1, S2, ... as in SR Figure 5."""
        return class_labels(len(self.names))


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
    if not isinstance(classes, list) or not all(isinstance(record, dict) for record in classes):
        return None
    if not isinstance(edges, list) or not all(
        isinstance(record, list) and len(record) == 3 for record in edges
    ):
        return None
    names = [record.get("name") for record in classes]
    if not all(isinstance(name, str) for name in [data.get("partition"), data.get("weight"), *names]):
        return None
    columns = [[record.get(name) for record in classes] for name in CLASS_COLUMNS]
    columns += [[record[at] for record in edges] for at in range(3)]
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


def summarise(
    documents: Documents, partition: str, weighting: str = "extent", sessions: Sessions | None = None
) -> tuple[Summary, Partition]:
    """Summarise a collection in one pass over its columns; its nodes are put into classes (SR section 5).

    An edge's weight is the sum over its parent-child pairs of the child's weight: 1 for `extent`, its length,
    or 1 / its depth; or, for `routes`, the number of times that it was taken in `sessions`. With `node` every
    node is a class, and every document has its own steady state.
    """
    if weighting not in (*WEIGHTS, "routes"):
        raise UsageError(f"weight must be one of {', '.join(WEIGHTS)}, routes, not {weighting!r}")
    classes = _classes(documents, partition)
    count = len(classes.names)
    length = documents.end - documents.start if documents.node_length is None else documents.node_length
    extent = np.bincount(classes.code, minlength=count)
    if sessions is None:
        parent = parent_rows(documents)
        target = np.flatnonzero(parent >= 0)
        source = parent[target]
        weight = node_weights(weighting, length[target], documents.depth[target])
    else:
        if partition == "node":
            raise UsageError("weight=routes needs classes of nodes: tag, path, depth, ...")
        step = np.flatnonzero(~sessions.ends)
        source, target, weight = sessions.row[step], sessions.row[step + 1], np.ones(len(step))
    key = classes.code[source].astype(np.int64) * max(1, count) + classes.code[target]
    edges, place = np.unique(key, return_inverse=True)
    above, under = np.divmod(edges, max(1, count))
    weights = np.bincount(place, weights=weight, minlength=len(edges))
    if sessions is not None:
        steady = _observed_steady_state(classes, sessions)
    elif partition == "node":
        steady, _ = node_steady_states(documents, np.arange(len(documents)), weighting)
    else:
        steady = reversible_steady_state(above, under, weights, extent)
    summary = Summary(
        partition, weighting, classes.names, extent,
        np.bincount(classes.code, weights=length, minlength=count).astype(np.int64),
        np.bincount(classes.code, weights=documents.depth, minlength=count) / np.maximum(extent, 1),
        steady, above, under, weights,
    )  # fmt: skip
    return summary, classes


def _observed_steady_state(classes: Partition, sessions: Sessions) -> np.ndarray:
    """pi of the walk that sessions show; the end of one is followed by the beginning of another."""
    code = classes.code[sessions.row].astype(np.int64)
    step = np.flatnonzero(~sessions.ends)
    begins, ends = code[sessions.steps.first], code[sessions.ends]
    starts, share = np.unique(begins, return_counts=True)
    source = np.concatenate([code[step], np.repeat(ends, len(starts))])
    target = np.concatenate([code[step + 1], np.tile(starts, len(ends))])
    weight = np.concatenate([np.ones(len(step)), np.tile(share / max(1, len(begins)), len(ends))])
    return steady_state(source, target, weight, len(classes.names))


def _classes(documents: Documents, partition: str) -> Partition:
    return every_node(documents) if partition == "node" else partition_nodes(documents, partition)


def assign(documents: Documents, summary: Summary) -> np.ndarray:
    """The class of every node of a collection in a saved summary; -1 if it has none."""
    classes = _classes(documents, summary.partition)
    number = {name: at for at, name in enumerate(summary.names)}
    table = np.array([number.get(name, -1) for name in classes.names], dtype=np.int64)
    return table[classes.code] if len(table) else classes.code


WEIGHTS = ("extent", "length", "depth")


def node_weights(weighting: str, length: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """The weights of nodes: 1 for `extent`, their length, or 1 / their depth."""
    if weighting == "length":
        return length.astype(np.float64)
    return 1.0 / depth if weighting == "depth" else np.ones(len(depth))


def reversible_steady_state(
    first: np.ndarray, second: np.ndarray, weight: np.ndarray, extent: np.ndarray
) -> np.ndarray:
    """pi of the time-reversible walk on an undirected weighted graph (SR Eqs. 7, 8).

    pi is a class's share of all edge ends, by weight; an edge inside a class counts at both ends. Without
    any edge pi is the share of the nodes, so a single class has 1.
    """
    ends = sums_by(first, weight, len(extent)) + sums_by(second, weight, len(extent))
    total = ends.sum()
    return ends / total if total > 0 else extent / max(1, extent.sum())


def steady_state(source: np.ndarray, target: np.ndarray, weight: np.ndarray, count: int) -> np.ndarray:
    """pi of any irreducible walk given by the weights of its steps, by a sparse solver.

    Solves pi = pi P with P the weights divided by their sums per source, one equation replaced by sum pi = 1.
    Classes that no step leaves must not be reachable; those that no step touches get 0.
    """
    from doxeval.core.scipy_here import solvers, sparse

    touched = np.unique(np.concatenate([source, target]))
    steady = np.zeros(count)
    if len(touched) < 2:
        steady[touched] = 1.0
        return steady
    source, target = np.searchsorted(touched, source), np.searchsorted(touched, target)
    leaving = np.bincount(source, weights=weight, minlength=len(touched))
    size = len(touched)
    steps = sparse.coo_array((weight / leaving[source], (target, source)), shape=(size, size))
    balance = sparse.csc_array(sparse.eye_array(size) - steps).tolil()
    balance[size - 1, :] = 1.0
    one = np.zeros(size)
    one[-1] = 1.0
    steady[touched] = solvers.spsolve(balance.tocsc(), one)
    return steady


def node_steady_states(documents: Documents, docs: np.ndarray, weight: str) -> tuple[np.ndarray, np.ndarray]:
    """pi of every node of some documents, each its own graph; and the start of each document's nodes."""
    nodes, row = documents.nodes.take(docs)
    node = nodes.place
    below = node > 0
    parent = np.where(below, nodes.expand(nodes.first) + documents.parent[row], 0)
    own = node_weights(weight, documents.lengths(nodes.expand(docs), node), documents.depth[row])
    ends = np.where(below, own, 0.0) + np.bincount(parent[below], weights=own[below], minlength=len(row))
    total = nodes.expand(nodes.add(ends))
    return quotient(ends, total, 1.0 / nodes.expand(nodes.counts)), nodes.first
