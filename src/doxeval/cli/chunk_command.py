"""`doxeval chunk`: cut documents by structure or size."""

from __future__ import annotations

import click


@click.command(name="chunk")
@click.argument("documents", metavar="DOCUMENTS")
@click.option(
    "--by", default="size", show_default=True,
    help="size, document, section, paragraph, sentence, or nodes with a tag, as in '<p>'.",
)  # fmt: skip
@click.option("--size", type=click.IntRange(1), metavar="N", help="Most characters of a chunk.")
@click.option(
    "--overlap", type=click.IntRange(0), default=0, metavar="N", help="Characters neighbours share."
)
@click.option("--text/--no-text", default=True, show_default=True, help="Write the chunks' text as well.")
@click.option("--output", "-o", default="-", metavar="FILE", help="Write JSON Lines there.")
@click.option("--quiet", is_flag=True, help="No warnings on standard error.")
def command(
    documents: str, by: str, size: int | None, overlap: int, text: bool, output: str, quiet: bool
) -> None:
    """Cut DOCUMENTS (a file, folder, archive or index) into chunks: JSON Lines with doc, start, end and text.

    \b
    doxeval chunk documents --size 800 --overlap 400 -o chunks.jsonl
    doxeval chunk documents --by section --size 2000 -o chunks.jsonl

    Chunks retrieved from such a file carry their place with them and are scored as they are.
    """
    import json

    from doxeval.cli.support import finish
    from doxeval.core.output import atomic
    from doxeval.io.read import read_documents
    from doxeval.rag.chunk import chunk, chunk_rows

    table = read_documents(documents)
    chunks = chunk(table, by, size, overlap)
    with atomic(output) as stream:
        for row in chunk_rows(table, chunks):
            if not text:
                del row["text"]
            stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    if output != "-":
        click.echo(f"{output}: {len(chunks):,} chunks of {len(table):,} documents", err=True)
    finish(table.notices, False, quiet)
