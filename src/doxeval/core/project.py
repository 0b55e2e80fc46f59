"""The project file: assessments, documents, measures and options that hold in a folder and below it.

It is `doxeval.toml`, or the table `[tool.doxeval]` of `pyproject.toml`, in the current folder or the nearest
one above. The command line takes it into account, Python only where it is asked to (:func:`config`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from doxeval.core.errors import InputError, UsageError, nearest
from doxeval.core.options import OPTIONS, flags_of
from doxeval.core.quick_class import dataclass

OWN_FILE, SHARED_FILE, TABLE = "doxeval.toml", "pyproject.toml", "[tool.doxeval]"
HAS_TABLE = re.compile(rb"""^\s*\[\s*tool\s*(\.\s*["']?doxeval\b|\])""", re.MULTILINE)
"""What is in a `pyproject.toml` with the table; any other is not parsed."""

SUBJECTS = {"runs": True, "assessments": False, "measures": True, "documents": False, "navigation": True}
"""What is scored against what, by what; and whether there may be several."""
TOP = (*SUBJECTS, "topics_file", *OPTIONS)
"""The keys outside the tables of commands."""
ALSO = {
    "qrels": "assessments", "docs": "documents", "measure": "measures", "nav": "navigation",
    **{flags_of(name).split()[0].removeprefix("--").replace("-", "_"): name for name in OPTIONS},
}  # fmt: skip
"""Other names of these keys: those of the flags."""
PATHS = ("runs", "assessments", "documents", "topics_file", "chunks", "pool", "store")


@dataclass(frozen=True)
class Project:
    """A project file as read: `settings` hold for every command that takes them, `tables` for one each.

    Paths in `settings` are seen from the current folder.
    """

    path: Path
    shared: bool
    settings: dict[str, Any]
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file as messages name it, with the table if it has others besides."""
        return f"{self.seen(self.path.name)}{f' {TABLE}' if self.shared else ''}"

    def seen(self, path: str) -> str:
        """A path of the file, as seen from the current folder; `-` and absolute paths are what they are."""
        as_it_is = path == "-" or Path(path).is_absolute()
        return path if as_it_is else os.path.relpath(self.path.parent / path)

    def problem(self, where: str, what: str) -> InputError:
        """An error about a place in the file."""
        return InputError(f"{self.name}: {where}: {what}")


def find_project(folder: str | Path = ".") -> Project | None:
    """The project file of a folder: in it, or in the nearest folder above that has one."""
    here = Path(folder).absolute()
    for place in (here, *here.parents):
        for name in (OWN_FILE, SHARED_FILE):
            if (place / name).is_file() and (project := _read(place / name)) is not None:
                return project
    return None


def _read(path: Path) -> Project | None:
    """The project in a file; None if it is a `pyproject.toml` without the table."""
    shared = path.name == SHARED_FILE
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror}") from None
    if shared and not HAS_TABLE.search(content):
        return None
    import tomllib

    try:
        settings: Any = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InputError(f"{path}: expected TOML: {problem}") from None
    for key in ("tool", "doxeval") if shared else ():
        settings = settings.get(key) if isinstance(settings, Mapping) else None
    if settings is None:
        return None
    empty = Project(path, shared, {})
    if not isinstance(settings, Mapping):
        raise empty.problem("doxeval", f"expected a table, found {settings!r}")
    tables = {str(key): dict(value) for key, value in settings.items() if isinstance(value, Mapping)}
    rest = {key: value for key, value in settings.items() if key not in tables}
    return Project(path, shared, _settings(empty, rest), tables)


def _settings(project: Project, given: Mapping[str, Any]) -> dict[str, Any]:
    """The keys outside the tables of commands, checked; each under one name."""
    settings: dict[str, Any] = {}
    for key, value in given.items():
        name = one_name(key)
        if name not in TOP:
            raise project.problem(key, f"unknown key{nearest(key, (*TOP, *ALSO))}")
        if name in settings:
            raise project.problem(key, f"{name} is given twice")
        _check(project, key, name, value)
        several = [value] if isinstance(value, str) and _may_be_several(name) else value
        settings[name] = _from_here(project, name, several)
    return settings


def one_name(key: str) -> str:
    """The name of a key, which may also be written as its flag is.

    >>> one_name("qrels"), one_name("rank-by"), one_name("as")
    ('assessments', 'rank_by', 'shape')
    """
    plain = key.replace("-", "_")
    return ALSO.get(plain, plain)


def _may_be_several(name: str) -> bool:
    """Whether a key may have several values."""
    return SUBJECTS.get(name, name in OPTIONS and OPTIONS[name].several)


def _check(project: Project, key: str, name: str, value: Any) -> None:
    if _may_be_several(name):
        listed = isinstance(value, list) and all(isinstance(each, str) for each in value)
        if not (isinstance(value, str) or listed):
            raise project.problem(key, f"expected a text or a list of texts, found {value!r}")
        return
    is_text = name not in OPTIONS or not (OPTIONS[name].least or isinstance(OPTIONS[name].default, bool))
    if is_text and not isinstance(value, str):
        raise project.problem(key, f"expected a text, found {value!r}")
    if name in OPTIONS:
        try:
            OPTIONS[name].check(key, value)
        except UsageError as problem:
            raise InputError(f"{project.name}: {problem}") from None


def _from_here(project: Project, name: str, value: Any) -> Any:
    """A value in which paths are seen from the current folder; a tokenizer is one if such a file exists."""
    if name == "tokenizer":
        return project.seen(value) if Path(project.seen(value)).is_file() else value
    if name not in PATHS:
        return value
    return [project.seen(path) for path in value] if isinstance(value, list) else project.seen(value)


def config(*, folder: str | Path = ".") -> dict[str, Any]:
    """The settings of the project file for :func:`doxeval.evaluate`, as in ``evaluate(runs, **config())``.

    The file is `doxeval.toml`, or `[tool.doxeval]` in `pyproject.toml`, in the folder or the nearest one
    above; an error if there is none. Python reads it only here.
    """
    project = find_project(folder)
    if project is None:
        raise UsageError(
            f"there is no {OWN_FILE}, and no {TABLE} in a {SHARED_FILE}, in {Path(folder).absolute()} or "
            "above"
        )
    without = "runs", "topics_file", "pool"
    return {name: value for name, value in project.settings.items() if name not in without}
