"""The perturbations, one function each, found by name.

A perturbation takes results aligned with the assessments and returns a run. `expected` says how a sound
measure should rate it against the original: better (1), worse (-1), or 0 if that depends on the measure.
The first five are those of SR, section 7.1.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Unpack, cast

import numpy as np

from doxeval import Assessments, Documents, Notices, Run, ScoringOptions, UsageError, read_documents, read_run
from doxeval.core.options import ReadingOptions, checked_options, how_to_read
from doxeval.core.ragged import OneEach
from doxeval.core.registry import Registry, instances_of
from doxeval.extend import Aligned, Ragged, align, prepare_ground
from doxeval.io.formats.row_places import merge_by_row
from doxeval.scoring.applied_options import read_truth


def take_rows(run: Run, rows: np.ndarray) -> Run:
    """The given results of a run, ranked in this order; results of one topic must be adjacent in `rows`.

    They are a list: in another order the steps of a trajectory are no longer what anybody did.
    """
    taken = run.take(rows)
    return replace(taken, rank=ranks(taken.topic), score=None, line=None, steps=None, step=None)


def ranks(topic: np.ndarray) -> np.ndarray:
    """1, 2, 3, ... for each run of equal topics."""
    return Ragged.of_runs(topic).place + 1


def as_ranges(aligned: Aligned, start: np.ndarray, end: np.ndarray) -> Run:
    """The aligned results in reading order, with other starts and ends."""
    run = aligned.run
    topic = run.topic[aligned.row]
    return replace(
        run, topic=topic, doc=aligned.doc.astype(run.doc.dtype), start=start, end=end,
        span_offset=None if isinstance(aligned.spans, OneEach) else aligned.spans.offset, nodes=None,
        rank=ranks(topic), score=None, line=None, added=aligned.added, own=None, steps=None, step=None,
    )  # fmt: skip


@dataclass(frozen=True)
class Strength:
    """How strongly to perturb: the share of results to change, the number of characters, and the seed."""

    share: float = 1.0
    characters: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise UsageError(f"the share of results to change must be between 0 and 1, not {self.share}")
        if self.characters < 1:
            raise UsageError(f"the number of characters must be at least 1, not {self.characters}")

    def pick(self, candidates: np.ndarray) -> np.ndarray:
        """Those of the marked results that are to be changed."""
        if self.share == 1:
            return candidates
        return candidates & (np.random.default_rng([self.seed, 6]).random(len(candidates)) < self.share)

    def by_characters(self, aligned: Aligned) -> np.ndarray:
        """The characters by which each range is moved: all of them if its result is changed, else none."""
        return np.where(self.pick(np.ones(len(aligned), dtype=bool)), self.characters, 0)[aligned.result]


@dataclass(frozen=True)
class Perturbation:
    """One way to change a run; `needs` names what it requires.

    `moves_ranges` says that the number of characters matters, `draws` that the seed matters even if all
    results are changed.
    """

    name: str
    summary: str
    expected: int
    change: Callable[[Aligned, Strength], Run] = field(repr=False)
    needs: str = ""
    moves_ranges: bool = False
    draws: bool = False


PERTURBATIONS: Registry[Perturbation] = Registry("perturbation", takes=instances_of(Perturbation))


Perturber = Callable[[Aligned, Strength], Run]


def _perturbation(
    name: str, expected: int, needs: str = "", **more: bool
) -> Callable[[Perturber], Perturber]:
    """Register a function under a name; its docstring is its summary."""

    def registered(change: Perturber) -> Perturber:
        summary = (change.__doc__ or "").strip().split("\n")[0]
        PERTURBATIONS.register(Perturbation(name, summary, expected, change, needs, **more))
        return change

    return registered


def perturb(
    run: Any,
    assessments: Any,
    perturbation: str,
    documents: Any = None,
    *,
    share: float = 1.0,
    characters: int = 200,
    seed: int = 0,
    **options: Unpack[ReadingOptions],
) -> Run:
    """A run made better or worse in a known way; results for topics without assessments are left out.

    `perturbation` is the name of a way, see ``doxeval perturb --perturbations``. A `share` of the results is
    changed, ranges by a number of `characters`. Run, assessments and documents are tables or anything their
    readers take; options say how they are read, as for :func:`doxeval.evaluate`.

    >>> answers = [{"topic": "t1", "doc": "d2", "start": 0, "end": 9}]
    >>> result = {"topic": "t1", "start": 0, "end": 9}
    >>> run = [result | {"doc": doc, "rank": rank} for rank, doc in enumerate(("d1", "d2"))]
    >>> better = perturb(run, answers, "relevant-up")
    >>> better.name, [better.docs[doc] for doc in better.doc]
    ('run-relevant-up', ['d2', 'd1'])
    """
    given = checked_options(cast(ScoringOptions, options))
    table = read_run(run, **how_to_read(given, "runs"))
    collection = None if documents is None else read_documents(documents)
    return perturbed(
        table, perturbation, read_truth(assessments, given), collection, Strength(share, characters, seed)
    )


def perturbed(
    run: Run,
    name: str,
    assessments: Assessments,
    documents: Documents | None = None,
    strength: Strength | None = None,
) -> Run:
    """A run changed by the perturbation of a name."""
    perturbation = PERTURBATIONS[name]
    if perturbation.needs == "tree" and documents is None:
        raise UsageError(f"{name} needs the documents' trees (--docs FILE)")
    aligned = align(run, prepare_ground(assessments, documents))
    made = perturbation.change(aligned, strength or Strength())
    name, tag = f"{run.name}-{name}", f"{run.tag or run.name}-{name}"
    notices = Notices(run.notices, aligned.notices)
    if run.steps is not None:
        notices.add(
            f"{run.source or run.name}: the steps of the trajectory are left out: changed results are a list",
            harmless=True,
        )
    return replace(made, name=name, tag=tag, notices=notices)


def _ordered(aligned: Aligned, key: np.ndarray) -> Run:
    """The results sorted by topic, then by key, then as they were."""
    return take_rows(aligned.run, aligned.row[np.lexsort((np.arange(len(aligned)), key, aligned.topic))])


@_perturbation("relevant-up", 1)
def relevant_up(aligned: Aligned, strength: Strength) -> Run:
    """Results with relevant text come first."""
    return _ordered(aligned, ~strength.pick(aligned.relevant > 0))


@_perturbation("relevant-down", -1)
def relevant_down(aligned: Aligned, strength: Strength) -> Run:
    """Results with relevant text come last."""
    return _ordered(aligned, strength.pick(aligned.relevant > 0))


@_perturbation("overlap-removed", 1)
def overlap_removed(aligned: Aligned, strength: Strength) -> Run:
    """Results that overlap with an earlier one are left out."""
    return take_rows(aligned.run, aligned.row[~strength.pick(overlaps_earlier(aligned))])


def overlaps_earlier(aligned: Aligned) -> np.ndarray:
    """Whether each result shares text with an earlier one of its document that does not do so itself."""
    found = np.zeros(len(aligned), dtype=bool)
    shown: dict[tuple[int, int], list[tuple[int, int]]] = {}
    places = zip(aligned.topic.tolist(), aligned.doc.tolist(), strict=True)
    bounds = aligned.spans.offset.tolist()
    start, end = aligned.start.tolist(), aligned.end.tolist()
    for at, place in enumerate(places):
        known = shown.setdefault(place, [])
        spans = [(start[s], end[s]) for s in range(bounds[at], bounds[at + 1]) if end[s] > start[s]]
        found[at] = any(_meets(known, span) for span in spans)
        if not found[at]:
            for span in spans:
                insort(known, span)
    return found


def _meets(known: list[tuple[int, int]], span: tuple[int, int]) -> bool:
    """Whether a span shares text with one of the sorted, disjoint spans."""
    at = bisect_left(known, span)
    return (at < len(known) and known[at][0] < span[1]) or (at > 0 and known[at - 1][1] > span[0])


@_perturbation("leaves-up", 0, "tree")
def leaves_up(aligned: Aligned, strength: Strength) -> Run:
    """Results that are leaves of the tree come first."""
    leaf, _ = _node_kinds(aligned)
    return _ordered(aligned, ~strength.pick(leaf))


@_perturbation("midbranch-up", 0, "tree")
def midbranch_up(aligned: Aligned, strength: Strength) -> Run:
    """Results that are neither root nor leaf come first."""
    _, middle = _node_kinds(aligned)
    return _ordered(aligned, ~strength.pick(middle))


def _node_kinds(aligned: Aligned) -> tuple[np.ndarray, np.ndarray]:
    """Whether each result consists only of leaves, and whether only of nodes between root and leaf."""
    documents = aligned.ground.documents
    assert documents is not None
    has_child = np.zeros(len(documents.parent), dtype=bool)
    below = documents.parent >= 0
    has_child[(documents.nodes.expand(documents.nodes.first) + documents.parent)[below]] = True
    doc = documents.codes(aligned.run.docs)[aligned.doc]
    span_doc = doc[aligned.result]
    offset, node = documents.cover(span_doc, aligned.start, aligned.end)
    result = Ragged(offset).expand(aligned.result)
    row = documents.rows(doc[result], node)
    leaf = ~has_child[row]
    middle = ~leaf & (node > 0)
    count = np.bincount(result, minlength=len(aligned))
    return tuple(
        (count > 0) & (np.bincount(result[kind], minlength=len(aligned)) == count) for kind in (leaf, middle)
    )


@_perturbation("shuffled", 0, draws=True)
def shuffled(aligned: Aligned, strength: Strength) -> Run:
    """Results in random order."""
    chosen = strength.pick(np.ones(len(aligned), dtype=bool))
    key = np.arange(len(aligned), dtype=np.float64)
    random = np.random.default_rng([strength.seed, 7])
    for topic in range(len(aligned.count)):
        places = np.flatnonzero(chosen[aligned.by_topic.slice(topic)]) + aligned.by_topic.offset[topic]
        key[places] = random.permutation(places)
    return _ordered(aligned, key)


@_perturbation("duplicated", -1)
def duplicated(aligned: Aligned, strength: Strength) -> Run:
    """Every result is listed twice in a row."""
    chosen = strength.pick(np.ones(len(aligned), dtype=bool))
    return take_rows(aligned.run, np.repeat(aligned.row, 1 + chosen))


@_perturbation("shifted", -1, moves_ranges=True)
def shifted(aligned: Aligned, strength: Strength) -> Run:
    """Boundaries move forward by some characters, as if chunks had been cut at other places."""
    by = strength.by_characters(aligned)
    limit = aligned.doc_length[aligned.doc[aligned.result]]
    end = np.minimum(aligned.end + by, np.maximum(limit, aligned.end))
    return as_ranges(aligned, np.minimum(aligned.start + by, end), end)


@_perturbation("widened", 0, moves_ranges=True)
def widened(aligned: Aligned, strength: Strength) -> Run:
    """Every range grows by some characters on both sides."""
    by = strength.by_characters(aligned)
    limit = np.maximum(aligned.doc_length[aligned.doc[aligned.result]], aligned.end)
    return as_ranges(aligned, np.maximum(0, aligned.start - by), np.minimum(limit, aligned.end + by))


@_perturbation("narrowed", 0, moves_ranges=True)
def narrowed(aligned: Aligned, strength: Strength) -> Run:
    """Every range loses some characters on both sides, but never all."""
    by = strength.by_characters(aligned)
    by = np.minimum(by, np.maximum(0, aligned.end - aligned.start - 1) // 2)
    return as_ranges(aligned, aligned.start + by, aligned.end - by)


@_perturbation("grouped", 0)
def grouped(aligned: Aligned, strength: Strength) -> Run:
    """The results of a document are listed together where it first appears, in document order."""
    position = np.append(aligned.start, 0)[aligned.spans.first]
    order = np.lexsort((np.arange(len(aligned)), position, _gathered(aligned, strength), aligned.topic))
    return take_rows(aligned.run, aligned.row[order])


@_perturbation("clustered", 0)
def clustered(aligned: Aligned, strength: Strength) -> Run:
    """The results of a document become one result of several ranges, where it first appears."""
    return _united(aligned, _gathered(aligned, strength), aligned.start, aligned.end, aligned.result)


@_perturbation("first-of-document", 0)
def first_of_document(aligned: Aligned, strength: Strength) -> Run:
    """Only the first result of each document is kept."""
    return take_rows(aligned.run, aligned.row[_gathered(aligned, strength) == np.arange(len(aligned))])


@_perturbation("whole-documents", 0)
def whole_documents(aligned: Aligned, strength: Strength) -> Run:
    """Every retrieved document becomes one whole result, where it first appears."""
    touched = np.flatnonzero(_touched(aligned, strength))
    length = aligned.doc_length[aligned.doc[touched]]
    start = np.concatenate([aligned.start, np.zeros_like(length)])
    end = np.concatenate([aligned.end, length])
    return _united(aligned, _gathered(aligned, strength), start, end, np.append(aligned.result, touched))


def _united(
    aligned: Aligned, into: np.ndarray, start: np.ndarray, end: np.ndarray, result: np.ndarray
) -> Run:
    """Each result merged `into` the one given; `[start, end)` are the ranges of each `result`."""
    order = np.unique(into)
    offset, start, end = merge_by_row(np.searchsorted(order, into)[result], start, end, len(order))
    topic = aligned.run.topic[aligned.row[order]]
    doc = aligned.doc[order].astype(aligned.run.doc.dtype)
    return replace(
        aligned.run, topic=topic, doc=doc, start=start, end=end, span_offset=offset, nodes=None,
        rank=ranks(topic), score=None, line=None, added=None, own=None, steps=None, step=None,
    )  # fmt: skip


def _gathered(aligned: Aligned, strength: Strength) -> np.ndarray:
    """The place of the first result of each result's document, or its own if the document is not changed."""
    return np.where(_touched(aligned, strength), aligned.first_of_article, np.arange(len(aligned)))


def _touched(aligned: Aligned, strength: Strength) -> np.ndarray:
    """Whether the document of each result is changed, which depends on its first result."""
    return strength.pick(np.ones(len(aligned), dtype=bool))[aligned.first_of_article]
