"""`doxeval index`: write documents to one file that opens at once."""

from __future__ import annotations

import os
from pathlib import Path

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.support import option, say
from doxeval.core.phrases import counted
from doxeval.core.progress import step
from doxeval.extend import Limits

DEFAULT_LIMITS = Limits()


@click.command("index")
@click.argument("documents", nargs=-1, required=True, metavar="DOCS...")
@option("--output -o FILE", "Write to FILE: collection.dox (memory-mapped), .parquet or .jsonl.",
        of=OUTPUT, required=True)  # fmt: skip
@option(
    "--jobs -j",
    "Number of processes that parse documents.",
    os.cpu_count() or 1,
    least=1,
    show_default="all cores",
)
@option("--text/--no-text",
        "Keep the text of the documents; without it, quotes cannot be located, nor words and tokens counted.",
        True)  # fmt: skip
@option("--executor ADDRESS", "Workers to use instead: dask://host:8786.")
@option("--input-format FORMAT", "Format of the input, if it is not recognised: xml, html, markdown, text, "
        "wikitext, json or jsonl.")  # fmt: skip
@option("--strict", "Exit with status 2, and write nothing, if a document is refused.")
@option("--max-depth", "Maximum nesting of elements.", DEFAULT_LIMITS.depth)
@option("--max-document-size", "Maximum bytes of one document.", DEFAULT_LIMITS.document_size)
@option("--max-archive-size", "Maximum bytes that one archive unpacks to.", DEFAULT_LIMITS.archive_size)
@option(
    "--max-archive-ratio",
    "Maximum ratio of a member's unpacked to packed size.",
    DEFAULT_LIMITS.archive_ratio,
)
@option("--max-header-size", "Maximum bytes of a tar member's header.", DEFAULT_LIMITS.header_size)
@option(
    "--max-siblings", "Maximum options of a list and attributes of a tag in HTML.", DEFAULT_LIMITS.siblings
)
@option("--max-seconds", "Maximum seconds to parse one document.", DEFAULT_LIMITS.seconds)
@option("--max-nodes", "Maximum nodes of one document.", DEFAULT_LIMITS.nodes)
def command(
    documents: tuple[str, ...], output: str, jobs: int, text: bool, executor: str | None,
    input_format: str | None,
    strict: bool, **limits: int,
) -> None:  # fmt: skip
    """Index DOCS (files, folders, globs, zip or tar archives) into one file.

    A document is named by its path in the folder or archive, without the suffix. Documents that cannot be
    read are reported and left out. The file appears only once it is complete.
    """
    from doxeval.cli.support import finish
    from doxeval.core.workers import executor_at

    with step("indexing documents"), executor_at(executor) as workers:
        allowed = Limits(**{name.removeprefix("max_"): limit for name, limit in limits.items()})
        indexed = dx.index(
            documents, output, jobs=jobs, executor=workers, text=text, input_format=input_format,
            limits=allowed, strict=strict,
        )  # fmt: skip
    finish(indexed.notices, strict=False)
    size = Path(output).stat().st_size
    say(
        f"{output}: {counted(len(indexed), 'document')}, {counted(len(indexed.parent), 'node')}, "
        f"{size:,} bytes",
        err=True,
    )
