"""`doxeval eval`: score runs against assessments."""

from __future__ import annotations

import sys

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
    "--topics", type=click.Choice(["qrels", "run"]),
    help="Average over all assessed topics (the default without --task), or over those each run has.",
)  # fmt: skip
@click.option(
    "--task", type=click.Choice(["thorough", "focused", "ric", "bic", "t2i"]),
    help="A task of INEX: its rules are checked, its scorer's conventions and measures are the defaults.",
)  # fmt: skip
@click.option("--fix", is_flag=True, help="Repair what breaks the rules of the task, and say how.")
@click.option("--chunks", metavar="FILE", help="All chunks of the collection, retrieved or not (IoUomega).")
@click.option(
    "--as", "shape", type=click.Choice(["trees"]), help="Join the results of each document into one tree."
)
@click.option("--tokenizer", metavar="FILE", help="The tokenizer.json that says what @1000t counts.")
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
@click.option("--executor", metavar="ADDRESS", help="Workers to use instead: dask://host:8786.")
@click.option(
    "--store", metavar="FOLDER",
    help="Keep each run's scores there; what it holds already is not computed again (see 'doxeval scores').",
)  # fmt: skip
@click.option("--quiet", is_flag=True, help="No progress and no warnings on standard error.")
def command(
    runs: tuple[str, ...], qrels: str, docs: str | None, measures: tuple[str, ...], nav: str | None,
    topics: str | None, task: str | None, fix: bool, chunks: str | None, tokenizer: str | None,
    shape: str | None,
    per_topic: bool, depth: int | None, unjudged: str, format: str | None, output: str, run_format: str | None,
    qrels_format: str | None, ranges: str, strict: bool, jobs: int, executor: str | None, store: str | None, quiet: bool,
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
    from doxeval.evaluation import RunLoader, plan_evaluation
    from doxeval.output import atomic
    from doxeval.reading import read_assessments, read_chunks, read_documents
    from doxeval.scores.files import render
    from doxeval.scores.scores import Scores
    from doxeval.sweep import score_runs

    form = format or form_of(output)
    if not measures and not task:
        raise click.UsageError("name at least one measure, as in -m AiP ('doxeval measures' lists them)")
    plan = plan_evaluation(
        read_assessments(qrels, format=qrels_format, ranges=ranges), measures, read_documents(docs) if docs else None, nav,
        topics=topics, depth=depth, unjudged=unjudged, task=task, fix=fix,
        chunks=read_chunks(chunks) if chunks else None, tokenizer=tokenizer, shape=shape,
    )  # fmt: skip
    loaders = [RunLoader(path, format=run_format, ranges=ranges) for path in expand(runs)]
    with workers_at(executor) as workers:
        parts = score_runs(plan, loaders, jobs=jobs, executor=workers, store=store)
        scored = dict(progress(parts, len(loaders), "runs", quiet))
    scores = Scores.gather(plan, [scored[at] for at in range(len(loaders))])
    with atomic(output) as stream:
        stream.write(render(scores, form, per_topic))
    for run in scores.unscored:
        click.echo(f"error: not scored: {run}", err=True)
    finish(scores.notices, strict and not scores.unscored, quiet)
    if scores.unscored:
        sys.exit(2)


def form_of(output: str) -> str:
    """The form that a file's suffix asks for; a table for everything else."""
    suffix = output.rpartition(".")[2].lower()
    return {"tex": "latex", "txt": "table", "ndjson": "jsonl"}.get(suffix, suffix if suffix in FORMATS else "table")
