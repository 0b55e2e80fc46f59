"""`doxeval index`: documents to one file that opens without being read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from doxeval.io.documents.limits import Limits

if TYPE_CHECKING:
    from doxeval.io.documents.index import Progress

DEFAULTS = Limits()


@click.command("index")
@click.argument("docs", nargs=-1, required=True)
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path),
    help="collection.dox (memory-mapped), .parquet or .jsonl.",
)  # fmt: skip
@click.option(
    "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, show_default="all cores",
    help="Processes to parse with.",
)  # fmt: skip
@click.option(
    "--no-text", is_flag=True,
    help="Keep the trees only: quotes cannot be located, words and tokens not counted.",
)  # fmt: skip
@click.option("--executor", metavar="ADDRESS", help="Workers to use instead: dask://host:8786.")
@click.option("--format", help="Read every file as: xml, html, markdown, text, wikitext, json or jsonl.")
@click.option("--strict", is_flag=True, help="Fail, and write nothing, when a document is refused.")
@click.option("--max-depth", default=DEFAULTS.depth, show_default=True, help="Deepest nesting of elements.")
@click.option(
    "--max-document-size", default=DEFAULTS.document_size, show_default=True, help="Bytes of one document."
)
@click.option(
    "--max-archive-size", default=DEFAULTS.archive_size, show_default=True,
    help="Bytes that one archive unpacks to.",
)  # fmt: skip
@click.option(
    "--max-archive-ratio", default=DEFAULTS.archive_ratio, show_default=True,
    help="Unpacked size of a member / packed size.",
)  # fmt: skip
@click.option(
    "--max-header-size",
    default=DEFAULTS.header_size,
    show_default=True,
    help="Bytes of a tar member's header.",
)
@click.option(
    "--max-siblings", default=DEFAULTS.siblings, show_default=True,
    help="Options of a list and attributes of a tag in HTML.",
)  # fmt: skip
@click.option(
    "--max-seconds", default=DEFAULTS.seconds, show_default=True, help="Time to parse one document."
)
@click.option("--max-nodes", default=DEFAULTS.nodes, show_default=True, help="Nodes of one document.")
def command(
    docs: tuple[str, ...], output: Path, jobs: int, no_text: bool, executor: str | None, format: str | None,
    strict: bool, **limits: int,
) -> None:  # fmt: skip
    """Index DOCS (files, folders, globs, zip or tar archives) into one file.

    A document is called by its path in the folder or archive, without its suffix. What cannot be read is
    told and left out. The file appears when it is complete.
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
        f"{output}: {len(documents):,} documents, {len(documents.parent):,} nodes, {size:,} bytes", err=True
    )


@contextmanager
def _progress_shown() -> Iterator[Progress | None]:
    """Something that counts documents on a terminal; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("indexing"), BarColumn(), TextColumn("{task.completed:,} documents")
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("indexing", total=None)
        yield lambda done: bar.update(task, completed=done)
