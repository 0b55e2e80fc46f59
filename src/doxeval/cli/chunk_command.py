"""`doxeval chunk`: cut documents by structure or size."""

from __future__ import annotations

import click

from doxeval.cli.support import option, quiet_option, say
from doxeval.core.phrases import counted


@click.command(name="chunk")
@click.argument("documents", metavar="DOCUMENTS")
@option("--cut", "Cut by size, document, section, paragraph, sentence, or a tag, as in '<p>'.", "size")
@option("--size N", "Maximum number of characters in a chunk.", least=1)
@option("--overlap N", "Number of characters that neighbouring chunks share.", 0, least=0, show_default=False)
@option("--text/--no-text", "Keep the text of the chunks.", True, show_default=True)
@option("--output -o FILE", "Write to FILE, as JSON Lines.", "-")
@quiet_option
def command(
    documents: str, cut: str, size: int | None, overlap: int, text: bool, output: str, quiet: bool
) -> None:
    """Cut DOCUMENTS (a file, folder, archive or index) into chunks: JSON Lines with doc, start, end and text.

    \b
    doxeval chunk documents --size 800 --overlap 400 -o chunks.jsonl
    doxeval chunk documents --cut section --size 2000 -o chunks.jsonl

    Chunks retrieved from such a file carry their offsets and can be scored as they are.
    """
    import json

    from doxeval.cli.support import finish
    from doxeval.core.output import atomic
    from doxeval.io.read import read_documents
    from doxeval.io.write import chunk_rows
    from doxeval.rag.chunk import chunk

    table = read_documents(documents)
    chunks = chunk(table, cut=cut, size=size, overlap=overlap)
    with atomic(output) as stream:
        for row in chunk_rows(table, chunks):
            if not text:
                del row["text"]
            stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    if output != "-":
        made = f"{counted(len(chunks), 'chunk')} of {counted(len(table), 'document')}"
        say(f"{output}: {made}", err=True)
    finish(table.notices, False, quiet)
