"""`doxeval eval`: score runs against assessments."""

from __future__ import annotations

import click

FORMATS = ("table", "csv", "jsonl", "json", "parquet", "md", "latex")


@click.command(name="eval")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--qrels", "-q", required=True, metavar="FILE", help="Assessments, in any format doxeval reads.")
@click.option("--docs", "-d", metavar="FILE", help="Documents: a file, folder, archive or index.")
@click.option(
    "--measure", "-m", "measures", multiple=True, metavar="MEASURE",
    help="Measures, as in -m 'AiP iP[0.01] iR@10'; may be repeated.",
)  # fmt: skip
@click.option("--nav", metavar="MODEL", help="Navigation model for the measures that name none.")
@click.option(
    "--topics", type=click.Choice(["qrels", "run"]), default="qrels", show_default=True,
    help="Average over all assessed topics, or over those each run has.",
)  # fmt: skip
@click.option("--per-topic", is_flag=True, help="Print every topic before the means.")
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Look at the first N results of a topic only.")
@click.option(
    "--unjudged", type=click.Choice(["irrelevant", "skip"]), default="irrelevant", show_default=True,
    help="What to do with results in documents nobody judged for the topic.",
)  # fmt: skip
@click.option("--format", "-f", type=click.Choice(FORMATS), default=None, help="Form of the output.")
@click.option("--output", "-o", default="-", metavar="FILE", help="Write there; its suffix can tell the form.")
@click.option("--run-format", metavar="NAME", help="Format of the runs, where it is not recognised.")
@click.option("--qrels-format", metavar="NAME", help="Format of the assessments, where it is not recognised.")
@click.option(
    "--ranges", metavar="PATTERN", default="",
    help="How TREC document ids carry ranges: doc_offset_length or doc#start-end.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Exit with status 1 if anything was refused or warned about.")
@click.option("--jobs", "-j", type=click.IntRange(1), default=1, metavar="N", help="Processes to use.")
@click.option("--quiet", is_flag=True, help="No progress and no warnings on standard error.")
def command(
    runs: tuple[str, ...], qrels: str, docs: str | None, measures: tuple[str, ...], nav: str | None, topics: str,
    per_topic: bool, depth: int | None, unjudged: str, format: str | None, output: str, run_format: str | None,
    qrels_format: str | None, ranges: str, strict: bool, jobs: int, quiet: bool,
) -> None:  # fmt: skip
    """Score RUNs against assessments.

    \b
    doxeval eval runs/*.fol --qrels qrels.txt -m "AiP iP[0.01]"
    doxeval eval chunks.jsonl --qrels answers.jsonl -m "iP@5 iR@5 IoU@5" --per-topic -f csv

    A run's name is its file's name without suffix. CSV, JSONL and Parquet have the columns run, topic,
    measure, value, with means under the topic 'all'.
    """
    from doxeval.cli.support import expand, finish, progress
    from doxeval.evaluation import RunLoader, plan_evaluation
    from doxeval.output import atomic
    from doxeval.reading import read_assessments, read_documents
    from doxeval.scores.files import render
    from doxeval.scores.scores import Scores

    form = format or form_of(output)
    if not measures:
        raise click.UsageError("name at least one measure, as in -m AiP ('doxeval measures' lists them)")
    plan = plan_evaluation(
        read_assessments(qrels, format=qrels_format, ranges=ranges), measures, read_documents(docs) if docs else None, nav,
        topics=topics, depth=depth, unjudged=unjudged,
    )  # fmt: skip
    loaders = [RunLoader(path, format=run_format, ranges=ranges) for path in expand(runs)]
    if jobs > 1 and len(loaders) > 1:
        from doxeval.jobs import score_in_processes

        parts = score_in_processes(plan, loaders, min(jobs, len(loaders)))
    else:
        parts = map(plan.score, loaders)
    scores = Scores.gather(plan, list(progress(parts, len(loaders), "runs", quiet)))
    with atomic(output) as stream:
        stream.write(render(scores, form, per_topic))
    finish(scores.notices, strict, quiet)


def form_of(output: str) -> str:
    """The form that a file's suffix asks for; a table for everything else."""
    suffix = output.rpartition(".")[2].lower()
    return {"tex": "latex", "txt": "table", "ndjson": "jsonl"}.get(suffix, suffix if suffix in FORMATS else "table")
