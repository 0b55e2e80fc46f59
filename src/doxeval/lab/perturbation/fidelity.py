"""Fidelity (SR, section 7.3): does a measure order a run and its perturbations as they should be?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from doxeval.comparison.directions import directions
from doxeval.comparison.rankings import average_ranks, spearman_rho
from doxeval.comparison.render import p_shown
from doxeval.comparison.scipy import special, stats
from doxeval.core.table import Table, shown
from doxeval.lab.perturbation.perturbations import PERTURBATIONS, Strength, perturb
from doxeval.scoring.evaluation import RunLoader, plan_evaluation
from doxeval.scoring.scores import Scores

if TYPE_CHECKING:
    from doxeval.tables.assessments import Assessments
    from doxeval.tables.documents import Documents
    from doxeval.tables.runs import Run

ORIGINAL = "original"
EXPECTED = {
    "relevant-up": 3,
    "overlap-removed": 2,
    ORIGINAL: 1,
    "leaves-up": 1,
    "midbranch-up": 1,
    "relevant-down": 0,
}
"""The order we expect, larger is better. SR's own formula for it is lost in the text that we have; no
difference is expected where results of some depth go first, so these share the original's place."""


@dataclass(eq=False)
class Fidelity:
    """Scores `values[measure, variant, case]`, a case being a run and topic; larger is better.

    `rho` is Spearman's correlation, over all cases, of the variants' expected places with their ranks within
    the case, and `p` its p-value, as in SR; `mean_rho` the mean of the cases' own correlations.
    """

    measures: list[str]
    variants: list[str]
    expected: np.ndarray
    values: np.ndarray
    rho: np.ndarray
    p: np.ndarray
    mean_rho: np.ndarray

    def table(self) -> Table:
        """One row a measure: does it order the variants as expected?"""
        body = [
            [name, shown(self.rho[at], 2), p_shown(self.p[at]), shown(self.mean_rho[at], 2)]
            for at, name in enumerate(self.measures)
        ]
        order = " > ".join(
            " = ".join(self.variants[at] for at in np.flatnonzero(self.expected == level))
            for level in np.unique(self.expected)[::-1]
        )
        footer = [f"expected: {order}", f"{self.values.shape[2]} cases (runs and topics)"]
        return Table(["measure", "Spearman's rho", "p", "mean rho of a case"], body, 1, footer)

    def against_original(self) -> Table:
        """One row a measure and perturbation: cases that went up, stayed, went down; the sign test."""
        original = self.variants.index(ORIGINAL)
        body = []
        for at, name in enumerate(self.measures):
            for variant, label in enumerate(self.variants):
                if variant == original:
                    continue
                change = self.values[at, variant] - self.values[at, original]
                up, down = int((change > 0).sum()), int((change < 0).sum())
                p = min(1.0, float(2 * special().bdtr(float(min(up, down)), up + down, 0.5)))
                sign = int(np.sign(self.expected[variant] - self.expected[original]))
                wanted = {1: "up", -1: "down", 0: ""}[sign]
                stayed = change.size - up - down
                body.append(
                    [
                        name,
                        label,
                        wanted,
                        str(up),
                        str(stayed),
                        str(down),
                        f"{change.mean():+.4f}",
                        p_shown(p),
                    ]
                )
        header = ["measure", "perturbation", "expected", "up", "same", "down", "mean change", "sign test p"]
        return Table(header, body, 3)


def fidelity(
    runs: Iterable[Run],
    assessments: Assessments,
    documents: Documents | None,
    measures: Sequence[str],
    navigation: str | None = None,
    expected: Mapping[str, int] = EXPECTED,
    strength: Strength | None = None,
    judged: Assessments | None = None,
) -> Fidelity:
    """Perturb every run in every way, score all of it, and hold the order against the expected one.

    Perturbations that need trees are left out where there are no documents. What counts as relevant for a
    perturbation is in `assessments`; `judged`, where it is given, is what the measures score by.
    """
    variants = [
        name
        for name in expected
        if name == ORIGINAL or documents is not None or not PERTURBATIONS[name].needs
    ]
    plan = plan_evaluation(judged or assessments, measures, documents, navigation)
    cases = []
    for run in runs:
        versions = [
            run if name == ORIGINAL else perturb(run, name, assessments, documents, strength)
            for name in variants
        ]
        scores = Scores.gather(plan, [plan.score(RunLoader(version)) for version in versions])
        cases.append(np.array([version.values for version in scores.runs]).transpose(1, 0, 2))
    values = np.concatenate(cases, axis=2)
    values = values[:, :, ~np.isnan(values).any(axis=(0, 1))]
    labels = [measure.label for measure in plan.measures]
    values = values * directions(scores)[:, None, None]
    wanted = np.array([expected[name] for name in variants], dtype=np.float64)
    return Fidelity(labels, variants, wanted, values, *_correlations(values, wanted))


def _correlations(values: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pooled rho and its p-value, and the mean of each case's rho, for each measure."""
    rho, p, mean_rho = [], [], []
    for of_measure in np.round(values, 12):
        by_case = of_measure.T
        places = average_ranks(np.broadcast_to(wanted, by_case.shape)).ravel()
        ranks = average_ranks(by_case).ravel()
        found = stats().spearmanr(places, ranks)
        rho.append(float(found.statistic))
        p.append(float(found.pvalue))
        own = spearman_rho(by_case, np.broadcast_to(wanted, by_case.shape))
        mean_rho.append(float(np.nanmean(own)) if (~np.isnan(own)).any() else float("nan"))
    return np.array(rho), np.array(p), np.array(mean_rho)
