"""Small inputs that ask for much: refused within seconds and within little memory, the option named."""

from __future__ import annotations

import gzip
import io
import json
import resource
import subprocess
import sys
import tarfile
import time

import pytest

import doxeval
from doxeval.core.errors import InputError
from doxeval.io.documents.base import PARSERS
from doxeval.io.documents.index import index
from doxeval.io.documents.limits import Limits

MEMORY = 1 << 30
SECONDS = 20


def docling(children: dict[int, list[int]]) -> bytes:
    """A Docling document whose item i lists the given items."""
    texts = [
        {"label": "text", "text": "x", "children": [{"$ref": f"#/texts/{child}"} for child in children[at]]}
        for at in sorted(children)
    ]
    body = {"children": [{"$ref": "#/texts/0"}]}
    return json.dumps({"schema_name": "DoclingDocument", "body": body, "texts": texts}).encode()


def header_bomb() -> bytes:
    """A tar.gz whose one member has a name of 512 MiB."""
    member = tarfile.TarInfo("pax")
    member.type, member.size = tarfile.XHDTYPE, 512 << 20
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as stream:
        stream.write(member.tobuf(tarfile.USTAR_FORMAT))
        for _ in range(512):
            stream.write(b"a" * (1 << 20))
    return packed.getvalue()


BOMBS = {
    "twice.json": (docling({**{at: [at + 1, at + 1] for at in range(60)}, 60: []}), "two places"),
    "itself.json": (docling({0: [0]}), "two places"),
    "formatting.html": (
        b"<p>" + b"".join(b"<b id=%d>" % at for at in range(1500)) + b"</p>" + b"<p>x</p>" * 1500,
        "--max-nodes",
    ),
    "options.html": (b"<select>" + b"<option>a" * 50_000, "--max-siblings"),
    "attributes.html": (b"<p " + b" ".join(b"a%d=1" % at for at in range(40_000)) + b">x", "--max-siblings"),
    "elements.xml": (b"<a>" + b"<b/>" * 2_100_000 + b"</a>", "--max-nodes"),
    "header.tar.gz": (header_bomb(), "--max-header-size"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_and_the_rest_is_read(name, tmp_path):
    content, told = BOMBS[name]
    (tmp_path / name).write_bytes(content)
    (tmp_path / "good.txt").write_text("good")
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "doxeval", "index", tmp_path, "--jobs", "1", "-o", tmp_path / "c.dox"],
        capture_output=True, text=True, check=False, timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)),
    )  # fmt: skip
    assert time.monotonic() - begin < SECONDS
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert told in done.stderr and "1 documents" in done.stderr


def test_limits_can_be_raised(tmp_path):
    (tmp_path / "a.html").write_text("<select>" + "<option>a" * 300)
    with pytest.raises(InputError, match="--max-siblings"):
        index(tmp_path, limits=Limits(siblings=200))
    with pytest.raises(InputError, match="--max-nodes"):
        index(tmp_path, limits=Limits(nodes=200))
    assert len(index(tmp_path, limits=Limits(siblings=300, nodes=400)).parent) > 300


@pytest.mark.parametrize("odd", [5, "x", [1], {"a": 1}, None, 1e308, True, 10**30])
def test_documents_of_another_shape_cost_themselves_only(odd, tmp_path):
    whole = {"schema_name": "DoclingDocument", "body": {"children": [{"$ref": "#/texts/0"}]}}
    item = {"label": "section_header", "text": "x", "level": 1, "children": [], "data": {}}
    shapes = [{**whole, "texts": odd}, {**whole, "body": odd}, {**whole, "body": {"children": odd}}]
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
    path.write_text("run,topic,measure,value\n" + "".join(f"r{at},t{at},m{at},0.5\n" for at in range(1500)))
    with pytest.raises(InputError, match="1,500 values of 1,500 runs, 1,500 measures and 1,500 topics"):
        doxeval.read_scores(path)


SLOW = {
    "options.html": b"<select>" + b"<option>a" * 100_000,
    "cells.md": b"|a" * 20_000 + b"\n" + b"|-" * 20_000 + b"\n" + b"|x\n" * 5_000,
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
