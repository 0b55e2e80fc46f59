"""The experiments of ESR's section 7 and SR's section 7: tasks, measures as we write them, printed values."""

from __future__ import annotations

from dataclasses import dataclass

Printed = dict[tuple[str, str], tuple[float, float]]
TREE_MODEL = "depthweighted"
SUMMARY_MODEL = "summary(partition=path,weight=extent)"
PROXIMITIES = ("0.01", "1", "10", "100")
RECALL_OF_PAPER = "0.1"
"""The recall of EPRUM and SRPRUM; the paper does not give it."""


@dataclass(frozen=True)
class PaperTable:
    """One table of ESR: `rows` are INEX's measures, `columns` ESR's, by the papers' names.

    `shape` is the perturbation that turns any run into one of the task; `printed` holds tau and p.
    """

    table: str
    title: str
    systems: int
    topics: int
    shape: str
    rows: dict[str, str]
    columns: dict[str, str]
    printed: Printed

    @property
    def measures(self) -> list[str]:
        """All measures, as typed."""
        return list(dict.fromkeys([*self.rows.values(), *self.columns.values()]))


def _cells(printed: dict[str, dict[str, tuple[float, float]]]) -> Printed:
    return {(row, column): found for row, values in printed.items() for column, found in values.items()}


ESR_TASKS = (
    PaperTable(
        "15", "Focused 2006", 43, 107, "overlap-removed",
        {"MAiP": "AiP", "nXCG[10] OFF": "nXCG(alpha=0,nav=none)@10",
         "nXCG[10] ON": "nXCG(alpha=1,nav=none)@10"},
        {"MASRiP": "ASRiP", "MASRiP2": "ASRiP2", "NSRCG[10]": "NSRCG@10", "NSRCG2[10]": "NSRCG2@10"},
        _cells({
            "MAiP": {"MASRiP": (0.30, 0.00), "MASRiP2": (0.58, 0.00)},
            "nXCG[10] OFF": {"NSRCG[10]": (-0.25, 0.02), "NSRCG2[10]": (0.01, 0.92)},
            "nXCG[10] ON": {"NSRCG[10]": (-0.072, 0.5), "NSRCG2[10]": (0.26, 0.01)},
        }),
    ),
    PaperTable(
        "16", "Focused 2007", 77, 102, "overlap-removed", {"iP[0.01]": "iP[0.01]"},
        {"SRiP[0.01]": "SRiP[0.01]", "MASRiP": "ASRiP", "SRiP2[0.01]": "SRiP2[0.01]", "MASRiP2": "ASRiP2"},
        _cells({"iP[0.01]": {"SRiP[0.01]": (0.17, 0.03), "MASRiP": (0.54, 0.00),
                             "SRiP2[0.01]": (0.38, 0.00), "MASRiP2": (0.53, 0.00)}}),
    ),
    PaperTable(
        "17", "Best in context 2006", 64, 107, "first-of-document",
        {f"EPRUM A={a}": f"EPRUM(recall={RECALL_OF_PAPER},nav=proximity(A={a}))" for a in PROXIMITIES},
        {"SRPRUM": f"SRPRUM(recall={RECALL_OF_PAPER})", "ESRP": "AESRP"},
        _cells({
            "EPRUM A=0.01": {"SRPRUM": (0.32, 0.00), "ESRP": (0.02, 0.83)},
            "EPRUM A=1": {"SRPRUM": (0.66, 0.00), "ESRP": (0.10, 0.2)},
            "EPRUM A=10": {"SRPRUM": (0.60, 0.00), "ESRP": (0.12, 0.15)},
            "EPRUM A=100": {"SRPRUM": (0.58, 0.00), "ESRP": (0.09, 0.25)},
        }),
    ),
    PaperTable(
        "18", "Relevant in context 2007", 77, 102, "grouped", {"MAgP": "AgP"},
        {"MASRiP": "ASRiP", "MASRiP2": "ASRiP2"},
        _cells({"MAgP": {"MASRiP": (0.34, 0.00), "MASRiP2": (0.34, 0.00)}}),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Accuracy:
    """One part of SR's Table 3: SRP against nXCG at cut-offs, by Spearman's rho."""

    title: str
    shape: str
    cutoffs: tuple[int, ...]
    printed: str


SR_ACCURACY = (
    Accuracy("Thorough 2006", "", (10, 100, 500, 1000), "correlated (p < 0.1) at 10, 100 and 500"),
    Accuracy(
        "Focused 2006", "overlap-removed", (5, 10, 25, 50), "not correlated; changes of rank are (p < 0.03)"
    ),
)
SR_SYSTEMS, SR_TOPICS, SR_FIDELITY_SYSTEMS = 26, 114, 10
SR_MEASURES = {"SRP": "SRP@{}", "mean SRP": "SRP(mean=true)@{}", "nXCG": "nXCG(alpha=1,nav=none)@{}"}
FIDELITY_MEASURES = ("SRP(mean=true)@{}", "nXCG(alpha=1,nav=none,mean=true)@{}")
FIDELITY_CUTOFF = 100
