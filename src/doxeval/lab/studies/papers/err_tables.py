"""ERR, section 4: five hypothetical systems by ERRU and by generalised recall-precision (Figures 1, 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from doxeval import Scores, Table
from doxeval.comparison.rankings import average_ranks
from doxeval.core.table import shown
from doxeval.extend import Ground, mean, prepare_ground
from doxeval.lab.studies.papers.material import MaterialSource, Tell, coded_assessments
from doxeval.lab.studies.papers.stereotypes import ERR_SYSTEMS, stereotypes
from doxeval.lab.studies.written import Report
from doxeval.measurement.erru import relevance
from doxeval.reader.units_sought import Elements, assessed_elements

TOPICS = 30
"""The content-only topics of INEX 2002."""
RANKS_OF_CURVES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
RECALLS = tuple(f"{tenth / 10:g}" for tenth in range(1, 11))
ERR_MODEL = "err(word=6)"
"""ERR counts distances in words; six characters are one."""

CAVEATS = """\
**ERR.** The five systems are derived from the assessments, so the experiment can be repeated on any that have
codes. The order of the systems by each measure can be compared with print; the curves cannot, because the
paper prints no figures beside them and used INEX 2002. Highlighted text is turned into codes by a rule of
ours: what covers it is exact, what is around it too large, the children too small. The text announces six
systems and lists five."""


def err(report: Report, source: MaterialSource, seed: int, tell: Tell) -> None:
    """Figures 1 and 2, and the order of the systems by both measures."""
    tell("ERR, Figures 1 and 2")
    material = source.material(TOPICS, 0, RANKS_OF_CURVES[-1])
    with report.attempt("ERR, section 4: five hypothetical systems", material.told):
        judged = coded_assessments(material.assessments, material.trees)
        ground = prepare_ground(judged, material.trees)
        made = stereotypes(ERR_SYSTEMS, ground, relevant_units(ground), ties=True)
        report.derived("err", made, judged)
        measures = [f"ERRU@{cutoff}" for cutoff in RANKS_OF_CURVES]
        points = [f"GRP(recall={recall})" for recall in RECALLS]
        evaluation = material.evaluation([*measures, *points], ERR_MODEL, judged)
        scores = replace(material, runs=lambda: [*made, *material.runs()]).scores(evaluation)
        report.text(f"Navigation: `{material.model(ERR_MODEL)}`.")
        ratio = _curves(report, scores, 1, measures, [str(cutoff) for cutoff in RANKS_OF_CURVES], "results")
        precision = _curves(report, scores, 2, points, RECALLS, "recall")
        report.table("err-order", _order(scores, ratio, precision))


def relevant_units(ground: Ground) -> Elements:
    """The units with exact coverage that have no such ancestor (ERR section 3.4)."""
    units = assessed_elements(ground, quantisation="err").positive
    return units.select(relevance(ground, "auto", "err") > 0)


def _curves(
    report: Report, scores: Scores, number: int, measures: Sequence[str], points: Sequence[str], axis: str
) -> np.ndarray:
    """One of the two figures, as a table and drawn; returns the means of the runs at every point."""
    at = [scores.measures.index(name) for name in measures]
    means = np.array([[mean(run.values[row]) for row in at] for run in scores.runs])
    name = measures[0].partition("@" if number == 1 else "(")[0]
    body = [[run.name, *map(shown, values)] for run, values in zip(scores.runs, means.tolist(), strict=True)]
    footer = [f"{name} after so many {axis}" if number == 1 else f"{name} at each {axis}"]
    report.table(f"err-figure-{number}", Table(["system", *points], body, 1, footer))
    if report.figures:
        from doxeval.show.charts import panels

        x = [float(point) for point in points]
        series = {run.name: (x, values) for run, values in zip(scores.runs, means, strict=True)}
        report.figure(f"err-figure-{number}", panels([(series, name)], axis, logarithmic=number == 1))
    return means


def _order(scores: Scores, ratio: np.ndarray, precision: np.ndarray) -> Table:
    """The systems by the mean of each curve."""
    means = np.stack([ratio.mean(axis=1), precision.mean(axis=1)])
    places = average_ranks(-means)
    body = [
        [
            run.name,
            *(text for one in range(2) for text in (shown(means[one, at]), f"{places[one, at]:g}")),
        ]
        for at, run in enumerate(scores.runs)
    ]
    footer = [
        "the mean of each curve over its points, and the place of the system by it",
        "in print, by GRP: ancestors above perfect; parent far above biggest child; document near the latter",
        "in print, by ERR: perfect above ancestors; parent close to biggest child; document not close to it",
    ]
    return Table(["system", "ERRU", "place", "GRP", "place"], body, 1, footer)
