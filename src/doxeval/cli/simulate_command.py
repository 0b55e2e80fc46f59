"""`doxeval simulate`: simulate the user of a measure and compare with its formula."""

from __future__ import annotations

import math

import click

from doxeval.cli.scoring import Scoring, scoring_options, seed_option
from doxeval.cli.support import option, refuse_idle


@click.command(name="simulate")
@click.argument("run")
@scoring_options("simulate")
@option("--readers", "Number of simulated readers.", 1000, least=20)
@seed_option
@option("--visits",
        "Whether a reader decides anew at every result, or once for each place.",
        "independent", of=["independent", "persistent"])  # fmt: skip
def command(run: str, scoring: Scoring, readers: int, seed: int, visits: str) -> None:
    """Simulate readers of RUN and print, for each measure, the formula's mean over topics and the readers'.

    Readers can be simulated if they leave something to chance: 'doxeval measures NAME' says what, or why they
    cannot be. Without -m, the measures are Hits, NearMisses and Misses at 10. At several cut-offs, as in
    ERRU@1..10, the readers are the same. Formulas assume that visits are independent; --visits persistent
    shows how far off they are for readers who do not change their minds.
    """
    from doxeval.core.table import Table
    from doxeval.lab.simulation.look import PlayLook
    from doxeval.measurement.families.phrases import WHERE_TO

    scoring.measures = scoring.measures or ("Hits@10 NearMisses@10 Misses@10",)
    if all(measure.draws != WHERE_TO for measure in scoring.evaluation.measures):
        refuse_idle("visits", "it applies only to readers who navigate")
    scores = scoring.run_scores([run], PlayLook(readers, seed, visits))
    body = []
    for name, (mean, error) in zip(scores.measures, scores.runs[0].seen, strict=True):
        formula = scores.value(scores.names[0], name)
        if formula is None:
            body.append([name, "", "", "", "nothing is relevant to any topic"])
        else:
            off = told_apart(formula, mean, error)
            body.append([name, f"{formula:.5f}", f"{mean:.5f}", f"{error:.5f}", off])
    click.echo(Table(["measure", "formula", "readers", "error", "off by"], body))
    scoring.finish(scores.notices)


def told_apart(formula: float, mean: float, error: float) -> str:
    """How far off the readers are, in standard errors; 'nothing' within rounding, even with no spread."""
    if math.isclose(formula, mean, rel_tol=1e-9, abs_tol=1e-12):
        return "nothing"
    return f"{abs(formula - mean) / error:.1f} errors" if error > 0 else "any error"
