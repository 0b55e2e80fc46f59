"""Steady states of walks on a graph of classes, and the weights of its edges."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import quotient, sums_by
from doxeval.tables.documents import Documents

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
    from scipy.sparse import coo_array, csc_array, eye_array
    from scipy.sparse.linalg import spsolve

    touched = np.unique(np.concatenate([source, target]))
    steady = np.zeros(count)
    if len(touched) < 2:
        steady[touched] = 1.0
        return steady
    source, target = np.searchsorted(touched, source), np.searchsorted(touched, target)
    leaving = np.bincount(source, weights=weight, minlength=len(touched))
    size = len(touched)
    steps = coo_array((weight / leaving[source], (target, source)), shape=(size, size))
    balance = csc_array(eye_array(size) - steps).tolil()
    balance[size - 1, :] = 1.0
    one = np.zeros(size)
    one[-1] = 1.0
    steady[touched] = spsolve(balance.tocsc(), one)
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
