"""Metadata of documents: read, kept in every form, and attributes of the topics they are relevant to."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.core.errors import InputError
from doxeval.core.strings import Strings
from doxeval.io.documents.dox import write_dox
from doxeval.io.documents.index import index, load_documents
from doxeval.io.documents.native_documents import LONGEST_METADATA
from tests.scoring.commands import run as command

NAMES = st.text(max_size=5).filter(lambda name: name.isprintable())
SCALARS = st.one_of(
    st.booleans(), st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=LONGEST_METADATA),
)  # fmt: skip
METADATA = st.lists(st.dictionaries(NAMES, SCALARS, max_size=3), min_size=1, max_size=4)


def told(documents: dx.Documents) -> list[dict]:
    return [documents.told_of(doc) for doc in range(len(documents))]


@given(METADATA)
def test_every_form_of_an_index_keeps_the_metadata(tmp_path_factory, metadata):
    records = [{"doc": f"d{at}", "text": "One.", "metadata": one} for at, one in enumerate(metadata)]
    folder = tmp_path_factory.mktemp("forms")
    (folder / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert told(load_documents(records)) == metadata
    assert (load_documents(records).metadata is None) == (not any(metadata))
    for name in ("c.dox", "c.parquet", "c.jsonl"):
        assert told(index(folder / "in.jsonl", folder / name, text=False)) == metadata
        assert told(load_documents(folder / name)) == metadata
    (folder / "more.txt").write_text("No metadata.")
    for name in ("c.dox", "c.parquet", "c.jsonl"):
        assert told(index([folder / name, folder / "more.txt"])) == [*metadata, {}]


def test_other_keys_are_metadata_unless_they_hold_more_than_a_short_value():
    record = {
        "doc": "d", "length": 4, "year": 2020, "draft": False, "abstract": "x" * (LONGEST_METADATA + 1),
        "tags": ["a"], "empty": "", "none": None, "nan": float("nan"), "size": np.int64(3),
        "metadata": {"year": 2021, "in": {}},
    }  # fmt: skip
    expected = {"year": 2021, "draft": False, "size": 3}
    assert told(load_documents([record])) == [expected]
    nodes = [{"parent": None, "tag": "article", "start": 0, "end": 4}]
    row = {"doc": "d", "length": 4, "nodes": nodes, "year": 2020, "tags": ["a"], "metadata": {"kind": "law"}}
    frame = pl.DataFrame([row, {**row, "doc": "e", "year": None, "metadata": {"kind": None}}])
    assert told(load_documents(frame)) == [{"year": 2020, "kind": "law"}, {}]
    assert told(load_documents(frame.drop("nodes"))) == [{"year": 2020, "kind": "law"}, {}]


@pytest.mark.parametrize("wrong", ["law", [1], 3, "[1]"])
def test_metadata_that_are_no_object_cost_their_document(wrong):
    found = load_documents([{"doc": "good", "text": "."}, {"doc": "d", "text": ".", "metadata": wrong}])
    assert list(found.ids) == ["good"]
    assert 'expected an object as "metadata", found' in str(found.notices.failures[0])


def test_an_index_with_other_metadata_than_objects_is_refused(tmp_path: Path):
    documents = load_documents([{"doc": "d", "text": ".", "kind": "law"}])
    for wrong in ("[1]", "{"):
        documents.metadata = Strings.of([wrong])
        with (tmp_path / "c.dox").open("wb") as stream:
            write_dox(documents, stream)
        with pytest.raises(InputError, match=r"c\.dox: damaged: the metadata of document 'd'"):
            load_documents(tmp_path / "c.dox")


TYPES = {"d1": "lease", "d2": "lease", "d3": "manual", "d4": ""}
RELEVANT = {"t1": ["d1"], "t2": ["d1", "d2"], "t3": ["d3", "d1"], "t4": ["d4"], "t5": ["d3"]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gold = [{"topic": t, "doc": doc, "start": 0, "end": 9} for t, docs in RELEVANT.items() for doc in docs]
    gold += [{"topic": "t1", "doc": "d3", "rel": 0}]
    files: dict[str, list[dict]] = {
        "docs": [{"doc": doc, "text": "Some text.", "doc_type": kind} for doc, kind in TYPES.items()],
        "gold": gold,
        "run": [
            {"topic": t, "doc": doc, "rank": 1, "start": 0, "end": 3} for t, (doc, *_) in RELEVANT.items()
        ],
        "topics": [
            {"topic": t, "doc_type": kind}
            for t, kind in (("t1", "lease"), ("t2", "lease"), ("t3", "lease, manual"), ("t5", "manual"))
        ],
    }
    for name, rows in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


EVAL = ["eval", "run.jsonl", "-q", "gold.jsonl", "-m", "iR@1", "-f", "csv", "--by", "doc_type"]


def test_slices_by_metadata_are_those_of_a_file_of_topics(folder):
    expected = command([*EVAL, "--topics-file", "topics.jsonl"]).output
    assert "lease" in expected and "(none)" in expected
    index("docs.jsonl", "docs.dox")
    for docs in ("docs.jsonl", "docs.dox"):
        assert command([*EVAL, "--docs", docs]).output == expected
    assert "no topic has an attribute 'doc_tipe'" in str(
        command([*EVAL[:-1], "doc_tipe", "--docs", "docs.jsonl"]).exception
    )


def test_assessments_and_topics_outweigh_metadata(folder):
    with (folder / "gold.jsonl").open("a") as gold:
        gold.write('{"topic": "t1", "doc_type": "deed"}\n')
    scores = dx.evaluate("run.jsonl", "gold.jsonl", "iR@1", documents="docs.jsonl")
    kinds = {topic: scores.attributes[topic]["doc_type"] for topic in scores.topics if topic != "t4"}
    assert kinds == {"t1": "deed", "t2": "lease", "t3": "lease, manual", "t5": "manual"}
    assert "doc_type" not in scores.attributes.get("t4", {})
    assert scores.with_topics({"t2": {"doc_type": "will"}}).attributes["t2"]["doc_type"] == "will"
