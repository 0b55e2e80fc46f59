"""The experiments of the papers, written to one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from doxeval.lab.studies.papers import effort, err, esr, prum, sr
from doxeval.lab.studies.papers.material import MaterialSource, Tell
from doxeval.lab.studies.written import Report


@dataclass(frozen=True)
class Paper:
    """The experiments of a paper, what can be compared with print, and whether its reader navigates."""

    experiments: Callable[[Report, MaterialSource, int, Tell], None]
    caveats: str
    navigates: bool = True


PAPERS = {
    "esr": Paper(esr.esr, esr.CAVEATS),
    "sr": Paper(sr.sr, sr.CAVEATS),
    "effort": Paper(effort.effort, effort.CAVEATS, navigates=False),
    "prum": Paper(prum.prum, prum.CAVEATS),
    "err": Paper(err.err, err.CAVEATS),
}


def study_papers(
    folder: str | Path | None,
    source: MaterialSource,
    papers: Iterable[str] = (),
    seed: int = 0,
    figures: bool = True,
    tell: Tell = lambda told: None,
) -> Report:
    """Repeat the experiments of some papers, or of all, and write them to one folder."""
    report = Report(folder, "The papers' experiments, repeated", figures)
    chosen = [PAPERS[name] for name in papers or PAPERS]
    for paper in chosen:
        report.text(paper.caveats)
    for paper in chosen:
        paper.experiments(report, source, seed, tell)
    report.notices.extend(source.notices)
    notes = [*(f"not scored: {problem}" for problem in source.unscored.values()), *report.notices]
    if notes:
        report.section("What affects these numbers", "\n".join(f"- {note}" for note in notes))
    return report.finish()
