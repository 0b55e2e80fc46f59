"""`doxeval index`: write documents to one file that opens at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from doxeval.cli.support import option
from doxeval.core.phrases import counted
from doxeval.io.documents.limits import Limits

if TYPE_CHECKING:
    from doxeval.io.documents.index import Progress

DEFAULTS = Limits()


@click.command("index")
@click.argument("docs", nargs=-1, required=True)
@option("--output -o", "File to write: collection.dox (memory-mapped), .parquet or .jsonl.",
        of=click.Path(path_type=Path), required=True)  # fmt: skip
@option("--jobs", "Number of processes that parse.", os.cpu_count() or 1, least=1, show_default="all cores")
@option("--no-text", "Keep only the trees: quotes cannot be located, nor words and tokens counted.")
@option("--executor ADDRESS", "Parse on these workers instead: dask://host:8786.")
@option("--format", "Read every file as xml, html, markdown, text, wikitext, json or jsonl.", of=str)
@option("--strict", "Fail, and write nothing, if a document is refused.")
@option("--max-depth", "Maximum nesting of elements.", DEFAULTS.depth)
@option("--max-document-size", "Maximum bytes of one document.", DEFAULTS.document_size)
@option("--max-archive-size", "Maximum bytes that one archive unpacks to.", DEFAULTS.archive_size)
@option("--max-archive-ratio", "Maximum ratio of a member's unpacked to packed size.", DEFAULTS.archive_ratio)
@option("--max-header-size", "Maximum bytes of a tar member's header.", DEFAULTS.header_size)
@option("--max-siblings", "Maximum options of a list and attributes of a tag in HTML.", DEFAULTS.siblings)
@option("--max-seconds", "Maximum seconds to parse one document.", DEFAULTS.seconds)
@option("--max-nodes", "Maximum nodes of one document.", DEFAULTS.nodes)
def command(
    docs: tuple[str, ...], output: Path, jobs: int, no_text: bool, executor: str | None, format: str | None,
    strict: bool, **limits: int,
) -> None:  # fmt: skip
    """Index DOCS (files, folders, globs, zip or tar archives) into one file.

    A document is named by its path in the folder or archive, without the suffix. Documents that cannot be
    read are reported and left out. The file appears only once it is complete.
    """
    from doxeval.cli.support import finish
    from doxeval.core.crews import workers_at
    from doxeval.io.documents.index import index

    with _progress_shown() as progress, workers_at(executor) as workers:
        allowed = Limits(**{name.removeprefix("max_"): limit for name, limit in limits.items()})
        documents = index(
            docs, output, jobs=jobs, executor=workers, text=not no_text, format=format, limits=allowed,
            progress=progress, strict=strict,
        )  # fmt: skip
    finish(documents.notices, strict=False)
    size = output.stat().st_size
    click.echo(
        f"{output}: {counted(len(documents), 'document')}, {counted(len(documents.parent), 'node')}, "
        f"{size:,} bytes",
        err=True,
    )


@contextmanager
def _progress_shown() -> Iterator[Progress | None]:
    """A counter of documents on a terminal; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("indexing"), BarColumn(), TextColumn("{task.completed:,} documents")
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("indexing", total=None)
        yield lambda done: bar.update(task, completed=done)
