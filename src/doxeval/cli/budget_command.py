"""`doxeval budget`: how much must be read to reach a recall."""

from __future__ import annotations

import click


@click.command(name="budget")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--qrels", "-q", required=True, metavar="FILE", help="Assessments, in any format.")
@click.option("--docs", "-d", metavar="FILE", help="Documents; with their text, words are counted too.")
@click.option(
    "--recall", "-r", "recalls", multiple=True, default=("0.25", "0.5", "0.75", "0.9"), show_default=True,
    metavar="X", help="Share of the relevant text to be seen; may be repeated.",
)  # fmt: skip
@click.option("--tokenizer", metavar="FILE", help="A tokenizer.json: tokens are counted too.")
@click.option("--per-topic", is_flag=True, help="Print every topic before the means.")
@click.option("--format", "-f", type=click.Choice(["table", "csv", "md", "latex"]), default="table",
              show_default=True, help="Form of the output.")  # fmt: skip
@click.option("--output", "-o", default="-", metavar="FILE", help="Write there.")
@click.option("--quiet", is_flag=True, help="No progress and no warnings on standard error.")
def command(
    runs: tuple[str, ...], qrels: str, docs: str | None, recalls: tuple[str, ...], tokenizer: str | None,
    per_topic: bool, format: str, output: str, quiet: bool,
) -> None:  # fmt: skip
    """Tell how much of each RUN must be read until a share of the relevant text was seen.

    \b
    doxeval budget runs/*.jsonl --qrels answers.jsonl --docs corpus/ --recall 0.5 --recall 0.9

    Results are read in order, each from its start; all text shown counts, repeated text too. Amounts are in
    results and characters, with --docs in words, with --tokenizer in tokens as well.
    """
    from doxeval.cli.support import expand, finish, progress
    from doxeval.core.output import atomic
    from doxeval.io.read import read_assessments, read_documents
    from doxeval.scoring.evaluation import RunLoader, plan_evaluation
    from doxeval.scoring.scores import Scores
    from doxeval.show.budget import budget_table, budget_units, reach_measure

    documents = read_documents(docs) if docs else None
    units = budget_units(documents, tokenizer)
    measures = [reach_measure(recall, unit) for recall in recalls for unit in units]
    plan = plan_evaluation(read_assessments(qrels), measures, documents, tokenizer=tokenizer)
    loaders = [RunLoader(path) for path in expand(runs)]
    parts = progress(map(plan.score, loaders), len(loaders), "runs", quiet)
    scores = Scores.gather(plan, list(parts))
    with atomic(output) as stream:
        stream.write(_rendered(budget_table(scores, recalls, units, per_topic), format))
    finish(scores.notices, strict=False, quiet=quiet)


def _rendered(table, form: str) -> bytes:  # type: ignore[no-untyped-def]
    if form != "csv":
        from doxeval.core.table import render_tables

        return render_tables([table], form).encode()
    import csv
    import io

    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(table.rows)
    return stream.getvalue().encode()
