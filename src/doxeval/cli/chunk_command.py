"""`doxeval chunk`: cut documents by structure or size."""

from __future__ import annotations

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.support import option, quiet_option, say
from doxeval.core.phrases import counted


@click.command(name="chunk")
@click.argument("documents", metavar="DOCUMENTS")
@option("--cut", "Cut by size, document, section, paragraph, sentence, or a tag, as in '<p>'.", "size")
@option("--size N", "Maximum number of characters in a chunk.", least=1)
@option("--overlap N", "Number of characters that neighbouring chunks share.", 0, least=0, show_default=False)
@option("--text/--no-text", "Keep the text of the chunks.", True, show_default=True)
@option("--output -o FILE", "Write to FILE, as JSON Lines.", "-", OUTPUT)
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
    from doxeval.cli.support import finish

    table = dx.read_documents(documents)
    chunks = dx.chunk(table, cut=cut, size=size, overlap=overlap)
    dx.write_chunks(chunks, output, documents=table if text else None, format="chunks-jsonl")
    if output != "-":
        made = f"{counted(len(chunks), 'chunk')} of {counted(len(table), 'document')}"
        say(f"{output}: {made}", err=True)
    finish(table.notices, False, quiet)
