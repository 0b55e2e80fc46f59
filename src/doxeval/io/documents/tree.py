"""One parsed document, and many of them as columns; decoding, and documents that are refused.

Everything here is shared by the parsers. A document that cannot be read is left out and reported with its
place, and the others are kept.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from doxeval.core.errors import UNREADABLE, InputError, PlugInFailed, raise_with_place
from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.core.strings import Strings
from doxeval.io.limits import MOST_DEPTH, Limits
from doxeval.kernels import nodes as kernel
from doxeval.tables.documents import Documents

ROOT = "article"
"""The tag of the root if the format itself names none."""
NOT_TEXT = "not readable as text"
REFUSED = "{{count}} {{document|documents}} refused: {kind}"


class Refused(InputError):
    """A document that is left out: `kind` is the kind of problem, `detail` what is wrong with this one."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind
        self.detail = detail

    def __reduce__(self) -> tuple[type[Refused], tuple[str, str]]:
        """Allow the error to be sent back from another process."""
        return Refused, (self.kind, self.detail)


def refuse(refusal: Refused, place: str, notices: Notices) -> None:
    """Add a notice about a document that is left out."""
    example = f"{place}: {refusal.detail}" if refusal.detail else place
    notices.add(REFUSED.format(kind=refusal.kind), example)


@contextmanager
def refused_alone(place: str, notices: Notices) -> Iterator[None]:
    """Leave out a document whose parser fails, and keep the others."""
    try:
        yield
    except Refused as refusal:
        refuse(refusal, place, notices)
    except BaseException as problem:
        refuse(_refusal_of(problem, place), place, notices)


def _refusal_of(problem: BaseException, place: str) -> Refused:
    """The refusal that a failure of a parser amounts to; what is no such failure is raised again."""
    try:
        raise_with_place(problem, place)
        raise problem
    except PlugInFailed as failure:
        return Refused(f"the plug-in {failure.plug_in} failed", failure.reason)
    except InputError as failure:
        return Refused(UNREADABLE, str(failure).removeprefix(f"{place}: ").removeprefix(f"{UNREADABLE}: "))


def decode(data: bytes, encoding: str = "utf-8") -> str:
    """The text without its byte order mark, which takes precedence over the encoding named."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif data.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        found = data[problem.start : problem.start + 1].hex()
        raise Refused(
            NOT_TEXT, f"line {line}: byte 0x{found} at {problem.start} is not {encoding.upper()}"
        ) from None
    if "\0" in text:
        raise Refused(NOT_TEXT, f"a NUL character at {text.index(chr(0))}; is it a binary file?")
    return text


class TagCodes(dict[str, int]):
    """Codes for tags, numbered in the order in which they first occur.

    >>> codes = TagCodes()
    >>> codes["sec"], codes["p"], codes["sec"]
    (0, 1, 0)
    """

    def __missing__(self, tag: str) -> int:
        self[tag] = code = len(self)
        return code


@dataclass
class Tree:
    """One document: its node columns in document order, its length, and its text if it has one."""

    parent: np.ndarray
    tag: np.ndarray
    depth: np.ndarray
    start: np.ndarray
    end: np.ndarray
    length: int
    text: str | None = None
    node_length: np.ndarray | None = None
    node_ids: list[str] | None = None
    doc: str = ""
    origin: str = ""
    metadata: str = ""
    marked: bool = False


class Events(kernel.Tags):
    """A document as a parser reads it: tags opened and closed, with pieces of text between them."""

    def tree(self, limits: Limits) -> Tree:
        """The node columns and the text."""
        (parent, tag, depth, start, end), text = self.columns()
        return Tree(parent, tag, checked_depth(depth, limits), start, end, len(text), text)


def too_many_nodes(count: int, limits: Limits) -> Refused:
    """The refusal of a document with that many nodes."""
    return Refused(f"more than {limits.nodes:,} nodes", f"{count:,} nodes; the limit is --max-nodes")


def checked_depth(depth: np.ndarray, limits: Limits) -> np.ndarray:
    """Depths as stored in their column; a tree deeper or larger than allowed is refused."""
    if len(depth) > limits.nodes:
        raise too_many_nodes(len(depth), limits)
    deepest, most = int(depth.max()), min(limits.depth, MOST_DEPTH)
    if deepest > most:
        raise Refused(f"nested deeper than {most:,} levels", f"{deepest:,} levels; the limit is --max-depth")
    return depth.astype(np.int16)


def tree_of_nodes(
    parents: Sequence[int],
    tags: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    length: int,
    limits: Limits,
) -> Tree:
    """A tree from columns that are in document order already."""
    parent = np.array(parents, dtype=np.int32)
    depth = kernel.depths(np.array([0, len(parent)], dtype=np.int64), parent)
    return Tree(
        parent,
        np.array(tags, dtype=np.int32),
        checked_depth(depth, limits),
        np.array(starts, dtype=np.int64),
        np.array(ends, dtype=np.int64),
        length,
    )


def gather(trees: Sequence[Tree], tags: TagCodes, notices: Notices, keep_text: bool = True) -> Documents:
    """Join trees into one collection; lengths, ids, texts and metadata only if some tree has them."""

    def column(name: str, dtype: type) -> np.ndarray:
        return np.concatenate([np.zeros(0, dtype), *(getattr(tree, name) for tree in trees)], dtype=dtype)

    return Documents(
        ids=Strings.of(tree.doc for tree in trees),
        length=np.array([tree.length for tree in trees], dtype=np.int64),
        node_offset=Ragged.of_counts([len(tree.parent) for tree in trees]).offset,
        parent=column("parent", np.int32),
        tag=column("tag", np.int32),
        depth=column("depth", np.int16),
        start=column("start", np.int64),
        end=column("end", np.int64),
        tags=list(tags),
        node_length=_node_lengths(trees),
        node_ids=_node_ids(trees),
        text=_texts_of_trees(trees) if keep_text else None,
        metadata=Strings.of(told) if any(told := [tree.metadata for tree in trees]) else None,
        marked=np.array(marks) if any(marks := [tree.marked for tree in trees]) else None,
        notices=notices,
    )


def _node_lengths(trees: Sequence[Tree]) -> np.ndarray | None:
    if all(tree.node_length is None for tree in trees):
        return None
    return np.concatenate(
        [tree.end - tree.start if tree.node_length is None else tree.node_length for tree in trees]
    )


def _node_ids(trees: Sequence[Tree]) -> Strings | None:
    if all(tree.node_ids is None for tree in trees):
        return None
    return Strings.of(name for tree in trees for name in (tree.node_ids or [""] * len(tree.parent)))


def _texts_of_trees(trees: Sequence[Tree]) -> Strings | None:
    """The texts, empty for documents without one."""
    if all(tree.text is None for tree in trees):
        return None
    return Strings.of(tree.text or "" for tree in trees)
