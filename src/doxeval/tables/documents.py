"""Documents: node tables in document order, as columns.

Node columns are those of all documents, concatenated; document d has nodes `node_offset[d]` to
`node_offset[d + 1]`, its root first, each node before its descendants. Within a document a node is identified
by its index from 0 (`parent` holds such indices, -1 for the root). Offsets are Unicode code points of the
document's text; a node's extent lies in its parent's, siblings do not overlap. A document without a known
tree is one node.

A node takes 26 bytes (parent 4, tag 4, depth 2, start 8, end 8), 8 more if lengths are given that are not
end - start, and the bytes of its name + 8 if nodes have ids of their own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.catalogue import Catalogue
from doxeval.core.errors import InputError, UsageError, nearest
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged, running_totals
from doxeval.core.strings import Strings, codes_in, index_of
from doxeval.kernels import nodes as kernel
from doxeval.tables.glimpse import FirstRows, Glimpsed, clipped
from doxeval.tables.places import AREA, CHARACTERS, LINES, split_point, steps

if TYPE_CHECKING:
    from doxeval.tables.line_map import LineMap

NODES_SEARCHED_FOR_HINTS = 5000
SOURCE_FILE, FUNCTION, METHOD = "file", "function", "method"
"""Tags of source code: its root, functions, and functions in classes."""

Codes = int | np.ndarray
"""One index, or a column of them."""


@dataclass(eq=False)
class Documents(Glimpsed):
    """A collection of documents; see the module's docstring for the columns.

    `tags` is the table behind the tag codes; `node_ids` and `text` are None if nothing was given;
    `node_length` is None if every node's length is end - start; `metadata` holds a JSON object for each
    document, or nothing. The root has depth 1. `marked` says which documents' files begin with a byte order
    mark, which is no part of the text; None if none does. `files` says which file each document was read
    from; an index does not keep it. `index_path` is the file behind the columns, if they are those of an
    index. Documents counted in lines (:mod:`doxeval.tables.line_map`) have `lines`, which hold those in
    characters, with the text; documents measured in area (:mod:`doxeval.tables.page_cells`) have those in
    `pages`.
    """

    ids: Strings
    length: np.ndarray
    node_offset: np.ndarray
    parent: np.ndarray
    tag: np.ndarray
    depth: np.ndarray
    start: np.ndarray
    end: np.ndarray
    tags: list[str]
    node_length: np.ndarray | None = None
    node_ids: Strings | None = None
    text: Strings | None = None
    metadata: Strings | None = None
    marked: np.ndarray | None = None
    files: Strings | None = None
    source: str = ""
    lines: LineMap | None = None
    pages: Documents | None = None
    notices: Notices = field(default_factory=Notices)
    index_path: Path | None = field(default=None, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        kept = "with" if self.text is not None else "without"
        held = f"{counted(len(self), 'document')}, {counted(len(self.parent), 'node')}"
        return f"<Documents: {held}, {kept} text>"

    def _first_rows(self, count: int) -> FirstRows:
        text = self.in_characters.text
        rows = [
            [self.ids[doc], f"{self.length[doc]:,}", f"{self.node_offset[doc + 1] - self.node_offset[doc]:,}"]
            + ([] if text is None else [clipped(text[doc])])
            for doc in range(min(count, len(self)))
        ]
        return (
            ["document", self.unit, "nodes", *([] if text is None else ["text"])],
            rows,
            len(self),
            "documents",
        )

    @property
    def unit(self) -> str:
        """The unit in which lengths and extents are counted."""
        if self.pages is not None:
            return AREA
        return CHARACTERS if self.lines is None else LINES

    @property
    def in_characters(self) -> Documents:
        """The same documents counted in characters."""
        if self.pages is not None:
            return self.pages
        return self if self.lines is None else self.lines.documents

    @cached_property
    def catalogue(self) -> Catalogue:
        """The documents by all the names they may have."""
        return Catalogue(self.ids)

    def told_of(self, doc: int) -> dict[str, Any]:
        """The metadata of a document: texts, numbers and flags by name."""
        told = self.metadata[doc] if self.metadata is not None else ""
        try:
            found = json.loads(told or "{}")
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise InputError(
                f"{self.source}: damaged: the metadata of document {self.ids[doc]!r} is not an object"
            )
        return found

    def is_source(self, doc: int) -> bool:
        """Whether a document is a file of source code."""
        return self.tags[self.tag[self.node_offset[doc]]] == SOURCE_FILE

    def symbols(self, doc: int) -> list[tuple[str, int, int]]:
        """The classes and functions of source code: name, start and end, outer ones first."""
        if self.node_ids is None or not self.is_source(doc):
            return []
        rows = self.nodes.slice(doc)
        extents = zip(self.start[rows].tolist(), self.end[rows].tolist(), strict=True)
        return [(name, *extent) for name, extent in zip(self.node_ids[rows], extents, strict=True) if name]

    def codes(self, names: Sequence[str]) -> np.ndarray:
        """The index of each document by its own name, -1 if there is none."""
        return self.ids.codes(names).astype(np.int64)

    @cached_property
    def nodes(self) -> Ragged:
        """The rows of the node columns of each document."""
        return Ragged(self.node_offset)

    def rows(self, docs: Codes, nodes: Codes) -> np.ndarray:
        """The rows of nodes in the node columns; both arguments are numbers or arrays, broadcast by numpy."""
        return self.node_offset[docs] + np.asarray(nodes)

    def extent(self, docs: Codes, nodes: Codes) -> tuple[np.ndarray, np.ndarray]:
        """The starts and ends of nodes."""
        rows = self.rows(docs, nodes)
        return self.start[rows], self.end[rows]

    def lengths(self, docs: Codes, nodes: Codes) -> np.ndarray:
        """The lengths of nodes: as given, or else end - start."""
        rows = self.rows(docs, nodes)
        return self.end[rows] - self.start[rows] if self.node_length is None else self.node_length[rows]

    def path(self, doc: int, node: int) -> str:
        """A node's path; a step's index counts the siblings that share its tag."""
        base, stop = self.node_offset[doc], self.node_offset[doc + 1]
        parent, tag = self.parent[base:stop], self.tag[base:stop]
        found = []
        while node >= 0:
            above = parent[node]
            like = (parent[max(above, 0) : node + 1] == above) & (tag[max(above, 0) : node + 1] == tag[node])
            found.append(f"/{self.tags[tag[node]]}[{np.count_nonzero(like)}]")
            node = int(above)
        return "".join(reversed(found))

    def find(self, doc: int, name: str) -> int:
        """The node with that id or path, -1 if there is none."""
        return int(self.resolve(np.array([doc]), [name], np.array([0]))[0])

    def node_named(self, doc: int, name: str) -> int:
        """The node with that id or path; an error with the nearest ones if there is none."""
        node = self.find(doc, name)
        if node < 0:
            raise UsageError(f"document {self.ids[doc]!r} has no node {name!r}{self.hint(doc, name)}")
        return node

    def hint(self, doc: int, name: str) -> str:
        """A hint about an unknown name: how far its path leads, or which ids are near."""
        wanted = steps(name)
        for kept in range(len(wanted) - 1, 0, -1):
            prefix = "".join(f"/{tag}[{index}]" for tag, index in wanted[:kept])
            if (node := self.find(doc, prefix)) >= 0:
                return f"; {prefix} exists, {self._children_told(doc, node)}"
        if wanted:
            return f"; its root is {self.path(doc, 0)}"
        base = self.node_offset[doc]
        stop = min(self.node_offset[doc + 1], base + NODES_SEARCHED_FOR_HINTS)
        return nearest(name, self.node_ids[base:stop]) if self.node_ids is not None else ""

    def _children_told(self, doc: int, node: int) -> str:
        tags, counts = np.unique(self.tag[self.rows(doc, self.children(doc, node))], return_counts=True)
        if not len(tags):
            return "and has no children"
        held = (f"{count} {self.tags[tag]}" for tag, count in zip(tags, counts, strict=True))
        return f"with {', '.join(held)} in it"

    def children(self, doc: int, node: int) -> np.ndarray:
        """The children of a node, in order."""
        base, stop = self.node_offset[doc], self.node_offset[doc + 1]
        return np.flatnonzero(self.parent[base:stop] == node)

    def nested(self, docs: Codes, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Whether one of two nodes holds the other, or both are the same.

        Extents decide, and the order of the nodes if extents are equal; only if the inner node has no text
        must its ancestors be checked.
        """
        base = self.node_offset[docs]
        outer, inner = base + np.minimum(first, second), base + np.maximum(first, second)
        holds = (self.start[inner] >= self.start[outer]) & (self.end[inner] <= self.end[outer])
        unsure = np.flatnonzero(holds & (self.start[inner] == self.end[inner]))
        if len(unsure):
            climber, goal, base = inner[unsure], outer[unsure], np.broadcast_to(base, inner.shape)[unsure]
            while (below := self.depth[climber] > self.depth[goal]).any():
                climber = np.where(below, base + self.parent[climber], climber)
            holds[unsure] = climber == goal
        return holds

    def node_told(self, row: int) -> str:
        """A node, given by its row in the columns, for messages: its document, its id or else its path."""
        doc = int(np.searchsorted(self.node_offset, row, side="right")) - 1
        name = self.node_ids[row] if self.node_ids is not None else ""
        return f"{self.ids[doc]}: {name or self.path(doc, int(row - self.node_offset[doc]))}"

    def labels(self, doc: int) -> list[str]:
        """Short names of a document's nodes: ids, or else e1, e2, ... in document order."""
        return [name or f"e{at}" for at, name in enumerate(self._ids_in(doc), 1)]

    def names_of_nodes(self, doc: int) -> list[str]:
        """The id, or else the path, of every node of a document."""
        return [name or self.path(doc, node) for node, name in enumerate(self._ids_in(doc))]

    def _ids_in(self, doc: int) -> Sequence[str]:
        return (
            [""] * self.nodes.counts[doc] if self.node_ids is None else self.node_ids[self.nodes.slice(doc)]
        )

    def resolve(self, docs: np.ndarray, names: Sequence[str], codes: np.ndarray) -> np.ndarray:
        """The node called `names[codes[i]]` in document `docs[i]`: by id or, from a `/` on, by path.

        -1 if the document (-1) or the name is unknown. Each name is looked up once per document. A
        missing index in a path means [1], a trailing `text()` step the element it is in.
        """
        docs, codes = self._checked(docs), _as_offsets(codes)
        known = (docs >= 0) & (codes >= 0)
        pairs = docs[known] * max(1, len(names)) + codes[known]
        distinct, place = np.unique(pairs, return_inverse=True)
        doc, code = np.divmod(distinct, max(1, len(names)))
        nodes = self._by_id(doc, names, code)
        missing = nodes < 0
        nodes[missing] = self._by_path(doc[missing], names, code[missing])
        found = np.full(len(known), -1, dtype=np.int64)
        found[known] = nodes[place]
        return found

    def _by_id(self, doc: np.ndarray, names: Sequence[str], code: np.ndarray) -> np.ndarray:
        """Nodes by id; the pairs are sorted by document, whose ids are decoded once."""
        found = np.full(len(doc), -1, dtype=np.int64)
        if self.node_ids is None:
            return found
        groups, begin = np.unique(doc, return_index=True)
        for one, (first, last) in zip(groups, pairwise([*begin, len(doc)]), strict=True):
            ids = index_of(self.node_ids[self.node_offset[one] : self.node_offset[one + 1]])
            ids.pop("", None)
            found[first:last] = codes_in(ids, [names[name] for name in code[first:last]])
        return found

    @cached_property
    def _tag_codes(self) -> dict[str, int]:
        return index_of(self.tags)

    def _by_path(self, doc: np.ndarray, names: Sequence[str], code: np.ndarray) -> np.ndarray:
        """Nodes by path: every distinct path is split once."""
        used, path = np.unique(code, return_inverse=True)
        parts = [steps(names[name]) for name in used]
        flat = [step for part in parts for step in part]
        return kernel.follow_paths(
            self.node_offset,
            self.parent,
            self.tag,
            doc,
            path.astype(np.int64),
            running_totals([len(part) for part in parts]),
            codes_in(self._tag_codes, [tag for tag, _ in flat]),
            np.array([index for _, index in flat], dtype=np.int64),
        )

    def point(self, doc: int, path: str, end: bool = False) -> int:
        """The place in the text that an INEX passage begins or ends at, such as `/a[1]/p[1]/text()[1].22`.

        The number after the dot is the number of characters of the text node before the point. The text
        nodes of an element are the non-empty gaps between its children. A path without `text()` is the
        element's start, or its end if the passage's `end` is wanted. -1 if there is no such place.
        """
        element, text_node, characters = split_point(path)
        node = self.find(doc, element)
        if node < 0:
            return -1
        start, stop = self.extent(doc, node)
        if not text_node:
            return int(stop if end else start)
        starts, ends = self.extent(doc, self.children(doc, node))
        gap_start = np.concatenate([[start], ends])
        gap_end = np.concatenate([starts, [stop]])
        texts = np.flatnonzero(gap_end > gap_start)
        if not 1 <= text_node <= len(texts):
            return -1
        gap = texts[text_node - 1]
        place = gap_start[gap] + characters
        return int(place) if place <= gap_end[gap] else -1

    def cover(self, docs: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each range the maximal nodes inside it, or else the deepest node around it; never empty nodes.

        Returns `(offset, nodes)`: range i has `nodes[offset[i]:offset[i + 1]]`, none if `docs[i]` is -1.
        """
        return kernel.cover(*self._tree, self._checked(docs), _as_offsets(starts), _as_offsets(ends))

    def deepest(self, docs: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """For each range the deepest node that holds it: the root if none does, -1 if `docs[i]` is -1.

        An empty range is held by the node that holds the character after it.
        """
        return kernel.deepest(*self._tree, self._checked(docs), _as_offsets(starts), _as_offsets(ends))

    def _checked(self, docs: np.ndarray) -> np.ndarray:
        """Document indices in the form that kernels need, checked to be within range."""
        docs = _as_offsets(docs)
        if len(docs) and docs.max() >= len(self):
            raise IndexError(f"document {docs.max()} of {len(self)}")
        return docs

    @property
    def _tree(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self.node_offset, self.parent, self.start, self.end


def _as_offsets(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.int64)
