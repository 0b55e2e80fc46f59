"""Folders as runs: one file for each topic, such as a trajectory or a patch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from doxeval.core.errors import InputError
from doxeval.io.encodings import GUESS
from doxeval.io.formats.format import Format, Options, format_named, formats
from doxeval.io.source import UTF8_MARK, Source
from doxeval.tables.runs import Run

SHARED_SUFFIXES = (".json", ".jsonl")
"""Suffixes that say nothing about the format: the content decides."""


class FolderOfTopics(NamedTuple):
    """The files of a folder that are one run, their format, and the number of files of other formats."""

    format: Format
    paths: list[Path]
    others: int


def folder_of_topics(folder: Path, format: str | None = None) -> FolderOfTopics | None:
    """The files in a folder and its folders that are a run; None if there are none.

    Of several formats the one with the highest priority counts: a trajectory comes before the patch that it
    led to.
    """
    known = [format_named("run", format)] if format else formats("run").values()
    several = [one for one in known if one.several is not None]
    found: dict[str, list[Path]] = {}
    for path, suffix in _files(folder):
        possible = [one for one in several if suffix in one.suffixes]
        if suffix in SHARED_SUFFIXES and possible:
            possible = _recognised(path, possible)
        if possible:
            found.setdefault(possible[0].name, []).append(path)
    chosen = next((one for one in known if one.name in found), None)
    if chosen is None:
        return None
    others = sum(len(paths) for name, paths in found.items() if name != chosen.name)
    return FolderOfTopics(chosen, sorted(found[chosen.name]), others)


def begins_with_session(folder: Path) -> bool:
    """Whether the first file in a folder whose suffix says nothing about its format is a session."""
    known = [one for one in formats("run").values() if one.several is not None]
    for path, suffix in _files(folder):
        if suffix in SHARED_SUFFIXES:
            return bool(_recognised(path, [one for one in known if suffix in one.suffixes]))
    return False


def _recognised(path: Path, possible: list[Format]) -> list[Format]:
    """The formats that a file is in, by its first bytes."""
    with Source(path, encoding=GUESS) as source:
        head = source.head.removeprefix(UTF8_MARK).lstrip()
    return [one for one in possible if one.sniff(head)]


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files in a folder and its folders, with the suffixes of their formats."""
    for path in folder.rglob("*.*"):
        suffix = Source(path).suffix
        if suffix and path.is_file():
            yield path, suffix


def read_folder_as_run(folder: Path, format: str | None, options: Options) -> Run:
    """Read the files of a folder as one run, named after the folder."""
    found = folder_of_topics(folder, format)
    if found is None:
        known = (suffix for one in formats("run").values() if one.several for suffix in one.suffixes)
        expected = " or ".join(f"*{suffix}" for suffix in dict.fromkeys(known))
        raise InputError(f"{folder}: a folder without {expected}; expected such a folder, or a file")
    sources = [Source(path, encoding=GUESS) for path in found.paths]
    assert found.format.several is not None
    run: Run = found.format.several(sources, Source(folder), options.named_after(Source(folder)))
    if found.others:
        run.notices.add(
            f"{folder}: {{count}} {{file that is|files that are}} no {found.format.name} {{is|are}} not read",
            count=found.others,
            harmless=True,
        )
    return run
