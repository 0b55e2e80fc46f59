"""Studies of the measures on users' own runs: discrimination, stability, sensitivity, fidelity."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import doxeval as dx
from doxeval import Scores, UsageError, correlate
from doxeval.comparison.discrimination import discriminative_power, swap_rates
from doxeval.extend import COEFFICIENTS
from doxeval.lab.perturbation.fidelity import Fidelity
from doxeval.lab.studies.written import Report
from doxeval.scoring.under_models import with_model


def study_discrimination(
    folder: str | Path | None, scores: Scores, test: str, draws: int, seed: int, figures: bool
) -> Report:
    """Study how many pairs of systems each measure can tell apart."""
    found = discriminative_power(scores, test, draws=draws, seed=seed)
    report = Report(folder, "Discriminative power", figures)
    report.text(
        "The achieved significance levels of all pairs of systems (Sakai, SIGIR 2006). The lower a measure's "
        "curve, the more pairs it tells apart with the same topics; this does not mean that it is right."
    )
    report.table("means", scores.tables[0])
    report.table("discrimination", found.table())
    if figures:
        from doxeval.show.charts import curves

        pairs = np.arange(1, found.levels.shape[1] + 1)
        series = {name: (pairs, found.levels[at]) for at, name in enumerate(found.measures)}
        figure = curves(series, "pairs of systems, by p", "achieved significance level", limit=(0, 0.15))
        report.figure("asl-curves", figure)
    return report.finish()


def study_stability(
    folder: str | Path | None, scores: Scores, splits: int, seed: int, figures: bool
) -> Report:
    """Study how often another set of topics would order two systems the other way."""
    rates = swap_rates(scores, splits=splits, seed=seed)
    report = Report(folder, "Stability over topic sets", figures)
    report.text(
        "Swap rates (Voorhees and Buckley, SIGIR 2002): two disjoint sets of topics of the same size, and "
        "how often they order a pair of systems differently."
    )
    report.table("means", scores.tables[0])
    report.table("swap-rates", rates.table())
    if figures:
        from doxeval.show.charts import curves

        series = {name: (rates.sizes, rates.rate[at]) for at, name in enumerate(rates.measures)}
        report.figure("swap-rates", curves(series, "topics in a set", "swap rate", limit=(0, 0.5)))
        middle = (rates.edges[1:] + rates.edges[:-1]) / 2
        series = {name: (middle, rates.by_difference[at, -1]) for at, name in enumerate(rates.measures)}
        label = f"difference in the first set of {rates.sizes[-1]} topics / largest difference"
        report.figure("swap-rates-by-difference", curves(series, label, "swap rate", limit=(0, 0.5)))
    return report.finish()


def study_sensitivity(
    folder: str | Path | None,
    scores: Scores,
    measures: Sequence[str],
    models: Sequence[str],
    seed: int,
    figures: bool,
) -> Report:
    """Study how much the ranking depends on the navigation model."""
    report = Report(folder, "Sensitivity to the navigation model", figures)
    report.table("means", scores.tables[0])
    for number, measure in enumerate(measures, start=1):
        if not dx.measure(measure).takes_navigation:
            raise UsageError(f"{measure!r} takes no navigation model, or already names one")
        names = [with_model(measure, model) for model in models]
        found = correlate(scores, rows=names, columns=names, seed=seed)
        report.section(measure)
        report.table(f"sensitivity-{number}", found.table(intervals=True))
        if figures:
            from doxeval.show.charts import heat_map
            from doxeval.show.style import Sheet

            paper = Sheet(title=f"{measure}: {COEFFICIENTS['tau'].title}")
            report.figure(f"sensitivity-{number}", heat_map(models, models, found.value, paper))
    return report.finish()


def add_fidelity(report: Report, name: str, found: Fidelity) -> None:
    """Add the tables and the figure of a fidelity study."""
    report.table(f"{name}-order", found.table())
    report.table(f"{name}-changes", found.against_original())
    if report.figures:
        from doxeval.show.charts import curves

        places = np.arange(len(found.variants))
        ranks = [np.nanmean(found.values[at], axis=1) for at in range(len(found.measures))]
        series = {label: (places, ranks[at]) for at, label in enumerate(found.measures)}
        report.figure(name, curves(series, "", "mean score", ticks=found.variants))


def study_fidelity(folder: str | Path | None, found: Fidelity, figures: bool) -> Report:
    """Study whether measures order runs and their perturbations as expected."""
    report = Report(folder, "Fidelity under perturbation", figures)
    report.text("The study of SR, section 7.3: runs are changed in ways whose effect is known.")
    add_fidelity(report, "fidelity", found)
    return report.finish()
