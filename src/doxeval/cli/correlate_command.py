"""`doxeval correlate`: do two measures rank systems alike?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.project_file import runs_argument
from doxeval.cli.scoring import Scoring, direction_options, only_scores, scoring_options, seed_option
from doxeval.cli.support import Registered, option, output_option, refuse_idle
from doxeval.core.errors import UsageError

FORMATS = ("table", "md", "latex", "csv", "jsonl")


@click.command(name="correlate")
@runs_argument("inputs")
@scoring_options("correlate")
@option("--coefficient -c coefficients", "Coefficient to compute; may be repeated.", ("tau",),
        of=Registered("comparison.rankings.COEFFICIENTS", "all"), multiple=True)  # fmt: skip
@option("--rows MEASURES", "Measures in the rows; all by default.")
@option("--columns MEASURES", "Measures in the columns; all by default.")
@option("--show-intervals", "Show bootstrap intervals over topics in the table.")
@option("--verdicts THRESHOLD", "Also list the pairs above a threshold (ESR: 0.25).", of=float)
@option("--draws", "Number of permutations or samples to draw.", 1000, least=0)
@option("--confidence", "Confidence level of the intervals.", 0.95)
@seed_option
@direction_options
@option("--format -f", "Output format.", of=FORMATS)
@output_option
@option("--heatmap FILE", "Also draw the first coefficient's matrix, as PNG, SVG or PDF.", of=OUTPUT)
def command(
    inputs: tuple[str, ...], scoring: Scoring, coefficients: tuple[str, ...], rows: str | None,
    columns: str | None, show_intervals: bool, verdicts: float | None, format: str | None,
    output: str, heatmap: str | None, **options: Any,
) -> None:  # fmt: skip
    """Correlate how measures rank RUNs, which may also be score files.

    \b
    doxeval correlate runs/*.fol --qrels qrels.txt -m "AiP iP[0.01] iR@10" --heatmap tau.png
    doxeval correlate scores.csv -c all --show-intervals
    doxeval correlate runs/* -q qrels.txt -d docs.dox -m SRiP2@10 --nav none --nav 'readon(mean=500)'

    A cell holds the coefficient and, in parentheses, the p-value, as in the tables of the ESR paper.
    """
    from doxeval.core.grammar import split_names
    from doxeval.core.output import atomic, check_figure_path, form_of
    from doxeval.core.records import rendered
    from doxeval.extend import COEFFICIENTS

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
        stream.write(
            rendered(form, lambda: [row for one in found for row in one.frame.to_dicts()], lambda: tables)
        )
    if heatmap:
        dx.plot(found[0], path=heatmap)
    scoring.finish(scores.notices)


def _refuse_what_is_not_shown(form: str, intervals: bool, samples: int, coefficients: Sequence[str]) -> None:
    """Refuse options about intervals and verdicts that the output would not show."""
    from doxeval.extend import COEFFICIENTS

    if form in ("csv", "jsonl"):
        refuse_idle("show_intervals", f"{form} always has them")
        refuse_idle("verdicts", f"they are a table of their own, which {form} cannot hold")
        return
    if intervals and not samples:
        raise UsageError("--show-intervals needs samples, and --draws 0 draws none")
    if intervals:
        return
    refuse_idle("draws confidence", "it is about intervals, which --show-intervals shows")
    if "all" not in coefficients and all(COEFFICIENTS[name].p_value for name in coefficients):
        refuse_idle("seed", "nothing is drawn without --show-intervals")
