"""The formats that a task reads the files of its campaign in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from doxeval.core.errors import InputError
from doxeval.io.encodings import GUESS
from doxeval.io.formats.format import recognise
from doxeval.io.source import Source

if TYPE_CHECKING:
    from doxeval.tables.assessments import Assessments
    from doxeval.tables.runs import Run


def _formats(task: str | None) -> dict[str, str]:
    """The formats that are read in another, with that one."""
    if task is None:
        return {}
    from doxeval.ground.tasks.presets import TASKS

    return dict(TASKS[task].formats)


def format_in_task(kind: str, data: Any, task: str | None, encoding: str | None = None) -> str | None:
    """The format that a task reads a file in, if it is not the one that is recognised; else None."""
    instead = _formats(task)
    is_file = isinstance(data, bytes) or (isinstance(data, str | Path) and not Path(data).is_dir())
    if not instead or not is_file or not data:
        return None
    with Source(data, encoding=encoding or GUESS) as source:
        return None if source.is_empty else instead.get(recognise(kind, source).name)


def check_format(table: Run | Assessments, task: str | None) -> None:
    """Refuse a table read from a file of the campaign in a format that the task is not about."""
    written = table.written
    instead = _formats(task).get(written.format) if written else None
    if written and instead:
        raise InputError(
            f"{table.source or 'a table'}: was read as {written.format}, but the task {task} is about what "
            f"{instead} reads; read it with input_format={instead!r}, or give the file"
        )
