"""`doxeval plot`: figures for papers."""

from __future__ import annotations

import click

from doxeval.cli.scoring import BOUNDS, Scoring, scoring_options
from doxeval.cli.support import option

KINDS = (
    "precision-recall", "gain-rank", "gain-characters", "effort-rank", "effort-characters", "means",
    "differences",
)  # fmt: skip


@click.command(name="plot")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@option("--kind -k", "What to draw.", KINDS[0], of=KINDS)
@scoring_options(*BOUNDS)
@option("--baseline -b NAME", "The run that differences are measured against.")
@option("--width WIDTH", "Width of the figure: column (3.33 inches), page (7) or a number of inches.", "page")
@option("--font", "Font family.", "sans", of=("sans", "serif"))
@option("--title TEXT", "Title to write above the figure.", "")
@option("--output -o FILE", "Write the figure to FILE: PNG, SVG or PDF, by its suffix.", required=True)
def command(
    runs: tuple[str, ...], kind: str, scoring: Scoring, baseline: str | None, width: str, font: str,
    title: str, output: str,
) -> None:  # fmt: skip
    """Draw curves of RUNs, their means with intervals, or differences per topic.

    \b
    doxeval plot runs/*.jsonl --qrels answers.jsonl --width column --font serif -o recall.pdf
    doxeval plot runs/*.jsonl --qrels answers.jsonl -k gain-characters -o gain.svg
    doxeval plot old.jsonl new.jsonl --qrels answers.jsonl -k differences -m IoU@5 -o moved.png

    A figure shows one measure. Curves show iP, iR or CE unless you name another, such as NCE(screen=2000)@9
    or PRUM, and end at the cut-off or recall given with it. Means, and differences of two runs, show AiP by
    default; both can be drawn from score files.

    The figure has the width you ask for, with text of at least 6 points at that size, and the height it
    needs: the legend stands below the curves. Series differ in colour, dash and marker.
    """
    from doxeval.cli.support import refuse_idle
    from doxeval.core.notices import Notices
    from doxeval.show.plot import check_figure, figure_of
    from doxeval.show.style import Paper, check_figure_path, lost_letters, save_figure, width_of

    check_figure_path(output)
    paper = Paper(width_of(width), font, title)
    look = check_figure(kind, scoring.names(), baseline)
    if look is not None:
        scoring.measures = scoring.measures or (look.curve.example,)
        refuse_idle("store", f"{kind} is drawn from the runs themselves, not from scores")
        scores = scoring.run_scores(runs, look)
    else:
        scoring.measures = scoring.measures or ("AiP",)
        scores = scoring.scores(runs)
    save_figure(figure_of(scores, kind, look, baseline, paper), output)
    scoring.finish(Notices(scores.notices, lost_letters(paper, scores.names)))
