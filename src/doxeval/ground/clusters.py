"""Results of one document as one: a connected tree (SR section 7), or all of it (Effort section 4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.catalogue import some
from doxeval.core.errors import UsageError
from doxeval.core.facts import Facts
from doxeval.core.keys import first_of_equals
from doxeval.core.ragged import Ragged
from doxeval.core.strings import distinct
from doxeval.ground.aligned import Aligned
from doxeval.ground.connected import connected
from doxeval.ground.locate import with_roots


def as_trees(aligned: Aligned) -> Aligned:
    """Join the results of a topic in one document, at the rank of the first; later ranks move up.

    Nodes are completed to a tree by their lowest common ancestor and the nodes between.
    """
    key = aligned.topic * (1 + int(aligned.doc.max(initial=0))) + aligned.doc
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    kept = np.zeros(len(aligned), dtype=bool)
    kept[first] = True
    place = (np.cumsum(kept) - 1)[first[group]]
    spans, *ranges = Ragged.gathered(place[aligned.result], len(first), aligned.start, aligned.end)
    spans, start, end = spans.joined(*ranges)
    doc = aligned.doc[kept]
    return replace(
        aligned, by_topic=aligned.by_topic.keep_items(kept), row=aligned.row[kept], doc=doc,
        pair=aligned.pair[kept], start=start, end=end, spans=spans, nodes=_joined_nodes(aligned, place, doc),
        added=_joined_texts(aligned.added, place, len(first)), facts=Facts(),
    )  # fmt: skip


def as_documents(aligned: Aligned, told: np.ndarray) -> Aligned:
    """Each topic's distinct documents in the order in which they first appear, each retrieved whole.

    `told` is the known length of each document of the run, or -1.
    """
    kept = np.zeros(len(aligned), dtype=bool)
    kept[aligned.openings] = True
    doc = aligned.doc[kept]
    if (unknown := doc[told[doc] < 0]).size:
        names = [aligned.run.docs[one] for one in distinct(unknown)]
        raise UsageError(
            f"{aligned.run.source or aligned.run.name}: documents can be taken whole only where their length "
            f"is known, and it is not for {some(names)}; give the documents (--docs FILE)"
        )
    documents = aligned.ground.documents
    nodes = None
    if documents is not None:
        nodes = with_roots(None, documents.codes(aligned.run.docs)[doc] >= 0)
    return replace(
        aligned, by_topic=aligned.by_topic.keep_items(kept), row=aligned.row[kept], doc=doc,
        pair=aligned.pair[kept], start=np.zeros(len(doc), dtype=np.int64), end=told[doc],
        spans=Ragged.of_counts(np.ones(len(doc), dtype=np.int64)), nodes=nodes,
        added=None if aligned.added is None else np.full(len(doc), "", dtype=object), facts=Facts(),
    )  # fmt: skip


def _joined_texts(added: np.ndarray | None, place: np.ndarray, size: int) -> np.ndarray | None:
    """The texts at each position, joined in order."""
    if added is None:
        return None
    joined = np.full(size, "", dtype=object)
    np.add.at(joined, place, added)
    return joined


def _joined_nodes(aligned: Aligned, place: np.ndarray, doc: np.ndarray) -> tuple[Ragged, np.ndarray] | None:
    """The nodes of the trees at `place`, each of a document `doc`; ranges besides nodes are covered."""
    documents = aligned.ground.documents
    if aligned.nodes is None or documents is None:
        return None
    nodes, node = aligned.nodes
    doc = documents.codes(aligned.run.docs)[doc]
    noded = np.zeros(len(doc), dtype=bool)
    noded[place[nodes.row]] = True
    beside = np.flatnonzero((nodes.counts == 0)[aligned.result] & noded[place[aligned.result]])
    beside = beside[aligned.end[beside] > aligned.start[beside]]
    owner = place[aligned.result[beside]]
    inside, around = documents.cover(doc[owner], aligned.start[beside], aligned.end[beside])
    joined, node = Ragged.gathered(
        np.concatenate([place[nodes.row], Ragged(inside).expand(owner)]),
        len(doc),
        np.concatenate([node, around]),
    )
    fresh = first_of_equals(joined.row, node)
    return connected(documents, doc, joined.keep_items(fresh), node[fresh])
