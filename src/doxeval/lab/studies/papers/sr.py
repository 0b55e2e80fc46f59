"""SR, section 7: the accuracy and fidelity of SRP beside nXCG (Table 3, Figure 6)."""

from __future__ import annotations

import numpy as np
import scipy

from doxeval.comparison.rankings import average_ranks
from doxeval.core.table import Table, shown
from doxeval.lab.perturbation.fidelity import fidelity, fidelity_look
from doxeval.lab.studies.measures import add_fidelity
from doxeval.lab.studies.papers import tasks
from doxeval.lab.studies.papers.elements import element_assessments
from doxeval.lab.studies.papers.material import Material, Source, Tell
from doxeval.lab.studies.papers.tasks import Accuracy
from doxeval.lab.studies.written import Report
from doxeval.scoring.scores import mean
from doxeval.tables.assessments import Assessments

CAVEATS = """\
**SR.** Signs and verdicts can be compared with print, the coefficients cannot: the paper scored systems of
INEX 2006. SR is scored by element assessments; where text is highlighted, every node with relevant text is
judged by its specificity, as INEX had it from 2006 on. SR's expected order of perturbed runs is missing from
the text that we have, so the order is ours."""


def sr(report: Report, source: Source, seed: int, tell: Tell) -> None:
    """Table 3, A to C, and Figure 6."""
    longest = max(cutoff for accuracy in tasks.SR_ACCURACY for cutoff in accuracy.cutoffs)
    material = source.material(tasks.SR_TOPICS, tasks.SR_SYSTEMS, longest)
    for accuracy in tasks.SR_ACCURACY:
        tell(f"SR accuracy: {accuracy.title}")
        with report.attempt(f"SR, Table 3: accuracy, {accuracy.title}", material.told):
            _accuracy(report, accuracy, material)
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


def _accuracy(report: Report, accuracy: Accuracy, material: Material) -> None:
    """Table 3(A) or (B): SRP against nXCG at each cut-off, and their changes of rank between cut-offs."""
    pairs = [(tasks.SR_MEASURE.format(k), tasks.XCG_MEASURE.format(k)) for k in accuracy.cutoffs]
    names = [name for pair in pairs for name in pair]
    evaluation = material.evaluation(names, tasks.SUMMARY_MODEL, _judged(material))
    scores = material.scores(evaluation, accuracy.shape)
    body, ranks = [], []
    for cutoff, pair in zip(accuracy.cutoffs, pairs, strict=True):
        means = np.array(
            [[mean(run.values[scores.measures.index(name)]) for run in scores.runs] for name in pair]
        )
        found = scipy.stats.spearmanr(*means)
        body.append([str(cutoff), shown(float(found.statistic), 2), shown(float(found.pvalue), 3)])
        ranks.append(average_ranks(means))
    changes = np.diff(np.array(ranks), axis=0).transpose(1, 0, 2).reshape(2, -1)
    spread = bool((np.ptp(changes, axis=1) > 0).all())
    relative = scipy.stats.pearsonr(*changes) if spread else None
    cells = [shown(float(relative.statistic), 2), shown(float(relative.pvalue), 3)] if relative else ["", ""]
    body.append(["change of rank", *cells])
    footer = [
        "Spearman's rho of SRP and nXCG (alpha = 1), Pearson's r for changes; navigation "
        f"{material.model(tasks.SUMMARY_MODEL)}",
        f"in print: {accuracy.printed}",
    ]
    name = accuracy.title.lower().replace(" ", "-")
    report.table(f"sr-accuracy-{name}", Table(["cut-off", "correlation", "p"], body, 1, footer))


def _fidelity(report: Report, material: Material, shape: str) -> None:
    """Figure 6 and Table 3(C): perturbed runs of the thorough task, or of documents as trees."""
    measures = [name.format(tasks.FIDELITY_CUTOFF) for name in (tasks.SR_MEASURE, tasks.XCG_MEASURE)]
    evaluation = material.evaluation(measures, tasks.SUMMARY_MODEL, _judged(material))
    look = fidelity_look(evaluation, assessments=material.assessments)
    found = fidelity(material.scores(evaluation, shape, look), look)
    add_fidelity(report, f"sr-fidelity-{shape or 'thorough'}", found)
