"""Small inputs that ask for much: refused within seconds and within little memory, the option named."""

from __future__ import annotations

import json
from typing import Any

import pytest

import doxeval
from doxeval.core.errors import InputError
from doxeval.io.documents.index import index
from doxeval.io.documents.parser import PARSERS
from doxeval.io.limits import MOST_DEPTH, Limits
from tests.robustness.bombs import BOMBS, cells, cost, docling, sparse_scores

MEMORY = 1 << 30
SECONDS = 60
"""Of processor time, which other processes take nothing of."""


HARMFUL = {
    "name of a member of a tar.gz": (512, "--max-header-size"),
    "member of a zip file": (100, "--max-archive-ratio"),
    "Docling items, each listing the next twice": (60, "occurs twice"),
    "Docling items in a circle": (2000, "occurs twice"),
    "HTML formatting in every paragraph": (1500, "--max-nodes"),
    "HTML options of a list": (50_000, "--max-siblings"),
    "HTML attributes of a tag": (40_000, "--max-siblings"),
    "XML elements": (2_100_000, "--max-nodes"),
    "XML elements in one another": (50_000, "--max-depth"),
    "XML entities": (10**7, "entities that are not expanded"),
}


@pytest.mark.parametrize("what", HARMFUL)
def test_bombs_are_refused_and_the_rest_is_read(what, tmp_path):
    size, told = HARMFUL[what]
    (tmp_path / "docs").mkdir()
    BOMBS[what].plant(tmp_path / "docs", size)
    (tmp_path / "docs" / "good.txt").write_text("good")
    found = cost(["index", "docs", "--jobs", "1", "-o", "c.dox"], tmp_path, MEMORY)
    assert found.seconds < SECONDS
    assert found.status == 0 and "Traceback" not in found.told, found.told
    assert told in found.told and "1 document," in found.told


def test_limits_can_be_raised(tmp_path):
    (tmp_path / "a.html").write_text("<select>" + "<option>a" * 300)
    with pytest.raises(InputError, match="--max-siblings"):
        index(tmp_path, limits=Limits(siblings=200))
    with pytest.raises(InputError, match="--max-nodes"):
        index(tmp_path, limits=Limits(nodes=200))
    assert len(index(tmp_path, limits=Limits(siblings=300, nodes=400)).parent) > 300


@pytest.mark.parametrize("levels", [1000, 5000, 40_000])
def test_docling_documents_are_as_deep_as_is_allowed(levels, tmp_path):
    (tmp_path / "a.json").write_bytes(docling({at: [at + 1] for at in range(levels - 1)} | {levels - 1: []}))
    with pytest.raises(InputError, match=f"{levels + 1:,} levels; the limit is --max-depth"):
        index(tmp_path)
    if levels < MOST_DEPTH:
        assert index(tmp_path, limits=Limits(depth=levels + 1)).depth.max() == levels + 1


@pytest.mark.parametrize("odd", [5, "x", [1], {"a": 1}, None, 1e308, True, 10**30])
def test_documents_of_another_shape_cost_themselves_only(odd, tmp_path):
    whole = {"schema_name": "DoclingDocument", "body": {"children": [{"$ref": "#/texts/0"}]}}
    item = {"label": "section_header", "text": "x", "level": 1, "children": [], "data": {}}
    shapes: list[Any] = [
        {**whole, "texts": odd},
        {**whole, "body": odd},
        {**whole, "body": {"children": odd}},
    ]
    shapes += [{**whole, "texts": [{**item, key: odd}]} for key in item]
    shapes += [
        {**whole, "texts": [{"label": "table", "data": {"grid": shape}}]} for shape in (odd, [odd], [[odd]])
    ]
    element = {"type": "Title", "text": "x", "element_id": "1", "metadata": {}}
    shapes += [[{**element, key: odd}] for key in element]
    shapes += [[{**element, "metadata": {"category_depth": odd}}]]
    for at, shape in enumerate(shapes):
        (tmp_path / f"{at}.json").write_text(json.dumps(shape))
    (tmp_path / "good.txt").write_text("good")
    assert "good" in index(tmp_path).ids


def test_scores_that_are_nearly_all_missing_are_refused(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes(sparse_scores(1500))
    with pytest.raises(InputError, match="1,500 values of 1,500 runs, 1,500 measures and 1,500 topics"):
        doxeval.read_scores(path)


SLOW = {
    "options.html": b"<select>" + b"<option>a" * 100_000,
    "cells.md": cells(20_000),
}
"""What takes a parser seconds to minutes where no other limit stops it."""
TOO_LITTLE = 0.05
"""Seconds that do on no machine."""


@pytest.mark.parametrize("name", SLOW)
def test_a_document_that_takes_too_long_is_refused(name, tmp_path):
    (tmp_path / name).write_bytes(SLOW[name])
    (tmp_path / "good.txt").write_text("good")
    found = index(tmp_path, limits=Limits(siblings=10**9, nodes=10**9, seconds=TOO_LITTLE))
    assert found.ids.tolist() == ["good"]
    (told,) = found.notices
    assert f"took longer than {TOO_LITTLE} seconds" in str(told)
    assert name in str(told) and "--max-seconds" in str(told)


@pytest.mark.parametrize("suffix", ["xml", "html", "md", "txt", "wiki"])
def test_large_documents_are_parsed_as_small_ones_are(suffix, tmp_path, monkeypatch):
    text = {"xml": "<a><b>x</b>y</a>", "html": "<p>a<b>c</b></p>"}.get(
        suffix, "# Title\n\n== T ==\nsome *text*\n"
    )
    (tmp_path / f"a.{suffix}").write_text(text)
    (tmp_path / f"b.{suffix}").write_text(text.replace("y", "y<c/>"))
    here = index(tmp_path)
    for name in PARSERS:
        monkeypatch.setitem(PARSERS[name].__dict__, "quick", 0)
    there = index(tmp_path)
    for name in ("ids", "text", "tags"):
        assert getattr(here, name) == getattr(there, name)
    for name in ("parent", "tag", "depth", "start", "end"):
        assert getattr(here, name).tolist() == getattr(there, name).tolist()
