"""A whole synthetic collection: in memory for studies and tests, or streamed to files of any size."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import numpy as np

from doxeval import Assessments, Documents, Run, UsageError
from doxeval.core.output import atomic
from doxeval.core.temporary import temporary_folder
from doxeval.extend import Options, Ragged
from doxeval.io.documents.collection_files import native_records
from doxeval.io.documents.spool import Spool
from doxeval.io.formats.format import format_named
from doxeval.lab.synthesis.collection import Shape, make_block
from doxeval.lab.synthesis.made_topics import Topic, assessments_of, make_topic
from doxeval.lab.synthesis.systems import System, make_run
from doxeval.tables.assessments import Ranges, build_assessments

COLLECTION_FORMS = {
    "native": ("native-run", ".jsonl", "native-assessments", "assessments.jsonl"),
    "inex": ("inex-fol", ".fol", "inex-assessments", "qrels.txt"),
}
Say = Callable[[str], None]


def make_documents(shape: Shape, seed: int) -> Documents:
    """All documents, in memory."""
    with Spool() as spool:
        for block in range(shape.blocks):
            spool.append(make_block(shape, seed, block))
        return spool.documents(f"synthetic, seed {seed}")


def make_topics(shape: Shape, seed: int) -> Iterator[Topic]:
    """All topics, one at a time."""
    for number in range(shape.topics):
        yield make_topic(shape, seed, number)


class Collection:
    """Documents and assessments in memory; runs are made on request."""

    def __init__(self, shape: Shape, seed: int) -> None:
        self.seed = seed
        self.documents = make_documents(shape, seed)
        self.topics = list(make_topics(shape, seed))
        self.assessments = _joined_assessments(self.topics, self.documents)

    def run(self, system: System) -> Run:
        """The results of a system for all topics."""
        return _joined_run([make_run(system, topic, self.seed) for topic in self.topics], self.documents)


def synthesise(
    shape: Shape, systems: Sequence[System], seed: int = 0
) -> tuple[Documents, Assessments, list[Run]]:
    """A collection, its assessments and the systems' runs, in memory.

    >>> documents, assessments, runs = synthesise(Shape(documents=300, topics=2), [System("a")], seed=1)
    >>> len(documents), len(assessments.topics), len(runs[0].topics)
    (300, 2, 2)
    """
    made = Collection(shape, seed)
    return made.documents, made.assessments, [made.run(system) for system in systems]


def _joined_run(parts: Sequence[Run], documents: Documents) -> Run:
    """The results of several topics as one run over the whole collection."""
    return Run(
        name=parts[0].name,
        topics=[part.topics[0] for part in parts],
        docs=documents.ids,
        topic=np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts]),
        doc=np.concatenate([documents.ids.codes(part.docs)[part.doc] for part in parts]),
        start=np.concatenate([part.start for part in parts]),
        end=np.concatenate([part.end for part in parts]),
        rank=np.concatenate([part.rank for part in parts]),
        score=np.concatenate([part.score for part in parts]),
        tag=parts[0].tag,
    )


def _joined_assessments(topics: Sequence[Topic], documents: Documents) -> Assessments:
    """The assessments of several topics as one table."""
    parts = [assessments_of(topic) for topic in topics]
    judged_doc = [documents.ids.codes(topic.pool.ids) for topic in topics]
    judged = Ragged.of_counts([len(docs) for docs in judged_doc])
    row = [first + topic.doc for first, topic in zip(judged.first, topics, strict=True)]
    start, end = (np.concatenate([getattr(topic, name) for topic in topics]) for name in ("start", "end"))
    return build_assessments(
        [topic.name for topic in topics],
        documents.ids,
        judged.row,
        np.concatenate(judged_doc),
        Ranges(np.concatenate(row), start, end, np.ones(len(start))),
        length=np.concatenate([topic.pool.length for topic in topics]),
        bep=np.concatenate([part.bep for part in parts]),
        source="synthetic",
    )


def write_all(
    folder: Path, shape: Shape, systems: Sequence[System], seed: int, form: str = "native",
    documents: str = "documents.jsonl", progress: Say = lambda told: None,
) -> list[Path]:  # fmt: skip
    """Write documents, assessments and runs into a new folder, a block or topic at a time."""
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder}: already exists and is not empty; name a new folder")
    if len({system.name for system in systems}) < len(systems):
        raise UsageError("two systems have the same name")
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    paths = [folder / documents] if documents else []
    if documents:
        write_collection(paths[0], shape, seed, progress)
    return paths + _write_topics(folder, shape, systems, seed, form, progress)


def write_collection(path: Path, shape: Shape, seed: int, progress: Say = lambda told: None) -> None:
    """Write the documents as `.jsonl`, line by line, or as `.dox` or `.parquet` through columns on disk."""
    if path.suffix == ".jsonl":
        with atomic(path) as stream:
            for block in range(shape.blocks):
                for record in native_records(make_block(shape, seed, block)):
                    stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
                progress(f"block {block + 1} of {shape.blocks}")
        return
    from doxeval import write_documents

    with (
        temporary_folder(path) as folder,
        Spool(folder) as spool,
    ):
        for block in range(shape.blocks):
            spool.append(make_block(shape, seed, block))
            progress(f"block {block + 1} of {shape.blocks}")
        write_documents(spool.documents(f"synthetic, seed {seed}"), path)


def _write_topics(
    folder: Path, shape: Shape, systems: Sequence[System], seed: int, form: str, progress: Say
) -> list[Path]:
    """Write assessments and runs; every topic is made once, and dropped when all files have it."""
    run_format, suffix, truth_format, truth_name = COLLECTION_FORMS[form]
    writes_run = format_named("run", run_format).write
    writes_truth = format_named("assessments", truth_format).write
    assert writes_run is not None and writes_truth is not None
    paths = [folder / truth_name, *(folder / "runs" / f"{system.name}{suffix}" for system in systems)]
    with ExitStack() as open_files:
        truth, *targets = [_text(open_files, path) for path in paths]
        for number, topic in enumerate(make_topics(shape, seed)):
            writes_truth(assessments_of(topic), truth, Options())
            for system, target in zip(systems, targets, strict=True):
                writes_run(make_run(system, topic, seed), target, Options())
            progress(f"topic {number + 1} of {shape.topics}")
    return paths


def _text(open_files: ExitStack, path: Path) -> IO[str]:
    """A text stream into a file that appears when everything is written."""
    raw = open_files.enter_context(atomic(path))
    stream = io.TextIOWrapper(raw, encoding="utf-8", newline="\n", write_through=False)
    open_files.callback(stream.detach)
    return stream
