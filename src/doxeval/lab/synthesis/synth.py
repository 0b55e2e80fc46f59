"""Make a collection, assessments and runs of any size, in files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from doxeval import Notices, Table, UsageError
from doxeval.core.errors import nearest
from doxeval.extend import Records
from doxeval.lab.synthesis.collection import Shape
from doxeval.lab.synthesis.making import COLLECTION_FORMS, write_all
from doxeval.lab.synthesis.systems import System, spread_systems

DOCUMENT_FORMATS = ("jsonl", "dox", "parquet", "none")


@dataclass(frozen=True)
class SyntheticFile:
    """A file that was made, and what it contains: documents, assessments or a run."""

    kind: str
    path: str


@dataclass(eq=False, repr=False)
class SyntheticFiles(Records):
    """The files of a synthetic collection; `documents` is None if none were written."""

    files: list[SyntheticFile]
    notices: Notices = field(default_factory=Notices)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per file."""
        return [asdict(file) for file in self.files]

    def _of(self, kind: str) -> list[str]:
        return [file.path for file in self.files if file.kind == kind]

    @property
    def documents(self) -> str | None:
        """The path of the documents."""
        return next(iter(self._of("documents")), None)

    @property
    def assessments(self) -> str:
        """The path of the assessments."""
        return self._of("assessments")[0]

    @property
    def runs(self) -> list[str]:
        """The paths of the runs."""
        return self._of("run")

    @property
    def table(self) -> Table:
        """A row per file."""
        return Table(["kind", "path"], [[file.kind, file.path] for file in self.files], 2)


def synth(
    path: str | Path,
    *,
    document_count: int = 10_000,
    topic_count: int = 107,
    pool_size: int = 512,
    relevant_share: float = 0.17,
    system_count: int = 10,
    systems: Sequence[str] = (),
    results: int | None = None,
    words: bool = False,
    format: str = "native",
    docs_format: str = "jsonl",
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> SyntheticFiles:
    """Make a folder with an INEX-like collection, highlighted assessments and systems of given quality.

    For each topic `pool_size` documents are assessed, of which a `relevant_share` is relevant. There are
    `system_count` systems, spread over a range of quality, with 1500 `results` per topic; or the `systems`
    named, as in ``name(granularity=section,skill=3,near_miss=0.1,overlap=0.2,results=100)``. Documents are
    trees and lengths, filled with made-up `words` on request. `format` is `native` or `inex`, `docs_format`
    jsonl, dox, parquet or none. The same seed gives the same files on any machine; memory does not grow with
    the size. `progress` is called with a text that says how far it is.

    >>> import tempfile
    >>> folder = f"{tempfile.mkdtemp()}/small"
    >>> made = synth(folder, document_count=300, topic_count=2, pool_size=20, system_count=1)
    >>> len(made.runs), made.documents.removeprefix(folder)
    (1, '/documents.jsonl')
    """
    for name, given, known in (
        ("format", format, COLLECTION_FORMS),
        ("docs_format", docs_format, DOCUMENT_FORMATS),
    ):
        if given not in known:
            raise UsageError(
                f"{name} must be one of {', '.join(known)}, not {given!r}{nearest(given, known)}"
            )
    if systems and results is not None:
        raise UsageError("results would do nothing: each of the systems named gives its own")
    if words and docs_format == "none":
        raise UsageError("words would do nothing: no documents are written (docs_format='none')")
    if system_count < 0:
        raise UsageError(f"system_count must be at least 0, not {system_count}")
    named = [systems] if isinstance(systems, str) else systems
    chosen = [System.parse(text) for text in named]
    chosen = chosen or spread_systems(system_count, seed, results=1500 if results is None else results)
    shape = Shape(document_count, topic_count, pool_size, relevant_share, text=words)
    name = "" if docs_format == "none" else f"documents.{docs_format}"
    told = progress or (lambda stage: None)
    paths = write_all(Path(path), shape, chosen, seed, format, name, told)
    kinds = [*(["documents"] if name else []), "assessments", *["run"] * len(chosen)]
    return SyntheticFiles([SyntheticFile(*file) for file in zip(kinds, map(str, paths), strict=True)])
