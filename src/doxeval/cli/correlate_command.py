"""`doxeval correlate`: do two measures rank systems alike? Does a measure go with what came of it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.project_file import runs_argument
from doxeval.cli.registered import Registered
from doxeval.cli.scoring import (
    TOPICS_FILE,
    Scoring,
    direction_options,
    only_scores,
    scoring_options,
    seed_option,
)
from doxeval.cli.support import expand, option, output_option, refuse_idle
from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.progress import step
from doxeval.core.records import ROW_FORMS

FORMATS = ("table", "md", "latex", *ROW_FORMS)
ABOUT_RANKINGS = "it is about rankings of runs; with --outcomes, each measure is correlated with the outcome"
TOPICS_OF_RUNS = (
    "--topics run would leave out topics that a run failed to answer; with --outcomes, such a topic has the "
    "value of an empty list"
)


@click.command(name="correlate")
@runs_argument("inputs")
@scoring_options("correlate")
@option("--coefficient -c coefficients", "Coefficient to compute; may be repeated.", ("tau",),
        of=Registered("comparison.rankings.COEFFICIENTS", "all"), multiple=True)  # fmt: skip
@option("--rows MEASURES", "Measures in the rows; all by default.")
@option("--columns MEASURES", "Measures in the columns; all by default.")
@option("--show-intervals", "Show bootstrap intervals over topics in the table.")
@option("--verdicts THRESHOLD", "Also list the pairs above a threshold (ESR: 0.25).", of=float)
@option("--outcomes FILE", "What came of the results: CSV, TSV, JSON Lines or Parquet with topic, run, and "
        "columns of yes and no or of numbers; may be repeated. Measures are correlated with the outcome.",
        multiple=True)  # fmt: skip
@option("--outcome outcome_column COLUMN", "Column of the outcomes to predict, if there are several; "
        "may be repeated.", multiple=True)  # fmt: skip
@option("--chosen-on TOPICS", "Choose among listed settings of measures on these topics, ATTRIBUTE=VALUE or "
        "a share such as 0.5 drawn at random, and report on the others.")  # fmt: skip
@option("--topics-file FILE", TOPICS_FILE)
@option("--draws", "Number of permutations or samples to draw; by default 1,000, with --outcomes 10,000.",
        least=0)  # fmt: skip
@option("--confidence", "Confidence level of the intervals.", 0.95)
@seed_option
@direction_options
@option("--format -f", "Output format.", of=FORMATS)
@output_option
@option("--heatmap FILE", "Also draw the first coefficient's matrix, as PNG, SVG or PDF.", of=OUTPUT)
def command(
    inputs: tuple[str, ...], scoring: Scoring, coefficients: tuple[str, ...], rows: str | None,
    columns: str | None, show_intervals: bool, verdicts: float | None, outcomes: tuple[str, ...],
    outcome_column: tuple[str, ...], chosen_on: str | None, topics_file: str | None,
    format: str | None, output: str, heatmap: str | None, **options: Any,
) -> None:  # fmt: skip
    """Correlate how measures rank RUNs, which may also be score files; or values with their outcomes.

    \b
    doxeval correlate runs/*.fol --qrels qrels.txt -m "AiP iP[0.01] iR@10" --heatmap tau.png
    doxeval correlate scores.csv -c all --show-intervals
    doxeval correlate runs/* -q qrels.txt -d docs.dox -m SRiP2@10 --nav none --nav 'readon(mean=500)'

    A cell holds the coefficient and, in parentheses, the p-value, as in the tables of the ESR paper.

    \b
    doxeval correlate patches/*.jsonl -q instances.jsonl -m "iR F" --outcomes tests.csv
    doxeval correlate patches/*.jsonl -q instances.jsonl -m "iR F" --outcomes tests.csv -o success.pdf
    doxeval correlate patches/*.jsonl -q instances.jsonl -m "iR ESRR(nav=readon(mean=5,20,100))" \
            --outcomes tests.csv --chosen-on 0.5

    With --outcomes: for every measure the chance that a success has a higher value than a failure (AUC), or
    for numbers concordance and Kendall's tau-b, with intervals; differences between measures; agreement among
    runs of one topic; and all this by difficulty. FILE may be a figure (.png, .svg, .pdf): success against
    the value.
    """
    from doxeval.core.grammar import split_names
    from doxeval.core.output import atomic, check_figure_path, form_of
    from doxeval.core.records import rendered
    from doxeval.extend import COEFFICIENTS

    if outcomes:
        refuse_idle("coefficients rows columns show_intervals verdicts heatmap", ABOUT_RANKINGS)
        options |= {"chosen_on": chosen_on, "topics_file": topics_file}
        _correlate_outcomes(inputs, scoring, outcomes, outcome_column, format, output, options)
        return
    refuse_idle("outcome_column chosen_on topics_file", "no outcomes are given (--outcomes)")
    if heatmap:
        check_figure_path(heatmap)
    sides = [split_names(side) if side else None for side in (rows, columns)]
    if scoring.measures or all(sides) or not only_scores(inputs):
        scoring.measures = (*scoring.measures, *(name for side in sides for name in side or ()))
    form = format or form_of(output)
    _refuse_what_is_not_shown(form, show_intervals, options["draws"], coefficients)
    scores = scoring.scores(inputs)
    wanted = COEFFICIENTS if "all" in coefficients else coefficients
    found = [
        dx.correlate(scores, coefficient=name, rows=sides[0], columns=sides[1], **options) for name in wanted
    ]
    tables = [correlation.table(show_intervals) for correlation in found]
    if verdicts is not None:
        tables += [correlation.verdicts(verdicts) for correlation in found]
    with atomic(output) as stream:
        stream.write(rendered(form, lambda: [row for one in found for row in one.records], lambda: tables))
    if heatmap:
        dx.plot(found[0], path=heatmap)
    scoring.finish(scores.notices)


def _correlate_outcomes(
    inputs: tuple[str, ...], scoring: Scoring, files: Sequence[str], columns: Sequence[str],
    format: str | None, output: str, options: dict[str, Any],
) -> None:  # fmt: skip
    """Correlate values with outcomes, for each column of them that is named."""
    from doxeval.core.output import FIGURE_SUFFIXES, atomic, form_of
    from doxeval.core.records import rendered
    from doxeval.core.screen import bullets

    if "=" not in (options["chosen_on"] or ""):
        refuse_idle("topics_file", "topics are not chosen by an attribute (--chosen-on ATTRIBUTE=VALUE)")
    draws_figure = output.lower().endswith(FIGURE_SUFFIXES)
    if draws_figure:
        refuse_idle("format", "a figure is drawn; its format is that of the suffix")
        if len(columns) > 1:
            raise UsageError(f"{output}: a figure shows one outcome; name one --outcome")
    if not only_scores(inputs):
        if scoring.options.get("topics") == "run":
            raise UsageError(TOPICS_OF_RUNS)
        scoring.options["topics"] = "qrels"
    scores = scoring.scores(inputs)
    models = scoring.navigation if scoring.measures and len(scoring.navigation) > 1 else None
    tables = expand(files)
    with step("resampling topics"):
        found = [
            dx.correlate(
                scores, None, scoring.measures, None, models, outcomes=tables, outcome_column=name, **options
            )
            for name in (columns or (None,))
        ]
    if draws_figure:
        dx.plot(found[0], path=output)
    else:
        form = format or form_of(output)
        with atomic(output) as stream:
            if form == "table" and not scoring.quiet:
                stream.write(bullets([said for one in found for said in one.sentences]).encode())
            stream.write(
                rendered(
                    form,
                    lambda: [row for one in found for row in one.rows],
                    lambda: [table for one in found for table in one.tables],
                )
            )
    scoring.finish(Notices(*(one.notices for one in found)))


def _refuse_what_is_not_shown(
    form: str, intervals: bool, samples: int | None, coefficients: Sequence[str]
) -> None:
    """Refuse options about intervals and verdicts that the output would not show."""
    from doxeval.extend import COEFFICIENTS

    if form in ROW_FORMS:
        refuse_idle("show_intervals", f"{form} always has them")
        refuse_idle("verdicts", f"they are a table of their own, which {form} cannot hold")
        return
    if intervals and samples == 0:
        raise UsageError("--show-intervals needs samples, and --draws 0 draws none")
    if intervals:
        return
    refuse_idle("draws confidence", "it is about intervals, which --show-intervals shows")
    if "all" not in coefficients and all(COEFFICIENTS[name].p_value for name in coefficients):
        refuse_idle("seed", "nothing is drawn without --show-intervals")
