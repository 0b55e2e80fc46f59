"""`doxeval effects`: which parameter of the runs matters, and how much?"""

from __future__ import annotations

from typing import Any

import click

import doxeval as dx
from doxeval.cli.project_file import runs_argument
from doxeval.cli.scoring import Scoring, scoring_options, seed_option
from doxeval.cli.support import option, output_option, write_below_sentences
from doxeval.core.progress import step

FORMATS = ("table", "md", "latex", "csv", "jsonl", "json", "parquet")


@click.command(name="effects")
@runs_argument("inputs")
@scoring_options("effects")
@option("--confidence", "Confidence level of the intervals.", 0.95)
@option("--draws", "Number of permutations or samples to draw.", 10_000, least=100)
@seed_option
@option("--format -f", "Output format.", of=FORMATS)
@output_option
def command(
    inputs: tuple[str, ...], scoring: Scoring, format: str | None, output: str, **options: Any
) -> None:
    """Show the effect of each parameter of RUNs on the measures, and of every two together.

    \b
    doxeval effects runs/*.jsonl --qrels answers.jsonl -m iP@5
    doxeval effects scores.csv -m "iP@5 iR@5" -f csv

    Parameters are those in runs.csv or runs.toml beside the runs, at the head of a native run, or in names
    of one pattern. Only runs that differ in nothing else are compared, topic by topic.
    """
    from doxeval.core.output import form_of

    scores = scoring.scores(inputs)
    with step("testing the effects"):
        found = dx.effects(scores, **options)
    form = format or form_of(output)
    write_below_sentences(lambda: found.rendered(form), lambda: found.sentences, output, form, scoring.quiet)
    scoring.finish(found.notices)
