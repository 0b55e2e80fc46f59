"""Check inputs without scoring: their content, their errors, and what does not match."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from doxeval.core.notices import Notice, Notices
from doxeval.core.phrases import counted
from doxeval.ground.align import align
from doxeval.ground.convert import run_as_ranges
from doxeval.ground.ground import Ground, prepare_ground
from doxeval.io.documents.dox import is_dox, verify_dox
from doxeval.io.encodings import GUESS
from doxeval.io.formats.format import Options, can_be_run, formats
from doxeval.io.read import read_any, read_assessments, read_documents, read_topics
from doxeval.io.source import Source
from doxeval.scoring.read_scores import is_scores, read_scores
from doxeval.scoring.scores import Scores
from doxeval.tables.documents import Documents
from doxeval.tables.wordings import Topics


@dataclass(eq=False)
class Validation:
    """The result of a check: the kind of table and its format, the table, and the notices."""

    kind: str
    format: str
    table: Any
    notices: Notices

    @property
    def content(self) -> str:
        """The content, in a line."""
        if isinstance(self.table, Scores):
            sizes = (self.table.names, "run"), (self.table.topics, "topic"), (self.table.measures, "measure")
            return f"Scores: {', '.join(counted(len(all_), one) for all_, one in sizes)}"
        return repr(self.table).strip("<>")

    @property
    def problems(self) -> list[Notice]:
        """The problems: refused lines; topics, documents, nodes and texts that do not match."""
        return [notice for notice in self.notices.failures if notice.lasting or notice.refuses]

    @property
    def row(self) -> dict[str, Any]:
        """The result for programs: what was read, whether there are problems, and every notice."""
        return {
            "kind": self.kind,
            "format": self.format,
            "content": self.content,
            "status": "problems" if self.problems else "ok",
            "notices": [
                {"level": "note" if notice.harmless else "warning", "message": str(notice)}
                for notice in self.notices
            ],
        }

    @property
    def lines(self) -> list[str]:
        """A line for each notice."""
        return [f"  {'note' if notice.harmless else 'warning'}: {notice}" for notice in self.notices]

    def __repr__(self) -> str:
        what = f"{self.kind}, {self.format}" if self.format else self.kind
        return "\n".join([f"{what}: {self.content}", *self.lines])


def validate(
    data: Any,
    assessments: Any = None,
    documents: Any = None,
    *,
    kind: str | None = None,
    input_format: str | None = None,
    ranges: str = "",
    encoding: str | None = None,
    merge: str = "",
) -> Validation:
    """Read a run, assessments, chunks, documents, scores or topics, and report what does not match.

    `data` is a file, a table, or rows in memory, which are a run unless their `kind` is named; they are
    compared with `assessments` and `documents` if these are given. A file beside `assessments` is a run if
    it can be one. Data that cannot be read at all is an error. The options are those of
    :func:`doxeval.read_run` and :func:`doxeval.read_assessments`.

    >>> answers = [{"topic": "t1", "doc": "d1", "start": 0, "end": 9}]
    >>> results = [{"topic": topic, "doc": "d1", "rank": 1, "start": 0, "end": 5} for topic in ("t1", "t2")]
    >>> validate(results, answers)
    run: Run 'run': 2 results, 2 topics, 1 document
      warning: 1 topic without assessments is ignored (t2)
    """
    known = None if documents is None else read_documents(documents)
    if isinstance(assessments, Ground) or assessments is None:
        ground = assessments
    else:
        truth = read_assessments(assessments, ranges=ranges, encoding=encoding, merge=merge)
        ground = prepare_ground(truth, known)
    if isinstance(data, str | Path) and Path(data).is_file() and is_dox(Path(data)):
        verify_dox(Path(data))
    if _are_scores(data, kind, input_format):
        table = read_scores(data)
        return Validation("scores", "", table, table.notices)
    if kind == "topics" or isinstance(data, Topics):
        return Validation("topics", "", read_topics(data), Notices())
    options = Options(ranges=ranges, merge=merge)
    if kind is None and ground is not None and _can_be_run(data, input_format, encoding):
        kind = "run"
    held, form, table = read_any(data, kind, input_format, options, encoding)
    return Validation(held, form, table, Notices(*_noticed(held, table, ground, known)))


def _are_scores(data: Any, kind: str | None, input_format: str | None) -> bool:
    """Whether something is scores, or answers that were judged, which are scores too."""
    if kind == "scores" or isinstance(data, Scores):
        return True
    return (
        not (kind or input_format)
        and isinstance(data, str | Path)
        and Path(data).is_file()
        and is_scores(data)
    )


def _can_be_run(data: Any, input_format: str | None, encoding: str | None) -> bool:
    """Whether a file can be read as a run: by its format, if one is named, or else by its content."""
    if not isinstance(data, bytes) and not (isinstance(data, str | Path) and Path(data).is_file()):
        return False
    if input_format:
        return input_format in formats("run")
    with Source(data, encoding=encoding or GUESS) as source:
        return not source.is_empty and can_be_run(source)


def _noticed(kind: str, table: Any, ground: Ground | None, documents: Documents | None) -> list[Notices]:
    """The notices of a table, and of comparing it with the assessments and the documents."""
    if kind == "run" and ground is not None:
        return [table.notices, align(table, ground).notices]
    if kind == "run" and documents is not None:
        return [run_as_ranges(table, documents).notices]
    if kind == "assessments" and (documents is not None or (table.quotes is None and table.nodes is None)):
        prepared = prepare_ground(table, documents)
        return [prepared.assessments.notices, prepared.notices]
    return [table.notices]
