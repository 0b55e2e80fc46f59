"""Simulated readers of text who read on from what was shown, and the diary of what readers have seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.facts import once
from doxeval.extend import Aligned, DistanceNavigation, Ground
from doxeval.lab.simulation.crowd import GROUPS, Crowd
from doxeval.reader.navigation.model import Array
from doxeval.reader.relevant_text import owned_text


@dataclass(eq=False)
class Diary:
    """Hits, near-misses and misses of each group after each rank of a topic: `[group, rank]`."""

    hits: Array
    near: Array
    misses: Array

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return self.hits.shape[1]

    def note(self, crowd: Crowd, reached: Array, worth: float, shown: Array, new: float = 1.0) -> None:
        """Note a unit of which ranks show parts, a share of each `new`, and that readers reached."""
        there, everyone = crowd.there_after(reached, self.ranks), crowd.mean(1.0)[:, None]
        before = np.hstack([np.zeros((GROUPS, 1)), there])[:, : self.ranks]
        hidden = worth * (1.0 - np.minimum(np.cumsum(shown) / worth, 1.0))
        self.hits += new * np.cumsum(shown * (everyone - before), axis=1)
        self.near += hidden * there
        self.misses += hidden * (everyone - there)

    def note_again(self, crowd: Crowd, rank: int, worth: float) -> None:
        """Note that a rank repeats something that readers value so much."""
        self.hits[:, rank:] += crowd.mean(worth)[:, None]


Gap = tuple[int, int]


@dataclass(eq=False)
class DocumentText:
    """The relevant characters of a document: their places, their worth, and the nodes that own them."""

    at: Array
    worth: Array
    node: Array

    def __len__(self) -> int:
        return len(self.at)

    def held_by(self, aligned: Aligned, result: int) -> Array:
        """A mask of the characters that a result shows."""
        holds, spans = np.zeros(len(self), dtype=bool), aligned.spans.slice(result)
        for start, end in zip(aligned.start[spans].tolist(), aligned.end[spans].tolist(), strict=True):
            holds |= (start <= self.at) & (self.at < end)
        return holds


def relevant_in(ground: Ground, pair: int, rel: str) -> DocumentText:
    """The relevant text of a topic in a document."""
    pieces = owned_text(ground).pieces
    rows = slice(*np.searchsorted(pieces.pair, [pair, pair + 1]).tolist())
    start, size = pieces.start[rows], (pieces.end - pieces.start)[rows]
    place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    worth, node = _worth(ground, rel)[rows], pieces.node[rows]
    return DocumentText(np.repeat(start, size) + place, np.repeat(worth, size), np.repeat(node, size))


@once
def _worth(ground: Ground, rel: str) -> Array:
    return owned_text(ground).pieces.worth(rel)


def read_on(
    aligned: Aligned,
    text: DocumentText,
    results: Array,
    model: DistanceNavigation,
    crowd: Crowd,
    diary: Diary,
) -> None:
    """Readers who read on into the gaps between shown text, from both ends, each as far as they like."""
    ranks = (results - aligned.by_topic.offset[aligned.topic[results]]).tolist()
    length = int(aligned.doc_length[aligned.doc[results]].max(initial=text.at.max(initial=-1) + 1))
    worth, shown = np.zeros(length), np.zeros(length, dtype=bool)
    worth[text.at] = text.worth
    gaps: dict[Gap, tuple[Array, Array]] = {}
    diary.misses[:, : (ranks[0] if ranks else diary.ranks)] += crowd.mean(worth.sum())[:, None]
    for result, rank, after in zip(results.tolist(), ranks, [*ranks, diary.ranks][1:], strict=True):
        new, spans = np.zeros(length, dtype=bool), aligned.spans.slice(result)
        for start, end in zip(aligned.start[spans].tolist(), aligned.end[spans].tolist(), strict=True):
            new[start:end] = True
        fresh = np.where(new & ~shown, worth, 0.0)
        diary.hits[:, rank:] += crowd.mean(fresh.sum() - _seen(gaps, fresh))[:, None]
        shown |= new
        gaps = {gap: gaps.get(gap) or _eager(gap, length, model, crowd) for gap in _gaps(shown)}
        hidden = np.where(shown, 0.0, worth)
        seen = _seen(gaps, hidden)
        diary.near[:, rank:after] += crowd.mean(seen)[:, None]
        diary.misses[:, rank:after] += crowd.mean(hidden.sum() - seen)[:, None]


def _gaps(shown: Array) -> list[Gap]:
    """The stretches of text not shown."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], shown, [True]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _eager(gap: Gap, length: int, model: DistanceNavigation, crowd: Crowd) -> tuple[Array, Array]:
    """The number of characters that each reader reads into a gap, forward and backward.

    Each is eager to some degree, and reads on as long as the chance to cross the gap so far exceeds it.
    """
    start, end = gap
    distance, way = np.arange(end - start), np.ones(end - start, dtype=bool)
    read = []
    for forward, shown in ((True, start > 0), (False, end < length and model.reads_back)):
        chance = model.of_gap(distance, way & forward, np.full(end - start, length))
        eager = crowd.random.random(len(crowd))
        read.append(np.searchsorted(-chance, -eager) * shown)
    return read[0], read[1]


def _seen(gaps: dict[Gap, tuple[Array, Array]], worth: Array) -> Array | float:
    """The worth that each reader has seen in the gaps."""
    total: Array | float = 0.0
    for (start, end), (ahead, back) in gaps.items():
        so_far = np.concatenate([[0.0], np.cumsum(worth[start:end])])
        both = so_far[ahead] + so_far[-1] - so_far[end - start - back]
        total = total + np.where(ahead + back >= end - start, so_far[-1], both)
    return total
