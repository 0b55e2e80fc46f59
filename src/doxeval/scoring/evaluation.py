"""Evaluate runs: align each once, let every measure look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.ground.align import Conventions, align
from doxeval.ground.ground import Ground, prepare_ground
from doxeval.io.limits import input_limits
from doxeval.io.read import read_assessments, read_chunks, read_documents, read_run
from doxeval.io.source import COMPRESSED_SUFFIXES, Source
from doxeval.measurement.base import Measure, Measures, chosen_measures, values_of
from doxeval.scoring.scores import RunScores, Scores
from doxeval.tables.assessments import Assessments
from doxeval.tables.runs import Run

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from doxeval.ground.aligned import Aligned
    from doxeval.tables.chunks import Chunks
    from doxeval.tables.documents import Documents

USUAL_COMPRESSION = 8
"""How much larger a compressed run file usually is than it seems."""


def evaluate(
    runs: Run | str | Path | Sequence[Any] | Mapping[str, Any],
    assessments: Assessments | Any,
    measures: Measures = (),
    documents: Documents | Any | None = None,
    navigation: str | None = None,
    *,
    topics: str | None = None,
    depth: int | None = None,
    unjudged: str = "irrelevant",
    rank_by: str | None = None,
    task: str | None = None,
    fix: bool = False,
    chunks: Chunks | str | Path | None = None,
    tokenizer: str | Path | None = None,
    shape: str | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    store: str | Path | None = None,
) -> Scores:
    """Score runs by measures.

    `runs` is one run or several: tables from :func:`doxeval.read_run`, paths, lists of dicts, frames, or a
    mapping from names to any of these. `measures` are texts or :func:`doxeval.measure` objects; what means
    the same is computed once, under every label it was given. `assessments` and `documents` are tables or
    whatever their readers take. `topics="qrels"` (the default) counts every assessed topic, `"run"` only
    those a run has. Results are taken by their rank (`rank_by="rank"`, the default), by score as trec_eval
    does (`"score"`), or as the file has them (`"file"`, the default with a task). `task` is one of INEX: its
    conventions, its measures where none is named, its rules, which `fix` makes a run keep.
    `chunks` are all chunks of a collection, `tokenizer` the file that says what ``@1000t`` counts.
    `shape="trees"` joins the results of each document into one, at the rank of the first. The work goes to
    `jobs` processes or to any `executor`, with the same scores; a folder given as `store` keeps them, and
    what is in it is not computed again. A run that cannot be read or scored is a warning, and among
    `scores.unscored`; an error where no other could.

    >>> qrels = [{"topic": "t1", "doc": "d1", "start": 0, "end": 10}]
    >>> system = [{"topic": "t1", "doc": "d1", "rank": 1, "start": 5, "end": 25}]
    >>> scores = evaluate({"half": system}, qrels, "iP@1 iR@1")
    >>> scores.value("half", "iP@1")
    0.25
    """
    table = assessments if isinstance(assessments, Assessments) else read_assessments(assessments)
    if documents is not None and not _is_documents(documents):
        documents = read_documents(documents)
    if isinstance(chunks, str | Path):
        chunks = read_chunks(chunks)
    plan = plan_evaluation(
        table, measures, documents, navigation, topics=topics, depth=depth, unjudged=unjudged,
        rank_by=rank_by, task=task, fix=fix, chunks=chunks, tokenizer=tokenizer, shape=shape,
    )  # fmt: skip
    loaders = [RunLoader(run, name) for name, run in named_runs(runs)]
    scores = plan.scores(loaders, jobs=jobs, executor=executor, store=store)
    scores.warn()
    return scores


def _is_documents(candidate: Any) -> bool:
    from doxeval.tables.documents import Documents

    return isinstance(candidate, Documents)


def named_runs(runs: Any) -> list[tuple[str, Any]]:
    """Each run with the name it is given, empty where it names itself."""
    if isinstance(runs, Mapping):
        return list(runs.items())
    rows = isinstance(runs, list | tuple) and runs and isinstance(runs[0], Mapping)
    if isinstance(runs, Run | str | Path | bytes) or rows or hasattr(runs, "columns"):
        return [("", runs)]
    return [("", run) for run in runs]


class RunLoader:
    """A run that is read when its turn comes, so that only one run a process is in memory."""

    def __init__(
        self,
        origin: Any,
        name: str = "",
        format: str | None = None,
        ranges: str = "",
        encoding: str | None = None,
    ) -> None:
        self.origin = origin
        self.name = name
        self.format = format
        self.ranges = ranges
        self.encoding = encoding

    def __call__(self) -> Run:
        if isinstance(self.origin, Run):
            run = self.origin
        else:
            run = read_run(
                self.origin,
                format=self.format,
                name=self.name,
                ranges=self.ranges,
                encoding=self.encoding,
            )
        run.name = self.name or run.name or "run"
        return run

    @property
    def path(self) -> str | None:
        """The file the run is read from; None where it is in memory, or can be read only once."""
        readable = isinstance(self.origin, str | Path) and Path(self.origin).is_file()
        return str(self.origin) if readable else None

    @property
    def is_large(self) -> bool:
        """Whether the file holds, as far as its size tells, more than is to be in memory at once."""
        if self.path is None:
            return False
        size = Path(self.path).stat().st_size
        if Path(self.path).suffix in COMPRESSED_SUFFIXES:
            size *= USUAL_COMPRESSION
        return size > input_limits().whole

    @property
    def run_name(self) -> str:
        """The name the run will have."""
        if self.name or isinstance(self.origin, Run):
            return self.name or self.origin.name or "run"
        return Source(self.origin).stem if isinstance(self.origin, str | Path) else "run"

    def portable(self, far: bool) -> RunLoader:
        """The same run for another process: by path, in full where that is `far` away, or else by content."""
        moved = copy(self)
        if self.path is None:
            moved.origin = self()
        elif far:
            moved.origin = str(Path(self.path).resolve())
        return moved


class Plan:
    """What every run is measured against: the ground truth, the measures, the conventions."""

    def __init__(
        self, ground: Ground, measures: Sequence[Measure], conventions: Conventions, topics: str
    ) -> None:
        self.ground = ground
        self.measures = measures
        self.conventions = conventions
        self.topics = topics

    def only(self, labels: Sequence[str]) -> Plan:
        """The same plan with some of its measures."""
        part = copy(self)
        part.measures = [measure for measure in self.measures if measure.label in labels]
        return part

    def score(self, load: RunLoader) -> RunScores:
        """Read one run and score it, block by block where its file is large."""
        if load.is_large:
            from doxeval.scoring.streaming.blocks import score_in_blocks, streams

            if streams(load):
                return score_in_blocks(self, load)
        return self.score_run(load())

    def score_run(self, run: Run) -> RunScores:
        """Align one run, and let every measure score it."""
        with align(run, self.ground, self.conventions) as aligned:
            values = values_of(self.measures, aligned)
        counted = aligned.present if self.topics == "run" else np.ones(len(self.ground.topics), dtype=bool)
        notices = Notices()
        notices.extend(run.notices)
        notices.extend(aligned.notices)
        _note_unanswered(run, aligned, counted, notices)
        return RunScores(
            name=run.name,
            values=np.where(counted, values, np.nan),
            counted=counted,
            results=len(aligned),
            unjudged=int((aligned.pair < 0).sum()),
            notices=notices,
        )

    def scores(
        self,
        loaders: Sequence[RunLoader],
        *,
        jobs: int = 1,
        executor: Executor | None = None,
        store: str | Path | None = None,
    ) -> Scores:
        """Score every run, here or elsewhere, as :func:`evaluate` does; the order is that of the runs."""
        from doxeval.scoring.sweep import score_runs

        parts = dict(score_runs(self, loaders, jobs=jobs, executor=executor, store=store))
        return Scores.gather(self, [parts[at] for at in range(len(loaders))])


def _note_unanswered(run: Run, aligned: Aligned, counted: np.ndarray, notices: Notices) -> None:
    """Tell how many of the topics that count have no results."""
    counted = counted & aligned.ground.has_relevant
    empty = counted & (aligned.count == 0)
    if empty.any():
        topics = aligned.ground.topics
        notices.add(
            f"{run.source or run.name}: {{count}} of {int(counted.sum()):,} topics have no results",
            *(topics[at] for at in np.flatnonzero(empty)[:3]),
            count=int(empty.sum()),
            harmless=True,
            lasting=True,
        )


def plan_evaluation(
    assessments: Assessments,
    measures: Measures,
    documents: Documents | None = None,
    navigation: str | None = None,
    *,
    topics: str | None = None,
    depth: int | None = None,
    unjudged: str = "irrelevant",
    rank_by: str | None = None,
    task: str | None = None,
    fix: bool = False,
    chunks: Chunks | None = None,
    tokenizer: str | Path | None = None,
    shape: str | None = None,
) -> Plan:
    """Check the request and prepare what all runs share."""
    if topics not in (None, "qrels", "run"):
        raise UsageError(f"topics is 'qrels' or 'run', not {topics!r}")
    if unjudged not in ("irrelevant", "skip"):
        raise UsageError(f"unjudged is 'irrelevant' or 'skip', not {unjudged!r}")
    if rank_by not in (None, "rank", "score", "file"):
        raise UsageError(f"rank_by is 'rank', 'score' or 'file', not {rank_by!r}")
    if shape not in (None, "trees"):
        raise UsageError(f"shape is 'trees' or nothing, not {shape!r}")
    if depth is not None and depth < 1:
        raise UsageError(f"depth is at least 1, not {depth}")
    chosen = chosen_measures(measures, navigation)
    conventions = Conventions(
        order=rank_by or ("file" if task else "rank"), depth=depth, unjudged=unjudged, fix=fix,
        tokenizer=str(tokenizer) if tokenizer else None, shape=shape,
    )  # fmt: skip
    if task is not None:
        from doxeval.ground.tasks.presets import TASKS

        conventions = TASKS[task].conventions(conventions)
        chosen = chosen or chosen_measures(TASKS[task].measures, navigation)
    elif fix:
        raise UsageError("fix repairs what breaks the rules of a task; name the task (--task ric)")
    if not chosen:
        raise UsageError("no measure was named; 'doxeval measures' lists them")
    ground = prepare_ground(assessments, documents, chunks)
    for measure in chosen:
        measure.prepare(ground, conventions)
    return Plan(ground, chosen, conventions, topics or ("run" if task else "qrels"))
