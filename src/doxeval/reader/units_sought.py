"""The units a reader looks for: assessed nodes and trees with their worth.

They come from judged nodes, by value or by INEX code, and from highlighted text, by the nodes that own or
cover it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Self

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.facts import once
from doxeval.core.keys import find_keys, first_of_equals, key_width
from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.aligned import ByTopic
from doxeval.ground.ground import Ground
from doxeval.ground.locate import grades, match_names
from doxeval.kernels.tree_gains import parents_among
from doxeval.reader.node_trees import Trees
from doxeval.reader.quantisation import coverage_of, quantise, specificity_of
from doxeval.reader.relevant_text import owned_text
from doxeval.tables.assessments import JudgedNodes
from doxeval.tables.documents import Documents

IDEALS = "auto judged cover"


@dataclass(eq=False)
class Units(ByTopic):
    """Trees of assessed documents, sorted by pair (and so by topic), and the value of each."""

    trees: Trees
    pair: np.ndarray
    value: np.ndarray
    by_pair: Ragged
    by_topic: Ragged

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def pair_offset(self) -> np.ndarray:
        """The start of the units of each pair, and the end of the last."""
        return self.by_pair.offset

    @cached_property
    def total(self) -> np.ndarray:
        """The sum of the values of each topic."""
        return self.by_topic.add(self.value)

    @cached_property
    def positive(self) -> Self:
        """Only the units with a value above 0: the ideal ones."""
        return self.select(self.value > 0)

    def select(self, keep: np.ndarray) -> Self:
        """Only the units marked."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        kept = {name: column[keep] for name, column in columns.items() if isinstance(column, np.ndarray)}
        return replace(
            self,
            trees=self.trees.take(np.flatnonzero(keep)),
            by_pair=self.by_pair.keep_items(keep),
            by_topic=self.by_topic.keep_items(keep),
            **kept,
        )


@dataclass(eq=False)
class Elements(Units):
    """Units of one node each, in document order, including worthless ones (0).

    `coverage` is the INEX letter that ERR's reader considers.
    """

    coverage: np.ndarray

    @property
    def doc(self) -> np.ndarray:
        """The row of each element's document."""
        return self.trees.doc

    @property
    def node(self) -> np.ndarray:
        """Each element's node in its document."""
        return self.trees.node

    @cached_property
    def _keys(self) -> tuple[np.ndarray, int]:
        width = key_width(self.node)
        return self.pair * width + self.node, width

    def find(self, pair: np.ndarray, node: np.ndarray) -> np.ndarray:
        """The index of each node (in the document of a pair) among the elements, -1 if it is none."""
        keys, width = self._keys
        return np.where((pair >= 0) & (node < width), find_keys(keys, pair * width + node), -1)

    def coverage_at(self, pair: np.ndarray, node: np.ndarray) -> np.ndarray:
        """The coverage of nodes, N for nodes that are not elements."""
        return np.append(self.coverage, "N")[self.find(pair, node)]


@dataclass(eq=False)
class AssessedTrees(Units):
    """Units by grade, with their relevant characters (`length`) and the share of these (`specificity`).

    `union` counts the characters of nested nodes once.
    """

    length: np.ndarray
    union: np.ndarray
    specificity: np.ndarray

    def worth(self, rel: str, size: str = "sum") -> np.ndarray:
        """The value of each unit: its grade, 1, its relevant characters, or their share of its text."""
        if rel == "binary":
            return (self.value > 0).astype(np.float64)
        length = self.union if size == "union" else self.length
        columns = {"grade": self.value, "length": length, "specificity": self.specificity}
        return columns[rel].astype(np.float64)


def tree_of(ground: Ground) -> Documents:
    """The documents; an error says why they are needed."""
    if ground.documents is None:
        raise UsageError("measures of elements need the documents' trees (--docs FILE)")
    return ground.documents


def group_units(ground: Ground, pair: np.ndarray) -> tuple[Ragged, Ragged]:
    """Units, given by their pairs in order, by pair and by topic."""
    by_pair = Ragged.of_rows(pair, len(ground.assessments.pair_doc))
    return by_pair, ground.assessments.by_topic.over(by_pair)


@dataclass(eq=False)
class JudgedPlaces:
    """The places of judged nodes: the `row` of the judgement, and the `node`, -1 for a passage."""

    judged: JudgedNodes
    doc: np.ndarray
    row: np.ndarray
    node: np.ndarray
    start: np.ndarray
    end: np.ndarray


@once
def judged_places(ground: Ground) -> JudgedPlaces | None:
    """The judged nodes in their documents; None if no nodes were judged."""
    judged = ground.assessments.nodes
    if judged is None:
        return None
    doc = ground.doc_index[ground.assessments.pair_doc[judged.pair]]
    return JudgedPlaces(judged, doc, judged.nodes.rows.row, *match_names(tree_of(ground), doc, judged.nodes))


@once
def assessed_elements(
    ground: Ground, ideals: str = "auto", quantisation: str = "gen", by_code: bool = False
) -> Elements:
    """The elements of all topics.

    `judged`: nodes with a value, or with a code under a quantisation. `cover`: relevant text, merged where it
    touches, as the maximal nodes inside each range, else the deepest node around it; each is worth 1 and has
    exact coverage. `auto`: judged nodes, and the cover of highlighted text. A node with both a value and a
    code counts with its value or, with `by_code`, its code. A node assessed twice counts with its higher
    value.
    """
    tree_of(ground)
    places = judged_places(ground)
    parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0, "U1"))]
    if ideals != "cover" and places is not None:
        parts.append(_judged_elements(ground, places, quantisation, by_code))
    if ideals == "cover":
        parts.append(_cover(ground, ground.relevant_by_pair.row, *ground.relevant[1:]))
    elif ideals == "auto":
        ranges = ground.assessments.ranges
        useful = ranges.grade > 0
        parts.append(_cover(ground, ranges.pair[useful], ranges.start[useful], ranges.end[useful]))
    pair, node, value, coverage = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((-value, node, pair))
    order = order[first_of_equals(pair[order], node[order])]
    pair, value = pair[order], value[order]
    trees = Trees.single(ground.doc_index[ground.assessments.pair_doc[pair]], node[order])
    return Elements(trees, pair, value, *group_units(ground, pair), coverage[order])


Columns = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _judged_elements(ground: Ground, places: JudgedPlaces, quantisation: str, by_code: bool) -> Columns:
    """Pair, node, value and coverage of the judged nodes; a judged passage is replaced by its cover."""
    judged, row, node = places.judged, places.row, places.node
    codes, code = np.unique(np.array(judged.code, dtype="U4"), return_inverse=True)
    given = ~np.isnan(judged.value) & ~(by_code & (codes[code] != ""))
    value = np.where(given, judged.value, quantise(codes.tolist(), quantisation)[code])
    letters = np.array([coverage_of(text) for text in codes.tolist()], dtype="U1")[code]
    passage = (node < 0) & (places.start >= 0)
    inside, around = tree_of(ground).cover(
        places.doc[row[passage]], places.start[passage], places.end[passage]
    )
    rows = np.concatenate([row[node >= 0], Ragged(inside).expand(row[passage])])
    return judged.pair[rows], np.concatenate([node[node >= 0], around]), value[rows], letters[rows]


def _cover(ground: Ground, pair: np.ndarray, start: np.ndarray, end: np.ndarray) -> Columns:
    """Pair, node, value and coverage of the nodes that cover ranges."""
    doc = ground.doc_index[ground.assessments.pair_doc]
    has_tree = doc[pair] >= 0
    pair, start, end = pair[has_tree], start[has_tree], end[has_tree]
    limit = tree_of(ground).length[doc[pair]]
    ranges, start, end = Ragged.gathered(pair, len(doc), np.minimum(start, limit), np.minimum(end, limit))
    merged, start, end = ranges.merge(start, end)
    inside, node = tree_of(ground).cover(doc[merged.row], start, end)
    return Ragged(inside).expand(merged.row), node, np.ones(len(node)), np.full(len(node), "E", dtype="U1")


def ancestors_among(ground: Ground, elements: Elements) -> np.ndarray:
    """For each element the index of its nearest ancestor among the elements, -1 if it has none."""
    documents = tree_of(ground)
    held = np.flatnonzero(elements.by_pair.counts)
    inner = Ragged(np.append(elements.by_pair.first[held], len(elements)))
    doc = ground.doc_index[ground.assessments.pair_doc[held]]
    above = parents_among(documents.node_offset, documents.parent, doc, inner.offset, elements.node)
    return np.where(above >= 0, above + inner.expand(inner.first), -1)


@once
def assessed_trees(ground: Ground) -> AssessedTrees:
    """The assessed trees of all topics.
    Judged nodes and trees are used as given; every character of highlighted ranges belongs to its deepest
    node, and these owners are the assessed nodes.
    """
    if ground.documents is None:
        raise UsageError("mode=trees needs the documents' trees (--docs FILE)")
    places = judged_places(ground)
    if places is None:
        return _owners(ground, ground.documents)
    if len(ground.assessments.ranges):
        ground.notices.add(
            "{count} highlighted {range is|ranges are} left out: mode=trees uses judged nodes if there are "
            "any",
            count=len(ground.assessments.ranges),
        )
    return _judged_trees(ground, ground.documents, places)


def _judged_trees(ground: Ground, documents: Documents, places: JudgedPlaces) -> AssessedTrees:
    judged, row, node = places.judged, places.row, places.node
    known = (np.bincount(row[node < 0], minlength=len(judged)) == 0)[row]
    trees, grade = Trees.gathered(places.doc, row[known], node[known]), grades(judged)
    specificity = np.array([specificity_of(code) for code in judged.code], dtype=np.float64)
    kept = np.flatnonzero((grade > 0) & (trees.count > 0))
    kept = kept[np.argsort(judged.pair[kept], kind="stable")]
    trees, pair, specificity = trees.take(kept), judged.pair[kept], specificity[kept]
    length, union = (specificity * trees.sizes(documents, size) for size in ("sum", "union"))
    return AssessedTrees(trees, pair, grade[kept], *group_units(ground, pair), length, union, specificity)


def _owners(ground: Ground, documents: Documents) -> AssessedTrees:
    text = owned_text(ground)
    doc = ground.doc_index[ground.assessments.pair_doc[text.pair]]
    grade = np.zeros(len(text.pair))
    np.maximum.at(grade, text.owner, text.pieces.grade)
    kept = (doc >= 0) & (grade > 0)
    length = text.per_owner(text.pieces.end - text.pieces.start)[kept]
    pair, trees = text.pair[kept], Trees.single(doc[kept], text.node[kept])
    size = trees.sizes(documents)
    share = quotient(length, size)
    return AssessedTrees(trees, pair, grade[kept], *group_units(ground, pair), length, length, share)


@once
def _judged_letters(ground: Ground) -> tuple[np.ndarray, np.ndarray, int]:
    """Keys of judged nodes, the coverage of each as written by INEX 2002, and the keys' width."""
    places = judged_places(ground)
    assert places is not None
    found = places.node >= 0
    row, node = places.row[found], places.node[found]
    width = 1 + int(tree_of(ground).nodes.counts.max(initial=0))
    letters = np.array([coverage_of(code) for code in places.judged.code], dtype="U1")[row]
    keys, first = np.unique(places.judged.pair[row] * width + node, return_index=True)
    return keys, letters[first], width


def coverage_letters(ground: Ground, pair: np.ndarray, node: np.ndarray) -> np.ndarray | None:
    """The coverage of nodes as written by INEX 2002: E, L, S, or N if not judged; None if no node was."""
    if ground.assessments.nodes is None or ground.documents is None:
        return None
    keys, letters, width = _judged_letters(ground)
    return np.append(letters, "N")[find_keys(keys, pair * width + node)] if len(keys) else None


def coverage_for_topic(ground: Ground, topic: str | None) -> np.ndarray:
    """The coverage that ERRU uses of every node of the collection, as judged for a topic."""
    if topic is None and len(ground.topics) > 1:
        raise UsageError(
            f"the assessments have {len(ground.topics)} topics; choose one, as in --topic {ground.topics[0]}"
        )
    if topic is not None and topic not in ground.topic_codes:
        raise UsageError(f"there is no topic {topic!r} in the assessments{nearest(topic, ground.topics)}")
    elements = assessed_elements(ground, "auto", "err")
    mine = elements.topic == ground.topic_codes[topic or ground.topics[0]]
    letters = np.full(len(tree_of(ground).parent), "N")
    letters[tree_of(ground).rows(elements.doc[mine], elements.node[mine])] = elements.coverage[mine]
    return letters
