"""`doxeval compare`: which run is better, and is the difference real?"""

from __future__ import annotations

from typing import Any

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.project_file import runs_argument
from doxeval.cli.registered import Registered
from doxeval.cli.scoring import (
    Scoring,
    direction_options,
    scoring_options,
    seed_option,
    shapes_option,
    slice_options,
)
from doxeval.cli.support import expand, option, output_option, refuse_idle, say_beside, write_below_sentences

FORMATS = ("table", "md", "latex", "csv", "jsonl", "json", "parquet")


@click.command(name="compare")
@runs_argument("inputs")
@scoring_options("compare")
@shapes_option("each run is compared with itself; the first shape is the baseline.")
@slice_options
@option("--baseline -b NAME", "The run to compare with: its name; by default all pairs are compared.")
@option("--test", "Paired test; by default randomisation, or tukey for all pairs of three or more runs.",
        of=Registered("comparison.tests.TESTS"))  # fmt: skip
@option("--correction", "Correction for several comparisons by one measure; tukey needs none.", "holm",
        of=Registered("comparison.corrections.CORRECTIONS"))  # fmt: skip
@option(
    "--interval", "Kind of confidence interval.", "bootstrap", of=Registered("comparison.intervals.INTERVALS")
)
@option("--confidence", "Confidence level of the intervals.", 0.95)
@option("--alpha", "Significance level: p-values below it are significant.", 0.05)
@option("--draws", "Number of permutations or samples to draw.", 10_000, least=100)
@seed_option
@direction_options
@option(
    "--diagnose with_diagnosis",
    "Also list the topics that a run mends and breaks (see 'doxeval diagnose').",
)
@option("--all every", "Show everything: also pairs that are neither significant nor of a leader.")
@option("--format -f", "Output format.", of=FORMATS)
@output_option
@option("--plot FILE", "Also draw the differences, as PNG, SVG or PDF.", of=OUTPUT)
def command(
    inputs: tuple[str, ...], scoring: Scoring, by: str | None, topics_file: str | None, baseline: str | None,
    shapes: tuple[str, ...], every: bool, format: str | None, output: str, plot: str | None, **options: Any,
) -> None:  # fmt: skip
    """Compare RUNs, or files of per-topic scores, topic by topic.

    \b
    doxeval compare old.jsonl new.jsonl --qrels answers.jsonl -m "iR@5 iP@5"
    doxeval compare runs/*.fol --baseline bm25 --qrels qrels.txt -m AiP -f latex
    doxeval compare scores.csv --test tukey
    doxeval compare runs/*.fol --as documents --as given --qrels qrels.txt -m "AgP AgP(score=aveChP)"

    The output opens with a verdict (not with --quiet). It has the means with daggers, the differences that
    matter with intervals, effect sizes, p-values, wins, ties and losses, and the topics that moved most; CSV,
    JSON and Parquet have all differences. With --diagnose, it says which topics were mended and broken. The
    same seed gives the same numbers.
    """
    from doxeval.core.output import check_figure_path, form_of
    from doxeval.core.records import ROW_FORMS
    from doxeval.extend import INTERVALS, TESTS

    if plot:
        check_figure_path(plot)
    topics = scoring.topics(by, topics_file)
    options |= {"by": by, "topics_file": topics}
    if scoring.takes_one_shape(inputs, shapes):
        scores = scoring.scores(inputs)
        comparison = dx.compare(scores, baseline=baseline, **options)
    else:
        refuse_idle("baseline with_diagnosis", "each run is compared with itself in another shape (--as)")
        options.pop("with_diagnosis")
        with scoring.then("testing the differences"):
            comparison = dx.compare_shapes(expand(inputs), scoring.evaluation, shapes=shapes, **options)
    if TESTS[comparison.test].joint and by is None:
        refuse_idle("correction", f"{comparison.test} looks at all comparisons at once and needs none")
    if not (TESTS[comparison.test].drawn or INTERVALS[comparison.interval].drawn):
        refuse_idle("draws seed", f"neither test ({comparison.test}) nor intervals draw anything")
    form = format or form_of(output)
    if form in ROW_FORMS or form == "parquet":
        refuse_idle("every", f"{form} has all pairs anyway")
        refuse_idle("with_diagnosis", f"{form} has differences; 'doxeval diagnose' has the classes of topics")
    write_below_sentences(
        lambda: comparison.rendered(form, every), lambda: comparison.sentences, output, form, scoring.quiet
    )
    say_beside(form, scoring.quiet, lambda: comparison.sentences, lambda: comparison.tables[0].footer)
    if plot:
        dx.plot(comparison, path=plot)
    scoring.finish(comparison.notices)
