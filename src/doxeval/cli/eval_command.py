"""`doxeval eval`: score runs against assessments."""

from __future__ import annotations

import click

import doxeval as dx
from doxeval.cli.project_file import runs_argument
from doxeval.cli.scoring import Scoring, only_scores, scoring_options, slice_options
from doxeval.cli.support import METRICS_ARE_MEANS, expand, option, output_option, refuse_idle, say_beside
from doxeval.core.output import FORMS, atomic, form_of


@click.command(name="eval")
@runs_argument(required=False)
@scoring_options("eval")
@slice_options
@option("--trust trusted FILE",
        "Trusted assessments of some topics, such as people's where --qrels are a model's: means are "
        "corrected with them, and have intervals.")  # fmt: skip
@option("--per-topic", "Print every topic before the means.")
@option("--sort MEASURE", "Put the best run by this measure first, and lead the verdict with it; or by name.")
@option("--baseline -b NAME", "The run to compare with: differences from its values stand beside the others.")
@option("--format -f", "Output format.", of=FORMS)
@output_option
@option("--strict", "Exit with status 1 if anything was refused or warned about.")
def command(
    runs: tuple[str, ...], scoring: Scoring, by: str | None, topics_file: str | None, trusted: str | None,
    per_topic: bool, sort: str | None, baseline: str | None, format: str | None, output: str, strict: bool,
) -> None:  # fmt: skip
    """Score RUNs against assessments.

    \b
    doxeval eval runs/* -q answers.jsonl
    doxeval eval runs/*.fol --qrels qrels.txt -m "AiP iP[0.01]" --sort AiP
    doxeval eval chunks.jsonl --qrels answers.jsonl -m "iP@5 iR@5 IoU@5" --per-topic -f csv
    doxeval eval run.fol --qrels qrels.txt --task ric --fix
    doxeval eval runs/*.jsonl --qrels model.jsonl --trust human.jsonl -m AiP
    doxeval eval --chunks small.jsonl --chunks large.jsonl --qrels answers.jsonl -m IoUomega

    Judged answers (nuggets, citations) and files of scores are their own assessments: no --qrels.

    Without -m, measures are chosen that suit the assessments. A table opens with what the scores say;
    --quiet leaves that out.

    A run is named after its file, without the suffix. CSV, JSONL and Parquet have the columns run, topic,
    measure, value, with means under the topic 'all'; with --by, a row is a run in a slice of the topics, and
    with --trust a run's corrected mean. If some runs cannot be read, they are reported, the others are
    scored, and the exit status is 2.
    """
    from doxeval.core.screen import bullets, few
    from doxeval.core.table import TEXT_FORMS

    form = format or form_of(output)
    if form == "metrics":
        refuse_idle("per_topic by trusted bounds", METRICS_ARE_MEANS)
    if trusted is not None:
        refuse_idle("by topics_file", "means are corrected over all topics (--trust)")
        refuse_idle("bounds pool assessed", "corrected means have intervals instead (--trust)")
    if form not in TEXT_FORMS and (by is not None or trusted is not None):
        row = "is a run in a slice of the topics" if by is not None else "is a run's corrected mean"
        refuse_idle("per_topic bounds", f"a row of {form} {row}")
    if form not in TEXT_FORMS or trusted is not None:
        refuse_idle("baseline", "differences stand in tables of scores; 'doxeval compare' tests them")
    if not runs and not scoring.options.get("chunks"):
        raise click.UsageError("give at least one RUN, or the chunks to score by IoUomega (--chunks FILE)")
    topics = scoring.topics(by, topics_file)
    more: dx.Slices | dx.Trusted | None = None
    scored = runs and not scoring.assessments and only_scores(runs)
    if trusted is None:
        scores = (scoring.scores(runs) if scored else scoring.run_scores(runs)).with_topics(topics)
        scores = scores if sort is None else scores.sort(sort)
        notices = scores.notices
        more = None if by is None else scores.by(by)
    else:
        if scored:
            corrected = dx.trust(scoring.scores(runs), trusted=trusted)
        else:
            corrected = dx.trust(expand(runs), *scoring.given, trusted=trusted, **scoring.options)
        more = corrected = corrected if sort is None else corrected.sort(sort)
        scores, notices = corrected.scores, corrected.notices
    lead = None if sort == "name" else sort
    with atomic(output) as stream:
        if form == "table" and trusted is None and not scoring.quiet:
            stream.write(bullets(few(scores.verdict(lead))).encode())
        if more is None or form in TEXT_FORMS:
            stream.write(scores.rendered(form, per_topic, baseline))
        if more is not None:
            stream.write(b"\n" if form in TEXT_FORMS else b"")
            stream.write(more.rendered(form))
    if trusted is None:
        say_beside(form, scoring.quiet, lambda: scores.verdict(lead), lambda: scores.tables[0].footer)
    scoring.finish(notices, strict)
