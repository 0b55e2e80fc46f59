"""`doxeval summary`: summarise the structure of a collection, save it and draw it."""

from __future__ import annotations

import click

from doxeval.cli.files import OUTPUT
from doxeval.cli.support import finish, option, refuse_idle


@click.command(name="summary")
@click.argument("documents", metavar="DOCS")
@option("--partition -p KIND",
        "How to classify nodes: by tag, path (p*), children (c), path+children (p*|c), depth, a map (*.json) "
        "or a regular expression on paths; or each node by itself (node).", "path")  # fmt: skip
@option("--weight",
        "Weight of an edge: its child nodes, their text, 1 / their depth, or readers' steps (--log).",
        "extent", of=["extent", "length", "depth", "routes"])  # fmt: skip
@option("--log FILE", "Sessions of readers: JSON Lines with doc and route, for --weight routes.")
@option("--extents", "Also list the nodes of every class.")
@option("--steps", "Print the single steps between classes instead, as a matrix with weights and pi.")
@option("--format -f", "Output format.", "table", of=["table", "csv", "jsonl", "json"], show_default=False)
@option("--output -o FILE", "Write to FILE the summary as JSON, for summary(file=FILE).", of=OUTPUT)
@option("--dot FILE", "Draw the summary as a graph in the DOT language.", of=OUTPUT)
@option("--svg FILE", "Draw the summary as a picture.", of=OUTPUT)
@option("--most", "Number of classes to print and draw.", 30, least=1)
def command(
    documents: str, partition: str, weight: str, log: str | None, extents: bool, steps: bool, format: str,
    output: str | None, dot: str | None, svg: str | None, most: int,
) -> None:  # fmt: skip
    """Summarise DOCS: classes of nodes, their nodes and text, and their steady-state probabilities.

    \b
    doxeval summary docs.dox -o summary.json --svg summary.svg
    doxeval summary docs.dox -p "p*|c" --weight length --steps
    """
    import doxeval as dx
    from doxeval.core.output import atomic

    if weight != "routes":
        refuse_idle("log", "edges are weighted by the documents (--weight)")
        log = None
    elif log is None:
        raise click.UsageError("--weight routes needs the sessions of readers: --log FILE")
    drawn = bool(dot or svg)
    if format != "table" and not drawn:
        refuse_idle("most", f"{format} has all classes")
    if steps and not drawn:
        refuse_idle("extents", "steps are between classes")
    found = dx.summary(documents, partition=partition, weight=weight, log=log, extents=extents, most=most)
    for path, kind in ((output, "json"), (dot, "dot"), (svg, "svg")):
        if path:
            with atomic(path) as stream:
                stream.write(getattr(found, kind).encode())
    with atomic("-") as stream:
        stream.write(found.steps.rendered(format, most) if steps else found.rendered(format))
    finish(found.notices, strict=False)
