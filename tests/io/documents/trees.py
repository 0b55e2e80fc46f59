"""Random documents with known trees, shared by the tests of this folder."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

from doxeval.io.documents.index import load_documents
from doxeval.tables.documents import Documents

TAGS = ["article", "sec", "p", "b"]


@dataclass
class Element:
    tag: str
    content: list = field(default_factory=list)


TEXTS = st.text(alphabet="ab \n&<>é😀]\u0301", min_size=1, max_size=6)
ELEMENTS = st.recursive(
    st.builds(Element, st.sampled_from(TAGS), st.lists(TEXTS, max_size=2)),
    lambda inner: st.builds(Element, st.sampled_from(TAGS), st.lists(st.one_of(TEXTS, inner), max_size=5)),
    max_leaves=12,
)


def flatten(element: Element, text: list[str], rows: list[tuple], parent: int = -1) -> None:
    """Preorder rows (parent, tag, start, end) by plain recursion."""
    at = len(rows)
    start = sum(map(len, text))
    rows.append((parent, element.tag, start, -1))
    for part in element.content:
        if isinstance(part, str):
            text.append(part)
        else:
            flatten(part, text, rows, at)
    rows[at] = (parent, element.tag, start, sum(map(len, text)))


def native(element: Element, doc: str = "d") -> dict:
    text: list[str] = []
    rows: list[tuple] = []
    flatten(element, text, rows)
    nodes = [
        {"id": f"n{at}", "parent": f"n{parent}" if parent >= 0 else None, "tag": tag, "start": a, "end": b}
        for at, (parent, tag, a, b) in enumerate(rows)
    ]
    return {"doc": doc, "text": "".join(text), "nodes": nodes}


def rows_of(documents: Documents, doc: int = 0) -> list[tuple]:
    rows = range(documents.node_offset[doc], documents.node_offset[doc + 1])
    return [
        (
            int(documents.parent[row]),
            documents.tags[documents.tag[row]],
            int(documents.start[row]),
            int(documents.end[row]),
        )
        for row in rows
    ]


def contents(documents: Documents) -> list:
    """Everything a collection says, for comparing two of them."""
    return [
        (
            documents.ids[doc],
            int(documents.length[doc]),
            rows_of(documents, doc),
            documents.depth[documents.node_offset[doc] : documents.node_offset[doc + 1]].tolist(),
            documents.text[doc] if documents.text is not None else None,
            documents.node_ids[documents.node_offset[doc] : documents.node_offset[doc + 1]]
            if documents.node_ids is not None
            else None,
            documents.lengths(
                doc, range(documents.node_offset[doc + 1] - documents.node_offset[doc])
            ).tolist(),
        )
        for doc in range(len(documents))
    ]


def one(element: Element) -> Documents:
    return load_documents([native(element)])
