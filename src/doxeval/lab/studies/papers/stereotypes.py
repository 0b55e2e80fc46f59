"""Hypothetical systems that know the assessments, and return something in relation to what is ideal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from doxeval import Documents, Run, UsageError, read_run
from doxeval.extend import Ground
from doxeval.reader.units_sought import Elements, tree_of

DEEPEST = 1000
"""Only so many results are kept, as in ERR."""

Answers = Callable[[Documents, int, Sequence[int]], list[list[int]]]
"""The nodes that a system returns for each of the ideal nodes of a document."""


def _each(answer: Callable[[Documents, int, int], list[int]]) -> Answers:
    return lambda documents, doc, ideals: [answer(documents, doc, node) for node in ideals]


def _ancestors(documents: Documents, doc: int, node: int) -> list[int]:
    """The nodes around a node, the innermost first."""
    found = []
    while (node := int(documents.parent[documents.rows(doc, node)])) >= 0:
        found.append(node)
    return found


def _biggest_child(documents: Documents, doc: int, node: int) -> list[int]:
    children = documents.children(doc, node)
    return [int(children[np.argmax(documents.lengths(doc, children))])] if len(children) else [node]


def _entry_point(documents: Documents, doc: int, ideals: Sequence[int]) -> list[list[int]]:
    """The lowest node above all ideal nodes of the document, or the only one."""
    first, *others = ({node, *_ancestors(documents, doc, node)} for node in ideals)
    return [[max(first.intersection(*others))]] * len(ideals)


ERR_SYSTEMS: dict[str, Answers] = {
    "perfect": _each(lambda documents, doc, node: [node]),
    "document": _each(lambda documents, doc, node: [0]),
    "parent": _each(lambda documents, doc, node: _ancestors(documents, doc, node)[:1] or [node]),
    "ancestors": _each(lambda documents, doc, node: [*_ancestors(documents, doc, node)[::-1], node]),
    "biggest child": _each(_biggest_child),
}
"""ERR section 4.1. A root counts as its own parent, a leaf as its own biggest child."""
PRUM_SYSTEMS: dict[str, Answers] = {
    "ideal": ERR_SYSTEMS["perfect"],
    "good": _each(lambda documents, doc, node: [node, *_ancestors(documents, doc, node)]),
    "bad": ERR_SYSTEMS["ancestors"],
    "entry point": _entry_point,
}
"""PRUM section 4.2: an ideal element before or after its ancestors (c b a, a b c), and the node above all."""


def stereotypes(systems: dict[str, Answers], ground: Ground, ideals: Elements, ties: bool) -> list[Run]:
    """The runs of hypothetical systems that know the ideal elements.

    Every result has the value of its ideal element as its score, the highest if it answers several. With
    `ties`, equal scores are ties; else results are ranked by score and then as they are returned.
    """
    if not len(ideals):
        raise UsageError("no node was judged ideal (3E, E3S3 and the like), so no system can be derived")
    documents = tree_of(ground)
    topics = [_answers(documents, ideals, topic, systems) for topic in range(len(ground.topics))]
    runs = []
    for name in systems:
        rows: list[dict[str, object]] = []
        for topic, answers in zip(ground.topics, topics, strict=True):
            best = sorted(answers[name].items(), key=lambda item: -item[1])[:DEEPEST]
            for rank, ((doc, node), score) in enumerate(best, 1):
                place = {"topic": topic, "doc": documents.ids[doc], "node": documents.path(doc, node)}
                rows.append({**place, "score": score} if ties else {**place, "rank": rank})
        runs.append(read_run(rows, name=name))
    return runs


def _answers(
    documents: Documents, ideals: Elements, topic: int, systems: dict[str, Answers]
) -> dict[str, dict[tuple[int, int], float]]:
    """The nodes that each system returns for a topic, in order, with the highest value they answer to."""
    here = ideals.by_topic.slice(topic)
    found: dict[str, dict[tuple[int, int], float]] = {name: {} for name in systems}
    doc, node, worth = ideals.doc[here], ideals.node[here], ideals.value[here]
    for one in dict.fromkeys(doc[np.argsort(-worth, kind="stable")].tolist()):
        mine = np.flatnonzero(doc == one)
        mine = mine[np.argsort(-worth[mine], kind="stable")]
        for name, answers in systems.items():
            returned = answers(documents, one, node[mine].tolist())
            for nodes, score in zip(returned, worth[mine].tolist(), strict=True):
                for each in nodes:
                    found[name].setdefault((one, each), score)
    return found
