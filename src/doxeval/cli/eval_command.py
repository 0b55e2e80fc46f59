"""`doxeval eval`: score runs against assessments."""

from __future__ import annotations

import click

from doxeval.cli.scoring import Scoring, scoring_options, slice_options
from doxeval.cli.support import METRICS_ARE_MEANS, option, output_option, refuse_idle
from doxeval.core.output import FORMS, atomic, form_of


@click.command(name="eval")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@scoring_options()
@slice_options
@option("--per-topic", "Print every topic before the means.")
@option("--format -f", "Form of the output.", of=FORMS)
@output_option
@option("--strict", "Exit with status 1 if anything was refused or warned about.")
def command(
    runs: tuple[str, ...], scoring: Scoring, by: str | None, queries: str | None, per_topic: bool,
    format: str | None, output: str, strict: bool,
) -> None:  # fmt: skip
    """Score RUNs against assessments.

    \b
    doxeval eval runs/*.fol --qrels qrels.txt -m "AiP iP[0.01]"
    doxeval eval chunks.jsonl --qrels answers.jsonl -m "iP@5 iR@5 IoU@5" --per-topic -f csv
    doxeval eval run.fol --qrels qrels.txt --task ric --fix

    A run's name is its file's name without suffix. CSV, JSONL and Parquet have the columns run, topic,
    measure, value, with means under the topic 'all'; with --by, a row is a run in a slice of the topics. Runs
    that cannot be read are told, the others are scored, and the exit status is 2.
    """
    from doxeval.core.table import FORMS as TEXT_FORMS
    from doxeval.scoring.write_scores import render

    form = format or form_of(output)
    if by is not None and form not in TEXT_FORMS:
        refuse_idle("per_topic", f"with --by, a row of {form} is a run in a slice of the topics")
    if form == "metrics":
        refuse_idle("per_topic by", METRICS_ARE_MEANS)
    topics = scoring.topics(by, queries)
    scores = scoring.run_scores(runs).with_topics(topics)
    with atomic(output) as stream:
        if by is None or form in TEXT_FORMS:
            stream.write(render(scores, form, per_topic))
        if by is not None:
            stream.write(b"\n" if form in TEXT_FORMS else b"")
            stream.write(scores.by(by).rendered(form))
    scoring.finish(scores.notices, strict)
