"""The material of the papers' experiments: synthetic collections, or a user's own assessments and runs.

Elements are assessed by their highlighted text where nobody judged them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Unpack

import numpy as np

from doxeval import (
    Assessments,
    Documents,
    Evaluation,
    Notices,
    Run,
    Scores,
    ScoringOptions,
    UsageError,
    read_documents,
)
from doxeval.core.options import checked_options, how_to_read
from doxeval.core.ragged import OneEach
from doxeval.extend import Look, Measures, prepare_ground
from doxeval.lab.perturbation.perturbations import Strength, perturbed
from doxeval.lab.synthesis.collection import Shape
from doxeval.lab.synthesis.making import Collection
from doxeval.lab.synthesis.systems import spread_systems
from doxeval.reader.navigation.model import navigation_named
from doxeval.reader.recall_base import assessed_nodes
from doxeval.reader.units_sought import assessed_elements
from doxeval.scoring.applied_options import read_truth
from doxeval.scoring.loader import RunLoader, named_runs
from doxeval.tables.assessments import JudgedNodes, Ranges
from doxeval.tables.runs import Names

DEGREES = 3


def element_assessments(assessments: Assessments, documents: Documents) -> Assessments:
    """Judged nodes as they are; else every node with relevant text, by the share of it that is relevant."""
    if assessments.nodes is not None:
        return assessments
    nodes = assessed_nodes(prepare_ground(assessments, documents))
    names = _paths(documents, zip(nodes.trees.doc.tolist(), nodes.trees.node.tolist(), strict=True))
    return _judged(assessments, JudgedNodes(nodes.pair, names, nodes.specificity, [""] * len(nodes.pair)))


def coded_assessments(assessments: Assessments, documents: Documents) -> Assessments:
    """Judged nodes as they are; else highlighted text in codes of INEX 2002, by a rule of ours.

    The nodes that cover relevant text are exact (E): the longest third of a topic's are highly relevant (3),
    the next fairly (2), the others marginally (1). Their ancestors are too large (L), with the highest
    relevance below them, and their children are too small and marginally relevant (1S).
    """
    if assessments.nodes is not None:
        return assessments
    exact = assessed_elements(prepare_ground(assessments, documents), "cover")
    length = documents.lengths(exact.doc, exact.node)
    order = np.lexsort((-length, exact.topic))
    degree = np.zeros(len(exact), dtype=np.int64)
    degree[order] = DEGREES - DEGREES * exact.by_topic.place // exact.by_topic.expand(exact.count)
    small: dict[tuple[int, int, int], str] = {}
    large: dict[tuple[int, int, int], str] = {}
    found: dict[tuple[int, int, int], str] = {}
    columns = (exact.pair, exact.doc, exact.node, degree)
    for pair, doc, node, relevance in zip(*(column.tolist() for column in columns), strict=True):
        found[pair, doc, node] = f"{relevance}E"
        small |= {(pair, doc, child): "1S" for child in documents.children(doc, node).tolist()}
        while (node := int(documents.parent[documents.rows(doc, node)])) >= 0:
            large[pair, doc, node] = max(large.get((pair, doc, node), ""), f"{relevance}L")
    codes = sorted({**small, **large, **found}.items())
    names = _paths(documents, (place[1:] for place, _ in codes))
    pairs = np.array([place[0] for place, _ in codes], dtype=np.int64)
    return _judged(
        assessments, JudgedNodes(pairs, names, np.full(len(codes), np.nan), [code for _, code in codes])
    )


def _paths(documents: Documents, places: Iterable[tuple[int, int]]) -> Names:
    names = [documents.path(*place) for place in places]
    return Names(names, OneEach(len(names)).offset, np.arange(len(names)))


def _judged(assessments: Assessments, nodes: JudgedNodes) -> Assessments:
    nothing = np.zeros(0, dtype=np.int64)
    return replace(assessments, ranges=Ranges(nothing, nothing, nothing, np.zeros(0)), nodes=nodes)


Tell = Callable[[str], None]
DERIVATIONS = (
    ("relevant-up", Strength(share=0.1)),
    ("relevant-up", Strength(share=0.3)),
    ("relevant-down", Strength(share=0.3)),
    ("relevant-down", Strength(share=0.7)),
    ("shuffled", Strength(share=0.2)),
    ("shuffled", Strength(share=0.6)),
    ("shifted", Strength(characters=400)),
    ("widened", Strength(characters=500)),
    ("narrowed", Strength(characters=400)),
    ("duplicated", Strength(share=0.3)),
    ("whole-documents", Strength()),
)
"""Runs made better or worse in known ways, for studies that would have too few systems."""


@dataclass(frozen=True)
class Size:
    """The size of a synthetic study; `topics` and `systems` are shares of the papers' numbers."""

    topics: float = 0.3
    systems: float = 1.0
    results: int = 300
    documents: int = 3000


@dataclass(frozen=True)
class Change:
    """A perturbation of runs."""

    name: str
    assessments: Assessments
    documents: Documents | None
    strength: Strength = field(default_factory=Strength)

    def __call__(self, run: Run) -> Run:
        return perturbed(run, self.name, self.assessments, self.documents, self.strength)

    def __str__(self) -> str:
        strength = self.strength
        return f"{self.name}-{strength.share if strength.share < 1 else strength.characters:g}"


@dataclass(eq=False)
class ChangedRun(RunLoader):
    """A run that is changed as it is read; it keeps its name unless it is given another."""

    change: Callable[[Run], Run] = lambda run: run

    def __call__(self) -> Run:
        run = self.origin()
        return replace(self.change(run), name=self.name or run.name)

    @property
    def run_name(self) -> str:
        """The name the run will have."""
        return self.name or str(self.origin.run_name)


@dataclass(frozen=True)
class Material:
    """Assessments, documents and runs, and how to score these; `told` describes them in one line.

    The runs are paths, or are made one at a time.
    """

    assessments: Assessments
    documents: Documents | None
    runs: Callable[[], Iterable[Any]]
    told: str
    navigation: str | None = None
    options: ScoringOptions = field(default_factory=ScoringOptions)
    unscored: dict[str, str] = field(default_factory=dict)
    notices: Notices = field(default_factory=Notices)

    def evaluation(
        self, measures: Measures, model: str | None = None, assessments: Assessments | None = None
    ) -> Evaluation:
        """The evaluation by these measures; a navigation model given by the user replaces the paper's."""
        return Evaluation(
            self.assessments if assessments is None else assessments, measures, self.documents,
            self.model(model), **self.options,
        )  # fmt: skip

    def model(self, model: str | None) -> str | None:
        """The navigation model: the user's, or else the paper's."""
        return None if model is None else self.navigation or model

    def scores(self, evaluation: Evaluation, shape: str = "", look: Look | None = None) -> Scores:
        """The scores of all runs, each changed by the perturbation `shape` into what a task requires."""
        loaders = (self._changed(run, shape, evaluation) if shape else run for run in self.runs())
        scores = evaluation.scores(loaders, look)
        self.notices.extend(scores.notices)
        for run in scores.unscored:
            self.unscored[run.name] = str(run)
        if not scores.runs:
            raise UsageError("no run could be scored")
        return scores

    def _changed(self, run: Any, shape: str, evaluation: Evaluation) -> RunLoader:
        load = run if isinstance(run, RunLoader) else RunLoader(run, **evaluation.reading)
        return ChangedRun(load, change=Change(shape, self.assessments, self.documents))

    @property
    def trees(self) -> Documents:
        """The documents, or an error that says that they are needed."""
        if self.documents is None:
            raise UsageError("this needs the documents' trees; give them with --docs")
        return self.documents


class MaterialSource(Protocol):
    """A source of material for experiments; `unscored` are the runs that could not be scored, and why.

    `notices` are those on all scores.
    """

    unscored: dict[str, str]
    notices: Notices

    def material(self, topics: int, systems: int, results: int = 0) -> Material:
        """Material in place of a paper's topics and systems, with at least so many results a topic."""
        ...


@dataclass
class Synthetic:
    """Synthetic collections, one for every number of topics."""

    size: Size
    seed: int
    unscored: dict[str, str] = field(default_factory=dict)
    notices: Notices = field(default_factory=Notices)

    def material(self, topics: int, systems: int, results: int = 0) -> Material:
        """A synthetic collection of a share of the paper's topics, and systems of all kinds."""
        shape = Shape(documents=self.size.documents, topics=max(2, round(self.size.topics * topics)))
        made = Collection(shape, self.seed)
        count = max(3, round(self.size.systems * systems))
        spread = spread_systems(count, self.seed, results=max(results, self.size.results))
        told = f"{count} synthetic systems, {shape.topics} topics"
        return Material(
            made.assessments, made.documents, lambda: map(made.run, spread), told, notices=self.notices
        )


class Own:
    """A user's own assessments, documents and runs."""

    def __init__(
        self, runs: Any, assessments: Any, documents: Any = None, navigation: str | None = None,
        derive: bool = False,
        **options: Unpack[ScoringOptions],
    ) -> None:  # fmt: skip
        given = checked_options(options)
        self.assessments = read_truth(assessments, given)
        for used in ("merge", "assessments_format"):
            options.pop(used, None)  # type: ignore[misc]
        self.options, self.navigation = options, navigation
        self.documents = None if documents is None else read_documents(documents)
        if navigation is not None:
            navigation_named(navigation, self.documents)
        self.unscored: dict[str, str] = {}
        self.notices = Notices()
        self.runs = [RunLoader(run, name, **how_to_read(given, "runs")) for name, run in named_runs(runs)]
        if derive:
            changes = [Change(name, self.assessments, self.documents, how) for name, how in DERIVATIONS]
            self.runs = [
                one
                for load in self.runs
                for one in (
                    load,
                    *(ChangedRun(load, f"{load.run_name}-{how}", change=how) for how in changes),
                )
            ]

    @cached_property
    def _material(self) -> Material:
        told = f"{len(self.runs)} runs, {len(self.assessments.topics)} topics"
        return Material(
            self.assessments, self.documents, lambda: self.runs, told, self.navigation,
            self.options, self.unscored, self.notices,
        )  # fmt: skip

    def material(self, topics: int, systems: int, results: int = 0) -> Material:
        """The user's material, whatever the paper had."""
        return self._material
