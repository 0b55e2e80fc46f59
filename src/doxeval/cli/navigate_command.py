"""`doxeval navigate`: the chances p(e; f) of a navigation model in a document."""

from __future__ import annotations

import click


@click.command(name="navigate")
@click.argument("docs")
@click.option(
    "--nav", "-n", default="hierarchical", metavar="MODEL", help="Model of the reader [hierarchical]."
)
@click.option("--doc", "names", multiple=True, metavar="ID", help="Only this document; may be repeated.")
@click.option("--from", "source", metavar="NODE", help="Only steps that leave this node (id or path).")
@click.option(
    "--format", "-f", "form", type=click.Choice(["table", "csv", "jsonl"]), default="table",
    help="Form of the output; csv can be read back as matrix(file=...).",
)  # fmt: skip
@click.option(
    "--output", "-o", default="-", metavar="FILE", help="Write there instead of to standard output."
)
def command(docs: str, nav: str, names: tuple[str, ...], source: str | None, form: str, output: str) -> None:
    """Print p(to; from) of a navigation model for the nodes of DOCS, where it is not 0.

    \b
    doxeval navigate docs.jsonl --nav hierarchical --doc d1
    doxeval navigate docs.jsonl --nav "summary(partition=path,weight=extent)" -f csv -o nav.csv
    """
    from doxeval.cli.support import finish
    from doxeval.core.output import atomic
    from doxeval.io.read import read_documents
    from doxeval.reader.navigation.base import navigation_named
    from doxeval.reader.navigation.tables import chance_rows, render_rows

    documents = read_documents(docs)
    model = navigation_named(nav, documents)
    rows = chance_rows(model, documents, names, source)
    with atomic(output) as stream:
        for piece in render_rows(rows, form):
            stream.write(piece.encode())
    finish(model.notices, strict=False)
