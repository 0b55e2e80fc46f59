"""`doxeval explain`: where the score of one topic comes from, rank by rank."""

from __future__ import annotations

import click


@click.command(name="explain")
@click.option("--run", "-r", required=True, metavar="FILE", help="The run.")
@click.option(
    "--qrels", "-q", required=True, metavar="FILE", help="Assessments, in any format doxeval reads."
)
@click.option("--docs", "-d", metavar="FILE", help="Documents: a file, folder, archive or index.")
@click.option("--topic", "-t", required=True, metavar="TOPIC", help="The topic to explain.")
@click.option("--measure", "-m", default="AiP", show_default=True, metavar="MEASURE", help="The measure.")
@click.option("--nav", metavar="MODEL", help="Navigation model: also tells how much it makes reachable.")
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Look at the first N results only.")
@click.option(
    "--unjudged", type=click.Choice(["irrelevant", "skip"]), default="irrelevant", show_default=True,
    help="What to do with results in documents nobody judged for the topic.",
)  # fmt: skip
@click.option("--format", "-f", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.option("--run-format", metavar="NAME", help="Format of the run, where it is not recognised.")
@click.option("--qrels-format", metavar="NAME", help="Format of the assessments, likewise.")
@click.option("--ranges", metavar="PATTERN", default="", help="How TREC document ids carry ranges.")
@click.option("--quiet", is_flag=True, help="No warnings on standard error.")
def command(
    run: str, qrels: str, docs: str | None, topic: str, measure: str, nav: str | None, depth: int | None,
    unjudged: str, format: str, run_format: str | None, qrels_format: str | None, ranges: str, quiet: bool,
) -> None:  # fmt: skip
    """Explain the score of one topic: what each rank gained, repeated, left to be reached, and added.

    \b
    doxeval explain --run chunks.jsonl --qrels answers.jsonl --topic q3 --measure IoU@5

    What the ranks add sums up to the score. A measure that is no sum over results is explained by what the
    score changes with each rank.
    """
    from doxeval.cli.support import expand, finish
    from doxeval.core.grammar import split_names
    from doxeval.io.read import read_assessments, read_documents
    from doxeval.scoring.evaluation import RunLoader, plan_evaluation
    from doxeval.show.explanation.explain import explain_topic

    if len(split_names(measure)) != 1:
        raise click.UsageError("one measure is explained at a time")
    plan = plan_evaluation(
        read_assessments(qrels, format=qrels_format), measure, read_documents(docs) if docs else None, nav,
        depth=depth, unjudged=unjudged,
    )  # fmt: skip
    (path,) = expand([run])
    told = explain_topic(plan, RunLoader(path, format=run_format, ranges=ranges)(), topic, nav)
    if format == "json":
        import json
        from dataclasses import asdict

        click.echo(json.dumps({**asdict(told), "notices": [str(notice) for notice in told.notices]}))
    else:
        click.echo(repr(told))
    finish(told.notices, False, quiet)
