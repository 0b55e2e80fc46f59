"""`doxeval report`: everything in one HTML file that works offline."""

from __future__ import annotations

from typing import Any

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.project_file import runs_argument
from doxeval.cli.registered import Registered
from doxeval.cli.scoring import Scoring, scoring_options, seed_option, slice_options
from doxeval.cli.support import expand, option, refuse_idle, say


@click.command(name="report")
@runs_argument()
@scoring_options("report")
@slice_options
@option("--output -o FILE", "Write to FILE.", "report.html", OUTPUT)
@option("--title", "Title of the page.", "doxeval report")
@option("--show-results N", "Include the documents of the first N results of each run.", 10, least=1)
@option("--max-megabytes",
        "Largest size of the file in megabytes; documents that do not fit are left out and counted.",
        10.0, of=click.FloatRange(0))  # fmt: skip
@option("--reading-order", "Reading order whose path is shown.", "natural",
        of=Registered("reader.effort.reading_orders.ORDERS"))  # fmt: skip
@option("--baseline -b NAME", "The run to compare with: its name; by default the best one.")
@option("--open open_page", "Open the page in a browser.")
@seed_option
def command(
    runs: tuple[str, ...], scoring: Scoring, output: str, by: str | None, topics_file: str | None,
    open_page: bool, **options: Any,
) -> None:  # fmt: skip
    """Write a report of RUNs as one HTML file that works offline.

    \b
    doxeval report runs/*.jsonl --qrels answers.jsonl --docs documents -m "AiP iP@5 iR@5" -o report.html

    It contains a leader board with intervals and significance, curves, differences per topic, correlations
    of the measures, and every relevant or highly ranked document with what each run found in it.
    """
    if output == "-":
        refuse_idle("open_page", "the report goes to standard output")
    topics = scoring.topics(by, topics_file, for_slices=False)
    with scoring.then("writing the report"):
        written = dx.write_report(
            expand(runs), scoring.evaluation, path=output, topics_file=topics, by=by, **options
        )
    if output != "-":
        say(f"{output}: {written.told()}", err=True)
    if open_page:
        click.launch(output)
    scoring.finish(written.scores.notices)
