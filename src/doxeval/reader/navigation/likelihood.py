"""The likelihood of unseen steps: a measure of how well a navigation model predicts a log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.ragged import Ragged, quotient
from doxeval.reader.navigation.logs import Sessions
from doxeval.reader.navigation.model import Navigation
from doxeval.reader.navigation.step_candidates import candidates_in, earlier_places

SURPRISE = 0.01
"""The share of steps assumed to go anywhere, so that no step is impossible."""
NO_STEP = "the log, or a part of it, has no step from one node to another to learn from or to predict"


@dataclass(frozen=True)
class Likelihood:
    """Mean natural log-likelihood of a step, the number of steps, and how many the model ruled out."""

    mean: float
    steps: int
    impossible: int


def log_likelihood(model: Navigation, sessions: Sessions) -> Likelihood:
    """The mean log-likelihood of a log's steps from node to another node of the same document.

    Chances are taken as shares of all steps that leave the node, over the other candidates in the document
    (:mod:`.candidates`), so models of every kind can be compared; one step in a hundred may go anywhere.
    """
    documents = model.tree()
    candidates = sessions.candidates or candidates_in(sessions, documents)
    doc, source, target = _steps(sessions, documents.node_offset)
    _, first, left = np.unique(documents.rows(doc, source), return_index=True, return_inverse=True)
    nodes = Ragged.of_counts(documents.nodes.counts[doc[first]])
    docs, here, every = nodes.expand(doc[first]), nodes.expand(source[first]), nodes.place
    open_to = candidates.nodes[documents.rows(docs, every)] & (every != here)
    chances = np.where(open_to, model.chance(docs, here, every), 0.0)
    total, count = nodes.add(chances)[left], nodes.add(open_to.astype(np.float64))[left]
    if not candidates.revisits:
        step, row = earlier_places(sessions)
        at = nodes.first[left][step] + row - documents.node_offset[doc[step]]
        total -= np.bincount(step, weights=chances[at], minlength=len(doc))
        count -= np.bincount(step, weights=open_to[at], minlength=len(doc))
    share = quotient(chances[nodes.first[left] + target], total)
    smoothed = (1 - SURPRISE) * share + SURPRISE / np.maximum(count, 1)
    return Likelihood(float(np.log(smoothed).mean()), len(doc), int((share == 0).sum()))


def held_out(model: Navigation, sessions: Sessions, folds: int = 5, seed: int = 0) -> Likelihood:
    """The likelihood of unseen sessions: a model that learns is trained on the other folds."""
    if not model.learns:
        return log_likelihood(model, sessions)

    def trained(part: Sessions) -> Navigation:
        model.learn(part)
        return model

    try:
        return cross_validated(trained, sessions, folds, seed)
    finally:
        model.learn(sessions)


def cross_validated(
    trained: Callable[[Sessions], Navigation], sessions: Sessions, folds: int, seed: int
) -> Likelihood:
    """The likelihood of each fold of the sessions under the model `trained` on the others."""
    if len(sessions) < 2:
        raise UsageError("a log of one session cannot be split into parts to learn from and to predict")
    fold = np.random.default_rng(seed).permutation(len(sessions)) % min(folds, len(sessions))
    parts = []
    for held in np.unique(fold):
        tested = sessions.select(fold == held)
        if len(tested.moves):
            parts.append(log_likelihood(trained(sessions.select(fold != held)), tested))
    if not parts:
        raise UsageError(NO_STEP)
    steps = sum(part.steps for part in parts)
    mean = sum(part.mean * part.steps for part in parts) / steps
    return Likelihood(mean, steps, sum(part.impossible for part in parts))


def _steps(sessions: Sessions, node_offset: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps between different nodes: document, source and target; an error if there are none."""
    moves = sessions.moves
    if not len(moves):
        raise UsageError(NO_STEP)
    doc = sessions.steps.expand(sessions.doc)[moves]
    return doc, sessions.row[moves] - node_offset[doc], sessions.row[moves + 1] - node_offset[doc]
