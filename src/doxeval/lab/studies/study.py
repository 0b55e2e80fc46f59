"""Study measures on runs, or repeat the papers' experiments: tables and figures, in a folder on request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from doxeval import Notices, ScoringOptions, Table, UsageError, measure
from doxeval.core.errors import IdleOption, nearest
from doxeval.extend import TESTS, Measures, Readable
from doxeval.lab.perturbation.fidelity import fidelity, fidelity_look
from doxeval.lab.perturbation.perturbations import Strength
from doxeval.lab.studies.error_rates import simulate_families, simulate_null
from doxeval.lab.studies.measure_studies import (
    study_discrimination,
    study_fidelity,
    study_sensitivity,
    study_stability,
)
from doxeval.lab.studies.papers import effort_tables, err_tables, esr_tables, prum_tables, sr_tables
from doxeval.lab.studies.papers.material import MaterialSource, Own, Size, Synthetic, Tell
from doxeval.lab.studies.written import Report
from doxeval.measurement.listed import listed_measures, measure_names
from doxeval.scoring.evaluation import NavigationModels, models_of
from doxeval.scoring.inputs import evaluation_given, scores_given


@dataclass(frozen=True)
class Paper:
    """The experiments of a paper, what can be compared with print, and whether its reader navigates."""

    experiments: Callable[[Report, MaterialSource, int, Tell], None]
    caveats: str
    navigates: bool = True


PAPERS = {
    "esr": Paper(esr_tables.esr, esr_tables.CAVEATS),
    "sr": Paper(sr_tables.sr, sr_tables.CAVEATS),
    "effort": Paper(effort_tables.effort, effort_tables.CAVEATS, navigates=False),
    "prum": Paper(prum_tables.prum, prum_tables.CAVEATS),
    "err": Paper(err_tables.err, err_tables.CAVEATS),
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


@dataclass(eq=False, repr=False)
class Study(Readable):
    """The tables and figures of a study by name, its report in Markdown, and its folder if it has one."""

    report: Report

    @property
    def path(self) -> Path | None:
        """The report in the folder, None if nothing was written."""
        return self.report.path

    @property
    def tables(self) -> list[Table]:
        """The tables, in order."""
        return list(self.report.tables.values())

    @property
    def figures(self) -> dict[str, Any]:
        """The figures by name, as drawn by matplotlib."""
        return self.report.drawn

    @property
    def markdown(self) -> str:
        """The report in Markdown."""
        return self.report.markdown

    @property
    def notices(self) -> Notices:
        """Notices about the numbers, and what was left out."""
        return self.report.notices


def study(
    study: str,
    runs: Any = (),
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    path: str | Path | None = None,
    *,
    test: str | None = None,
    draws: int | None = None,
    splits: int | None = None,
    share: float | None = None,
    papers: Sequence[str] = (),
    derive: bool | None = None,
    share_of_topics: float | None = None,
    share_of_systems: float | None = None,
    results: int | None = None,
    experiments: int | None = None,
    topic_count: int | None = None,
    seed: int = 0,
    figures: bool | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Unpack[ScoringOptions],
) -> Study:
    """Study measures on runs, or repeat the papers' experiments; the folder `path`, if given, keeps it.

    `study` is one of

    - discrimination: how many pairs of runs does each measure tell apart? Takes the `test` for each pair and
      its `draws`.
    - stability: how often would other topics order two runs the other way? Takes the number of `splits`.
    - sensitivity: how much does the ranking of runs depend on the navigation model? Takes several models.
    - fidelity: do measures order runs and their perturbations as they should? Takes the `share` of results to
      change.
    - papers: the experiments of `papers`, or of all, on runs or, without any, on synthetic systems of
      `share_of_topics`, `share_of_systems` and `results` per topic. `derive` also scores runs made from few.
    - null: are p-values uniform if systems do not differ? Takes the number of `experiments` and
      `topic_count`.

    The other arguments are those of :func:`doxeval.evaluate`. `figures` are drawn if they are written, or if
    asked for. `progress` is called with a text that says how far the papers are.

    >>> answers = [{"topic": t, "doc": "d", "start": 0, "end": 9} for t in "abcdef"]
    >>> runs = {end: [row | {"rank": 1, "end": end} for row in answers] for end in (3, 9, 27)}
    >>> [table.header[0] for table in study("stability", runs, answers, "iP@1", splits=2).tables]
    ['run', 'measure']
    """
    if study not in STUDIES:
        raise UsageError(f"unknown study {study!r}{nearest(study, STUDIES)} (known: {', '.join(STUDIES)})")
    given = {
        "test": test, "draws": draws, "splits": splits, "share": share, "papers": papers or None,
        "derive": derive, "share_of_topics": share_of_topics, "share_of_systems": share_of_systems,
        "results": results, "experiments": experiments, "topic_count": topic_count, "progress": progress,
    }  # fmt: skip
    perform, own = STUDIES[study]
    idle = [name for name, value in given.items() if value is not None and name not in own]
    if idle:
        takes = f"it takes {', '.join(own)}" if own else "it takes no options of its own"
        raise UsageError(f"{idle[0]} would do nothing in a study of {study}: {takes}")
    drawn = path is not None if figures is None else figures
    asked = _Asked(runs, assessments, measures, documents, navigation, options, seed, path, drawn)
    return Study(perform(asked, **{name: value for name, value in given.items() if value is not None}))


@dataclass
class _Asked:
    """The runs of a study and how they are scored; where its report goes, and whether figures are drawn."""

    runs: Any
    assessments: Any
    measures: Measures
    documents: Any
    navigation: NavigationModels
    options: ScoringOptions
    seed: int
    path: str | Path | None
    figures: bool

    @property
    def scored_by(self) -> tuple[Any, ...]:
        """All that scoring needs besides the runs."""
        return self.assessments, self.measures, self.documents, self.navigation, self.options

    def unused(self, study: str) -> None:
        """Refuse runs and options of scoring, of which a study makes no use."""
        given = [self.assessments, self.documents, self.navigation]
        if any(one is not None for one in given) or self.options or listed_measures(self.measures):
            raise UsageError(f"runs and options of scoring would do nothing in a study of {study}")


def _discrimination(asked: _Asked, test: str = "bootstrap", draws: int | None = None) -> Report:
    if draws is not None and not TESTS[test].drawn:
        raise UsageError(f"draws would do nothing: the {TESTS[test].title} draws nothing")
    scores = scores_given(asked.runs, *asked.scored_by)
    return study_discrimination(asked.path, scores, test, draws or 2_000, asked.seed, asked.figures)


def _stability(asked: _Asked, splits: int = 500) -> Report:
    scores = scores_given(asked.runs, *asked.scored_by)
    return study_stability(asked.path, scores, splits, asked.seed, asked.figures)


def _sensitivity(asked: _Asked) -> Report:
    models = models_of(asked.navigation)
    if len(models) < 2:
        raise UsageError("give at least two navigation models, as in navigation=['none', 'hierarchical']")
    studied = [name for name in measure_names(asked.measures) if measure(name).takes_navigation]
    if not studied:
        raise UsageError("none of the measures takes a navigation model")
    scores = scores_given(asked.runs, *asked.scored_by)
    return study_sensitivity(asked.path, scores, studied, models, asked.seed, asked.figures)


def _fidelity(asked: _Asked, share: float = 1.0) -> Report:
    evaluation = evaluation_given(*asked.scored_by)
    look = fidelity_look(evaluation, strength=Strength(share, seed=asked.seed))
    return study_fidelity(asked.path, fidelity(evaluation.scores(asked.runs, look), look), asked.figures)


def _papers(
    asked: _Asked, papers: Sequence[str] = (), derive: bool = False,
    progress: Callable[[str], None] = lambda stage: None, **size: Any,
) -> Report:  # fmt: skip
    named = [papers] if isinstance(papers, str) else list(papers)
    for name in named:
        if name not in PAPERS:
            raise UsageError(
                f"unknown paper {name!r}{nearest(str(name), PAPERS)} (known: {', '.join(PAPERS)})"
            )
    if listed_measures(asked.measures):
        raise UsageError("measures would do nothing: the papers' experiments have their own")
    source: MaterialSource
    if asked.assessments is None:
        asked.unused("papers on synthetic systems")
        shares = {"share_of_topics": "topics", "share_of_systems": "systems", "results": "results"}
        source = Synthetic(Size(**{shares[name]: value for name, value in size.items()}), asked.seed)
    else:
        source = _own_material(asked, named, derive, size)
    return study_papers(asked.path, source, named, asked.seed, asked.figures, progress)


def _own_material(asked: _Asked, papers: Sequence[str], derive: bool, size: dict[str, Any]) -> Own:
    """The runs and assessments given, for the papers' experiments."""
    if size:
        raise UsageError(f"{next(iter(size))} would do nothing: it is about synthetic data, not your runs")
    models = models_of(asked.navigation)
    if len(models) > 1:
        raise UsageError("give one navigation model, which replaces those of the papers")
    if models and not any(PAPERS[name].navigates for name in papers or PAPERS):
        raise IdleOption(
            "navigation",
            f"a navigation model would do nothing here: the reader of {', '.join(papers)} does not navigate",
        )
    model = models[0] if models else None
    return Own(asked.runs, asked.assessments, asked.documents, model, derive, **asked.options)


def _null(asked: _Asked, experiments: int = 2_000, topic_count: int = 40) -> Report:
    asked.unused("null")
    report = Report(asked.path, "Tests under the null hypothesis")
    report.table("null", simulate_null(experiments, topic_count, seed=asked.seed).table())
    families = simulate_families(max(1, experiments // 10), topic_count, seed=asked.seed)
    report.table("families", families.table())
    return report.finish()


STUDIES: dict[str, tuple[Callable[..., Report], tuple[str, ...]]] = {
    "discrimination": (_discrimination, ("test", "draws")),
    "stability": (_stability, ("splits",)),
    "sensitivity": (_sensitivity, ()),
    "fidelity": (_fidelity, ("share",)),
    "papers": (
        _papers,
        ("papers", "derive", "progress", "share_of_topics", "share_of_systems", "results"),
    ),
    "null": (_null, ("experiments", "topic_count")),
}
"""The studies by name, each with the options that are its own."""
