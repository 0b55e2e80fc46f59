"""SR, section 7: the accuracy and fidelity of SRP beside nXCG (Table 3, Figure 6)."""

from __future__ import annotations

import numpy as np

from doxeval import Table, correlate
from doxeval.comparison.correlation import ranking_means
from doxeval.comparison.rankings import average_ranks
from doxeval.comparison.render import p_shown
from doxeval.core.table import shown
from doxeval.lab.perturbation.fidelity import fidelity, fidelity_look
from doxeval.lab.studies.measure_studies import add_fidelity
from doxeval.lab.studies.papers import tasks
from doxeval.lab.studies.papers.material import Material, MaterialSource, Tell, element_assessments
from doxeval.lab.studies.papers.tasks import Accuracy
from doxeval.lab.studies.written import Report

CAVEATS = """\
**SR.** Signs and verdicts can be compared with print, the coefficients cannot: the paper scored systems of
INEX 2006. SR is scored by element assessments; where text is highlighted, every node with relevant text is
judged by its specificity, as INEX had it from 2006 on. SR ranked systems by "mean-averaged SRP across rank
cut-offs", which may be SRP at the cut-off or its mean over the ranks up to it: both are shown. SR's expected
order of perturbed runs is missing from the text that we have, so the order is ours."""


def sr(report: Report, source: MaterialSource, seed: int, tell: Tell) -> None:
    """Table 3, A to C, and Figure 6."""
    longest = max(cutoff for accuracy in tasks.SR_ACCURACY for cutoff in accuracy.cutoffs)
    material = source.material(tasks.SR_TOPICS, tasks.SR_SYSTEMS, longest)
    for accuracy in tasks.SR_ACCURACY:
        tell(f"SR accuracy: {accuracy.title}")
        with report.attempt(f"SR, Table 3: accuracy, {accuracy.title}", material.told):
            _accuracy(report, accuracy, material, seed)
    material = source.material(tasks.SR_TOPICS, tasks.SR_FIDELITY_SYSTEMS, longest)
    for title, shape in (("thorough", ""), ("relevant in context, documents as trees", "clustered")):
        tell(f"SR fidelity: {title}")
        with report.attempt(f"SR, section 7.3: fidelity, {title}", material.told):
            _fidelity(report, material, shape)


def _accuracy(report: Report, accuracy: Accuracy, material: Material, seed: int) -> None:
    """Table 3(A) or (B): SRP against nXCG at each cut-off, and their changes of rank between cut-offs."""
    *ours, theirs = ([name.format(k) for k in accuracy.cutoffs] for name in tasks.SR_MEASURES.values())
    names = [name for side in (*ours, theirs) for name in side]
    evaluation = material.evaluation(
        names, tasks.SUMMARY_MODEL, element_assessments(material.assessments, material.trees)
    )
    scores = material.scores(evaluation, accuracy.shape)
    columns = []
    for side in ours:
        correlation = correlate(scores, coefficient="spearman", rows=side, columns=theirs, seed=seed)
        cells = [
            f"{shown(correlation.value[at, at], 2)} ({p_shown(correlation.p[at, at])})"
            for at in range(len(side))
        ]
        low, high = (one.diagonal() for one in (correlation.low, correlation.high))
        columns.append(
            [f"{cell} [{shown(low[at], 2)}, {shown(high[at], 2)}]" for at, cell in enumerate(cells)]
        )
    means = ranking_means(scores, np.array([run.values for run in scores.runs]))
    ranks = average_ranks(-means).reshape(len(tasks.SR_MEASURES), len(accuracy.cutoffs), -1)
    *changes, by_nxcg = np.diff(ranks, axis=1).reshape(len(ranks), -1)
    for column, change in zip(columns, changes, strict=True):
        column.append(_correlated(change, by_nxcg))
    footer = [
        "Spearman's rho with nXCG (alpha = 1) at the cut-off, p in parentheses, 95% intervals over topics; "
        "Pearson's r for changes of rank from each cut-off to the next",
        f"navigation: {material.model(tasks.SUMMARY_MODEL)}; in print: {accuracy.printed}",
    ]
    rows = [*map(str, accuracy.cutoffs), "change of rank"]
    body = [list(row) for row in zip(rows, *columns, strict=True)]
    name = accuracy.title.lower().replace(" ", "-")
    titles = list(tasks.SR_MEASURES)
    report.table(f"sr-accuracy-{name}", Table(["cut-off", *titles[:-1]], body, 1, footer))
    header = ["rank of", *(f"{title} @{k}" for k in accuracy.cutoffs for title in titles)]
    by_run = ranks.transpose(2, 1, 0).reshape(len(scores.runs), -1)
    body = [[run, *(f"{rank:g}" for rank in row)] for run, row in zip(scores.names, by_run, strict=True)]
    report.table(f"sr-ranks-{name}", Table(header, body))


def _correlated(one: np.ndarray, other: np.ndarray) -> str:
    """Pearson's r and its p-value; nothing if one of the two does not vary."""
    if min(np.ptp(one), np.ptp(other)) == 0:
        return ""
    from doxeval.core.scipy_here import stats

    found = stats.pearsonr(one, other)
    return f"{shown(float(found.statistic), 2)} ({p_shown(float(found.pvalue))})"


def _fidelity(report: Report, material: Material, shape: str) -> None:
    """Figure 6 and Table 3(C): perturbed runs of the thorough task, or of documents as trees."""
    measures = [name.format(tasks.FIDELITY_CUTOFF) for name in tasks.FIDELITY_MEASURES]
    evaluation = material.evaluation(
        measures, tasks.SUMMARY_MODEL, element_assessments(material.assessments, material.trees)
    )
    look = fidelity_look(evaluation, assessments=material.assessments)
    found = fidelity(material.scores(evaluation, shape, look), look)
    add_fidelity(report, f"sr-fidelity-{shape or 'thorough'}", found)
