"""Splitters of other libraries and plain functions cut documents; every piece is found where it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

import doxeval as dx

TEXT = "One is here. Two is here. " * 8 + "\n\n" + "The last words stand alone. " * 3
DOCUMENTS = {"a": TEXT, "b": "Another text.\n\nIt is short."}


def pieces(chunks: dx.Chunks) -> list[tuple[str, str]]:
    places = zip(chunks.doc.tolist(), chunks.start.tolist(), chunks.end.tolist(), strict=True)
    return [(name := chunks.docs[doc], DOCUMENTS[name][start:end]) for doc, start, end in places]


def sentences(text: str) -> list[str]:
    return re.findall(r"\S[^.]*\.", text)


@dataclass
class Piece:
    text: str
    start_index: int
    end_index: int


class OfChonkie:
    def chunk(self, text: str) -> list[Piece]:
        return [Piece(found[0], *found.span()) for found in re.finditer(r"\S[^.]*\.", text)]


@pytest.mark.parametrize(
    "splitter",
    [
        sentences,
        OfChonkie(),
        lambda text: [found.span() for found in re.finditer(r"\S[^.]*\.", text)],
        lambda text: ({"text": one} for one in sentences(text)),
    ],
    ids=["texts", "chonkie", "places", "dicts"],
)
def test_repeated_sentences_are_told_apart_by_their_order(splitter) -> None:
    chunks = dx.chunk(DOCUMENTS, cut=splitter)
    assert pieces(chunks) == [(doc, one) for doc, text in DOCUMENTS.items() for one in sentences(text)]
    assert len(set(zip(chunks.doc.tolist(), chunks.start.tolist(), strict=True))) == len(chunks)


def test_splitters_of_langchain() -> None:
    splitters = pytest.importorskip("langchain_text_splitters")
    splitter = splitters.RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=20)
    chunks = dx.chunk(DOCUMENTS, cut=splitter)
    assert pieces(chunks) == [
        (doc, one) for doc, text in DOCUMENTS.items() for one in splitter.split_text(text)
    ]


def test_splitters_of_llama_index() -> None:
    parsers = pytest.importorskip("llama_index.core.node_parser")
    chunks = dx.chunk(DOCUMENTS, cut=parsers.MarkdownNodeParser())
    joined = "".join(text for _, text in pieces(chunks))
    assert "".join(joined.split()) == "".join("".join(DOCUMENTS.values()).split())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"cut": 7}, "not by int"),
        ({"cut": sentences, "size": 9}, "sizes of its own"),
        ({"cut": lambda text: text}, "returned str"),
        ({"cut": lambda text: 1 / 0}, "ZeroDivisionError"),
        ({"cut": lambda text: [(0, 10_000)]}, "does not lie in its"),
    ],
)
def test_what_does_not_cut_is_refused(given: dict, told: str) -> None:
    with pytest.raises(dx.UsageError, match=told):
        dx.chunk(DOCUMENTS, **given)


def test_text_that_a_splitter_adds_is_mentioned_wherever_its_chunks_are_used() -> None:
    chunks = dx.chunk({"d": "Tea is hot."}, cut=lambda text: [f"Chapter 1: {text}"])
    told = "1 chunk has text that is in no document; its size is not counted (d, chunk 1)"
    assert [told in str(lasting) for lasting in chunks.notices.lasting].count(True) == 1


def test_a_piece_is_where_its_text_first_stands() -> None:
    for text in ("Tea. Tea.", "A. Tea. Tea."):
        chunks = dx.chunk({"a": text}, cut=lambda _: ["Tea."])
        assert chunks.start.tolist() == [text.index("Tea.")]
