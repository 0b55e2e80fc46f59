"""`doxeval compare`: which run is better, and is the difference real?"""

from __future__ import annotations

from typing import Any

import click

from doxeval.cli.project import runs_argument
from doxeval.cli.scoring import (
    Scoring,
    direction_options,
    scoring_options,
    seed_option,
    shapes_option,
    slice_options,
)
from doxeval.cli.support import Registered, option, output_option, refuse_idle, working
from doxeval.core.phrases import stated

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
@option("--level", "Significance level: p-values below it are significant.", 0.05)
@option("--draws", "Number of permutations or samples to draw.", 10_000, least=100)
@seed_option
@direction_options
@option("--all every", "Show everything: also pairs that are neither significant nor of a leader.")
@option("--format -f", "Output format.", of=FORMATS)
@output_option
@option("--plot FILE", "Also draw the differences, as PNG, SVG or PDF.")
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
    JSON and Parquet have all differences. The same seed gives the same numbers.
    """
    from doxeval.comparison.compare import compare
    from doxeval.comparison.intervals import INTERVALS
    from doxeval.comparison.render import render
    from doxeval.comparison.shapes import compared
    from doxeval.comparison.tests import TESTS
    from doxeval.core.output import atomic, form_of
    from doxeval.core.records import ROW_FORMS
    from doxeval.core.screen import bullets

    if plot:
        from doxeval.show.style import check_figure_path

        check_figure_path(plot)
    topics = scoring.topics(by, topics_file)
    if scoring.takes_one_shape(inputs, shapes):
        scores = scoring.scores(inputs).with_topics(topics)
        with working("testing the differences", scoring.quiet):
            comparison = compare(scores, baseline=baseline, by=by, **options)
    else:
        refuse_idle("baseline", "each run is compared with itself in another shape (--as)")
        parts = scoring.scores_in_shapes(inputs, shapes)
        with working("testing the differences", scoring.quiet):
            named = {shape: part.with_topics(topics) for shape, part in parts.items()}
            comparison = compared(named, by=by, **options)
    if TESTS[comparison.test].joint and by is None:
        refuse_idle("correction", f"{comparison.test} looks at all comparisons at once and needs none")
    if not (TESTS[comparison.test].drawn or INTERVALS[comparison.interval].drawn):
        refuse_idle("draws seed", f"neither test ({comparison.test}) nor intervals draw anything")
    form = format or form_of(output)
    if form in ROW_FORMS or form == "parquet":
        refuse_idle("every", f"{form} has all pairs anyway")
    with atomic(output) as stream:
        if form == "table" and not scoring.quiet:
            stream.write(bullets(comparison.sentences).encode())
        stream.write(render(comparison, form, every))
    if plot:
        from doxeval.show.style import save_figure

        save_figure(_figure(comparison), plot)
    scoring.finish(comparison.notices)


def _figure(comparison: Any) -> Any:
    import numpy as np

    from doxeval.show.charts import bars_with_intervals
    from doxeval.show.style import Sheet

    rows = comparison.differences
    values, low, high = (np.array([getattr(d, name) for d in rows]) for name in ("difference", "low", "high"))
    names = [f"{d.measure}: {d.run} − {d.baseline}" for d in rows]
    label = f"difference, {stated(comparison.confidence)} intervals"
    paper = Sheet(notes=[str(notice) for notice in comparison.notices.lasting])
    return bars_with_intervals(names, values, low, high, label, paper)
