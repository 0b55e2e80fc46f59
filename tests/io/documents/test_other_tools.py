"""Documents that other tools have taken apart: DoclingDocument JSON and lists of unstructured elements."""

from __future__ import annotations

import json

import doxeval as dx


def reference(path: str) -> dict:
    return {"$ref": path}


DOCLING = {
    "schema_name": "DoclingDocument",
    "version": "1.3.0",
    "name": "paper",
    "body": {"self_ref": "#/body", "children": [reference(f"#/texts/{n}") for n in (0, 1, 2)]
             + [reference("#/groups/0"), reference("#/tables/0"), reference("#/texts/5")]},
    "furniture": {"self_ref": "#/furniture", "children": [reference("#/texts/6")]},
    "groups": [{"self_ref": "#/groups/0", "label": "list",
                "children": [reference("#/texts/3"), reference("#/texts/4")]}],
    "texts": [
        {"self_ref": "#/texts/0", "label": "title", "text": "A paper", "children": []},
        {"self_ref": "#/texts/1", "label": "section_header", "level": 2, "text": "Method", "children": []},
        {"self_ref": "#/texts/2", "label": "text", "text": "We measured.", "children": []},
        {"self_ref": "#/texts/3", "label": "list_item", "text": "first", "children": []},
        {"self_ref": "#/texts/4", "label": "list_item", "text": "second", "children": []},
        {"self_ref": "#/texts/5", "label": "section_header", "level": 2, "text": "Results", "children": []},
        {"self_ref": "#/texts/6", "label": "page_footer", "text": "page 1", "children": []},
    ],
    "tables": [{"self_ref": "#/tables/0", "label": "table", "children": [],
                "data": {"grid": [[{"text": "a"}, {"text": "b"}], [{"text": "1"}, {"text": "2"}]]}}],
    "pictures": [],
}  # fmt: skip
ELEMENTS = [
    {"type": "Title", "element_id": "1", "text": "Manual", "metadata": {"category_depth": 0}},
    {"type": "NarrativeText", "element_id": "2", "text": "Read this.", "metadata": {"parent_id": "1"}},
    {"type": "Title", "element_id": "3", "text": "Reset", "metadata": {"category_depth": 1}},
    {"type": "ListItem", "element_id": "4", "text": "Press the button.", "metadata": {"parent_id": "3"}},
    {"type": "Title", "element_id": "5", "text": "Care", "metadata": {"category_depth": 1}},
]


def read(tmp_path, value) -> dx.Documents:
    (tmp_path / "d.json").write_text(json.dumps(value), encoding="utf-8")
    return dx.read_documents(tmp_path)


def paths(documents: dx.Documents) -> dict[str, str]:
    text = documents.text[0]
    return {
        documents.path(0, node): text[documents.start[node] : documents.end[node]]
        for node in range(len(documents.parent))
    }


def test_docling_gives_sections_lists_and_tables(tmp_path) -> None:
    documents = read(tmp_path, DOCLING)
    assert documents.text[0] == "A paper\nMethod\nWe measured.\nfirst\nsecond\na\tb\n1\t2\nResults"
    found = paths(documents)
    method = "/article[1]/sec[1]/sec[1]"
    assert found[f"{method}/p[1]"] == "We measured."
    assert found[f"{method}/list[1]/item[2]"] == "second"
    assert found[f"{method}/table[1]"] == "a\tb\n1\t2"
    assert found["/article[1]/sec[1]/sec[2]/title[1]"] == "Results"
    assert not any("page 1" in text for text in found.values())


def test_a_docling_document_with_a_reference_to_nothing_is_refused(tmp_path) -> None:
    (tmp_path / "good.md").write_text("text")
    documents = read(tmp_path, DOCLING | {"texts": []})
    assert list(documents.ids) == ["good"]
    assert "reference to nothing" in " ".join(map(str, documents.notices))


def test_unstructured_elements_nest_by_their_titles(tmp_path) -> None:
    documents = read(tmp_path, ELEMENTS)
    assert documents.text[0] == "Manual\nRead this.\nReset\nPress the button.\nCare"
    found = paths(documents)
    assert found["/article[1]/sec[1]/p[1]"] == "Read this."
    assert found["/article[1]/sec[1]/sec[1]/item[1]"] == "Press the button."
    assert found["/article[1]/sec[1]/sec[2]"] == "Care"


def test_results_on_such_trees_are_scored(tmp_path) -> None:
    documents = read(tmp_path, ELEMENTS)
    answers = [{"topic": "t", "doc": "d", "quote": "Press the button."}]
    run = [{"topic": "t", "doc": "d", "rank": 1, "path": "/article[1]/sec[1]/sec[1]"}]
    assert dx.evaluate({"run": run}, answers, "iR@1", documents).value("run", "iR@1") == 1.0
