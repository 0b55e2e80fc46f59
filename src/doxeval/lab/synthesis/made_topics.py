"""Synthetic topics: their pools of documents, and the text highlighted in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval import Assessments, Documents
from doxeval.core.keys import amount_within, key_width, keys
from doxeval.extend import Ragged
from doxeval.io.documents.spool import Spool
from doxeval.lab.synthesis.collection import BLOCK_DOCUMENTS, Shape, make_block
from doxeval.tables.assessments import Ranges, build_assessments

TOPIC_STREAM = 3
SNAPPED = 0.6
"""The share of highlights that begin, or end, at the border of a paragraph."""

EARLY = 1.6
"""Relevant text tends to be early in an article: its place is a share u ** EARLY, with uniform u."""

WHOLE_SHARE = 0.1
"""The share of relevant articles that are highlighted from beginning to end."""


def topic_name(number: int) -> str:
    """The name of a topic, from t001 on."""
    return f"t{number + 1:03d}"


@dataclass(eq=False)
class Topic:
    """One topic: its pool of documents (a collection of its own) and disjoint relevant ranges in them."""

    name: str
    pool: Documents
    doc: np.ndarray
    start: np.ndarray
    end: np.ndarray

    def relevant_in(self, doc: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """The number of relevant characters in ranges of pool documents."""
        width = key_width(end, self.end)
        ranges = ((doc, start), (doc, end), (self.doc, self.start), (self.doc, self.end))
        return amount_within(*(keys(group, place, width) for group, place in ranges))


def make_topic(shape: Shape, seed: int, number: int) -> Topic:
    """One topic; its pool is whole blocks of the collection, so that only a few need to be made."""
    random = np.random.default_rng([seed, TOPIC_STREAM, number])
    wanted = min(shape.blocks, max(1, round(shape.pool / BLOCK_DOCUMENTS)))
    with Spool() as spool:
        for block in np.sort(random.choice(shape.blocks, wanted, replace=False)):
            spool.append(make_block(shape, seed, int(block)))
        pool = spool.documents(f"the pool of {topic_name(number)}")
    share = np.clip(shape.relevant_share * np.exp(0.8 * random.standard_normal() - 0.32), 0, 1)
    count = min(len(pool), max(1, round(share * len(pool))))
    relevant = np.sort(random.choice(len(pool), count, replace=False))
    doc, start, end = _highlights(shape, pool, relevant, random)
    ranges, start, end = Ragged.gathered(doc, len(pool), start, end)
    ranges, start, end = ranges.merge(start, end)
    return Topic(topic_name(number), pool, ranges.row, start, end)


def _highlights(
    shape: Shape, pool: Documents, relevant: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Highlighted ranges, which may overlap; about this many for each relevant document."""
    several = random.geometric(1 / shape.ranges_per_document, len(relevant))
    doc = np.repeat(relevant, several)
    length = pool.length[doc]
    size = np.maximum(1, shape.range_length * np.exp(shape.range_spread * random.standard_normal(len(doc))))
    begin = (random.random(len(doc)) ** EARLY * length).astype(np.int64)
    snapped = random.random((len(doc), 2)) < SNAPPED
    whole = np.repeat(random.random(len(relevant)) < WHOLE_SHARE, several)
    deepest = pool.deepest(doc, begin, begin)
    begin = np.where(snapped[:, 0], pool.extent(doc, deepest)[0], begin)
    finish = np.minimum(length, begin + np.minimum(size, 1e9).astype(np.int64))
    last = pool.deepest(doc, finish - 1, finish - 1)
    finish = np.where(snapped[:, 1], pool.extent(doc, last)[1], finish)
    finish = np.maximum(finish, begin + 1)
    return doc, np.where(whole, 0, begin), np.where(whole, length, np.minimum(finish, length))


def assessments_of(topic: Topic) -> Assessments:
    """The topic's assessments: every document of its pool was assessed, best entry points included."""
    count = len(topic.pool)
    first = np.full(count, -1, dtype=np.int64)
    first[topic.doc[::-1]] = topic.start[::-1]
    return build_assessments(
        [topic.name],
        topic.pool.ids,
        np.zeros(count, dtype=np.int64),
        np.arange(count),
        Ranges(topic.doc, topic.start, topic.end, np.ones(len(topic.doc))),
        length=np.asarray(topic.pool.length),
        bep=first,
        source=f"synthetic {topic.name}",
    )
