"""`doxeval budget`: how much must be read to reach a recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from doxeval.cli.project import runs_argument
from doxeval.cli.scoring import Scoring, scoring_options
from doxeval.cli.support import option

if TYPE_CHECKING:
    from doxeval.core.table import Table


@click.command(name="budget")
@runs_argument()
@option("--recall recalls X", "Share of the relevant text to see; may be repeated.",
        ("0.25", "0.5", "0.75", "0.9"), multiple=True)  # fmt: skip
@scoring_options("budget", without="measures navigation")
@option("--per-topic", "Print every topic before the means.")
@option("--format -f", "Output format.", "table", of=["table", "csv", "md", "latex"])
@option("--output -o FILE", "Write to FILE.", "-")
def command(
    runs: tuple[str, ...], recalls: tuple[str, ...], scoring: Scoring, per_topic: bool, format: str,
    output: str,
) -> None:  # fmt: skip
    """Show how much of each RUN must be read to see a share of the relevant text.

    \b
    doxeval budget runs/*.jsonl --qrels answers.jsonl --docs corpus/ --recall 0.5 --recall 0.9

    Results are read in order, each from its start; all text shown counts, even if repeated. Amounts are in
    results and characters, with --docs also in words, and with --tokenizer also in tokens.
    """
    from doxeval.core.output import atomic
    from doxeval.io.read import read_documents
    from doxeval.show.budget import budget_table, budget_units, reach_measure

    if scoring.documents:
        scoring.documents = read_documents(scoring.documents)
    units = budget_units(scoring.documents, scoring.options["tokenizer"])
    scoring.measures = tuple(reach_measure(recall, unit) for recall in recalls for unit in units)
    scores = scoring.run_scores(runs)
    with atomic(output) as stream:
        stream.write(_rendered(budget_table(scores, recalls, units, per_topic), format))
    scoring.finish(scores.notices)


def _rendered(table: Table, form: str) -> bytes:
    if form != "csv":
        from doxeval.core.table import render_tables

        return render_tables([table], form).encode()
    from doxeval.core.records import csv_text

    return csv_text(table.rows).encode()
