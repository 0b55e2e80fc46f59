"""`doxeval eval`: score runs against assessments."""

from __future__ import annotations

import click

from doxeval.cli.scoring import Scoring, scoring_options
from doxeval.cli.support import option, output_option
from doxeval.core.output import FORMS, atomic, form_of


@click.command(name="eval")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@scoring_options()
@option("--per-topic", "Print every topic before the means.")
@option("--format -f", "Form of the output.", of=FORMS)
@output_option
@option("--strict", "Exit with status 1 if anything was refused or warned about.")
def command(
    runs: tuple[str, ...], scoring: Scoring, per_topic: bool, format: str | None, output: str, strict: bool
) -> None:
    """Score RUNs against assessments.

    \b
    doxeval eval runs/*.fol --qrels qrels.txt -m "AiP iP[0.01]"
    doxeval eval chunks.jsonl --qrels answers.jsonl -m "iP@5 iR@5 IoU@5" --per-topic -f csv
    doxeval eval run.fol --qrels qrels.txt --task ric --fix

    A run's name is its file's name without suffix. CSV, JSONL and Parquet have the columns run, topic,
    measure, value, with means under the topic 'all'. Runs that cannot be read are told, the others are
    scored, and the exit status is 2.
    """
    from doxeval.cli.support import expand
    from doxeval.scoring.write_scores import render

    form = format or form_of(output)
    scores = scoring.run_scores(expand(runs))
    with atomic(output) as stream:
        stream.write(render(scores, form, per_topic))
    scoring.finish(scores.notices, strict)
