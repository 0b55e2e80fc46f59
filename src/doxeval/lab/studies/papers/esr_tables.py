"""ESR, section 7: INEX's measures against ESR's, by how they rank systems (Tables 15 to 19)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from doxeval import Correlation, Table, UsageError, correlate
from doxeval.comparison.correlation import ESR_THRESHOLD
from doxeval.core.grammar import parse_measure
from doxeval.core.table import shown
from doxeval.lab.studies.papers.material import Material, MaterialSource, Tell, element_assessments
from doxeval.lab.studies.papers.tasks import ESR_TASKS, TREE_MODEL, PaperTable
from doxeval.lab.studies.written import Report
from doxeval.scoring.under_models import with_argument

MODES = ("text", "trees")
WITHOUT_TREES = ("AiP", "iP", "AgP", "ASRiP", "ASRiP2", "SRiP", "SRiP2")
"""The measures that need no trees of documents, under a model of distance."""

TOLERANCES = {
    "NSRCG[10]": "NSRCG(rel=grade)@10",
    "NSRCG[10], overlap tolerated": "NSRCG(rel=grade,overlap=repeated,alpha=1)@10",
    "NSRCG[10], overlap not tolerated": "NSRCG(rel=grade,overlap=repeated)@10",
}
"""ESR's measure of section 7.1, and with the parameter that section 7.5 leaves for later."""

CAVEATS = """\
**ESR.** Two things can be compared with the printed values: which measures agree, and whether the sign and
the verdict (tau > 0.25) are the same. The values themselves cannot be compared: the paper scored the systems
of INEX 2006 and 2007. In mode text a hit is text that is shown; in mode trees it is an assessed node returned
exactly, as ESR defines it; with highlighted text, the assessed nodes are the deepest ones that hold some.
ESR names its navigation model (depth-weighted) without a formula, so `depthweighted` is ours, and so is the
form of EPRUM's proximity and the recall (0.1) at which EPRUM and SRPRUM are taken.
The paper prints nothing for the tolerance to overlap, which its section 7.5 only proposes."""


def esr(report: Report, source: MaterialSource, seed: int, tell: Tell) -> None:
    """Tables 15 to 18, and their verdicts in Table 19."""
    verdicts: list[list[str]] = []
    modes: Sequence[str] = MODES
    for task in ESR_TASKS:
        tell(f"ESR, Table {task.table}: {task.title}")
        material = source.material(task.topics, task.systems)
        modes = MODES if material.documents is not None else ("text",)
        with report.attempt(f"ESR, Table {task.table}: {task.title}", material.told):
            verdicts += _task(report, task, material, modes, seed)
    material = source.material(ESR_TASKS[0].topics, ESR_TASKS[0].systems)
    tell("ESR, section 7.5: tolerance to overlap")
    with report.attempt("ESR, section 7.5: tolerance to overlap", material.told):
        _tolerance(report, material, seed)
    if verdicts:
        report.section("ESR, Table 19", f"Yes: tau > {ESR_THRESHOLD:g}, here and in print.")
        header = ["task", "INEX", "ESR", *modes, "printed", *(f"{mode}?" for mode in modes), "printed?"]
        report.table("esr-table-19", Table(header, verdicts, 3, _agreement(verdicts, modes)))


def possible(task: PaperTable) -> PaperTable:
    """The part of a task that needs no trees of documents; an error if nothing is left."""
    printed = {
        pair: values
        for pair, values in task.printed.items()
        if all(
            parse_measure(side[name]).call.name in WITHOUT_TREES
            for side, name in zip((task.rows, task.columns), pair, strict=True)
        )
    }
    if not printed:
        raise UsageError("its measures need the documents' trees; give them with --docs")
    rows = {name: typed for name, typed in task.rows.items() if any(name == row for row, _ in printed)}
    columns = {name: typed for name, typed in task.columns.items() if any(name == col for _, col in printed)}
    return replace(task, rows=rows, columns=columns, printed=printed)


def _agreement(verdicts: Sequence[Sequence[str]], modes: Sequence[str]) -> list[str]:
    """How many verdicts agree with the printed ones, and how many would if all were Yes."""
    printed = [row[-1] for row in verdicts]
    lines = []
    for at, mode in enumerate(modes):
        agreeing = sum(row[at - 1 - len(modes)] == row[-1] for row in verdicts)
        lines.append(f"{mode}: {agreeing} of {len(verdicts)} verdicts agree with the printed ones")
    return [*lines, f"always answering Yes: {printed.count('Yes')} of {len(verdicts)}"]


def _task(
    report: Report, task: PaperTable, material: Material, modes: Sequence[str], seed: int
) -> list[list[str]]:
    """One of Tables 15 to 18, in all modes; returns its lines of Table 19."""
    task = task if material.documents is not None else possible(task)
    columns = {mode: {name: in_mode(typed, mode) for name, typed in task.columns.items()} for mode in modes}
    measures = [*task.rows.values(), *(typed for names in columns.values() for typed in names.values())]
    scores = material.scores(material.evaluation(measures, TREE_MODEL), task.shape)
    found = correlate(scores, rows=list(task.rows.values()), columns=measures[len(task.rows) :], seed=seed)
    report.text(f"Navigation: `{material.model(TREE_MODEL)}`.")
    report.table(f"esr-table-{task.table}", esr_table(task, found, columns))
    report.means(f"esr-table-{task.table}-means", scores)
    if report.figures:
        from doxeval.show.charts import heat_map
        from doxeval.show.style import Sheet

        names = [f"{name}, {mode}" for mode in modes for name in task.columns]
        figure = heat_map(list(task.rows), names, found.value, Sheet(title=f"{task.title}: tau-b"))
        report.figure(f"esr-table-{task.table}", figure)
    return [_verdict(task, found, columns, row, column) for row, column in task.printed]


def _tolerance(report: Report, material: Material, seed: int) -> None:
    """nXCG against NSRCG on runs with their overlap, as ESR has it and with the parameter it proposes."""
    rows = {row: typed for row, typed in ESR_TASKS[0].rows.items() if row.startswith("nXCG")}
    judged = element_assessments(material.assessments, material.trees)
    measures = [*rows.values(), *TOLERANCES.values()]
    scores = material.scores(material.evaluation(measures, TREE_MODEL, judged))
    found = correlate(scores, rows=list(rows.values()), columns=list(TOLERANCES.values()), seed=seed)
    body = [
        [row, column, f"{found.at(rows[row], typed)[0]:.2f} ({found.at(rows[row], typed)[1]:.2f})"]
        for row in rows
        for column, typed in TOLERANCES.items()
    ]
    footer = [
        f"Kendall's tau-b, p in parentheses; {found.systems} systems, {found.topics} topics",
        "overlap is not removed; every node with relevant text is assessed, by its specificity, unless nodes "
        f"were judged; OFF: the reader tolerates overlap; navigation {material.model(TREE_MODEL)}",
    ]
    report.table("esr-section-7.5", Table(["INEX", "ESR", "tau (p)"], body, 2, footer))


def in_mode(measure: str, mode: str) -> str:
    """A measure of ESR over text, as ours are with highlights, or over trees, as in the paper."""
    return with_argument(measure, "mode", mode)


def esr_table(task: PaperTable, correlation: Correlation, columns: Mapping[str, Mapping[str, str]]) -> Table:
    """The paper's table with our values and intervals in each mode, and the printed ones."""
    body = []
    for (row, column), printed in task.printed.items():
        cells = []
        for of_mode in columns.values():
            r, c = correlation.rows.index(task.rows[row]), correlation.columns.index(of_mode[column])
            cells.append(f"{correlation.value[r, c]:.2f} ({correlation.p[r, c]:.2f})")
            cells.append(f"[{correlation.low[r, c]:.2f}, {correlation.high[r, c]:.2f}]")
        body.append([row, column, *cells, f"{printed[0]:.2f} ({printed[1]:.2f})"])
    footer = [
        f"Kendall's tau-b, p in parentheses; {correlation.systems} systems, {correlation.topics} topics"
    ]
    header = [title for mode in columns for title in (f"{mode}: tau (p)", "95% interval")]
    return Table(["INEX", "ESR", *header, "printed"], body, 2, footer)


def _verdict(
    task: PaperTable, found: Correlation, columns: Mapping[str, Mapping[str, str]], row: str, column: str
) -> list[str]:
    taus = [found.at(task.rows[row], of_mode[column])[0] for of_mode in columns.values()]
    values = [*taus, task.printed[row, column][0]]
    answers = ["Yes" if value > ESR_THRESHOLD else "No" for value in values]
    return [task.title, row, column, *(shown(value, 2) for value in values), *answers]
