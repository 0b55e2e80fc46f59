"""Expectations behind measures of near misses, by rank and by assessed tree (ESR Tables 7, 8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.inside import Inside
from doxeval.reader.consulted import result_trees
from doxeval.reader.exposure.expose import expose
from doxeval.reader.exposure.in_trees import accounts
from doxeval.reader.exposure.meetings import Reader
from doxeval.reader.exposure.redundancy import chances_before, inferred_relevance, redundancy
from doxeval.reader.units_sought import assessed_trees, tree_of


def by_rank(
    aligned: Aligned, topic: int, reader: Reader, beside: dict[str, np.ndarray], more: tuple[str, ...]
) -> Inside:
    """E[Hits], E[Near-misses], E[Misses] and E[Recall-base] after every rank, and columns beside them."""
    seen, here = expose(aligned, reader), aligned.by_topic.slice(topic)
    columns = {
        "hits": seen.hits, "near": seen.near, "misses": seen.misses, "recall-base": seen.base, **beside
    }  # fmt: skip
    rows = {name: column[here].tolist() for name, column in columns.items()}
    meaning = ("hits, near, misses, recall-base: expected so far (ESR Eqs. 8-11)", *more)
    return Inside("expected", {"k": list(range(1, 1 + here.stop - here.start)), **rows}, meaning)


def by_tree(aligned: Aligned, topic: int, reader: Reader) -> Inside:
    """The expectations of every assessed tree, after every result that changes them."""
    documents, units = tree_of(aligned.ground), assessed_trees(aligned.ground).trees
    results, first = result_trees(aligned), int(aligned.by_topic.offset[topic])
    rows = [
        (
            units.told(documents, unit),
            None if result is None else result - first + 1,
            "" if result is None else results.told(documents, result),
            *numbers,
        )
        for unit, result, *numbers in accounts(aligned, reader, topic)
    ]
    names = ("assessed", "k", "result", "rel", "p", "reached", "hit", "near", "miss")
    columns: dict[str, list[Any]] = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    meaning = (
        "hit, near, miss: what is expected of the tree from rank k to its next line (ESR Eqs. 1-3); "
        "before its first, it is missed",
        "p: the chance to get to it from this result (Eq. 4); reached: from all results so far (Eq. 5)",
    )
    return Inside("trees", columns, meaning, 3)


def redundant_trees(aligned: Aligned, reader: Reader, here: slice, added: np.ndarray) -> list[Inside]:
    """Relevance and redundancy of each result of a topic, and the chances between them that make it up."""
    documents, trees = tree_of(aligned.ground), result_trees(aligned)
    rows = range(here.start, here.stop)
    names = [trees.told(documents, row) for row in rows]
    chosen = np.arange(here.start, here.stop)[aligned.pair[here] >= 0]
    known = np.zeros(len(aligned))
    known[chosen] = redundancy(aligned, reader, chosen)
    columns = {
        "k": [row - here.start + 1 for row in rows],
        "result": names,
        "rel": inferred_relevance(aligned, reader.rel, reader.size)[here].tolist(),
        "redundancy": known[here].tolist(),
        "new": added.tolist(),
    }
    pairs = [
        (at - here.start, before - here.start, chance)
        for _, *found in chances_before(aligned, reader, chosen)
        for at, before, chance in zip(*(column.tolist() for column in found), strict=True)
        if chance > 0
    ]
    between: dict[str, list[Any]] = {
        "k": [at + 1 for at, _, _ in pairs],
        "result": [names[at] for at, _, _ in pairs],
        "before": [before + 1 for _, before, _ in pairs],
        "from": [names[before] for _, before, _ in pairs],
        "p": [chance for _, _, chance in pairs],
    }
    meant = "redundancy: p(t_k; results before), of all p below (SR Eq. 3); new: rel * (1 - redundancy)"
    rule = "SR Theorem 4.3" if reader.tree == "sr" else "ESR Eq. 4"
    return [
        Inside("redundancy", columns, (meant,), 2),
        Inside("between", between, (f"p: the chance to get to the tree from the one before it ({rule})",), 4),
    ]
