"""Everything that reads what others wrote, each as a function of bytes.

A reader returns, or raises a :class:`doxeval.DoxevalError`; anything else is a defect. What it returns must
make sense: the tables are looked through.
"""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import doxeval as dx
from doxeval.core.errors import Unforeseen
from doxeval.io.documents.index import parse_block
from doxeval.io.documents.parser import CODE_SUFFIXES, SOURCE, document_formats
from doxeval.io.documents.parsing import Entry
from doxeval.io.formats.format import TABLE_KINDS, formats
from doxeval.io.limits import Limits
from doxeval.io.read import read_chunks
from doxeval.tables.runs import WHOLE
from tests.io.documents.test_code import SAMPLES

CORPUS = Path(__file__).parent / "corpus"
LIMITS = Limits(depth=200, document_size=1 << 20, archive_size=4 << 20)
FURTHEST = 1 << 42


def check_codes(codes: np.ndarray, table: Any) -> None:
    assert not len(codes) or (codes.min() >= 0 and codes.max() < len(table))


def check_ranges(start: np.ndarray, end: np.ndarray) -> None:
    assert len(start) == len(end) and (start >= 0).all() and (start <= end).all()
    assert ((end <= FURTHEST) | (end == WHOLE)).all()


def check_run(run: dx.Run) -> None:
    size = len(run)
    check_codes(run.topic, run.topics)
    check_codes(run.doc, run.docs)
    check_ranges(run.start, run.end)
    assert len(run.start) == size if run.span_offset is None else run.span_offset[-1] == len(run.start)
    assert run.score is None or (len(run.score) == size and np.isfinite(run.score).all())
    assert run.rank is None or len(run.rank) == size
    _look_at(run, run.topics, run.docs)


def check_assessments(assessments: dx.Assessments) -> None:
    check_codes(assessments.pair_doc, assessments.docs)
    check_codes(assessments.ranges.pair, assessments.pair_doc)
    check_ranges(assessments.ranges.start, assessments.ranges.end)
    assert np.isfinite(assessments.ranges.grade).all()
    assert assessments.pair_offset[-1] == len(assessments.pair_doc)
    _look_at(assessments, assessments.topics, assessments.docs)


def check_chunks(chunks: Any) -> None:
    _look_at(chunks)


def check_documents(documents: dx.Documents) -> None:
    assert documents.node_offset[-1] == len(documents.parent) == len(documents.start) == len(documents.end)
    check_ranges(documents.start, documents.end)
    owner = np.repeat(np.arange(len(documents)), np.diff(documents.node_offset))
    assert (documents.end <= documents.length[owner]).all()
    child = documents.parent >= 0
    above = documents.rows(owner[child], documents.parent[child])
    assert (documents.start[above] <= documents.start[child]).all()
    assert (documents.end[above] >= documents.end[child]).all()
    if documents.text is not None:
        for length, text in zip(documents.length.tolist(), documents.text, strict=True):
            assert len(text) in (0, length)
    _look_at(documents, documents.ids)


def _look_at(table: Any, *names: Any) -> None:
    """What a user would see: the table's one line, its names, what was noticed."""
    repr(table)
    for some in names:
        assert all(isinstance(name, str) for name in some)
    for notice in getattr(table, "notices", ()):
        assert str(notice) and notice.count > 0


CHECKS: dict[str, Callable[[Any], None]] = {
    "run": check_run,
    "assessments": check_assessments,
    "chunks": check_chunks,
}
READS: dict[str, Callable[..., Any]] = {
    "run": dx.read_run,
    "assessments": dx.read_assessments,
    "chunks": read_chunks,
}


def read_format(kind: str, name: str | None, data: bytes, **options: str) -> None:
    CHECKS[kind](READS[kind](data, input_format=name, **options))


def read_document(format: str, data: bytes) -> None:
    check_documents(parse_block([Entry("fuzzed", "fuzzed", format, data=data)], LIMITS, True)[0])


def from_file(suffix: str, read: Callable[[Path], None], data: bytes) -> None:
    """Have something read that must be a file."""
    handle, name = tempfile.mkstemp(suffix=suffix)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        read(Path(name))
    finally:
        Path(name).unlink()


def read_scores_file(path: Path) -> None:
    from doxeval.scoring.read_scores import read_scores

    repr(read_scores(path))


def read_judged_answers(path: Path) -> None:
    read_scores_file(path)
    if b"nuggets" in path.read_bytes():
        repr(dx.agree({"ann": path, "bob": path}, draws=100))


def read_collection(path: Path) -> None:
    check_documents(dx.index(path, limits=LIMITS))


def read_index(path: Path) -> None:
    documents = dx.read_documents(path)
    check_documents(documents)


def read_measure(data: bytes) -> None:
    from doxeval.core.grammar import split_names
    from doxeval.measurement.base import measure_named

    for text in split_names(data.decode(errors="replace")):
        measure = measure_named(text)
        assert str(measure_named(str(measure.expression)).expression) == str(measure.expression)


@functools.cache
def small_collection() -> dx.Documents:
    nodes = [
        {"id": "a", "tag": "x", "start": 0, "end": 9},
        {"id": "b", "parent": "a", "tag": "y", "start": 0, "end": 4},
    ]
    return dx.read_documents([{"doc": "d1", "length": 9, "nodes": nodes}])


def read_steps_file(path: Path) -> None:
    from doxeval.reader.navigation.logs import read_steps

    read_steps(str(path), small_collection())


def read_sessions_file(path: Path) -> None:
    from doxeval.reader.navigation.logs import read_sessions

    read_sessions(str(path), small_collection())


def read_summary_file(path: Path) -> None:
    from doxeval.reader.summaries.structure import read_summary

    read_summary(str(path))


def read_map_file(path: Path) -> None:
    from doxeval.reader.summaries.partition import partition_nodes

    partition_nodes(small_collection(), str(path))


def read_quantisation_file(path: Path) -> None:
    from doxeval.reader.quantisation import read_quantisation

    assert all(np.isfinite(value) for value in read_quantisation(str(path)).values())


def read_queries_file(path: Path) -> None:
    from doxeval.io.topics import topics_of

    for topic, wording in topics_of(path).queries.items():
        assert (topic + wording).encode()


def read_outcomes_file(path: Path) -> None:
    from doxeval.io.outcomes import outcomes_of

    table = outcomes_of(path)
    found = table.numbers(table.chosen())
    assert len(found) == len(table.topic) == len(table.place) and not np.isinf(found).any()
    assert all((topic + run).encode() for topic, run in zip(table.topic, table.run, strict=True))
    assert set(table.attributes) == set(table.topic)


READERS: dict[str, Callable[[bytes], None]] = {
    **{
        f"{kind}-{name}": functools.partial(read_format, kind, name)
        for kind in TABLE_KINDS
        for name in formats(kind)
    },
    "run-recognised": functools.partial(read_format, "run", None),
    "assessments-recognised": functools.partial(read_format, "assessments", None),
    "run-trec-offsets": functools.partial(read_format, "run", "trec-run", ranges="doc_offset_length"),
    "assessments-trec-spans": functools.partial(
        read_format, "assessments", "trec-qrels", ranges="doc#start-end"
    ),
    **{f"documents-{name}": functools.partial(read_document, name) for name in document_formats()},
    "documents-zip": functools.partial(from_file, ".zip", read_collection),
    "documents-tar": functools.partial(from_file, ".tar", read_collection),
    "documents-dox": functools.partial(from_file, ".dox", read_index),
    "documents-parquet": functools.partial(from_file, ".parquet", read_index),
    "scores-csv": functools.partial(from_file, ".csv", read_scores_file),
    "scores-jsonl": functools.partial(from_file, ".jsonl", read_scores_file),
    "scores-parquet": functools.partial(from_file, ".parquet", read_scores_file),
    "scores-json": functools.partial(from_file, ".json", read_scores_file),
    "scores-judged": functools.partial(from_file, ".jsonl", read_judged_answers),
    "measure": read_measure,
    "steps": functools.partial(from_file, ".csv", read_steps_file),
    "sessions": functools.partial(from_file, ".jsonl", read_sessions_file),
    "summary": functools.partial(from_file, ".json", read_summary_file),
    "map": functools.partial(from_file, ".json", read_map_file),
    "quantisation": functools.partial(from_file, ".csv", read_quantisation_file),
    "queries": functools.partial(from_file, ".jsonl", read_queries_file),
    "outcomes-csv": functools.partial(from_file, ".csv", read_outcomes_file),
    "outcomes-jsonl": functools.partial(from_file, ".jsonl", read_outcomes_file),
}
"""Every reader by name; its corpus is the folder of that name, if there is one."""


UNGUARDED = frozenset(name for name in READERS if name.endswith("-parquet"))
"""Readers behind which polars may end the process, on pages that no accident makes; cut, not changed."""


UNSTRUCTURED = frozenset({"documents-dox"})
"""Readers whose files are changed in their structure elsewhere (``test_crafted_index``)."""


def seeds(reader: str) -> list[bytes]:
    """What a reader is tried with: the sample that its format declares, and its corpus by file names."""
    kind, _, name = reader.partition("-")
    format = formats(kind).get(name) if kind in TABLE_KINDS else None
    declared = [] if format is None else [format.sample() if callable(format.sample) else format.sample]
    if kind == "documents" and (name == SOURCE or name in CODE_SUFFIXES.values()):
        declared = [
            text.encode()
            for file, (text, _) in SAMPLES.items()
            if name in (SOURCE, CODE_SUFFIXES[Path(file).suffix])
        ]
    folder = CORPUS / reader
    return declared + [path.read_bytes() for path in sorted(folder.iterdir() if folder.is_dir() else ())]


def survives(reader: str, data: bytes) -> None:
    """Read; a refusal is an answer too, and says something. What only the gate stopped is a defect."""
    try:
        READERS[reader](data)
    except Unforeseen:
        if reader not in UNGUARDED:
            raise
    except dx.DoxevalError as problem:
        assert str(problem)
