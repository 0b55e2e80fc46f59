"""`doxeval demo`: six systems on our own documentation, and what their scores tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from doxeval.scores.scores import Scores

TEXT_MEASURES = "iR@5 iP@5 IoU@5 iR@2000c iP[0.01] AiP"
DOCUMENT_MEASURE = "nDCG@10"
REPEATED = "iR(alpha=1)@5"
WIDTH = 88


@click.command(name="demo")
@click.option(
    "--copy",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Copy the documents, questions, answers and runs to a new folder instead, to play with.",
)
def command(copy: str | None) -> None:
    """Score six systems that answer questions about this documentation.

    They rank the same text by the same scorer and differ only in what they return: documents, sections,
    paragraphs, sentences, chunks of 400 characters, and chunks of 800 that overlap by half.
    """
    from textwrap import fill

    if copy is not None:
        click.echo(_copied(copy))
        return
    from doxeval.scores.table import scores_table

    shown, repeated = demo_scores()
    click.echo(
        f"{len(shown.topics)} questions about the documentation, answered by {len(shown.runs)} systems "
        "that return different parts of it.\n"
    )
    click.echo(scores_table(shown).plain())
    click.echo()
    for line in observations(shown, repeated):
        click.echo(fill(line, WIDTH, initial_indent="- ", subsequent_indent="  "))
    click.echo("\nTo play with the files: doxeval demo --copy demo")


def demo_scores() -> tuple[Scores, Scores]:
    """The scores that are shown, and recall with repeated text counted again."""
    from importlib.util import find_spec

    from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
    from doxeval.demo.build import SYSTEMS
    from doxeval.evaluation import evaluate
    from doxeval.reading import read_assessments, read_documents

    documents, answers = read_documents(DOCUMENTS), read_assessments(ANSWERS)
    runs = [RUNS / f"{system}.jsonl" for system in SYSTEMS]
    measures = f"{DOCUMENT_MEASURE} {TEXT_MEASURES}" if find_spec("ir_measures") else TEXT_MEASURES
    return evaluate(runs, answers, measures, documents), evaluate(runs, answers, REPEATED, documents)


def observations(scores: Scores, repeated: Scores) -> list[str]:
    """What to see in the table, worked out from its numbers."""

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

    from doxeval.demo import FOLDER
    from doxeval.errors import UsageError

    folder = Path(target)
    if folder.exists():
        raise UsageError(f"{folder}: exists already; name a folder that does not")
    copytree(FOLDER, folder, ignore=ignore_patterns("*.py", "__pycache__"))
    return (
        f"Copied to {folder}. Try:\n"
        f'doxeval eval {folder}/runs/*.jsonl --qrels {folder}/answers.jsonl -m "AiP iP@5 iR@2000c"'
    )
