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
@option("--output -o FILE", "Write the figure to FILE: PNG, SVG or PDF, by its suffix.", required=True)
def command(runs: tuple[str, ...], kind: str, scoring: Scoring, baseline: str | None, output: str) -> None:
    """Draw curves of RUNs, their means with intervals, or differences per topic.

    \b
    doxeval plot runs/*.jsonl --qrels answers.jsonl -o recall.pdf
    doxeval plot runs/*.jsonl --qrels answers.jsonl -k gain-characters -o gain.svg
    doxeval plot old.jsonl new.jsonl --qrels answers.jsonl -k differences -m IoU@5 -o moved.png

    A figure shows one measure. Curves show iP, iR or CE unless you name another, such as NCE(screen=2000)@9
    or PRUM, and end at the cut-off or recall given with it. Means, and differences of two runs, show AiP by
    default; both can be drawn from score files.
    """
    from doxeval.cli.support import refuse_idle
    from doxeval.show.plot import check_figure, figure_of
    from doxeval.show.style import check_figure_path, save_figure

    check_figure_path(output)
    look = check_figure(kind, scoring.names(), baseline)
    if look is not None:
        scoring.measures = scoring.measures or (look.curve.example,)
        refuse_idle("store", f"{kind} is drawn from the runs themselves, not from scores")
        scores = scoring.run_scores(runs, look)
    else:
        scoring.measures = scoring.measures or ("AiP",)
        scores = scoring.scores(runs)
    save_figure(figure_of(scores, kind, look, baseline), output)
    scoring.finish(scores.notices)
