"""TopicPlaces that a run could have shown, the best chunk or the relevant place, and runs that show them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from doxeval.core.facts import Facts, once
from doxeval.core.keys import first_of_equals
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.ground.document_names import assessed_codes
from doxeval.ground.ground import Ground
from doxeval.reader.node_trees import Trees
from doxeval.reader.units_sought import assessed_trees
from doxeval.tables.runs import Run


@dataclass(eq=False)
class TopicPlaces:
    """A place for each topic, `pair` -1 if it has none: a range of a document, or the nodes of a tree."""

    pair: np.ndarray
    start: np.ndarray
    end: np.ndarray
    trees: Trees | None = None


@once
def gold_places(ground: Ground, in_trees: bool) -> TopicPlaces:
    """For each topic its longest stretch of relevant text, or its best assessed tree; the first of equals."""
    topics = len(ground.topics)
    if not in_trees:
        pair, (_, start, end) = ground.relevant_by_pair.row, ground.relevant
        best = _first_best(ground.assessments.pair_topic[pair], topics, -(end - start))
        at = np.maximum(best, 0)
        if not len(pair):
            return TopicPlaces(best, best, best)
        return TopicPlaces(np.where(best >= 0, pair[at], -1), start[at], end[at])
    units = assessed_trees(ground)
    best = _first_best(units.topic, topics, -units.value)
    trees = units.trees.take(np.maximum(best, 0)) if len(units) else None
    pair = np.where(best >= 0, units.pair[np.maximum(best, 0)], -1) if len(units) else best
    if trees is None or ground.documents is None:
        return TopicPlaces(pair, pair, pair)
    low, high = ground.documents.extent(trees.doc[trees.owner], trees.node)
    start = np.minimum.reduceat(low, trees.nodes.first)
    return TopicPlaces(pair, start, np.maximum.reduceat(high, trees.nodes.first), trees)


@once
def best_chunks(ground: Ground, run: str) -> TopicPlaces:
    """For each topic the chunk with the most relevant text; of equals the shortest, then the first."""
    chunks = ground.chunks_of(run)
    doc = assessed_codes(ground, chunks.docs)[chunks.doc]
    known = np.where(chunks.end > chunks.start, doc, -1)
    by_doc, chunk = Ragged.gathered(known, len(ground.length), np.arange(len(chunks)))
    pair = np.flatnonzero(ground.pair_relevant > 0)
    held, at = by_doc.take(ground.assessments.pair_doc[pair])
    pair, chunk = held.expand(pair), chunk[at]
    length = ground.length[ground.assessments.pair_doc[pair]]
    start, end = chunks.start[chunk], chunks.end[chunk]
    end = np.where(length >= 0, np.minimum(end, length), end)
    gain = ground.relevant_in(pair, start, end)
    useful = gain > 0
    pair, start, end, gain, chunk = (column[useful] for column in (pair, start, end, gain, chunk))
    best = _first_best(ground.assessments.pair_topic[pair], len(ground.topics), chunk, end - start, -gain)
    at = np.maximum(best, 0)
    if not len(pair):
        return TopicPlaces(best, best, best)
    return TopicPlaces(np.where(best >= 0, pair[at], -1), start[at], end[at])


def _first_best(topic: np.ndarray, topics: int, *order: np.ndarray) -> np.ndarray:
    """For each topic its first row in some order, the least important column first; -1 if it has none."""
    rows = np.lexsort((*order, topic))
    rows = rows[first_of_equals(topic[rows])] if len(rows) else rows
    best = np.full(topics, -1, dtype=np.int64)
    best[topic[rows]] = rows
    return best


def with_places(aligned: Aligned, places: TopicPlaces, last: np.ndarray, room: np.ndarray) -> Aligned:
    """Each topic's last result that is read replaced by its place, or the place added where there is `room`.

    `last` is the position of that result in the list.
    """
    topic = np.flatnonzero((places.pair >= 0) & (aligned.count > 0))
    pair, added = places.pair[topic], room[topic]
    at = aligned.by_topic.first[topic] + np.where(added, aligned.count[topic] - 1, np.maximum(last[topic], 0))
    kept = np.ones(len(aligned), dtype=bool)
    kept[at[~added]] = False
    run, doc, doc_length = _documents_added(aligned, pair, places.end[topic])
    old = np.flatnonzero(kept)
    order = np.argsort(np.append(2 * old, 2 * at + added), kind="stable")

    def joined(before: np.ndarray, new: np.ndarray) -> np.ndarray:
        return np.append(before[old], new)[order]

    spans, span = aligned.spans.take(old)
    count = np.append(spans.counts, np.ones(len(topic), dtype=np.int64))
    all_spans, where = Ragged.of_counts(count).take(order)
    start = np.append(aligned.start[span], places.start[topic])[where]
    end = np.append(aligned.end[span], places.end[topic])[where]
    counts = np.bincount(joined(aligned.topic, topic), minlength=len(aligned.count))
    texts = None if aligned.added is None else joined(aligned.added, np.full(len(topic), "", dtype=object))
    return replace(
        aligned, run=run, by_topic=Ragged.of_counts(counts), row=joined(aligned.row, aligned.row[at]),
        doc=joined(aligned.doc, doc).astype(np.int32), pair=joined(aligned.pair, pair), start=start, end=end,
        spans=all_spans, doc_length=doc_length, nodes=_nodes_with(aligned, places, topic, old, order),
        added=texts, facts=Facts(),
    )  # fmt: skip


def _nodes_with(
    aligned: Aligned, places: TopicPlaces, topic: np.ndarray, old: np.ndarray, order: np.ndarray
) -> tuple[Ragged, np.ndarray] | None:
    """The nodes of the results kept and of the places added, in order; None if neither has any."""
    if aligned.nodes is None and places.trees is None:
        return None
    none = np.zeros(len(aligned), dtype=np.int64)
    nodes, node = aligned.nodes or (Ragged.of_counts(none), none[:0])
    kept, at = nodes.take(old)
    counts, all_nodes = np.append(kept.counts, np.zeros(len(topic), dtype=np.int64)), node[at]
    if places.trees is not None:
        new = places.trees.take(topic)
        counts, all_nodes = np.append(kept.counts, new.count), np.append(all_nodes, new.node)
    rows, where = Ragged.of_counts(counts).take(order)
    return rows, all_nodes[where]


def _documents_added(
    aligned: Aligned, pair: np.ndarray, end: np.ndarray
) -> tuple[Run, np.ndarray, np.ndarray]:
    """The run with the documents of pairs among its own; the code of each, and all lengths."""
    ground, run = aligned.ground, aligned.run
    assessed = ground.assessments.pair_doc[pair]
    known = {name: code for code, name in enumerate(run.docs)}
    docs, length = list(run.docs), aligned.doc_length.tolist()
    codes = np.zeros(len(pair), dtype=np.int32)
    for row, (code, stop) in enumerate(zip(assessed.tolist(), end.tolist(), strict=True)):
        name = ground.assessments.docs[code]
        if name not in known:
            known[name] = len(docs)
            docs.append(name)
            told = int(ground.length[code])
            length.append(told if told >= 0 else int(ground.furthest_end[code]))
        codes[row] = known[name]
        length[codes[row]] = max(length[codes[row]], stop)
    return replace(run, docs=docs), codes, np.array(length, dtype=np.int64)
