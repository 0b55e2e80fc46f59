"""`doxeval report`: everything in one HTML file that works offline."""

from __future__ import annotations

import click

from doxeval.cli.scoring import Scoring, scoring_options, seed_option, slice_options
from doxeval.cli.support import Registered, refuse_idle


@click.command(name="report")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@scoring_options()
@slice_options
@click.option("--output", "-o", default="report.html", show_default=True, metavar="FILE", help="Write there.")
@click.option("--title", default="doxeval report", show_default=True, help="Title of the page.")
@click.option(
    "--results", type=click.IntRange(1), default=10, show_default=True,
    help="Documents among so many first results of a run can be opened.",
)  # fmt: skip
@click.option(
    "--text", "text_megabytes", type=click.FloatRange(0), default=20.0, show_default=True,
    help="Megabytes of documents' text to embed at most; relevant documents first.",
)  # fmt: skip
@click.option(
    "--places", "places_megabytes", type=click.FloatRange(0), default=1.5, show_default=True,
    help="Megabytes of places in documents to embed at most; relevant documents and high ranks first.",
)  # fmt: skip
@click.option(
    "--order", type=Registered("doxeval.reader.effort.orders", "ORDERS"), default="natural",
    show_default=True, help="The reading order whose path is shown.",
)  # fmt: skip
@click.option("--open", "show", is_flag=True, help="Open it in a browser.")
@seed_option
def command(
    runs: tuple[str, ...], scoring: Scoring, output: str, title: str, by: str | None, queries: str | None,
    results: int, text_megabytes: float, places_megabytes: float, order: str, show: bool, seed: int,
) -> None:  # fmt: skip
    """Write a report of RUNs as one HTML file that works offline.

    \b
    doxeval report runs/*.jsonl --qrels answers.jsonl --docs documents -m "AiP iP@5 iR@5" -o report.html

    It holds a leader board with intervals and significance, curves, differences per topic, correlations of
    the measures, and every relevant or highly ranked document with what each run did in it.
    """
    from doxeval.cli.support import expand
    from doxeval.io.topics import topics_of
    from doxeval.show.report.build import Contents, build_report

    if output == "-":
        refuse_idle("show", "the report goes to standard output")
    topics = topics_of(scoring.topics(by, queries, for_slices=False))
    contents = Contents(title, results, text_megabytes, places_megabytes, order, topics, seed, by)
    documents = scoring.evaluation.ground.documents
    if documents is None or documents.text is None:
        refuse_idle("text_megabytes", "no documents with text are given (--docs)")
    scores = scoring.run_scores(expand(runs), contents.look())
    written = build_report(scores, output, contents)
    if output != "-":
        click.echo(f"{output}: {written.told()}", err=True)
    if show:
        click.launch(output)
    scoring.finish(scores.notices)
