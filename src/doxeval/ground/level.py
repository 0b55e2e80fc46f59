"""Results and assessments folded to files, modules, classes or functions of source code.

A result becomes the smallest named node of the level that contains it, or else every one that it touches, in
the order of the document; lines outside any such node become the item of their file. The first of equal items
keeps its rank. An item is a document of its own, of length 1. Without documents, the names given are the
items.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from doxeval.core.catalogue import Catalogue
from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.strings import Strings, encode
from doxeval.ground.document_names import name_run
from doxeval.ground.ground import Ground, prepare_ground
from doxeval.ground.locate import grades
from doxeval.ground.module_names import modules_in_run
from doxeval.ground.text_unit import documents_in, run_in
from doxeval.io.documents.code import CLASS
from doxeval.io.formats.rows_out import rank_column
from doxeval.tables.assessments import Assessments, Ranges, build_assessments
from doxeval.tables.documents import FUNCTION, METHOD, Documents
from doxeval.tables.labels import Labels
from doxeval.tables.places import CHARACTERS, LINES
from doxeval.tables.runs import NOWHERE, Run

FILE, DOCUMENT, MODULE, SESSION = "file", "document", "module", "session"
LEVEL_TAGS = {
    CLASS: {CLASS}, FUNCTION: {FUNCTION, METHOD}, MODULE: {CLASS, FUNCTION, METHOD}, SESSION: {SESSION},
}  # fmt: skip
"""The tags of the nodes of each level; a module is the outermost of its kind."""
SEPARATOR = "::"


@dataclass(eq=False)
class Fold:
    """Folds tables to a level; `files` are the documents named by the assessments.

    Runs show the same places again and again: each is folded once.
    """

    level: str
    documents: Documents | None
    files: list[str]
    _folded: dict[tuple[Any, ...], list[str]] = field(default_factory=dict, repr=False)
    _nodes: dict[int, np.ndarray] = field(default_factory=dict, repr=False)

    def run(self, run: Run, notices: Notices) -> Run:
        """The run with an item at each rank."""
        catalogue = Catalogue(self.files) if self.documents is None else self.documents.catalogue
        run, _ = name_run(modules_in_run(run, self.documents), [catalogue], notices)
        if self.documents is not None:
            run = run_in(run, self.documents, LINES, notices)
        rank, rows = rank_column(run), []
        for row in np.lexsort((np.arange(len(run)), rank, run.topic)).tolist():
            names = run.nodes.of(row) if run.nodes is not None else []
            doc = run.docs[run.doc[row]]
            items = self.items(doc, run.spans_of(row), names)
            rows += [((int(run.topic[row]), item), row) for item in items]
        first_row = dict(reversed(rows))
        kept = list(dict.fromkeys(item for item, _ in rows))
        docs, doc_code = encode(item for _, item in kept)
        topic = np.array([topic for topic, _ in kept], dtype=np.int32)
        counts = np.bincount(topic, minlength=1)
        first = (np.cumsum(counts) - counts)[topic] if kept else topic.astype(np.int64)
        ranks = np.arange(len(kept)) - first + 1
        shown_by = np.array([first_row[item] for item in kept], dtype=np.int64)
        zeros = np.zeros(len(kept), dtype=np.int64)
        return replace(
            run, docs=Strings.of(docs), doc=doc_code, topic=topic, start=zeros, end=zeros + 1,
            span_offset=None, rank=ranks, score=None, nodes=None, texts=None, added=None, own=None, line=None,
            reach=None, unit=CHARACTERS,
            step=None if run.step is None else run.step[shown_by],
        )  # fmt: skip

    def items(self, doc: str, spans: Iterable[tuple[int, int]], names: Iterable[str]) -> list[str]:
        """The items of a place: ranges of lines, or names of nodes, in a document."""
        place = doc, tuple(spans), tuple(names)
        if place not in self._folded:
            self._folded[place] = self._items(doc, list(place[1]), list(place[2]))
        return self._folded[place]

    def _items(self, doc: str, spans: list[tuple[int, int]], names: list[str]) -> list[str]:
        if self.level in (FILE, DOCUMENT):
            return [doc]
        code = -1 if self.documents is None else int(self.documents.codes([doc])[0])
        if code < 0:
            return self._named_items(doc, spans, names)
        documents = self.documents
        assert documents is not None
        nodes = {name: documents.find(code, name) for name in names}
        extents = [tuple(map(int, documents.extent(code, node))) for node in nodes.values() if node >= 0]
        unknown = [f"{doc}{SEPARATOR}{name}" for name, node in nodes.items() if node < 0]
        whole = [span for span in spans if span[1] >= NOWHERE]
        if whole:
            return [doc]
        places = [*spans, *extents]
        return [*(self._placed_items(documents, code, places) if places else []), *unknown]

    def _named_items(self, doc: str, spans: list[tuple[int, int]], names: list[str]) -> list[str]:
        """The items of a place in a document that is not given: the names themselves."""
        if any(end < NOWHERE for _, end in spans):
            raise UsageError(
                f"{doc}: lines become a {self.level} only by the file's tree; give the documents "
                "(--docs FILE)"
            )
        if not names:
            return [doc]
        return list(dict.fromkeys(f"{doc}{SEPARATOR}{self._part(name)}" for name in names))

    def _part(self, name: str) -> str:
        """The part of a qualified name that is of the level."""
        if self.level == MODULE:
            return name.partition(".")[0]
        return name.rpartition(".")[0] or name if self.level == CLASS else name

    def _placed_items(self, documents: Documents, code: int, places: list[tuple[int, ...]]) -> list[str]:
        """The nodes of the level at some lines of a document."""
        rows = documents.nodes.slice(code)
        if code not in self._nodes:
            self._nodes[code] = self._nodes_of_level(documents, code)
        nodes = self._nodes[code]
        start, end = documents.start[rows][nodes], documents.end[rows][nodes]
        first, last = min(place[0] for place in places), max(place[1] for place in places)
        around = np.flatnonzero((start <= first) & (end >= last))
        doc = documents.ids[code]

        def item(node: int) -> str:
            name = "" if documents.node_ids is None else documents.node_ids[rows.start + int(nodes[node])]
            return f"{doc}{SEPARATOR}{name}"

        if len(around):
            smallest = around[np.lexsort((-start[around], (end - start)[around]))[0]]
            return [item(smallest)]
        lines = {line for place in places for line in range(*place)}
        items = {
            int(start[node]): item(node)
            for node in range(len(nodes))
            if not lines.isdisjoint(range(int(start[node]), int(end[node])))
        }
        covered = {line for node in range(len(nodes)) for line in range(int(start[node]), int(end[node]))}
        outside = [line for line in sorted(lines - covered) if self._has_words(documents, code, line)]
        if outside or not items:
            items[outside[0] if outside else -1] = doc
        return [items[line] for line in sorted(items)]

    def _nodes_of_level(self, documents: Documents, code: int) -> np.ndarray:
        """The named nodes of the level in a document, in its order."""
        rows = documents.nodes.slice(code)
        wanted = [at for at, tag in enumerate(documents.tags) if tag in LEVEL_TAGS[self.level]]
        is_wanted = np.isin(documents.tag[rows], wanted)
        if documents.node_ids is not None:
            is_wanted &= np.array([bool(name) for name in documents.node_ids[rows]], dtype=bool)
        nodes = np.flatnonzero(is_wanted)
        if self.level != MODULE:
            return nodes
        parent = documents.parent[rows]
        inner = np.zeros(len(parent), dtype=bool)
        for node in range(1, len(parent)):
            inner[node] = inner[parent[node]] or is_wanted[parent[node]]
        return nodes[~inner[nodes]]

    @staticmethod
    def _has_words(documents: Documents, code: int, line: int) -> bool:
        """Whether a line of a document is not blank."""
        texts, lines = documents.in_characters.text, documents.lines
        if texts is None or lines is None:
            return True
        ends = lines.ends(code)
        begin = int(ends[line - 1]) if line else 0
        return line < len(ends) and bool(texts[code][begin : int(ends[line])].strip())


def fold_ground(assessments: Assessments, documents: Documents | None, level: str) -> Ground:
    """The ground truth of items of a level; optional text is no item, and not looked at."""
    assessments = replace(assessments, optional=None)
    if documents is None:
        fold = Fold(level, None, list(assessments.docs))
        judged = _given_places(assessments)
    else:
        ground = prepare_ground(assessments, documents, unit=LINES)
        assessments = ground.assessments
        fold = Fold(level, documents_in(documents, LINES), list(assessments.docs))
        units = zip(ground.unit_start.tolist(), ground.unit_end.tolist(), strict=True)
        spans = [[extent] for extent in units]
        judged = _judged_places(ground.unit_pair, ground.unit_grade, ground.unit_labels, spans=spans)
    best: dict[tuple[int, str, str], float] = {}
    for place in judged:
        topic = int(assessments.pair_topic[place.pair])
        doc = assessments.docs[assessments.pair_doc[place.pair]]
        for item in fold.items(doc, place.spans, place.names):
            key = topic, item, place.set
            best[key] = max(place.grade, best.get(key, 0.0))
    items, code = encode(item for _, item, _ in best)
    zeros = np.zeros(len(best), dtype=np.int64)
    labels = replace(
        Labels.none(len(best)), set=np.array([*(name for *_, name in best), ""], dtype=object)[:-1]
    )
    ranges = Ranges(np.arange(len(best)), zeros, zeros + 1, np.array(list(best.values())), labels=labels)
    table = build_assessments(
        assessments.topics, items, np.array([topic for topic, *_ in best], dtype=np.int64), code, ranges,
        length=zeros + 1, queries=assessments.queries, attributes=assessments.attributes,
        source=assessments.source, notices=assessments.notices,
    )  # fmt: skip
    folded = prepare_ground(table)
    folded.fold = fold
    return folded


class JudgedPlace(NamedTuple):
    """A relevant place of a pair: ranges, or names of nodes; its grade and its set."""

    pair: int
    grade: float
    spans: list[tuple[int, int]]
    names: list[str]
    set: str


def _judged_places(
    pair: np.ndarray,
    grade: np.ndarray,
    labels: Labels | None,
    *,
    spans: list[list[tuple[int, int]]] | None = None,
    names: list[list[str]] | None = None,
) -> list[JudgedPlace]:
    """Places, each with ranges or names, that have a positive grade."""
    sets = [""] * len(pair) if labels is None else labels.set.tolist()
    nothing: list[Any] = [[]] * len(pair)
    columns = (pair.tolist(), grade.tolist(), spans or nothing, names or nothing, sets)
    return [place for place in map(JudgedPlace._make, zip(*columns, strict=True)) if place.grade > 0]


def _given_places(assessments: Assessments) -> list[JudgedPlace]:
    """The relevant places as they were given."""
    ranges, judged = assessments.ranges, assessments.nodes
    extents = [[extent] for extent in zip(ranges.start.tolist(), ranges.end.tolist(), strict=True)]
    found = _judged_places(ranges.pair, ranges.grade, ranges.labels, spans=extents)
    if judged is not None:
        names = [judged.nodes.of(row) for row in range(len(judged))]
        found += _judged_places(judged.pair, grades(judged), judged.labels, names=names)
    return found
