"""How well a navigation model predicts a log: the likelihood of unseen steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.ragged import Ragged, quotient
from doxeval.reader.navigation.base import Navigation
from doxeval.reader.navigation.files import Sessions
from doxeval.reader.navigation.routes import Routes

SURPRISE = 0.01
"""The share of steps assumed to go anywhere, so that no step is impossible."""


@dataclass(frozen=True)
class Likelihood:
    """Mean natural log-likelihood of a step, the number of steps, and how many the model ruled out."""

    mean: float
    steps: int
    impossible: int


def log_likelihood(model: Navigation, sessions: Sessions) -> Likelihood:
    """The mean log-likelihood of a log's steps from node to another node of the same document.

    Chances are taken as shares of all steps that leave the node, over all other nodes of the document, so
    models of every kind can be compared; one step in a hundred may go anywhere.
    """
    documents = model.tree()
    doc, source, target = _steps(sessions, documents.node_offset)
    count = documents.nodes.counts[doc]
    if not len(doc):
        raise UsageError("the log has no step from one node to another, so models cannot be compared on it")
    steps = Ragged.of_counts(count)
    here, every = steps.expand(source), steps.place
    chances = np.where(every == here, 0.0, model.chance(steps.expand(doc), here, every))
    total = steps.add(chances)
    taken = chances[steps.first + target]
    share = quotient(taken, total)
    smoothed = (1 - SURPRISE) * share + SURPRISE / np.maximum(count - 1, 1)
    return Likelihood(float(np.log(smoothed).mean()), len(doc), int((share == 0).sum()))


def held_out(model: Navigation, sessions: Sessions, folds: int = 5, seed: int = 0) -> Likelihood:
    """The likelihood of unseen sessions: a model that learns is trained on the other folds."""
    if not isinstance(model, Routes):
        return log_likelihood(model, sessions)
    if len(sessions) < 2:
        raise UsageError("a log of one session cannot be split into parts to learn from and to predict")
    fold = np.random.default_rng(seed).permutation(len(sessions)) % min(folds, len(sessions))
    parts = []
    for held in np.unique(fold):
        model.learn(sessions.select(fold != held))
        tested = sessions.select(fold == held)
        if (tested.steps.counts > 1).any():
            parts.append(log_likelihood(model, tested))
    model.learn(sessions)
    steps = sum(part.steps for part in parts)
    mean = sum(part.mean * part.steps for part in parts) / max(1, steps)
    return Likelihood(mean, steps, sum(part.impossible for part in parts))


def _steps(sessions: Sessions, node_offset: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps between different nodes: document, source and target."""
    at = np.flatnonzero(~sessions.ends)
    at = at[sessions.row[at] != sessions.row[at + 1]]
    doc = sessions.steps.expand(sessions.doc)[at]
    return doc, sessions.row[at] - node_offset[doc], sessions.row[at + 1] - node_offset[doc]
