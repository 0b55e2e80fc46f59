"""SR, section 7: the accuracy and fidelity of SRP beside nXCG (Table 3, Figure 6)."""

from __future__ import annotations

import numpy as np
import scipy

from doxeval.comparison.correlation import correlate, ranking_means
from doxeval.comparison.rankings import average_ranks
from doxeval.comparison.render import p_shown
from doxeval.core.table import Table, shown
from doxeval.lab.perturbation.fidelity import fidelity, fidelity_look
from doxeval.lab.studies.measures import add_fidelity
from doxeval.lab.studies.papers import tasks
from doxeval.lab.studies.papers.elements import element_assessments
from doxeval.lab.studies.papers.material import Material, Source, Tell
from doxeval.lab.studies.papers.tasks import Accuracy
from doxeval.lab.studies.written import Report
from doxeval.tables.assessments import Assessments

CAVEATS = """\
**SR.** Signs and verdicts can be compared with print, the coefficients cannot: the paper scored systems of
INEX 2006. SR is scored by element assessments; where text is highlighted, every node with relevant text is
judged by its specificity, as INEX had it from 2006 on. Systems are ranked by the mean of SRP over the ranks
up to the cut-off, as SR did. SR's expected order of perturbed runs is missing from the text that we have, so
the order is ours."""


def sr(report: Report, source: Source, seed: int, tell: Tell) -> None:
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


def _judged(material: Material) -> Assessments:
    """Element assessments: those given, or those made from highlighted text."""
    if material.assessments.nodes is not None:
        return material.assessments
    return element_assessments(material.assessments, material.trees)


def _accuracy(report: Report, accuracy: Accuracy, material: Material, seed: int) -> None:
    """Table 3(A) or (B): SRP against nXCG at each cut-off, and their changes of rank between cut-offs."""
    sides = [[name.format(k) for k in accuracy.cutoffs] for name in (tasks.SR_MEASURE, tasks.XCG_MEASURE)]
    evaluation = material.evaluation([*sides[0], *sides[1]], tasks.SUMMARY_MODEL, _judged(material))
    scores = material.scores(evaluation, accuracy.shape)
    found = correlate(scores, "spearman", *sides, seed=seed)
    body = [
        [str(cutoff), shown(found.value[at, at], 2), p_shown(found.p[at, at]),
         f"[{shown(found.low[at, at], 2)}, {shown(found.high[at, at], 2)}]"]
        for at, cutoff in enumerate(accuracy.cutoffs)
    ]  # fmt: skip
    means = ranking_means(scores, np.array([run.values for run in scores.runs]))
    ranks = average_ranks(-means).reshape(2, len(accuracy.cutoffs), -1)
    changes = np.diff(ranks, axis=1).reshape(2, -1)
    relative, p = np.nan, np.nan
    if (np.ptp(changes, axis=1) > 0).all():
        relative, p = scipy.stats.pearsonr(*changes)
    body.append(["change of rank", shown(relative, 2), p_shown(p), ""])
    footer = [
        "Spearman's rho of the mean SRP up to the cut-off and nXCG (alpha = 1) there, intervals over topics; "
        "Pearson's r of the changes of rank from each cut-off to the next; navigation "
        f"{material.model(tasks.SUMMARY_MODEL)}",
        f"in print: {accuracy.printed}",
    ]
    name = accuracy.title.lower().replace(" ", "-")
    header = ["cut-off", "correlation", "p", "95% interval"]
    report.table(f"sr-accuracy-{name}", Table(header, body, 1, footer))
    columns = [f"{side}@{k}" for k in accuracy.cutoffs for side in ("SRP", "nXCG")]
    by_run = ranks.transpose(2, 1, 0).reshape(len(scores.runs), -1)
    rows = [[run, *(f"{rank:g}" for rank in row)] for run, row in zip(scores.names, by_run, strict=True)]
    report.table(f"sr-ranks-{name}", Table(["rank of", *columns], rows))


def _fidelity(report: Report, material: Material, shape: str) -> None:
    """Figure 6 and Table 3(C): perturbed runs of the thorough task, or of documents as trees."""
    measures = [name.format(tasks.FIDELITY_CUTOFF) for name in (tasks.SR_MEASURE, tasks.MEAN_XCG_MEASURE)]
    evaluation = material.evaluation(measures, tasks.SUMMARY_MODEL, _judged(material))
    look = fidelity_look(evaluation, assessments=material.assessments)
    found = fidelity(material.scores(evaluation, shape, look), look)
    add_fidelity(report, f"sr-fidelity-{shape or 'thorough'}", found)
