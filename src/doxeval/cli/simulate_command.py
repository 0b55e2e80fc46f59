"""`doxeval simulate`: play the user of a measure, and hold the formula against it."""

from __future__ import annotations

import math

import click


@click.command(name="simulate")
@click.argument("run")
@click.option(
    "--qrels", "-q", required=True, metavar="FILE", help="Assessments, in any format doxeval reads."
)
@click.option("--docs", "-d", metavar="FILE", help="Documents: a file, folder, archive or index.")
@click.option(
    "--measure", "-m", "measures", multiple=True, metavar="MEASURE", show_default=True,
    default=("Hits@10 NearMisses@10 Misses@10",),
    help="Measures whose reader is played: those of near misses, PRUM, EPRUM and ERRU.",
)  # fmt: skip
@click.option("--nav", metavar="MODEL", help="Navigation model for the measures that name none.")
@click.option("--readers", type=click.IntRange(20), default=1000, show_default=True, help="Readers played.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where the dice start.")
@click.option(
    "--visits", type=click.Choice(["independent", "persistent"]), default="independent", show_default=True,
    help="Whether every result is a new chance, or a reader has one mind about each place.",
)  # fmt: skip
def command(
    run: str, qrels: str, docs: str | None, measures: tuple[str, ...], nav: str | None, readers: int,
    seed: int, visits: str,
) -> None:  # fmt: skip
    """Play readers of RUN and print, for each measure, the formula's mean over topics beside the readers'.

    The formulas of near misses take visits as independent; --visits persistent shows how far off they are for
    a reader who does not change his mind.
    """
    import numpy as np

    from doxeval.cli.support import finish
    from doxeval.ground.align import align
    from doxeval.io.read import read_run
    from doxeval.measurement.families.exposed import ExposedMeasure
    from doxeval.scoring.evaluation import Evaluation

    evaluation = Evaluation(qrels, measures, docs, nav)
    topics = align(read_run(run), evaluation.ground, evaluation.conventions)
    width = max(len(measure.label) for measure in evaluation.measures)
    click.echo(f"{'measure':<{width}}  {'formula':>10}  {'readers':>10}  {'error':>9}  off by")
    for measure in evaluation.measures:
        if isinstance(measure, ExposedMeasure):
            from doxeval.lab.simulation import esr

            played = esr.simulate(measure, topics, readers, seed, visits)
        else:
            from doxeval.lab.simulation import prum

            played = prum.simulate(measure, topics, readers, seed)
        defined = ~np.isnan(played.mean)
        formula, mean = np.nanmean(measure(topics)), played.mean[defined].mean()
        error = float(np.sqrt((played.error[defined] ** 2).sum()) / max(1, defined.sum()))
        off = told_apart(float(formula), float(mean), error)
        click.echo(f"{measure.label:<{width}}  {formula:10.5f}  {mean:10.5f}  {error:9.5f}  {off}")
    finish(topics.notices, strict=False)


def told_apart(formula: float, mean: float, error: float) -> str:
    """How far the readers are off, in standard errors; rounding is none, and readers may all be alike."""
    if math.isclose(formula, mean, rel_tol=1e-9, abs_tol=1e-12):
        return "nothing"
    return f"{abs(formula - mean) / error:.1f} errors" if error > 0 else "any error"
