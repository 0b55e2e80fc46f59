"""`doxeval plot`: figures for papers."""

from __future__ import annotations

import click

from doxeval.cli.scoring import Scoring, scoring_options

KINDS = (
    "precision-recall", "gain-rank", "gain-characters", "effort-rank", "effort-characters", "means",
    "differences",
)  # fmt: skip


@click.command(name="plot")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--kind", "-k", type=click.Choice(KINDS), default=KINDS[0], show_default=True, help="What to draw."
)
@scoring_options
@click.option("--baseline", "-b", metavar="NAME", help="The run that differences are taken from.")
@click.option("--output", "-o", required=True, metavar="FILE", help="PNG, SVG or PDF, by its suffix.")
def command(runs: tuple[str, ...], kind: str, scoring: Scoring, baseline: str | None, output: str) -> None:
    """Draw curves of RUNs, their means with intervals, or differences per topic.

    \b
    doxeval plot runs/*.jsonl --qrels answers.jsonl -o recall.pdf
    doxeval plot runs/*.jsonl --qrels answers.jsonl -k gain-characters -o gain.svg
    doxeval plot old.jsonl new.jsonl --qrels answers.jsonl -k differences -m IoU@5 -o moved.png

    Means and differences are of the first measure named (AiP unless given).
    """
    from dataclasses import replace

    from doxeval.cli.support import expand, finish
    from doxeval.core.notices import Notices
    from doxeval.scoring.evaluation import RunLoader
    from doxeval.show.plot import figure_of
    from doxeval.show.style import check_figure_path, save_figure

    check_figure_path(output)
    plan = replace(scoring, measures=scoring.measures or ("AiP",)).plan()
    loaded = [RunLoader(path, format=scoring.run_format, ranges=scoring.ranges)() for path in expand(runs)]
    save_figure(figure_of(plan, loaded, kind, baseline), output)
    notices = Notices()
    for run in loaded:
        notices.extend(run.notices)
    finish(notices, False, scoring.quiet)
