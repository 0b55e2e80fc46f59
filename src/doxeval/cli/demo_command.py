"""`doxeval demo`: six systems on our own documentation, and what their scores tell."""

from __future__ import annotations

from collections.abc import Callable
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
    from doxeval.scores.table import plain_table

    shown, repeated = demo_scores()
    click.echo(
        "15 questions about the documentation, answered by six systems that return different parts of it.\n"
    )
    click.echo(plain_table(shown))
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
    most, closest, richest = _best(recall), _best(union), _best(budget)
    lines = [
        f"In five results, {most} finds {recall[most]:.0%} of the answers' text, but "
        f"{1 - precision[most]:.0%} of what it shows answers nothing (iR@5, iP@5). Closest to showing just "
        f"the answers is {closest} (IoU@5).",
        f"A reader who stops after 2000 characters gets most from {richest}: {budget[richest]:.0%} "
        f"of the answers, against {budget[most]:.0%} from {most} (iR@2000c).",
    ]
    if repeats := _repetition(recall, lambda run: repeated.value(run, REPEATED) or 0.0):
        run, share = max(repeats.items(), key=lambda item: item[1])
        lines.append(
            f"{run} repeats itself: {share:.0%} of the relevant text in its results was shown before."
        )
    if DOCUMENT_MEASURE in scores.measures:
        flat = of(DOCUMENT_MEASURE)
        lines.append(
            f"Judged by documents alone ({DOCUMENT_MEASURE}), the best system is "
            f"{max(flat.values()) / min(flat.values()):.1f} times as good as the worst; judged by the "
            f"text they show (IoU@5), {max(union.values()) / min(union.values()):.1f} times."
        )
    return lines


def _best(values: dict[str, float]) -> str:
    return max(values, key=lambda run: values[run])


def _repetition(recall: dict[str, float], with_repeats: Callable[[str], float]) -> dict[str, float]:
    """The share of relevant text shown that had been shown before, of the runs that repeat any."""
    shares = {run: 1 - once / with_repeats(run) for run, once in recall.items() if with_repeats(run) > once}
    return {run: share for run, share in shares.items() if share >= 0.005}


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
