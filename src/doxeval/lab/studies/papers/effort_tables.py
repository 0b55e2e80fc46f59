"""Effort, section 5: passages against whole documents (Tables 2 and 4, Figures 5 to 10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from doxeval import Comparison, Scores, Table, correlate
from doxeval.comparison.shapes import SHAPES, compare_parts
from doxeval.core.table import shown
from doxeval.lab.studies.papers.material import Material, MaterialSource, Tell
from doxeval.lab.studies.written import Report
from doxeval.scoring.loader import RunLoader

SYSTEMS, TOPICS, RESULTS = 38, 70, 600
READINGS = {"Foc.": "natural", "Doc.": "sequential"}
"""The paper's names of reading as the system leads, and of reading the document from start to end."""
MEASURES_OF_PAPER = {
    "F0.25": "AgP(score=F(beta=0.25,order={}))",
    "LE 300": "ANCE(screen=300,order={})@600",
    "LE 2000": "ANCE(screen=2000,order={})@600",
    "aveChP": "AgP(score=aveChP(order={}))",
    "T2If 300": "AgP(score=T2If(n=300,order={}))",
    "T2If 2000": "AgP(score=T2If(n=2000,order={}))",
}
PRINTED = (
    (0.826,),
    (0.478, 0.378),
    (0.731, 0.762, 0.537),
    (0.740, 0.629, 0.709, 0.737),
    (0.754, 0.768, 0.525, 0.897, 0.799),
    (0.894, 0.789, 0.566, 0.739, 0.817, 0.779),
    (0.815, 0.966, 0.372, 0.751, 0.623, 0.762, 0.789),
    (0.695, 0.623, 0.720, 0.697, 0.789, 0.702, 0.795, 0.623),
    (0.717, 0.851, 0.408, 0.774, 0.585, 0.711, 0.725, 0.857, 0.648),
    (0.837, 0.805, 0.560, 0.776, 0.771, 0.770, 0.897, 0.800, 0.811, 0.773),
    (0.777, 0.928, 0.405, 0.783, 0.611, 0.749, 0.757, 0.916, 0.628, 0.923, 0.805),
)
"""Table 2 below its diagonal: measures in the order above, each Foc. and Doc."""
BENEFITING = (
    "In print, of 25 runs that are not of documents, 19 are better by F0.25, all by LE, 21 by aveChP (the 15 "
    "given for T2If do not follow from the table)."
)
CURVES_OF_PAPER = {
    "5": "gP(score=F(beta=0.25,order={}))",
    "6": "gP(score=aveChP(order={}))",
    "7": "gP(score=T2If(n=300,order={}))",
    "8": "gP(score=T2If(n=2000,order={}))",
    "9": "NCE(screen=300,order={})",
    "10": "NCE(screen=2000,order={})",
}
RANKS = (1, 2, 3, 5, 10, 15, 20, 30, 40, 50)
BEST = 3
CAVEATS = """\
**Effort.** The signs of the changes and which measures agree can be compared with print, the values cannot:
the paper scored 38 runs of INEX 2008, 25 of them of passages or elements, which are not public. Changes are
in percent of the value as documents; the printed ones of MANCE are in percent of the focused value. The text
that we have lacks the figures' axes, so the ranks of the curves are ours; the best three runs are drawn."""


def effort(report: Report, source: MaterialSource, seed: int, tell: Tell) -> None:
    """Tables 2 and 4 and the curves of Figures 5 to 10; Table 3 is a list of symbols."""
    material = source.material(TOPICS, SYSTEMS, RESULTS)
    typed = {
        way: [one.format(order) for one in MEASURES_OF_PAPER.values()] for way, order in READINGS.items()
    }
    tell("Effort, Tables 2 and 4: passages against documents")
    with report.attempt("Effort, Table 2: do measures rank runs alike?", material.told):
        scores = material.scores(material.evaluation([name for names in typed.values() for name in names]))
        _correlations(report, scores, typed, seed)
        report.section("Effort, Table 4: whole documents against passages", material.told)
        _changes(report, scores, typed)
    tell("Effort, Figures 5 to 10: down the list")
    with report.attempt("Effort, Figures 5 to 10: down the list", material.told):
        _curves(report, material)


def _correlations(report: Report, scores: Scores, typed: dict[str, list[str]], seed: int) -> None:
    """Table 2: Kendall's tau-b of all measures, each as the system leads and as a plain document."""
    names = [f"{name} {way}" for name in MEASURES_OF_PAPER for way in READINGS]
    both = [name for pair in zip(*typed.values(), strict=True) for name in pair]
    found = correlate(scores, rows=both, columns=both, draws=0, seed=seed)
    body = [
        [names[row], *(f"{shown(found.value[row, at], 2)} ({PRINTED[row - 1][at]:.2f})" for at in range(row)),
         *[""] * (len(names) - 1 - row)]
        for row in range(1, len(names))
    ]  # fmt: skip
    below = np.tril_indices(len(names), -1)
    alike = np.corrcoef(found.value[below], np.concatenate(PRINTED))[0, 1]
    footer = [
        f"Kendall's tau-b, in print in parentheses; {found.systems} systems, {found.topics} topics",
        f"Pearson's r of the {len(below[0])} coefficients with the printed ones: {shown(float(alike), 2)}",
    ]
    report.table("effort-table-2", Table(["", *names[:-1]], body, 1, footer, notices=scores.notices))


def _changes(report: Report, scores: Scores, typed: dict[str, list[str]]) -> None:
    """Table 4: each run read as whole documents, and as it is.

    By reading orders, which need the lengths of relevant documents only.
    """
    names = list(MEASURES_OF_PAPER)
    parts = {
        shape: replace(part, measures=names, meanings=dict(zip(names, part.meanings.values(), strict=True)))
        for shape, way in zip(SHAPES, ("Doc.", "Foc."), strict=True)
        for part in [scores.select(measures=typed[way])]
    }
    found = compare_parts(parts, test="t")
    report.table("effort-table-4", _table_4(found))
    report.text("\n".join(f"- {sentence}" for sentence in [*found.sentences, BENEFITING]))


def _table_4(found: Comparison) -> Table:
    """The comparison in the paper's layout: a row per run, and three columns per measure."""
    table, *_ = found.tables
    by_run: dict[str, list[str]] = {}
    for _, run, *cells in table.body:
        by_run.setdefault(run, []).extend(cells)
    header = [f"{name} {what}" for name in MEASURES_OF_PAPER for what in ("Doc.", "Foc.", "change %")]
    body = [[run, *cells] for run, cells in by_run.items()]
    return Table(["run", *header], body, 1, table.footer[:-1], notices=table.notices)


def _curves(report: Report, material: Material) -> None:
    """gP and NCE down the list, of the best runs as they are and as documents."""
    first = MEASURES_OF_PAPER["F0.25"].format(READINGS["Foc."])
    scores = material.scores(material.evaluation(first))
    best = sorted(scores.names, key=lambda name: -(scores.value(name, first) or 0))[:BEST]
    typed = {
        (number, way): curve.format(READINGS[way])
        for number, curve in CURVES_OF_PAPER.items()
        for way in READINGS
    }
    points = [f"{name}@{rank}" for name in typed.values() for rank in RANKS]
    found = material.evaluation(points).scores(list(_named(material.runs(), best)))
    for number, curve in CURVES_OF_PAPER.items():
        series = {
            f"{run} {way}": [_value(found, run, f"{typed[number, way]}@{rank}") for rank in RANKS]
            for run in best
            for way in READINGS
        }
        body = [[name, *map(shown, values)] for name, values in series.items()]
        footer = [f"Figure {number}: {'; '.join(f'{way} {typed[number, way]}@i' for way in READINGS)}"]
        report.table(f"effort-figure-{number}", Table(["", *map(str, RANKS)], body, 1, footer))
        if report.figures:
            from doxeval.show.charts import curves

            lines = {name: (RANKS, values) for name, values in series.items()}
            report.figure(f"effort-figure-{number}", curves(lines, "documents", curve.split("(")[0]))


def _named(runs: Iterable[Any], names: list[str]) -> Iterable[Any]:
    """The runs with these names."""
    return (run for run in runs if (run.run_name if isinstance(run, RunLoader) else run.name) in names)


def _value(scores: Scores, run: str, measure: str) -> float:
    value = scores.value(run, measure)
    return float("nan") if value is None else value
