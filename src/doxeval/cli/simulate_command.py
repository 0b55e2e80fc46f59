"""`doxeval simulate`: play the user of a measure, and hold the formula against it."""

from __future__ import annotations

import math

import click

from doxeval.cli.scoring import BOUNDS, Scoring, scoring_options, seed_option
from doxeval.cli.support import option, refuse_idle


@click.command(name="simulate")
@click.argument("run")
@scoring_options(*BOUNDS)
@option("--readers", "Readers played.", 1000, least=20)
@seed_option
@option("--visits",
        "Whether every result is a new chance, or a reader has one mind about each place.",
        "independent", of=["independent", "persistent"])  # fmt: skip
def command(run: str, scoring: Scoring, readers: int, seed: int, visits: str) -> None:
    """Play readers of RUN and print, for each measure, the formula's mean over topics beside the readers'.

    Readers of the measures of near misses (these at 10 unless others are named), of PRUM, EPRUM and ERRU can
    be played. The formulas of near misses take visits as independent; --visits persistent shows how far off
    they are for a reader who does not change his mind.
    """
    from doxeval.lab.simulation.look import PlayLook
    from doxeval.measurement.families.exposed import ExposedMeasure

    scoring.measures = scoring.measures or ("Hits@10 NearMisses@10 Misses@10",)
    if not any(isinstance(measure, ExposedMeasure) for measure in scoring.evaluation.measures):
        refuse_idle("visits", "only readers of near misses are played in two ways")
    scores = scoring.run_scores([run], PlayLook(readers, seed, visits))
    width = max(map(len, scores.measures))
    click.echo(f"{'measure':<{width}}  {'formula':>10}  {'readers':>10}  {'error':>9}  off by")
    for name, (mean, error) in zip(scores.measures, scores.runs[0].seen, strict=True):
        formula = scores.value(scores.names[0], name)
        if formula is None:
            click.echo(f"{name:<{width}}  nothing is relevant to any topic")
            continue
        off = told_apart(formula, mean, error)
        click.echo(f"{name:<{width}}  {formula:10.5f}  {mean:10.5f}  {error:9.5f}  {off}")
    scoring.finish(scores.notices)


def told_apart(formula: float, mean: float, error: float) -> str:
    """How far the readers are off, in standard errors; rounding is none, and readers may all be alike."""
    if math.isclose(formula, mean, rel_tol=1e-9, abs_tol=1e-12):
        return "nothing"
    return f"{abs(formula - mean) / error:.1f} errors" if error > 0 else "any error"
