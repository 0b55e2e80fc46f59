"""`doxeval navigate`: the probabilities p(e; f) of a navigation model in a document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from doxeval.cli.support import option, refuse_idle

if TYPE_CHECKING:
    import numpy

    from doxeval.reader.navigation.base import Navigation
    from doxeval.tables.documents import Documents


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
        "table", of=["table", "csv", "jsonl"], show_default=False)  # fmt: skip
@option("--output -o FILE", "Write to FILE.", "-")
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
    from doxeval.cli.support import finish
    from doxeval.core.output import atomic
    from doxeval.io.read import read_documents
    from doxeval.reader.navigation.base import navigation_named
    from doxeval.reader.navigation.listing import AskedChances, render_rows

    collection = read_documents(documents)
    model = navigation_named(navigation, collection)
    if steps:
        refuse_idle("doc node matrix assessments topic", "single steps are those of the model as a whole")
        pieces: Iterable[str] = [_single_steps(model, format)]
    else:
        asked = AskedChances(model, collection, doc, node, _coverage(model, collection, assessments, topic))
        if matrix and format == "table":
            pieces = ("\n" * (at > 0) + table.plain() + "\n" for at, table in enumerate(asked.matrices()))
        else:
            pieces = render_rows(asked.rows(matrix), format)
    with atomic(output) as stream:
        for piece in pieces:
            stream.write(piece.encode())
    finish(model.notices, strict=False)


def _single_steps(model: Navigation, form: str) -> str:
    from doxeval.core.errors import UsageError

    steps = model.steps()
    if steps is None:
        raise UsageError(f"{model.call} is not made of single steps, as routes(...) and summary(...) are")
    return steps.rendered(form)


def _coverage(
    model: Navigation, documents: Documents, assessments: str | None, topic: str | None
) -> numpy.ndarray | None:
    """The coverage of every node as judged for the topic, for a model that depends on it."""
    if not model.minds_coverage:
        refuse_idle(
            "assessments topic", f"{model.call} does not depend on how nodes were judged, as err does"
        )
        return None
    if assessments is None:
        refuse_idle("topic", "it says which of the assessments to use (--qrels)")
        model.notices.add(
            f"{model.call} depends on how nodes were judged: without --qrels none counts as judged (N)",
            harmless=True,
        )
        return None
    from doxeval.reader.units import coverage_for_topic
    from doxeval.scoring.evaluation import Evaluation

    ground = Evaluation(assessments, "ERRU@1", documents).ground
    model.notices.extend(ground.notices)
    return coverage_for_topic(ground, topic)
