"""`doxeval summary`: the structural summary of a collection, saved and drawn."""

from __future__ import annotations

import click


@click.command(name="summary")
@click.argument("docs")
@click.option(
    "--partition", "-p", default="path", show_default=True, metavar="KIND",
    help="tag, path (p*), children (c), path+children (p*|c), depth, a map (*.json) or a regular expression "
    "on paths.",
)  # fmt: skip
@click.option(
    "--weight", "-w", type=click.Choice(["extent", "length", "depth"]), default="extent", show_default=True,
    help="What an edge weighs: its child nodes, their text, or 1 / their depth.",
)  # fmt: skip
@click.option("--output", "-o", metavar="FILE", help="Save it as JSON, for summary(file=FILE).")
@click.option("--dot", metavar="FILE", help="Draw it as a graph in the DOT language.")
@click.option("--svg", metavar="FILE", help="Draw it as a picture.")
@click.option(
    "--most", type=click.IntRange(1), default=30, show_default=True, help="Classes printed and drawn."
)
def command(
    docs: str, partition: str, weight: str, output: str | None, dot: str | None, svg: str | None, most: int
) -> None:
    """Summarise DOCS: classes of nodes, how many nodes and how much text each has, and the steady state.

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
