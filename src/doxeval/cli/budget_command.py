"""`doxeval budget`: how much must be read to reach a recall."""

from __future__ import annotations

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.project_file import runs_argument
from doxeval.cli.scoring import Scoring, scoring_options
from doxeval.cli.support import expand, option


@click.command(name="budget")
@runs_argument()
@option("--recall recalls X", "Share of the relevant text to see; may be repeated.",
        ("0.25", "0.5", "0.75", "0.9"), multiple=True)  # fmt: skip
@scoring_options("budget", without="measures navigation")
@option("--per-topic", "Print every topic before the means.")
@option("--format -f", "Output format.", "table", of=["table", "csv", "md", "latex", "json"])
@option("--output -o FILE", "Write to FILE.", "-", OUTPUT)
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
    assessments, _, documents, _ = scoring.given
    found = dx.budget(
        expand(runs), assessments, documents, recalls=recalls, per_topic=per_topic, **scoring.options
    )
    found.write(output, format=format)
    scoring.finish(found.notices)
