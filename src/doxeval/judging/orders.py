"""Orders in which passages are judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from doxeval.core.ragged import quotient, sums_by
from doxeval.core.strings import natural_key
from doxeval.judging.candidates import Candidates


def _by_depth(passages: Candidates) -> np.ndarray:
    """Passages at the best ranks of any run come first; topics take turns."""
    return np.lexsort((passages.start, passages.pair, passages.best_rank))


def _by_document(passages: Candidates) -> np.ndarray:
    """A document with all its topics, so that no one opens it twice."""
    docs = passages.open.assessments.docs
    order = sorted(range(len(docs)), key=lambda code: natural_key(docs[code]))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return np.lexsort((passages.start, passages.topic, place[passages.doc]))


def _by_decision(passages: Candidates) -> np.ndarray:
    """First the topics in which the runs may differ most for the text to read, and so with their passages.

    Whole topics come first because one that is judged in part favours the runs whose text was judged.
    """
    decides, topics = could_decide(passages.shares), len(passages.open.topics)
    of_topic, length = (sums_by(passages.topic, column, topics) for column in (decides, passages.characters))
    topic = quotient(of_topic, length)[passages.topic]
    worth = decides / passages.characters
    return np.lexsort((passages.start, passages.pair, -worth, passages.topic, -topic))


def could_decide(shares: np.ndarray) -> np.ndarray:
    """The most by which a relevant passage would separate two of the runs in ``iP`` of its topic.

    Text that all runs show changes all of them alike and decides nothing.

    >>> could_decide(np.array([[0.5, 0.25], [0.5, 0.0]])).tolist()
    [0.0, 0.25]
    """
    return shares.max(axis=0) - shares.min(axis=0) if shares.size else np.zeros(shares.shape[1])


@dataclass(frozen=True)
class Order:
    """How passages are `sorted`, and whether the documents of a topic are then kept together."""

    sorted: Callable[[Candidates], np.ndarray]
    by_topic: bool = True


ORDERS = {
    "depth": Order(_by_depth),
    "document": Order(_by_document, by_topic=False),
    "deciding": Order(_by_decision),
}
