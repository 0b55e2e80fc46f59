"""PRUM, section 4: measures beside each other on hypothetical engines and under several models of users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from doxeval import Scores, Table, correlate
from doxeval.core.table import shown
from doxeval.extend import mean, prepare_ground
from doxeval.lab.studies.papers.material import MaterialSource, Tell, coded_assessments
from doxeval.lab.studies.papers.stereotypes import PRUM_SYSTEMS, stereotypes
from doxeval.lab.studies.written import Report
from doxeval.reader.units_sought import assessed_elements

TOPICS, SYSTEMS = 30, 12
"""The paper has no collection; these numbers are ours."""
MODELS = ("none", "t2i(tolerance=500)", "hierarchical")
"""The users of PRUM section 2.2: classical, tolerance to irrelevance, structural."""
WANTED_RECALL = "0.1"
"""The share of the ideal elements that users want. The examples of the paper are at full recall, which on a
whole collection no real system reaches."""
OTHER_MEASURES = (
    f"GRP(recall={WANTED_RECALL})",
    "GRPng@1000",
    "GRPng(side=recall)@1000",
    "nXCG(alpha=1)@1000",
)
TRIALS = 10_000
SIZES = (5, 10, 20)

CAVEATS = """\
**PRUM.** The paper compares measures on two examples of a few elements; the pages on the papers have their
printed values. Here its engines are derived from the assessments of whole topics: `good` returns every ideal
element before its ancestors, `bad` after them, `entry point` the lowest node above all ideal elements of a
document. Which of two engines a measure prefers can be compared with print, the values cannot. Codes are
those of the assessments; highlighted text is turned into codes by a rule of ours."""


def prum(report: Report, source: MaterialSource, seed: int, tell: Tell) -> None:
    """Section 4.2 on whole topics, section 2.2's users, Hypothesis 2.3, and the trials of Appendix A.1."""
    tell("PRUM, section 4.2: hypothetical engines")
    material = source.material(TOPICS, SYSTEMS)
    with report.attempt("PRUM, section 4.2: hypothetical engines", material.told):
        judged = coded_assessments(material.assessments, material.trees)
        ground = prepare_ground(judged, material.trees)
        ideals = assessed_elements(ground, quantisation="strict").positive
        made = stereotypes(PRUM_SYSTEMS, ground, ideals, ties=False)
        report.derived("prum", made, judged)
        own = () if material.navigation is None else (material.navigation,)
        users = [f"PRUM(recall={WANTED_RECALL},nav={model})" for model in (*MODELS, *own)]
        exactly = [name.replace("nav=", "exact=true,nav=") for name in users]
        evaluation = material.evaluation([*OTHER_MEASURES, *users, *exactly], None, judged)
        scores = replace(material, runs=lambda: [*made, *material.runs()]).scores(evaluation)
        report.table("prum-engines", _means(scores, [*OTHER_MEASURES, *users]))
        report.section("PRUM, section 2.2: users who navigate differently")
        report.table(
            "prum-users", correlate(scores, rows=users, columns=[*OTHER_MEASURES, *users], seed=seed).table()
        )
        report.section("PRUM, section 3.2: with and without Hypothesis 2.3")
        report.table("prum-hypothesis", _differences(scores, users, exactly))
    tell("PRUM, Appendix A.1: the normal approximation")
    report.section("PRUM, Appendix A.1: the normal approximation", f"{TRIALS:,} random trials, seed {seed}.")
    report.table("prum-normal", _normal(np.random.default_rng([seed, 8])))


def _means(scores: Scores, names: Sequence[str]) -> Table:
    """The means of all runs, a row each."""
    at = [scores.measures.index(name) for name in names]
    body = [[run.name, *(shown(mean(run.values[row])) for row in at)] for run in scores.runs]
    footer = [
        "in print, one ideal element, good and bad: GRP 0.88 and 0.83; GRPng 0.65 and 0.67, at a recall of "
        "0.69 and 0.33; PRUM 1 and 0.41 (hierarchical)",
        "in print, two below one entry point: GRP 0.044, GRPng 1 at a recall of 1/3, nXCG 0.5, PRUM 1",
    ]
    return Table(["run", *names], body, 1, footer)


def _differences(scores: Scores, users: Sequence[str], exactly: Sequence[str]) -> Table:
    """How far Eqs. 5-8 fall short of the exact value, over all runs and topics."""
    values = np.array([run.values for run in scores.runs])
    body = []
    for estimate, exact in zip(users, exactly, strict=True):
        short = values[:, scores.measures.index(exact)] - values[:, scores.measures.index(estimate)]
        body.append([estimate, shown(float(np.nanmean(short)), 6), shown(float(np.nanmax(short)), 6)])
    return Table(
        ["measure", "mean difference", "largest"], body, 1, ["in print: 0.646 exactly, 0.636 by Eq. 8"]
    )


def _normal(random: np.random.Generator) -> Table:
    """The largest error of the normal approximation to P(F = s), on average over random chances."""
    from doxeval.core.scipy_here import special

    body = []
    for size in SIZES:
        chance = random.random((TRIALS, size))
        found = np.zeros((TRIALS, size + 1))
        found[:, 0] = 1.0
        for at in range(size):
            seen = chance[:, at, None]
            found[:, 1:] = found[:, 1:] * (1 - seen) + found[:, :-1] * seen
            found[:, :1] *= 1 - seen
        middle, spread = chance.sum(axis=1), np.sqrt((chance * (1 - chance)).sum(axis=1))
        edges = special.ndtr((np.arange(size + 2) - 0.5 - middle[:, None]) / spread[:, None])
        largest = np.abs(np.diff(edges, axis=1) - found).max(axis=1)
        body.append([str(size), shown(float(largest.mean())), shown(float(largest.max()))])
    footer = ["chances drawn evenly from 0 to 1; in print: 0.01 on average for 10 elements"]
    return Table(["elements", "mean of the largest error", "worst trial"], body, 1, footer)
