"""The store: Parquet parts in a folder, written whole or not at all, found by what they are scores of.

A part holds the scores of one run by some measures: the columns run, topic, measure, value, and what
identifies them. Its name is the key of everything but the measures, a digest of these, and one of its own
bytes: a part whose bytes do not match its name is damaged. A measure is identified by its meaning, and has
the name under which it was stored. Processes may share a store: if two of them compute the same part, the
later one replaces its equal.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import InputError, UsageError
from doxeval.core.notices import Notice, Notices
from doxeval.core.output import atomic
from doxeval.core.strings import encode
from doxeval.io.parquet_files import Coded, flat_table_in, parquet_bytes
from doxeval.scoring.repetition import Repeated
from doxeval.scoring.scores import RunScores
from doxeval.scoring.store.identity import (
    checksum,
    digest,
    file_digest,
    files_in,
    ground_digests,
    measure_files,
    stamp,
)  # fmt: skip

if TYPE_CHECKING:
    import polars

    from doxeval.measurement.base import Measure
    from doxeval.scoring.evaluation import Evaluation
    from doxeval.scoring.loader import RunLoader

ORIGIN_COLUMNS = ("canonical", "model", "files")
IDENTITY = ("run_content", "qrels", "documents", "options", "version")
PART_COLUMNS = ("run", "topic", "measure", "value", *ORIGIN_COLUMNS, "results", "unjudged", *IDENTITY)
NOTICES, REPEATED = "doxeval.notices", "doxeval.repeated"
Content = tuple[tuple[int, int, int] | None, str]
DAMAGED = (
    "{count} {part of the store was|parts of the store were} damaged; {it is|they are} deleted, and "
    "{its|their} scores computed again"
)


@dataclass(frozen=True)
class ScoreIdentity:
    """Everything that the scores of a run depend on, except the measures."""

    run: str
    run_content: str
    qrels: str
    documents: str
    options: str
    version: str

    @cached_property
    def key(self) -> str:
        """One key for all of it."""
        return digest(astuple(self))


@dataclass(frozen=True)
class Mark:
    """The identity of a measure: its meaning, and the content of the files it names.

    The navigation model is part of the meaning; it also has a column of its own, for searching.
    """

    canonical: str
    model: str
    files: str

    @classmethod
    def of(cls, measure: Measure) -> Mark:
        """The mark of a measure."""
        model = getattr(measure.given, "nav", None)
        return cls(measure.canonical, str(model) if model is not None else "", measure_files(measure))


@dataclass
class Record:
    """The place of a run in a store: its identity, and the state of its file when that was computed."""

    identity: ScoreIdentity
    path: str | None
    state: tuple[int, int, int] | None
    notices: Notices = field(default_factory=Notices)

    @property
    def unchanged(self) -> bool:
        """Whether the run's file is unchanged."""
        try:
            return self.path is None or stamp(self.path) == self.state
        except OSError:
            return False


class Store:
    """A folder of scores, for one evaluation."""

    def __init__(self, folder: str | Path, evaluation: Evaluation, runs: Sequence[RunLoader] = ()) -> None:
        from doxeval.core.version import __version__

        self.reading: dict[str, Thread] = {}
        self.read_ahead: dict[str, Content] = {}
        self._read(runs)
        self.folder = Path(folder)
        self.topics = evaluation.ground.topics
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise UsageError(f"{folder}: cannot be used as a store: {problem.strerror}") from None
        assessments, documents, beside = ground_digests(evaluation.ground)
        self.ground = assessments, documents
        self.settings = vars(evaluation.conventions) | {"topics": evaluation.topics}
        self.beside = digest(beside, self.settings, files_in(self.settings))
        self.version = __version__
        self.marks = {measure.label: Mark.of(measure) for measure in evaluation.measures}

    def record(self, load: RunLoader, then: Sequence[RunLoader] = ()) -> Record:
        """The record of a run. Its name matters: equal files under two names are two runs.

        The files of runs to be recorded `then` are read in threads, while the caller goes on with this one.
        """
        self._read(then)
        path = load.path or ""
        if path in self.reading:
            self.reading.pop(path).join()
        state, content = self.read_ahead.pop(path, (None, ""))
        if state is None or stamp(path) != state:
            state, content = _content_of(load)
        how = {name: value for name, value in vars(load).items() if name not in ("origin", "name") and value}
        options = f"{_shown(self.settings | how)} ({self.beside[:16]})"
        identity = ScoreIdentity(load.run_name, content, *self.ground, options, self.version)
        return Record(identity, load.path, state)

    def _read(self, runs: Sequence[RunLoader]) -> None:
        """Read the files of some runs in threads, unless they are being read."""
        for load in runs:
            path = load.path
            if path and path not in self.reading:
                thread = self.reading[path] = Thread(target=self._read_ahead, args=(load, path), daemon=True)
                thread.start()

    def _read_ahead(self, load: RunLoader, path: str) -> None:
        with suppress(Exception):  # it is raised again where the run is recorded
            self.read_ahead[path] = _content_of(load)

    def recall(self, record: Record) -> list[Part]:
        """The stored parts of a run; damaged ones are deleted and reported."""
        parts = []
        shelf, key = self._shelf(record), f"{record.identity.key}-"
        for path in sorted(shelf.iterdir()) if shelf.is_dir() else ():
            if not path.name.startswith(key) or path.suffix != ".parquet":
                continue
            try:
                parts.append(Part.read(path, self.topics))
            except InputError:
                record.notices.add(DAMAGED, str(path))
                with suppress(OSError):
                    path.unlink()
        return parts

    def known(self, record: Record) -> tuple[RunScores | None, list[str]]:
        """The stored scores of a run, and the measures that are missing."""
        found: dict[Mark, np.ndarray] = {}
        wanted = set(self.marks.values())
        latest: Part | None = None
        repeated: Repeated | None = None
        notices = Notices()
        for part in self.recall(record):
            fresh = {mark: values for mark, values in part.values.items() if mark in wanted}
            if set(fresh) - set(found):
                found |= fresh
                latest = part
                repeated = repeated or part.repeated
                notices.extend(part.notices)
        missing = [label for label, mark in self.marks.items() if mark not in found]
        if latest is None:
            return None, missing
        notices.extend(record.notices)
        values = np.array([found[mark] for mark in self.marks.values() if mark in found])
        scores = RunScores(
            record.identity.run, values, latest.counted, latest.results, latest.unjudged, notices,
            repeated=repeated,
        )  # fmt: skip
        return scores, missing

    def keep(self, record: Record, labels: Sequence[str], scores: RunScores) -> None:
        """Add a part, with every measure once. Its name ends in .parquet only when it is complete."""
        if not record.unchanged:
            scores.notices.add(
                "{count} {run|runs} changed while {it was|they were} scored; {its|their} scores are not "
                "stored",
                record.path or "-",
            )
            return
        shelf = self._shelf(record)
        shelf.mkdir(exist_ok=True)
        rows: dict[Mark, int] = {}
        for at, label in enumerate(labels):
            rows.setdefault(self.marks[label], at)
        once = replace(scores, values=scores.values[list(rows.values())])
        marks = {labels[at]: mark for mark, at in rows.items()}
        content = _part_bytes(record.identity, marks, self.topics, once)
        name = f"{record.identity.key}-{digest(list(rows))[:16]}-{checksum(content)}.parquet"
        with atomic(shelf / name) as stream:
            stream.write(content)
        scores.notices.extend(record.notices)

    def _shelf(self, record: Record) -> Path:
        return self.folder / record.identity.key[:2]


def _content_of(load: RunLoader) -> Content:
    """The state of a run's file, taken before it is read, and the digest of the run."""
    state = stamp(load.path) if load.path else None
    return state, file_digest(load.origin) if isinstance(load.origin, str | Path) else digest(load.origin)


def _shown(options: dict[str, Any]) -> str:
    told = {name: value for name, value in sorted(options.items()) if value not in (None, False)}
    return " ".join(f"{name}={value}" for name, value in told.items())


def _part_bytes(
    identity: ScoreIdentity, marks: dict[str, Mark], topics: Sequence[str], scores: RunScores
) -> bytes:
    """A part as the bytes of a Parquet file: a row for every measure and topic that counts."""
    at = np.flatnonzero(scores.counted)
    each = np.repeat(np.arange(len(marks)), len(at))
    all_rows = np.zeros(len(each), dtype=np.int64)
    columns: dict[str, Coded | np.ndarray] = {
        "run": ([identity.run], all_rows),
        "topic": ([topics[topic] for topic in at.tolist()], np.tile(np.arange(len(at)), len(marks))),
        "measure": (list(marks), each),
        "value": scores.values[:, at].ravel(),
        "results": all_rows + scores.results,
        "unjudged": all_rows + scores.unjudged,
    }
    for name in ORIGIN_COLUMNS:
        words, code = encode(getattr(mark, name) for mark in marks.values())
        columns[name] = words, code[each]
    columns |= {name: ([getattr(identity, name)], all_rows) for name in IDENTITY}
    beside = {
        NOTICES: json.dumps([notice.record for notice in scores.notices]),
        REPEATED: json.dumps(scores.repeated),
    }
    return parquet_bytes({name: columns[name] for name in PART_COLUMNS}, beside)


@dataclass
class Part:
    """One part, read back."""

    values: dict[Mark, np.ndarray]
    counted: np.ndarray
    results: int
    unjudged: int
    notices: Notices
    repeated: Repeated | None

    @classmethod
    def read(cls, path: Path, topics: Sequence[str]) -> Part:
        """The scores of a part, over the topics of an evaluation."""
        content = checked_bytes(path)
        needed = {"topic", "value", "results", "unjudged", *ORIGIN_COLUMNS}
        table = flat_table_in(content, needed)
        if table is None or not needed <= set(table.columns):
            raise InputError(f"{path}: is not part of a store of scores")
        columns = table.columns
        place = {topic: at for at, topic in enumerate(topics)}
        told = columns["topic"]
        places = np.array([place[topic] for topic in told.words or ()], dtype=np.int64)[told.values]
        counted = np.zeros(len(topics), dtype=bool)
        counted[places] = True
        values: dict[Mark, np.ndarray] = {}
        origin = zip(*(columns[name].tolist() for name in ORIGIN_COLUMNS), strict=True)
        rows_of: dict[tuple[str, ...], list[int]] = {}
        for row, marks in enumerate(origin):
            rows_of.setdefault(marks, []).append(row)
        value = np.where(columns["value"].present, columns["value"].values, np.nan)
        for marks, rows in rows_of.items():
            column = values[Mark(*marks)] = np.full(len(topics), np.nan)
            column[places[rows]] = value[rows]
        notices = Notices()
        repeated = json.loads(table.beside.get(REPEATED, "null"))
        for notice in json.loads(table.beside[NOTICES]):
            notices.adopt(Notice.of(notice))
        results, unjudged = (
            int(columns[name].values[0]) if table.size else 0 for name in ("results", "unjudged")
        )
        again = None if repeated is None else Repeated(*repeated)
        return cls(values, counted, results, unjudged, notices, again)


def read_part(path: Path) -> polars.DataFrame:
    """A part as a frame; an error if it is damaged or not a part of a store."""
    return _frame(checked_bytes(path), path)


def checked_bytes(path: Path) -> bytes:
    """The bytes of a part; an error if they do not match its name."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror}") from None
    if path.stem.rpartition("-")[2] != checksum(content):
        raise InputError(
            f"{path}: is damaged, or not part of a store of scores; remove it and score its run again"
        )
    return content


def _frame(content: bytes, path: Path) -> polars.DataFrame:
    from doxeval.io.parquet_files import parquet_frame

    frame = parquet_frame(content, str(path), ours=True)
    if missing := set(PART_COLUMNS) - set(frame.columns):
        raise InputError(f"{path}: is not part of a store of scores: it has no {', '.join(sorted(missing))}")
    return frame


def part_files(folder: str | Path) -> list[Path]:
    """The parts of a store."""
    if not Path(folder).is_dir():
        raise InputError(f"{folder}: is not a store of scores: there is no such folder")
    files = sorted(Path(folder).glob("*/*.parquet"))
    if not files:
        raise InputError(f"{folder}: is not a store of scores, or an empty one")
    return files
