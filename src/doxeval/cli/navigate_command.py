"""`doxeval navigate`: the probabilities p(e; f) of a navigation model in a document."""

from __future__ import annotations

import click

from doxeval.cli.support import option


@click.command(name="navigate")
@click.argument("docs")
@option("--nav -n MODEL", "Navigation model [hierarchical].", "hierarchical", show_default=False)
@option("--doc names ID", "Only this document; may be repeated.", multiple=True)
@option("--from source NODE", "Only steps from this node (id or path).")
@option("--format -f form", "Output format; csv can be read back as matrix(file=...).",
        "table", of=["table", "csv", "jsonl"], show_default=False)  # fmt: skip
@option("--output -o FILE", "Write to FILE instead of standard output.", "-")
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
