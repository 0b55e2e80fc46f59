"""Runs before they are read: anything callers pass, as loaders that read when needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from doxeval.core.errors import DoxevalError, InputError
from doxeval.core.quick_class import dataclass
from doxeval.core.run_parameters import plain_parameters
from doxeval.core.values import is_several
from doxeval.ground.tasks.formats import check_format, format_in_task
from doxeval.io.encodings import GUESS
from doxeval.io.formats.format import Format, format_named, recognise
from doxeval.io.inputs import lasts
from doxeval.io.limits import input_limits
from doxeval.io.read import read_run
from doxeval.io.run_descriptions import header_of, is_description, parameters_at_head, parameters_beside
from doxeval.io.source import COMPRESSED_SUFFIXES, Source
from doxeval.tables.places import LINES
from doxeval.tables.runs import WHOLE, Run

USUAL_COMPRESSION = 8
"""The usual ratio of the size of a run file to its compressed size."""


def gives_lines(loader: RunLoader) -> bool:
    """Whether the places of a run are given in lines; a large run is not read for that."""
    if loader.is_large:
        return False
    try:
        run = loader()
    except (DoxevalError, OSError):
        return True
    return run.texts is None and (run.unit == LINES or not len(run.start) or bool((run.end >= WHOLE).all()))


def names_in(loader: RunLoader) -> set[tuple[str, str]]:
    """The topics of a run with the names of the documents retrieved for them."""
    if loader.is_large:
        return set()
    try:
        run = loader()
    except (DoxevalError, OSError):
        return set()
    pairs = zip(run.topic.tolist(), run.doc.tolist(), strict=True)
    return {(run.topics[topic], run.docs[doc]) for topic, doc in set(pairs)}


def named_runs(runs: Any) -> Iterable[tuple[str, Any]]:
    """Each run with the name given to it, empty if it has its own; lazy if `runs` is an iterator."""
    is_row = isinstance(runs, Mapping) and {"topic", "doc"} <= set(runs)
    if isinstance(runs, Mapping) and not is_row:
        return [(str(name), run) for name, run in runs.items()]
    rows = isinstance(runs, list | tuple) and runs and isinstance(runs[0], Mapping)
    if isinstance(runs, list | tuple) and len(runs) > 1 and not rows:
        runs = [run for run in runs if not (isinstance(run, str | Path) and is_description(run))]
    if isinstance(runs, Run | RunLoader | str | Path | bytes) or rows or is_frame(runs):
        return [("", runs)]
    if is_row or not is_several(runs):
        raise InputError(
            "expected runs: a path, a list of dicts, a frame or a table, or several of these in a list or by "
            f"name, found {'a single row; put it into a list' if is_row else type(runs).__name__}"
        )
    if not isinstance(runs, Iterator):
        return [("", run) for run in runs]
    first = list(islice(runs, 1))
    if first and isinstance(first[0], Mapping):
        return [("", [*first, *runs])]
    return (("", run) for run in chain(first, runs))


def is_frame(data: Any) -> bool:
    """Whether data is a frame of polars or pandas."""
    return type(data).__module__.partition(".")[0] in ("polars", "pandas")


def repeatable(runs: Any) -> Any:
    """Runs that can be gone through more than once."""
    return list(runs) if isinstance(runs, Iterator) and is_several(runs) else runs


@dataclass(eq=False)
class RunLoader:
    """A run that is read when needed, so only one run per process is in memory."""

    origin: Any
    name: str = ""
    input_format: str | None = None
    ranges: str = ""
    encoding: str | None = None
    question_attribute: str = ""
    verbatim: bool = False
    level: str | None = None
    grid: int | None = None
    task: str | None = None

    def __call__(self) -> Run:
        if isinstance(self.origin, Run):
            run = self.origin
            if not self.verbatim:
                check_format(run, self.task)
        else:
            run = read_run(
                self.origin, input_format=self._format_named, name=self.name, ranges=self.ranges,
                encoding=self.encoding, question_attribute=self.question_attribute, verbatim=self.verbatim,
                level=self.level, grid=self.grid,
            )  # fmt: skip
        name = self.name or run.name or "run"
        return run if run.name == name else replace(run, name=name)

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of the run: at the head of its file or rows, and in files beside it."""
        if isinstance(self.origin, Run):
            return dict(self.origin.parameters)
        if isinstance(self.origin, list | tuple):
            head: Any = self.origin[0] if self.origin else {}
            return plain_parameters(head["parameters"], "row 1") if header_of(head) else {}
        if self.path is None:
            return {}
        source = self.source
        try:
            return parameters_beside(self.path) | parameters_at_head(source)
        finally:
            source.close()

    @property
    def path(self) -> str | None:
        """The file of the run; None if it is in memory, or can be read only once in this process."""
        readable = isinstance(self.origin, str | Path) and Path(self.origin).is_file() and lasts(self.origin)
        return str(self.origin) if readable else None

    @property
    def is_large(self) -> bool:
        """Whether the file, judging by its size, is too large to be in memory at once."""
        path = self.path
        if path is None:
            return False
        size = Path(path).stat().st_size
        if Path(path).suffix in COMPRESSED_SUFFIXES:
            size *= USUAL_COMPRESSION
        return size > input_limits().whole

    @property
    def source(self) -> Source:
        """The bytes of the file."""
        return Source(self.path or "", encoding=self.encoding or GUESS)

    @property
    def format_of_file(self) -> Format:
        """The format named, or recognised from the file."""
        if named := self._format_named:
            return format_named("run", named)
        source = self.source
        try:
            return recognise("run", source)
        finally:
            source.close()

    @property
    def _format_named(self) -> str | None:
        return self.input_format or format_in_task("run", self.origin, self.task, self.encoding)

    @property
    def run_name(self) -> str:
        """The name the run will have."""
        if self.name or isinstance(self.origin, Run):
            return self.name or self.origin.name or "run"
        return Source(self.origin).stem if isinstance(self.origin, str | Path) else "run"

    def __str__(self) -> str:
        return self.path or self.run_name

    def portable(self, far: bool) -> RunLoader:
        """The same run for another process: by its path (absolute if `far`), or else by content."""
        if self.path is None:
            return replace(self, origin=self())
        return replace(self, origin=str(Path(self.path).resolve())) if far else self
