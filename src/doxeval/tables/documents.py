"""Documents: node tables in document order, as columns.

Node columns are those of all documents behind one another; document d has nodes `node_offset[d]` to
`node_offset[d + 1]`, its root first, each node before its descendants. Within a document a node is known by
its index from 0 (`parent` holds such indices, -1 for the root). Offsets are Unicode code points of the
document's text. A document without a known tree is one node.

A node costs 26 bytes (parent 4, tag 4, depth 2, start 8, end 8), 8 more where lengths are given that are
not end - start, and its name's bytes + 8 where nodes have ids of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from doxeval.notices import Notices
from doxeval.tables.strings import Strings


@dataclass(eq=False)
class Documents:
    """A collection of documents; see the module's text for the columns.

    `tags` is the table behind the tag codes; `node_ids` and `text` are None where nothing was given;
    `node_length` is None where every node's length is end - start. The root has depth 1.
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
    source: str = ""
    notices: Notices = field(default_factory=Notices)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        kept = "with" if self.text is not None else "without"
        return f"<Documents: {len(self):,} documents, {len(self.parent):,} nodes, {kept} text>"
