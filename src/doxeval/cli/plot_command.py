"""`doxeval plot`: figures for papers, and the numbers of their curves."""

from __future__ import annotations

import click

from doxeval.cli.project_file import runs_argument
from doxeval.cli.scoring import Scoring, scoring_options, shapes_option
from doxeval.cli.support import expand, option, output_option, refuse_idle
from doxeval.core.notices import Notices
from doxeval.core.output import FIGURE_SUFFIXES, form_of
from doxeval.core.units import UNITS

FIGURES = (
    "precision-recall", "gain-rank", "gain-characters", "effort-rank", "effort-characters",
    "means", "differences", "pareto",
)  # fmt: skip
OVER = "rank", "recall", *(unit for unit in UNITS if unit != "ranks"), "ideals"
NUMBER_FORMS = "table", "csv", "jsonl", "json", "parquet", "md", "latex"
NUMBERS = "numbers are written, not drawn; a figure's FILE ends with .png, .svg or .pdf"


@click.command(name="plot")
@runs_argument()
@option("--over", "Show every measure as a curve over this.", of=OVER)
@option("--figure", f"Or show one of these; by default {FIGURES[0]}, which is iP over recall.", of=FIGURES)
@scoring_options("plot")
@shapes_option("each run is shown in each shape.")
@option("--baseline -b NAME", "The run to compare with, for differences: its name.")
@option("--against NAME",
        "For pareto, what a measure is weighed against: characters shown, or a number given with the runs, "
        "such as cost.")  # fmt: skip
@option("--log-axis", "Use a logarithmic horizontal axis.")
@option("--width WIDTH", "Width of the figure: column (3.33 inches), page (7) or a number of inches.", "page")
@option("--font", "Font family.", "sans", of=("sans", "serif"))
@option("--title TEXT", "Title of the figure.", "")
@option(
    "--format -f", "Output format of the numbers of the curves, which are then not drawn.", of=NUMBER_FORMS
)
@output_option
def command(
    runs: tuple[str, ...], over: str | None, figure: str | None, scoring: Scoring, baseline: str | None,
    shapes: tuple[str, ...], against: str | None, log_axis: bool, width: str, font: str, title: str,
    format: str | None, output: str,
) -> None:  # fmt: skip
    """Draw curves of RUNs, their means with intervals, or differences per topic.

    \b
    doxeval plot runs/*.jsonl --qrels answers.jsonl --width column --font serif -o recall.pdf
    doxeval plot runs/*.jsonl --qrels answers.jsonl -m "iP iR NCE(screen=2000)" --over rank -o ranks.svg
    doxeval plot runs/*.jsonl --qrels answers.jsonl -m "iR@1..20d" --over documents -o points.csv
    doxeval plot runs/*.fol --qrels qrels.txt --as given --as documents -m gP@50 --over rank -o both.pdf
    doxeval plot old.jsonl new.jsonl --qrels answers.jsonl --figure differences -m IoU@5 -o moved.png
    doxeval plot runs/*.jsonl --qrels answers.jsonl --figure pareto -m iR@5 --against cost -o worth.svg

    FILE is a figure if it ends with .png, .svg or .pdf. Otherwise the numbers of the curves are written: a
    table, or CSV and others by the suffix of FILE or --format.

    Any measure can be shown over rank; over another unit of cut-offs those that take one, over recall those
    with a recall point or the parameter recall, over ideals those with the parameter r. A curve ends at the
    cut-off, recall or r given with its measure; several of them, as in iP@1,5,10, are its points. Every
    measure has a panel of its own; those of a single run share one if they have the same unit.

    Means, and differences of two runs, show one measure, by default AiP, and can be drawn from score files.
    Pareto shows one measure, by default iR@5, against what it takes, and names the runs that none beats.

    The figure has the width you ask for, with text of at least 6 points at that size, and the height it
    needs: the legend stands below the curves. Series differ in colour, dash and marker.
    """
    from doxeval.show.plot import asked_figure

    if figure in ("means", "differences", "pareto"):
        scoring.take_one_measure()
    draws = output.lower().endswith(FIGURE_SUFFIXES)
    asked = asked_figure(
        figure, over, scoring.measures, baseline, scoring.navigation, log_axis, width, font, title, against
    )
    if draws:
        refuse_idle("format", "a figure is drawn; its format is that of the suffix")
    else:
        refuse_idle("log_axis width font title", NUMBERS)
        asked.check_numbers(output)
    scoring.measures = tuple(asked.measures)
    if asked.look is not None:
        refuse_idle("store", "curves are computed from the runs themselves, not from scores")
    if scoring.takes_one_shape(runs, shapes):
        shapes = ()
    if asked.look is None and not shapes:
        scores = scoring.scores(runs)
    else:
        assessments, _, documents, navigation = scoring.given
        scores = asked.scores(expand(runs), assessments, documents, navigation, shapes, scoring.options)
    notices = scores.notices
    if draws:
        notices = Notices(notices, asked.save(scores, output))
    else:
        asked.numbers(scores).write(output, format=format or form_of(output))
    scoring.finish(notices)
