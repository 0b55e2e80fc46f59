"""`doxeval eval`: score runs against assessments."""

from __future__ import annotations

import sys

import click

from doxeval.cli.scoring import Scoring, scoring_options
from doxeval.core.output import FORMS, atomic, form_of


@click.command(name="eval")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@scoring_options
@click.option("--per-topic", is_flag=True, help="Print every topic before the means.")
@click.option("--format", "-f", type=click.Choice(FORMS), default=None, help="Form of the output.")
@click.option(
    "--output", "-o", default="-", metavar="FILE", help="Write there; its suffix can tell the form."
)
@click.option("--strict", is_flag=True, help="Exit with status 1 if anything was refused or warned about.")
@click.option("--jobs", "-j", type=click.IntRange(1), default=1, metavar="N", help="Processes to use.")
@click.option("--executor", metavar="ADDRESS", help="Workers to use instead: dask://host:8786.")
@click.option(
    "--store", metavar="FOLDER",
    help="Keep each run's scores there; what it holds already is not computed again (see 'doxeval scores').",
)  # fmt: skip
def command(
    runs: tuple[str, ...], scoring: Scoring, per_topic: bool, format: str | None, output: str, strict: bool,
    jobs: int, executor: str | None, store: str | None,
) -> None:  # fmt: skip
    """Score RUNs against assessments.

    \b
    doxeval eval runs/*.fol --qrels qrels.txt -m "AiP iP[0.01]"
    doxeval eval chunks.jsonl --qrels answers.jsonl -m "iP@5 iR@5 IoU@5" --per-topic -f csv
    doxeval eval run.fol --qrels qrels.txt --task ric --fix

    A run's name is its file's name without suffix. CSV, JSONL and Parquet have the columns run, topic,
    measure, value, with means under the topic 'all'. Runs that cannot be read are told, the others are
    scored, and the exit status is 2.
    """
    from doxeval.cli.support import expand, finish, progress, workers_at
    from doxeval.scoring.scores import Scores
    from doxeval.scoring.sweep import score_runs
    from doxeval.scoring.write_scores import render

    form = format or form_of(output)
    plan = scoring.plan()
    loaders = scoring.loaders(expand(runs))
    with workers_at(executor) as workers:
        parts = score_runs(plan, loaders, jobs=jobs, executor=workers, store=store)
        scored = dict(progress(parts, len(loaders), "runs", scoring.quiet))
    scores = Scores.gather(plan, [scored[at] for at in range(len(loaders))])
    with atomic(output) as stream:
        stream.write(render(scores, form, per_topic))
    for run in scores.unscored:
        click.echo(f"error: not scored: {run}", err=True)
    finish(scores.notices, strict and not scores.unscored, scoring.quiet)
    if scores.unscored:
        sys.exit(2)
