"""`doxeval demo`: a tour: search twelve pages, score, compare, report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.support import on_a_desktop, option

if TYPE_CHECKING:
    from pathlib import Path

    from doxeval.scoring.scores import Scores

TEXT_MEASURES = "iR@5 iP@5 IoU@5 iR@2000c iP[0.01] AiP"
DOCUMENT_MEASURE = "nDCG@10"
REPEATED = "iR(alpha=1)@5"
LEADING = "AiP"
NAVIGATION = "readon(mean=500)"
REPORT = "doxeval-demo.html"
WIDTH = 88


@click.command(name="demo")
@option("--copy FOLDER",
        "Only copy the documents, questions, answers and runs to a new folder, to play with.",
        of=click.Path(file_okay=False))  # fmt: skip
@option("--report FILE", "Write the report to FILE.", REPORT)
@click.option(
    "--open/--no-open", "show", default=None, help="Open the report in a browser; by default on a desktop."
)
def command(copy: str | None, report: str, show: bool | None) -> None:
    """Search twelve pages with six systems, score and compare them, and write a report.

    All rank the same text with BM25 (library bm25s) and differ only in what they return: documents,
    sections, paragraphs, sentences, chunks of 400 characters, and chunks of 800 that overlap by half. Without
    bm25s (extra demo), the results that come with the package are scored.
    """
    from textwrap import fill

    if copy is not None:
        click.echo(_copied(copy))
        return
    from doxeval.scoring.scores_table import scores_table

    runs = demo_runs()
    shown, repeated = demo_scores(runs)
    click.echo(
        f"{len(shown.topics)} questions about twelve pages, answered by {len(shown.runs)} systems "
        "that return different parts of them.\n"
    )
    click.echo(scores_table(shown).plain())
    click.echo()
    for line in [*observations(shown, repeated), *compared(shown)]:
        click.echo(fill(line, WIDTH, initial_indent="- ", subsequent_indent="  "))
    click.echo()
    click.echo(_reported(runs, report, on_a_desktop() if show is None else show))
    click.echo("To play with the files: doxeval demo --copy demo; to mark answers yourself: doxeval judge -h")


def demo_runs() -> list[Any]:
    """The systems' results: searched for now if bm25s is installed, else those that come with the package."""
    from importlib.util import find_spec

    from doxeval.demo import DOCUMENTS, RUNS
    from doxeval.demo.build import questions
    from doxeval.demo.search import SYSTEMS, run_lines
    from doxeval.io.read import read_documents, read_run

    if find_spec("bm25s") is None:
        return [read_run(RUNS / f"{system}.jsonl") for system in SYSTEMS]
    documents, asked = read_documents(DOCUMENTS), questions()
    return [read_run(run_lines(documents, cut, asked), name=name) for name, cut in SYSTEMS.items()]


def demo_scores(runs: list[Any] | None = None) -> tuple[Scores, Scores]:
    """The scores to show, and recall with repeated text counted again."""
    from importlib.util import find_spec

    from doxeval.demo import ANSWERS, DOCUMENTS
    from doxeval.io.read import read_assessments, read_documents
    from doxeval.scoring.evaluation import evaluate

    runs = demo_runs() if runs is None else runs
    documents, answers = read_documents(DOCUMENTS), read_assessments(ANSWERS)
    measures = f"{DOCUMENT_MEASURE} {TEXT_MEASURES}" if find_spec("ir_measures") else TEXT_MEASURES
    return evaluate(runs, answers, measures, documents), evaluate(runs, answers, REPEATED, documents)


def compared(scores: Scores) -> list[str]:
    """Whether the lead of the best system may be chance."""
    from doxeval.comparison.compare import compare
    from doxeval.comparison.tests import TESTS

    best = max(scores.names, key=lambda run: scores.value(run, LEADING) or 0.0)
    comparison = compare(scores)
    close = [
        d.run if d.baseline == best else d.baseline
        for d in comparison.differences
        if d.measure == LEADING and best in (d.run, d.baseline) and not comparison.significant(d)
    ]
    doubt = f"its lead over {' and '.join(close)} may be chance" if close else "nobody comes near"
    return [f"{best} leads by {LEADING}; {doubt} ({TESTS[comparison.test].title}, level {comparison.level})."]


def _reported(runs: list[Any], target: str, show: bool) -> str:
    """Write the report and return a line that says where it is."""
    from doxeval.demo import ANSWERS, DOCUMENTS
    from doxeval.demo.build import questions
    from doxeval.show.report.write import write_report

    queries = {question["topic"]: question["question"] for question in questions()}
    write_report(
        target, runs, ANSWERS, TEXT_MEASURES, DOCUMENTS, NAVIGATION, queries=queries, title="doxeval demo"
    )
    if show:
        click.launch(target)
    return f"Open the report in a browser: {target}"


def observations(scores: Scores, repeated: Scores) -> list[str]:
    """What the table shows, worked out from its numbers."""

    def of(measure: str) -> dict[str, float]:
        return {run: scores.value(run, measure) or 0.0 for run in scores.names}

    recall, precision, union, budget = of("iR@5"), of("iP@5"), of("IoU@5"), of("iR@2000c")
    leaders = [run for run in recall if f"{recall[run]:.0%}" == f"{max(recall.values()):.0%}"]
    wasteful = min(leaders, key=lambda run: precision[run])
    thrifty, closest = _best(budget), _best(union)
    lines = [
        f"Five results of {' or '.join(leaders)} hold {recall[wasteful]:.0%} of the answers' text, but "
        f"{1 - precision[wasteful]:.0%} of what {wasteful} shows answers nothing (iR@5, iP@5). "
        f"Closest to showing just the answers is {closest} (IoU@5).",
        f"A reader who stops after 2000 characters gets most from {thrifty}: {budget[thrifty]:.0%} "
        f"of the answers, against {budget[wasteful]:.0%} from {wasteful} (iR@2000c).",
    ]
    shares = {run: _repetition(recall[run], repeated.value(run, REPEATED) or 0.0) for run in recall}
    repeater = _best(shares)
    if shares[repeater]:
        lines.append(
            f"{repeater} repeats itself: {shares[repeater]:.0%} of the relevant text in its first five "
            f"results was shown before (iR@5, {REPEATED})."
        )
    if DOCUMENT_MEASURE in scores.measures:
        flat = of(DOCUMENT_MEASURE).values()
        lines.append(
            f"Judged by documents alone ({DOCUMENT_MEASURE}), all systems lie between {min(flat):.2f} and "
            f"{max(flat):.2f}; judged by the text they show (IoU@5), between {min(union.values()):.2f} and "
            f"{max(union.values()):.2f}."
        )
    return lines


def _best(values: dict[str, float]) -> str:
    return max(values, key=lambda run: values[run])


def _repetition(once: float, with_repeats: float) -> float:
    """The share of the relevant text shown that had been shown before."""
    return 1 - once / with_repeats if with_repeats > once else 0.0


def _copied(target: str | Path) -> str:
    from pathlib import Path
    from shutil import copytree, ignore_patterns

    from doxeval.core.errors import UsageError
    from doxeval.demo import FOLDER

    folder = Path(target)
    if folder.exists():
        raise UsageError(f"{folder}: already exists; name a folder that does not")
    copytree(FOLDER, folder, ignore=ignore_patterns("*.py", "__pycache__"))
    return (
        f"Copied to {folder}. Try:\n"
        f'doxeval eval {folder}/runs/*.jsonl --qrels {folder}/answers.jsonl -m "AiP iP@5 iR@2000c"'
    )
