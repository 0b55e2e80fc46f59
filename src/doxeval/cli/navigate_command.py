"""`doxeval navigate`: the probabilities p(e; f) of a navigation model in a document."""

from __future__ import annotations

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.support import finish, option, refuse_idle
from doxeval.core.output import atomic


@click.command(name="navigate")
@click.argument("documents", metavar="DOCS")
@option("--nav -n navigation MODEL", "Navigation model [hierarchical].", "hierarchical", show_default=False)
@option("--doc ID", "Only this document; may be repeated.", multiple=True)
@option("--node NODE", "Only steps from this node (id or path).")
@option("--matrix", "Print the whole matrix of each document, with zeros and p(e; e).")
@option("--steps", "Print the single steps that the model is made of, with their weights: of routes, or of a "
        "summary with its steady state.")  # fmt: skip
@option(
    "--qrels --assessments -q assessments FILE",
    "Assessments by codes, for a model that depends on how nodes were judged (err).",
)
@option("--topic ID", "The topic that nodes were judged for; needed if there are several.")
@option("--format -f", "Output format; csv can be read back as matrix(file=...).",
        "table", of=["table", "csv", "jsonl", "json"], show_default=False)  # fmt: skip
@option("--output -o FILE", "Write to FILE.", "-", OUTPUT)
def command(
    documents: str, navigation: str, doc: tuple[str, ...], node: str | None, matrix: bool, steps: bool,
    assessments: str | None, topic: str | None, format: str, output: str,
) -> None:  # fmt: skip
    """Print p(to; from) of a navigation model for the nodes of DOCS, where it is not 0.

    \b
    doxeval navigate docs.jsonl --nav hierarchical --doc d1
    doxeval navigate docs.jsonl --nav "summary(partition=path,weight=extent)" -f csv -o nav.csv
    doxeval navigate docs.jsonl --nav "routes(file=log.jsonl,partition=tag)" --steps
    doxeval navigate docs.jsonl --nav err --matrix --qrels qrels.jsonl --topic 7
    """
    if steps:
        refuse_idle("doc node matrix assessments topic", "single steps are those of the model as a whole")
    found = dx.navigate(
        documents, navigation, doc=doc, node=node, matrix=matrix, assessments=assessments, topic=topic
    )
    if steps:
        with atomic(output) as stream:
            stream.write(found.steps.rendered(format))
    else:
        found.write(output, format=format)
    finish(found.notices, strict=False)
