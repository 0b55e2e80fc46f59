"""Names that no writer expects: they are read back as they were, or refused, or the loss is said."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import doxeval as dx
from doxeval.core.errors import DoxevalError
from doxeval.io.formats.format import formats
from doxeval.io.formats.rows_out import assessment_rows, result_rows
from doxeval.io.formats.trec import RANGE_FORMS
from doxeval.io.read import read_chunks
from doxeval.scoring.read_scores import read_scores
from doxeval.scoring.scores import RunScores, Scores
from doxeval.tables.assessments import Ranges, build_assessments
from doxeval.tables.runs import Chunks, Run

HOSTILE = {
    "blank first": " a",
    "blank last": "a ",
    "blank inside": "a b",
    "only a blank": " ",
    "tab": "a\tb",
    "tab last": "a\t",
    "line": "a\nb",
    "line last": "a\n",
    "return": "a\rb",
    "no-break": "\xa0a\xa0",
    "line separator": "\u2028a\u2028",
    "only a separator": "\u2028",
    "next line": "a\x85",
    "file separator": "a\x1c",
    "form feed": "a\x0c",
    "NUL": "a\x00b",
    "control": "\x01",
    "delete": "\x7f",
    "quotes": '"a"',
    "apostrophe": "'a'",
    "one quote": '"',
    "angle": "<b>",
    "entity": "&amp;",
    "section": "]]>",
    "comma": "a,b",
    "semicolon": "a;b",
    "hash": "#a",
    "range": "a#1-5",
    "other range": "a_1_2",
    "long": "x" * 10_000,
    "all": "all",
    "mean": "mean",
    "empty": "",
    "right to left": "\u05d0\u202eb",
    "surrogate": "\ud800",
    "dash": "-",
    "null": "null",
    "NA": "NA",
    "true": "true",
    "number": "1e5",
    "zeros": "007",
    "formula": "=1+1",
    "mark": "\ufeffa",
    "backslash": "a\\",
    "slash": "a/b",
    "up": "../a",
    "decomposed": "e\u0301",
    "wide": "\U0001f600",
    "Q0": "Q0",
    "percent": "%s",
    "braces": "{count}",
    "passage": "passage:a..b",
    "noncharacter": "a\uffff",
    "replacement": "\ufffd",
}


@pytest.fixture(params=HOSTILE.values(), ids=list(HOSTILE))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run_of(topic: str, doc: str, tag: str) -> Run:
    one = np.zeros(1, dtype=np.int64)
    code = np.zeros(1, dtype=np.int32)
    return Run(tag, [topic], [doc], code, code, one, one + 5, rank=one + 1, score=np.ones(1), tag=tag)


def rows_of(run: Run) -> list[dict[str, Any]]:
    return [
        {key: row.get(key) for key in ("topic", "doc", "start", "end", "run")} for row in result_rows(run)
    ]


def assessments_of(topic: str, doc: str) -> dx.Assessments:
    zero = np.zeros(1, dtype=np.int64)
    ranges = Ranges(zero, zero, zero + 5, np.ones(1))
    return build_assessments([topic], [doc], zero, zero.astype(np.int32), ranges, length=zero + 9)


WRITABLE = [
    pytest.param(format.name, ranges, id=f"{format.name} {ranges}".strip())
    for format in formats("run").values()
    if format.write is not None
    for ranges in ("", *(RANGE_FORMS if format.name.startswith("trec") else ()))
]


@pytest.mark.parametrize(("format", "ranges"), WRITABLE)
def test_runs(format: str, ranges: str, name: str, tmp_path: Path) -> None:
    for run in (run_of(name, "d", "r"), run_of("t", name, "r"), run_of("t", "d", name)):
        path = tmp_path / "run"
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                dx.write_run(run, path, format=format, ranges=ranges)
            except DoxevalError as problem:
                assert str(problem)
                continue
            try:
                found = dx.read_run(path, input_format=format, ranges=ranges)
            except DoxevalError:
                assert told, "what cannot be read back is said when it is written"
                continue
        lossy = any("cannot hold" in str(one.message) for one in told)
        if not lossy:
            expected, rows = rows_of(run), rows_of(found)
            if not run.tag or format.startswith(("genomics", "trec", "inex")):
                assert [row | {"run": None} for row in rows] == [row | {"run": None} for row in expected]
            else:
                assert rows == expected


@pytest.mark.parametrize(
    "format", [format.name for format in formats("assessments").values() if format.write is not None]
)
def test_assessments(format: str, name: str, tmp_path: Path) -> None:
    for gold in (assessments_of(name, "d"), assessments_of("t", name)):
        path = tmp_path / "gold"
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                dx.write_assessments(gold, path, format=format)
            except DoxevalError as problem:
                assert str(problem)
                continue
            found = dx.read_assessments(path, input_format=format)
        if not any("cannot hold" in str(one.message) for one in told):
            ranges = [[row for row in assessment_rows(table) if "start" in row] for table in (found, gold)]
            assert ranges[0] == ranges[1]
        else:
            assert (found.topics, list(found.docs)) == (gold.topics, list(gold.docs))


@pytest.mark.parametrize("format", [format.name for format in formats("chunks").values()])
def test_chunks(format: str, name: str, tmp_path: Path) -> None:
    zero = np.zeros(1, dtype=np.int64)
    chunks = Chunks([name], zero.astype(np.int32), zero, zero + 5)
    try:
        dx.write_chunks(chunks, tmp_path / "chunks", format=format)
    except DoxevalError:
        return
    found = read_chunks(tmp_path / "chunks", input_format=format)
    assert [found.docs[code] for code in found.doc.tolist()] == [name]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "dox"])
def test_documents(suffix: str, name: str, tmp_path: Path) -> None:
    target = tmp_path / f"docs.{suffix}"
    try:
        documents = dx.read_documents([{"doc": name, "text": "Some words."}, {"doc": "other", "text": "x"}])
        dx.convert(_jsonl(documents, tmp_path), target, kind="documents")
    except DoxevalError:
        return
    assert list(documents.ids) == [name, "other"] or documents.notices.refusals
    assert list(dx.read_documents(target).ids) == list(documents.ids)


def _jsonl(documents: dx.Documents, tmp_path: Path) -> Path:
    dx.write_documents(documents, tmp_path / "source.jsonl")
    return tmp_path / "source.jsonl"


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_scores(format: str, name: str, tmp_path: Path) -> None:
    for runs, topics in (([name, "b"], ["t1", "t2"]), (["a", "b"], [name, "t2"])):
        parts = [RunScores(run, np.array([[0.25, 0.5]]), np.ones(2, dtype=bool), 1, 0) for run in runs]
        path = tmp_path / f"scores.{format}"
        try:
            dx.write_scores(Scores(["iP@1"], topics, parts), path, format=format)
            found = read_scores(path)
        except DoxevalError as problem:
            assert str(problem)
            continue
        assert sorted(found.names) == sorted(runs) and sorted(found.topics) == sorted(topics)
        for run in runs:
            for at, topic in enumerate(topics):
                values = found.runs[found.names.index(run)].values[0]
                assert values[found.topics.index(topic)] == (0.25, 0.5)[at]
