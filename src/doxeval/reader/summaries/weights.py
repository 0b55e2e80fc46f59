"""Weights of nodes, and so of the edges that lead to them."""

from __future__ import annotations

import numpy as np

WEIGHTS = ("extent", "length", "depth")


def node_weights(weighting: str, length: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """The weights of nodes: 1 for `extent`, their length, or 1 / their depth."""
    if weighting == "length":
        return length.astype(np.float64)
    return 1.0 / depth if weighting == "depth" else np.ones(len(depth))
