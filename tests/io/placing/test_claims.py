"""What loaders say about the place of a chunk decides between places with the same text."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import doxeval as dx
from doxeval.core.notices import Notices
from doxeval.ground.locate import place_texts
from doxeval.io.placing.claims import Claim, claim_of
from doxeval.io.placing.place_chunks import Chunk, place_chunks
from tests.io.documents.pdf_files import pdf_of

WORDS = ["annual", "report", "revenue", "income", "note", "total", "year", "cash", "flow", "tax", "share"]
FRONT = 2
"""Pages that are labelled i, ii, ... before the page labelled 1."""


def pages_of(seed: int) -> list[list[str]]:
    """Pages of lines, many of which stand on other pages too."""
    dice = random.Random(seed)
    common = [" ".join(dice.choices(WORDS, k=6)) for _ in range(12)]
    pages = []
    for _ in range(8):
        lines = ["ACME Corporation annual report"]
        while len(lines) < 17:
            at = dice.randrange(9)
            lines += common[at : at + 3] if dice.random() < 0.4 else [" ".join(dice.choices(WORDS, k=6))]
        pages.append(lines[:17])
    return pages


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dx.Documents:
    pytest.importorskip("pypdfium2")
    folder = tmp_path_factory.mktemp("reports")
    for seed in range(8):
        (folder / f"r{seed}.pdf").write_bytes(pdf_of(pages_of(seed)))
    return dx.read_documents(folder)


def chunks_of(documents: dx.Documents, size: int) -> list[dict[str, Any]]:
    """The chunks of every page, with everything that any loader says about them."""
    found = []
    for code, name in enumerate(documents.ids):
        begin, number = 0, 0
        for page, text in enumerate(documents.text[code].split("\f")):
            for start in range(0, len(text), size):
                if (words := text[start : start + size]).strip():
                    found.append(
                        {"doc": name, "text": words, "page": page, "start": start, "at": begin + start,
                         "number": number, "id": f"{name}-{number}"}
                    )  # fmt: skip
                    number += 1
            begin += len(text) + 1
    return found


def _langchain(chunk: dict[str, Any]) -> Any:
    metadata = {"source": f"/data/{chunk['doc']}.pdf", "page": chunk["page"], "start_index": chunk["start"]}
    return SimpleNamespace(page_content=chunk["text"], metadata=metadata)


def _langchain_without_offsets(chunk: dict[str, Any]) -> Any:
    metadata = {"source": f"/data/{chunk['doc']}.pdf", "page": chunk["page"]}
    return SimpleNamespace(page_content=chunk["text"], metadata=metadata)


def _label(page: int) -> str:
    return ["i", "ii"][page] if page < FRONT else str(page + 1 - FRONT)


def _llama_index(chunk: dict[str, Any]) -> Any:
    return SimpleNamespace(
        text=chunk["text"],
        metadata={"page_label": _label(chunk["page"]), "file_name": f"{chunk['doc']}.pdf"},
        start_char_idx=chunk["start"], end_char_idx=chunk["start"] + len(chunk["text"]), node_id=chunk["id"],
    )  # fmt: skip


def _haystack(chunk: dict[str, Any]) -> Any:
    meta = {"file_path": f"{chunk['doc']}.pdf", "page_number": chunk["page"] + 1, "split_id": chunk["number"]}
    return SimpleNamespace(content=chunk["text"], meta=meta, score=0.5)


def _unstructured(chunk: dict[str, Any]) -> Any:
    metadata = {"filename": f"{chunk['doc']}.pdf", "page_number": chunk["page"] + 1}
    return {"text": chunk["text"], "metadata": metadata}


def _docling(chunk: dict[str, Any]) -> Any:
    prov = [{"page_no": chunk["page"] + 1, "bbox": {"l": 0, "t": 0, "r": 1, "b": 1}}]
    meta = {"origin": {"filename": f"{chunk['doc']}.pdf"}, "doc_items": [{"self_ref": "#/x", "prov": prov}]}
    return SimpleNamespace(page_content=chunk["text"], metadata={"dl_meta": meta})


LOADERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "langchain": _langchain,
    "langchain without offsets": _langchain_without_offsets,
    "llama-index": _llama_index,
    "haystack": _haystack,
    "unstructured": _unstructured,
    "docling": _docling,
}
EXTRACTIONS: dict[str, Callable[[str], str]] = {
    "the same text": lambda text: text,
    "other white space": lambda text: text.replace("\n", "  \n "),
}


def page_at(documents: dx.Documents, doc: int, start: int) -> int:
    return documents.text[doc].count("\f", 0, start)


@pytest.mark.parametrize("size", [60, 200, 600])
@pytest.mark.parametrize("extraction", EXTRACTIONS)
@pytest.mark.parametrize("loader", LOADERS)
def test_no_chunk_lands_on_a_wrong_page(
    loader: str, extraction: str, size: int, reports: dx.Documents
) -> None:
    chunks = chunks_of(reports, size)
    answers = {
        str(at): [LOADERS[loader](chunk | {"text": EXTRACTIONS[extraction](chunk["text"])})]
        for at, chunk in enumerate(chunks)
    }
    run = dx.retrieve(lambda question: answers[question], {name: name for name in answers}, reports, k=1)
    docs = reports.codes([run.docs[code] for code in run.doc.tolist()])
    wrong = [
        at
        for at, chunk in enumerate(chunks)
        if page_at(reports, int(docs[at]), int(run.start[at])) != chunk["page"]
    ]
    assert not wrong and reports.ids[docs[0]] == chunks[0]["doc"]
    if loader == "langchain" and extraction == "the same text":
        assert run.start.tolist() == [chunk["at"] for chunk in chunks] and not run.notices.failures


def test_native_results_and_traces_state_pages_too(reports: dx.Documents) -> None:
    chunks = chunks_of(reports, 60)
    rows = [
        {"topic": str(at), "doc": chunk["doc"], "rank": 1, "text": chunk["text"], "page": chunk["page"] + 1}
        for at, chunk in enumerate(chunks)
    ]
    spans = [
        {"name": "r", "context": {"trace_id": "1", "span_id": str(at)}, "parent_id": None, "attributes": {
            "openinference.span.kind": "RETRIEVER", "input.value": str(at),
            "retrieval.documents.0.document.content": chunk["text"],
            "retrieval.documents.0.document.metadata": json.dumps(_langchain(chunk).metadata)}}
        for at, chunk in enumerate(chunks)
    ]  # fmt: skip
    traces = "".join(json.dumps(span) + "\n" for span in spans).encode()
    for data in (rows, traces):
        run = place_texts(dx.read_run(data), reports, Notices())
        docs = reports.codes([run.docs[code] for code in run.doc.tolist()])
        found = [
            page_at(reports, doc, start) for doc, start in zip(docs.tolist(), run.start.tolist(), strict=True)
        ]
        assert found == [chunk["page"] for chunk in chunks]


def test_a_page_that_contradicts_the_text_is_told(tmp_path: Path) -> None:
    documents = dx.read_documents({"d": "First words here.\fSecond words there.\fThird words, too."})
    answer = {"text": "Second words", "doc": "d", "page_number": 3}
    other = {"text": "Third words", "doc": "d", "page_number": 3}
    run = dx.retrieve(lambda _: [answer, other], {"q": "?"}, documents)
    assert run.start.tolist() == [18, 38]
    told = " ".join(map(str, run.notices))
    assert "1 of 2 chunks (50.0%) is not on the page that its metadata says" in told


TEXT = "Alpha one. Same words. Beta two. Same words. Gamma three. Same words. Delta four."
PLACES = [11, 33, 58]


def placed(*chunks: Chunk, documents: dx.Documents | None = None) -> tuple[list[int], str]:
    notices = Notices()
    known = documents or dx.read_documents({"d": TEXT})
    found = place_chunks(
        chunks, [str(at) for at in range(len(chunks))], known, notices, "run", dx.read_layout
    )
    return found.start.tolist(), " ".join(map(str, notices))


@pytest.mark.parametrize("which", range(3))
def test_neighbours_decide(which: int) -> None:
    names = ("d",)
    firsts = ["Alpha one.", "Beta two.", "Gamma three.", "Delta four."]
    before = Chunk(firsts[which], names, claim=Claim(order=2 * which, own=f"n{2 * which}"))
    after = Chunk(firsts[which + 1], names, claim=Claim(order=2 * which + 2, own=f"n{2 * which + 2}"))
    by_number = Chunk("Same words.", names, claim=Claim(order=2 * which + 1))
    for chunks in ((before, by_number, after), (before, by_number), (by_number, after)):
        starts, told = placed(*chunks)
        assert starts[chunks.index(by_number)] == PLACES[which] and "several" not in told
    by_link = Chunk("Same words.", names, claim=Claim(before=f"n{2 * which}", after=f"n{2 * which + 2}"))
    for chunks in ((before, by_link, after), (before, by_link), (by_link, after)):
        assert placed(*chunks)[0][chunks.index(by_link)] == PLACES[which]
    starts, told = placed(Chunk("Same words.", names))
    assert starts == [PLACES[0]] and "occurs several times; the first place is used" in told


@pytest.mark.parametrize("which", range(3))
def test_offsets_that_are_nearly_right_decide(which: int) -> None:
    place = PLACES[which] + 3
    starts, told = placed(Chunk("Same words.", ("d",), place, place + 11))
    assert starts == [PLACES[which]] and "not where its metadata says" in told


def test_sections_and_elements_decide() -> None:
    text = "# Setup\n\nPress the button.\n\n# Use\n\nPress the button.\n\n# End\n\nDone."
    documents = dx.read_documents([{"doc": "d", "text": text, "nodes": [
        {"id": "r", "start": 0, "end": len(text)},
        {"id": "a", "parent": "r", "tag": "title", "start": 0, "end": 7},
        {"id": "b", "parent": "r", "tag": "p", "start": 9, "end": 26},
        {"id": "c", "parent": "r", "tag": "title", "start": 28, "end": 33},
        {"id": "e", "parent": "r", "tag": "p", "start": 35, "end": 52}]}])  # fmt: skip
    for claim, place in (
        (claim_of({"Header 1": "Use"}), 35),
        (claim_of({"header_path": "/Manual/Use/"}), 35),
        (claim_of({"section": "Setup"}), 9),
        (claim_of({"element_id": "e"}), 35),
        (claim_of({"dl_meta": {"headings": ["Manual", "Use"], "doc_items": []}}), 35),
    ):
        starts, told = placed(Chunk("Press the button.", ("d",), claim=claim), documents=documents)
        assert starts == [place] and "several" not in told


def test_boxes_decide(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    (tmp_path / "d.pdf").write_bytes(pdf_of([["Same words", "Other words", "Same words"]]))
    documents = dx.read_documents(tmp_path)
    layout = dx.read_layout(tmp_path / "d.pdf")
    for place in (0, documents.text[0].rindex("Same")):
        [(page, (left, bottom, right, top))] = layout.boxes(place, place + 10)
        box = {"l": left, "b": bottom, "r": right, "t": top, "coord_origin": "BOTTOMLEFT"}
        claim = claim_of({"dl_meta": {"doc_items": [{"prov": [{"page_no": page, "bbox": box}]}]}})
        assert placed(Chunk("Same words", ("d",), claim=claim), documents=documents)[0] == [place]


def test_claims_survive_the_cache(tmp_path: Path) -> None:
    documents = dx.read_documents({"d": "One thing.\fSame.\fSame."})
    answer = {"text": "Same.", "doc": "d", "page_number": 3, "Header 1": "x"}
    for _ in range(2):
        run = dx.retrieve(lambda _: [answer], {"q": "?"}, documents, cache=tmp_path / "cache.jsonl")
        assert run.start.tolist() == [17]
