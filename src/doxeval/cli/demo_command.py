"""`doxeval demo`: a tour: search twelve pages, score, compare, report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT, OUTPUT_FOLDER
from doxeval.cli.support import on_a_desktop, option, say, say_lines, to_type

if TYPE_CHECKING:
    from pathlib import Path

    from doxeval.scoring.scores import Scores

TEXT_MEASURES = "iR@2000c AiP iR@5 iP@5 IoU@5 iP[0.01]"
DOCUMENT_MEASURE = "nDCG@10"
LEADING = "iR@2000c"
NAVIGATION = "readon(mean=500)"
REPORT = "doxeval-demo.html"
WIDTH = 100


@click.command(name="demo")
@option("--copy FOLDER",
        "Only copy the documents, questions, answers and runs to a new folder, to play with.",
        of=OUTPUT_FOLDER)  # fmt: skip
@option("--report FILE", "Write a report to FILE.", REPORT, OUTPUT)
@click.option(
    "--open/--no-open", "open_page", default=None, help="Open the page in a browser; by default on a desktop."
)
def command(copy: str | None, report: str, open_page: bool | None) -> None:
    """Search twelve pages with six systems, score and compare them, and write a report.

    All rank the same text with BM25 (library bm25s) and differ only in what they return: documents,
    sections, paragraphs, sentences, chunks of 400 characters, and chunks of 800 that overlap by half. Without
    bm25s (extra demo), the results that come with the package are scored.
    """
    from doxeval.core.screen import bullets, few

    if copy is not None:
        say_lines(_copied(copy))
        return
    runs = demo_runs()
    scores = demo_scores(runs)
    say(
        f"{len(scores.topics)} questions about twelve pages, answered by {len(scores.runs)} systems "
        "that return different parts of them.\n"
    )
    say_lines(bullets(few(scores.verdict(LEADING)), WIDTH).rstrip("\n"))
    say_lines(f"\n{scores.tables[0].plain()}\n")
    say(_reported(runs, report, on_a_desktop() if open_page is None else open_page))
    say_lines(f"To play with the files, or to mark answers yourself (judge): {to_type()} demo --copy demo")
    say_lines(f"With files of your own, before report: {to_type()} validate RUN... -q ANSWERS -d DOCUMENTS")


def demo_runs() -> list[Any]:
    """The systems' results: searched for now if bm25s is installed, else those that come with the package."""
    from importlib.util import find_spec

    from doxeval.demo import DOCUMENTS, RUNS
    from doxeval.demo.build import questions
    from doxeval.demo.search import SYSTEMS, run_lines

    if find_spec("bm25s") is None:
        return [dx.read_run(RUNS / f"{system}.jsonl") for system in SYSTEMS]
    documents, asked = dx.read_documents(DOCUMENTS), questions()
    return [dx.read_run(run_lines(documents, cut, asked), name=name) for name, cut in SYSTEMS.items()]


def demo_scores(runs: list[Any] | None = None) -> Scores:
    """The scores that are shown."""
    from importlib.util import find_spec

    from doxeval.demo import ANSWERS, DOCUMENTS

    runs = demo_runs() if runs is None else runs
    documents, answers = dx.read_documents(DOCUMENTS), dx.read_assessments(ANSWERS)
    measures = f"{DOCUMENT_MEASURE} {TEXT_MEASURES}" if find_spec("ir_measures") else TEXT_MEASURES
    return dx.evaluate(runs, answers, measures, documents)


def _reported(runs: list[Any], target: str, open_page: bool) -> str:
    """Write the report and return a line that says where it is."""
    from doxeval.demo import ANSWERS, DOCUMENTS
    from doxeval.demo.build import questions

    queries = {question["topic"]: question["question"] for question in questions()}
    dx.write_report(
        runs, ANSWERS, TEXT_MEASURES, DOCUMENTS, NAVIGATION, target, topics_file=queries, title="doxeval demo"
    )
    if open_page:
        click.launch(target)
    return f"Open the report in a browser: {target}"


def _copied(target: str | Path) -> str:
    from pathlib import Path
    from shutil import Error, copytree, ignore_patterns

    from doxeval.core.errors import UsageError
    from doxeval.core.temporary import temporary_folder
    from doxeval.demo import FOLDER

    folder = Path(target)
    if folder.exists():
        raise UsageError(f"{folder}: already exists; name a folder that does not")
    try:
        with temporary_folder(folder.absolute()) as part:
            copytree(FOLDER, part, ignore=ignore_patterns("*.py", "__pycache__"), dirs_exist_ok=True)
            part.rename(folder)
    except Error as problem:
        raise UsageError(f"{folder}: cannot be written: {problem.args[0][0][-1]}") from None
    except OSError as problem:
        raise UsageError(f"{folder}: cannot be written: {problem.strerror}") from None
    return f"Copied to {folder}. Try:\n{to_type()} eval {folder}/runs/*.jsonl -q {folder}/answers.jsonl"
