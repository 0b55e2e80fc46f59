"""Fidelity (SR, section 7.3): whether a measure orders a run and its perturbations as expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from doxeval import Evaluation, Notices, Scores, Table
from doxeval.comparison.difference import directions
from doxeval.comparison.rankings import average_ranks, spearman_rho
from doxeval.comparison.render import p_shown
from doxeval.core.table import shown
from doxeval.extend import RunScores
from doxeval.lab.perturbation.perturbations import PERTURBATIONS, Strength, perturbed

if TYPE_CHECKING:
    from doxeval import Assessments
    from doxeval.extend import Aligned

ORIGINAL = "original"
EXPECTED = {
    "relevant-up": 3,
    "overlap-removed": 2,
    ORIGINAL: 1,
    "leaves-up": 1,
    "midbranch-up": 1,
    "relevant-down": 0,
}
"""The expected order; larger is better. SR's own formula for it is missing from the text that we have. No
difference is expected if results of some depth are moved up, so these share the place of the original."""


@dataclass(eq=False)
class Fidelity:
    """Scores `values[measure, variant, case]`, where a case is a run and a topic; larger is better.

    `rho` is Spearman's correlation, over all cases, of the variants' expected places with their ranks within
    the case, and `p` its p-value, as in SR; `mean_rho` is the mean of the correlations within each case.
    """

    measures: list[str]
    variants: list[str]
    expected: np.ndarray
    values: np.ndarray
    rho: np.ndarray
    p: np.ndarray
    mean_rho: np.ndarray
    notices: Notices = field(default_factory=Notices)

    def table(self) -> Table:
        """One row per measure: how well it orders the variants as expected."""
        body = [
            [name, shown(self.rho[at], 2), p_shown(self.p[at]), shown(self.mean_rho[at], 2)]
            for at, name in enumerate(self.measures)
        ]
        order = " > ".join(
            " = ".join(self.variants[at] for at in np.flatnonzero(self.expected == level))
            for level in np.unique(self.expected)[::-1]
        )
        footer = [f"expected: {order}", f"{self.values.shape[2]} cases (runs and topics)"]
        header = ["measure", "Spearman's rho", "p", "mean rho of a case"]
        return Table(header, body, 1, footer, notices=self.notices)

    def against_original(self) -> Table:
        """One row per measure and perturbation: cases that went up, stayed, went down; the sign test."""
        from doxeval.core.scipy_here import special

        original = self.variants.index(ORIGINAL)
        body = []
        for at, name in enumerate(self.measures):
            for variant, label in enumerate(self.variants):
                if variant == original:
                    continue
                change = self.values[at, variant] - self.values[at, original]
                up, down = int((change > 0).sum()), int((change < 0).sum())
                p = min(1.0, float(2 * special.bdtr(float(min(up, down)), up + down, 0.5)))
                sign = int(np.sign(self.expected[variant] - self.expected[original]))
                wanted = {1: "up", -1: "down", 0: ""}[sign]
                stayed = change.size - up - down
                cases = map(str, (up, stayed, down))
                body.append([name, label, wanted, *cases, f"{change.mean():+.4f}", p_shown(p)])
        header = ["measure", "perturbation", "expected", "up", "same", "down", "mean change", "sign test p"]
        return Table(header, body, 3, notices=self.notices)


@dataclass(frozen=True)
class VariantsLook:
    """Score the perturbations of a run, each in the same way as the run itself.

    Perturbations find relevant text by `assessments`, by default those that the evaluation scores against.
    """

    variants: tuple[str, ...]
    strength: Strength | None = None
    assessments: Assessments | None = None

    def __call__(self, evaluation: Evaluation, aligned: Aligned, scores: RunScores) -> dict[str, np.ndarray]:
        ground = evaluation.ground
        relevant = self.assessments or ground.assessments
        return {
            name: evaluation.score_run(
                perturbed(aligned.run, name, relevant, ground.documents, self.strength)
            ).values
            for name in self.variants
            if name != ORIGINAL
        }


def fidelity_look(
    evaluation: Evaluation,
    expected: Mapping[str, int] = EXPECTED,
    strength: Strength | None = None,
    assessments: Assessments | None = None,
) -> VariantsLook:
    """Every perturbation with a known effect; those that need trees only if there are documents."""
    documents = evaluation.ground.documents
    variants = [
        name
        for name in expected
        if name == ORIGINAL or documents is not None or not PERTURBATIONS[name].needs
    ]
    return VariantsLook(tuple(variants), strength, assessments)


def fidelity(scores: Scores, look: VariantsLook, expected: Mapping[str, int] = EXPECTED) -> Fidelity:
    """Compare the order of runs and their perturbations, which were looked at, with the expected one."""
    cases = []
    for run in scores.runs:
        versions = run.seen | {ORIGINAL: run.values}
        cases.append(np.stack([versions[name] for name in look.variants], axis=1))
    values = np.concatenate(cases, axis=2)
    values = values[:, :, ~np.isnan(values).any(axis=(0, 1))]
    values = values * directions(scores)[:, None, None]
    wanted = np.array([expected[name] for name in look.variants], dtype=np.float64)
    found = _correlations(values, wanted)
    return Fidelity(scores.measures, list(look.variants), wanted, values, *found, scores.notices)


def _correlations(values: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pooled rho and its p-value, and the mean of each case's rho, for each measure."""
    from doxeval.core.scipy_here import stats

    rho, p, mean_rho = [], [], []
    for of_measure in np.round(values, 12):
        by_case = of_measure.T
        places = average_ranks(np.broadcast_to(wanted, by_case.shape)).ravel()
        ranks = average_ranks(by_case).ravel()
        told = np.ptp(ranks) > 0
        found = stats.spearmanr(places, ranks) if told else (np.nan, np.nan)
        rho.append(float(found[0]))
        p.append(float(found[1]))
        own = spearman_rho(by_case, np.broadcast_to(wanted, by_case.shape))
        mean_rho.append(float(np.nanmean(own)) if (~np.isnan(own)).any() else float("nan"))
    return np.array(rho), np.array(p), np.array(mean_rho)
