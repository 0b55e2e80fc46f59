"""The papers' experiments repeated: those of ESR and SR, section 7, on synthetic and derived runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy

from doxeval.comparison.correlation import ESR_THRESHOLD, Correlation, correlate
from doxeval.comparison.rankings import average_ranks
from doxeval.core.table import Table, shown
from doxeval.lab.perturbation.fidelity import fidelity, fidelity_look
from doxeval.lab.perturbation.perturbations import perturb
from doxeval.lab.studies import tasks
from doxeval.lab.studies.derived import REAL_TASKS, derived_runs, element_assessments
from doxeval.lab.studies.measures import add_fidelity
from doxeval.lab.studies.tasks import Accuracy, PaperTable
from doxeval.lab.studies.written import Report
from doxeval.lab.synthesis.making import Collection
from doxeval.lab.synthesis.shape import Shape
from doxeval.lab.synthesis.systems import System, spread_systems
from doxeval.scoring.evaluation import Evaluation, Look
from doxeval.scoring.scores import Scores, mean
from doxeval.scoring.under_models import with_argument
from doxeval.tables.assessments import Assessments
from doxeval.tables.documents import Documents
from doxeval.tables.runs import Run

Tell = Callable[[str], None]
MODES = ("text", "trees")
CAVEATS = """\
Two things can be compared with the printed values: which measures agree, and whether the sign and the
verdict (tau > 0.25) are the same. The values themselves cannot be compared. The papers scored real systems
on INEX 2006 and 2007 topics with element assessments; these are synthetic systems on a synthetic collection
with highlighted text. In mode text a hit is text that is shown; in mode trees it is an assessed node returned
exactly, as ESR defines it, where the assessed nodes are the deepest ones with highlighted text. SR is scored
by element assessments: every node with relevant text has its specificity. ESR names its navigation
model (depth-weighted) without a formula, so `depthweighted` is ours, and so is the form of EPRUM's proximity
and the recall (0.1) at which EPRUM and SRPRUM are taken. SR's expected order of perturbed runs is missing
from the text that we have, so the order is ours."""


@dataclass(frozen=True)
class Size:
    """The size of the study; `topics` and `systems` are shares of the papers' numbers."""

    topics: float = 0.3
    systems: float = 1.0
    results: int = 300
    documents: int = 3000

    def shape(self, topics: int) -> Shape:
        """The synthetic collection for this many topics of a paper."""
        return Shape(documents=self.documents, topics=max(2, round(self.topics * topics)))

    def count(self, systems: int) -> int:
        """The number of systems that represent this many of a paper."""
        return max(3, round(self.systems * systems))


def study_papers(
    folder: str | Path,
    size: Size,
    seed: int,
    reference: Path | None,
    figures: bool,
    tell: Tell = lambda told: None,
) -> Path:
    """Repeat all experiments and write them to one folder."""
    report = Report(folder, "The experiments of ESR and SR, repeated", figures)
    report.text(CAVEATS)
    verdicts: list[list[str]] = []
    for task in tasks.ESR_TASKS:
        tell(f"ESR table {task.table}: {task.title}")
        verdicts += _esr_task(report, task, size, seed)
    report.section("ESR, Table 19", f"Yes: tau > {ESR_THRESHOLD:g}, in our runs and in print.")
    header = ["task", "INEX", "ESR", *MODES, "printed", *(f"{mode}?" for mode in MODES), "printed?"]
    report.table("esr-table-19", Table(header, verdicts, 3, _agreement(verdicts)))
    for accuracy in tasks.SR_ACCURACY:
        tell(f"SR accuracy: {accuracy.title}")
        _sr_accuracy(report, accuracy, size, seed)
    _sr_fidelity(report, size, seed, tell)
    if reference is not None:
        tell("real assessments and runs")
        _real_runs(report, reference)
    return report.finish()


def _agreement(verdicts: Sequence[Sequence[str]]) -> list[str]:
    """How many verdicts agree with the printed ones, and how many would if all were Yes."""
    printed = [row[-1] for row in verdicts]
    lines = []
    for at, mode in enumerate(MODES):
        agreeing = sum(row[at - 1 - len(MODES)] == row[-1] for row in verdicts)
        lines.append(f"{mode}: {agreeing} of {len(verdicts)} verdicts agree with the printed ones")
    return [*lines, f"always answering Yes: {printed.count('Yes')} of {len(verdicts)}"]


def score_all(evaluation: Evaluation, runs: Iterator[Run], look: Look | None = None) -> Scores:
    """The scores of runs that are made one at a time; an error if any cannot be scored."""
    scores = evaluation.scores(runs, look)
    for run in scores.unscored:
        raise run.problem
    return scores


def _shaped(
    runs: Iterable[Run], shape: str, assessments: Assessments, documents: Documents | None
) -> Iterator[Run]:
    """The runs in the form that a task requires, under their own names."""
    for run in runs:
        yield replace(perturb(run, shape, assessments, documents), name=run.name) if shape else run


def _runs(made: Collection, systems: Sequence[System], shape: str) -> Iterator[Run]:
    """The runs of the systems, in the form that a task requires."""
    return _shaped(map(made.run, systems), shape, made.assessments, made.documents)


def _esr_task(report: Report, task: PaperTable, size: Size, seed: int) -> list[list[str]]:
    """One of Tables 15 to 18, in both modes; returns its lines of Table 19."""
    systems = spread_systems(size.count(task.systems), seed, results=size.results)
    made = Collection(size.shape(task.topics), seed)
    columns = {mode: {name: in_mode(typed, mode) for name, typed in task.columns.items()} for mode in MODES}
    measures = [*task.rows.values(), *(typed for names in columns.values() for typed in names.values())]
    runs = _runs(made, systems, task.shape)
    scores = score_all(Evaluation(made.assessments, measures, made.documents, tasks.MODEL), runs)
    found = correlate(scores, "tau", list(task.rows.values()), measures[len(task.rows) :], seed=seed)
    text = f"{len(systems)} synthetic systems, {len(made.topics)} topics; navigation: `{tasks.MODEL}`."
    report.section(f"ESR, Table {task.table}: {task.title}", text)
    report.table(f"esr-table-{task.table}", esr_table(task, found, columns))
    if report.figures:
        from doxeval.show.charts import heat_map
        from doxeval.show.style import Paper

        names = [f"{name}, {mode}" for mode in MODES for name in task.columns]
        figure = heat_map(list(task.rows), names, found.value, Paper(title=f"{task.title}: tau-b"))
        report.figure(f"esr-table-{task.table}", figure)
    return [_verdict(task, found, columns, row, column) for row, column in task.printed]


def in_mode(measure: str, mode: str) -> str:
    """A measure of ESR over text, as ours are with highlights, or over trees, as in the paper."""
    return with_argument(measure, "mode", mode)


def esr_table(task: PaperTable, found: Correlation, columns: Mapping[str, Mapping[str, str]]) -> Table:
    """The paper's table with our values and intervals in each mode, and the printed ones."""
    body = []
    for (row, column), printed in task.printed.items():
        cells = []
        for of_mode in columns.values():
            r, c = found.rows.index(task.rows[row]), found.columns.index(of_mode[column])
            cells.append(f"{found.value[r, c]:.2f} ({found.p[r, c]:.2f})")
            cells.append(f"[{found.low[r, c]:.2f}, {found.high[r, c]:.2f}]")
        body.append([row, column, *cells, f"{printed[0]:.2f} ({printed[1]:.2f})"])
    footer = [f"Kendall's tau-b, p in parentheses; {found.systems} systems, {found.topics} topics"]
    header = [title for mode in columns for title in (f"{mode}: tau (p)", "95% interval")]
    return Table(["INEX", "ESR", *header, "printed"], body, 2, footer)


def _verdict(
    task: PaperTable, found: Correlation, columns: Mapping[str, Mapping[str, str]], row: str, column: str
) -> list[str]:
    taus = [found.at(task.rows[row], of_mode[column])[0] for of_mode in columns.values()]
    values = [*taus, task.printed[row, column][0]]
    answers = ["Yes" if value > ESR_THRESHOLD else "No" for value in values]
    return [task.title, row, column, *(shown(value, 2) for value in values), *answers]


def _sr_systems(size: Size, systems: int, seed: int) -> list[System]:
    longest = max(cutoff for accuracy in tasks.SR_ACCURACY for cutoff in accuracy.cutoffs)
    return spread_systems(size.count(systems), seed, results=max(size.results, longest))


def _sr_accuracy(report: Report, accuracy: Accuracy, size: Size, seed: int) -> None:
    """Table 3(A) or (B): SRP against nXCG at each cut-off, and their changes of rank between cut-offs."""
    made = Collection(size.shape(tasks.SR_TOPICS), seed)
    pairs = [(tasks.SR_MEASURE.format(k), tasks.XCG_MEASURE.format(k)) for k in accuracy.cutoffs]
    runs = _runs(made, _sr_systems(size, tasks.SR_SYSTEMS, seed), accuracy.shape)
    judged = element_assessments(made.assessments, made.documents)
    names = [name for pair in pairs for name in pair]
    scores = score_all(Evaluation(judged, names, made.documents, tasks.SUMMARY_MODEL), runs)
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
        f"{tasks.SUMMARY_MODEL}",
        f"in print: {accuracy.printed}",
    ]
    report.section(f"SR, Table 3: accuracy, {accuracy.title}")
    name = accuracy.title.lower().replace(" ", "-")
    report.table(f"sr-accuracy-{name}", Table(["cut-off", "correlation", "p"], body, 1, footer))


def _sr_fidelity(report: Report, size: Size, seed: int, tell: Tell) -> None:
    """Figure 6 and Table 3(C): perturbed runs of the thorough task, and of documents as trees."""
    made = Collection(size.shape(tasks.SR_TOPICS), seed)
    systems = _sr_systems(size, tasks.SR_FIDELITY_SYSTEMS, seed)
    judged = element_assessments(made.assessments, made.documents)
    measures = [name.format(tasks.FIDELITY_CUTOFF) for name in (tasks.SR_MEASURE, tasks.XCG_MEASURE)]
    evaluation = Evaluation(judged, measures, made.documents, tasks.SUMMARY_MODEL)
    for title, shape in (("thorough", ""), ("relevant in context, documents as trees", "clustered")):
        tell(f"SR fidelity: {title}")
        runs = _runs(made, systems, shape)
        look = fidelity_look(evaluation, assessments=made.assessments)
        found = fidelity(score_all(evaluation, runs, look), look)
        report.section(f"SR, section 7.3: fidelity, {title}")
        add_fidelity(report, f"sr-fidelity-{shape or 'thorough'}", found)


def _real_runs(report: Report, reference: Path) -> None:
    """The tables that the INEX 2009/10 assessments allow: no trees, two real systems and derived runs."""
    assessments, runs = derived_runs(reference)
    text = (
        f"{len(assessments.topics)} topics of INEX 2009 and 2010, {len(runs)} runs: the real ones and runs "
        "derived from them by perturbation, whose order is therefore partly known. The documents' trees are "
        "missing, so navigation is by distance (`readon(mean=500)`), and tables 15 (nXCG) and 17 cannot "
        "be repeated."
    )
    report.section("Real assessments", text)
    for task in REAL_TASKS:
        shaped = _shaped(runs, task.shape, assessments, None)
        scores = score_all(Evaluation(assessments, task.measures, None, "readon(mean=500)"), shaped)
        found = correlate(scores, "tau", list(task.rows.values()), list(task.columns.values()))
        report.table(f"real-table-{task.table}", esr_table(task, found, {"text": task.columns}))
