"""Chunks that Docling makes, put on the document it made them of."""

from __future__ import annotations

import json
from typing import Any

import pytest

import doxeval as dx

docling = pytest.importorskip("docling_core.types.doc", reason="docling-core is not installed (make browser)")


@pytest.fixture
def made(tmp_path):
    """A document of Docling with sections, a list and a table, as a file and as itself."""
    document = docling.DoclingDocument(
        name="manual",
        origin=docling.DocumentOrigin(mimetype="application/pdf", filename="manual.json", binary_hash=1),
    )
    document.add_title("Returns")
    document.add_heading("How to return goods", level=1)
    document.add_text(
        docling.DocItemLabel.TEXT, "Goods may be sent back within thirty days of the day they arrived."
    )
    group = document.add_list_group()
    for text in ("Pack them well, please, in the box.", "Put the slip on the outside of the box."):
        document.add_list_item(text, parent=group)
    cells = [["Country", "Fee"], ["Norway", "five"], ["Chile", "nine"]]
    grid = [
        docling.TableCell(
            text=text, start_row_offset_idx=row, end_row_offset_idx=row + 1, start_col_offset_idx=column,
            end_col_offset_idx=column + 1, column_header=row == 0,
        )
        for row, line in enumerate(cells) for column, text in enumerate(line)
    ]  # fmt: skip
    document.add_table(docling.TableData(table_cells=grid, num_rows=3, num_cols=2))
    (tmp_path / "manual.json").write_text(json.dumps(document.export_to_dict()))
    return document, dx.read_documents(tmp_path)


def test_chunks_stand_on_their_items(made):
    from docling_core.transforms.chunker.hierarchical_chunker import HierarchicalChunker

    document, documents = made
    chunker = HierarchicalChunker()
    chunks: list[Any] = list(chunker.chunk(document))
    plain = dx.retrieve(lambda question: chunks, {"q": "?"}, documents, k=20)
    told = dx.retrieve(
        lambda question: [
            {"text": chunker.contextualize(chunk), "metadata": {"dl_meta": chunk.meta.export_json_dict()}}
            for chunk in chunks
        ],
        {"q": "?"}, documents, k=20,
    )  # fmt: skip
    text = documents.text[0]
    for run in (plain, told):
        assert list(run.docs) == ["manual"] and len(run) == len(chunks)
        for chunk, start, end in zip(chunks, run.start.tolist(), run.end.tolist(), strict=True):
            items = [documents.find(0, item.self_ref) for item in chunk.meta.doc_items]
            assert min(items) >= 0
            assert start <= min(documents.start[items]) and end == max(documents.end[items]), text[start:end]
            assert run is told or start == min(documents.start[items])


def test_items_are_gold_and_results_by_their_names(made):
    _, documents = made
    gold = [{"topic": "q", "doc": "manual", "node": "#/texts/2", "rel": 1}]
    run = [{"topic": "q", "doc": "manual", "rank": 1, "node": "#/texts/2"}]
    assert dx.evaluate(run, gold, "iP@1 iR@1", documents).value("run", "iR@1") == 1
