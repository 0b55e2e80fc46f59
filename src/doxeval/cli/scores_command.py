"""`doxeval scores`: query a store that `doxeval eval --store` has filled."""

from __future__ import annotations

import click

from doxeval.cli.support import METRICS_ARE_MEANS, option, output_option, refuse_idle, say_lines
from doxeval.core.errors import UsageError
from doxeval.core.output import FORMS, form_of


@click.command(name="scores")
@click.argument("store", metavar="STORE")
@option("--run -r runs NAME", "The run to show, by its name or a pattern; may be repeated.", multiple=True)
@option("--measure -m measures MEASURE",
        "Measures to show, as in -m 'AiP iP[0.01]', or patterns such as 'iP*'; may be repeated.",
        multiple=True)  # fmt: skip
@option(
    "--topic -t topics NAME",
    "The topic to show, by its name or a pattern; may be repeated.",
    multiple=True,
)
@option("--where -w COLUMN=TEXT",
        "Only scores whose COLUMN (model, qrels, documents, options, version, ...) begins with TEXT.",
        multiple=True)  # fmt: skip
@option("--list listed", "Instead of scores, list what they were computed from.")
@option("--per-topic", "Print every topic before the means.")
@option("--format -f", "Output format.", of=FORMS)
@output_option
def command(
    store: str, runs: tuple[str, ...], measures: tuple[str, ...], topics: tuple[str, ...],
    where: tuple[str, ...], listed: bool, per_topic: bool, format: str | None, output: str,
) -> None:  # fmt: skip
    """Print the scores in STORE, a folder that 'doxeval eval --store' has filled.

    \b
    doxeval scores scores/ -m "AiP iP[0.01]"
    doxeval scores scores/ --run 'bm25*' --per-topic -f csv
    doxeval scores scores/ --list

    A store is plain Parquet: any tool that reads STORE/*/*.parquet can query it.
    """
    import doxeval as dx

    chosen = {"run_names": runs, "topic_names": topics, "where": where}
    if listed:
        origins = dx.origins(store, measures, **chosen)
        if format is None:
            say_lines(origins.listing)
        elif format == "metrics":
            raise UsageError("metrics are means; --list has none")
        else:
            origins.write(output, format=format)
        return
    form = format or form_of(output)
    if form == "metrics":
        refuse_idle("per_topic", METRICS_ARE_MEANS)
    dx.write_scores(dx.scores(store, measures, **chosen), output, format=form, per_topic=per_topic)
