"""`doxeval summary`: summarise the structure of a collection, save it and draw it."""

from __future__ import annotations

import click

from doxeval.cli.support import option


@click.command(name="summary")
@click.argument("docs")
@option("--partition -p KIND",
        "How to classify nodes: by tag, path (p*), children (c), path+children (p*|c), depth, a map (*.json) "
        "or a regular expression on paths.", "path")  # fmt: skip
@option("--weight -w", "Weight of an edge: its child nodes, their text, or 1 / their depth.",
        "extent", of=["extent", "length", "depth"])  # fmt: skip
@option("--output -o FILE", "Save the summary as JSON, for summary(file=FILE).")
@option("--dot FILE", "Draw the summary as a graph in the DOT language.")
@option("--svg FILE", "Draw the summary as a picture.")
@option("--most", "Number of classes to print and draw.", 30, least=1)
def command(
    docs: str, partition: str, weight: str, output: str | None, dot: str | None, svg: str | None, most: int
) -> None:
    """Summarise DOCS: classes of nodes, their nodes and text, and their steady-state probabilities.

    \b
    doxeval summary docs.dox -o summary.json --svg summary.svg
    """
    from doxeval.core.output import atomic
    from doxeval.io.read import read_documents
    from doxeval.reader.summaries.drawing import as_dot, as_svg, as_table
    from doxeval.reader.summaries.structure import summarise

    summary, _ = summarise(read_documents(docs), partition, weight)
    for path, content in (
        (output, summary.to_json),
        (dot, lambda: as_dot(summary, most)),
        (svg, lambda: as_svg(summary, most)),
    ):
        if path:
            with atomic(path) as stream:
                stream.write(content().encode())
    click.echo(as_table(summary, most))
