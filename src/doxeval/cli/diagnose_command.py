"""`doxeval diagnose`: what fails, and what mending it would bring."""

from __future__ import annotations

from typing import Any

import click

import doxeval as dx
from doxeval.cli.project_file import runs_argument
from doxeval.cli.scoring import Scoring, scoring_options, seed_option, slice_options
from doxeval.cli.support import expand, option, output_option, say_beside, write_below_sentences

FORMATS = ("table", "md", "latex", "csv", "jsonl", "json", "parquet")


@click.command(name="diagnose")
@runs_argument()
@scoring_options("diagnose")
@slice_options
@option("--met-from SHARE", "Share of one of its places that must be shown for a need to be met.", 1.0)
@option("--near-chance CHANCE", "Chance from which on what readers may get to is near (with --nav).", 0.1)
@option("--near-gap N", "Largest gap that is near, in the unit of text; by default 500 characters, 20 lines.",
        of=float)  # fmt: skip
@option("--buried-below PRECISION", "Precision below which what is complete is buried.", 0.1)
@option("--confidence", "Confidence level of the intervals.", 0.95)
@option("--draws", "Number of permutations or samples to draw.", 10_000, least=100)
@seed_option
@option("--per-topic", "Print every topic before the means.")
@option("--format -f", "Output format.", of=FORMATS)
@output_option
def command(
    runs: tuple[str, ...], scoring: Scoring, by: str | None, topics_file: str | None, per_topic: bool,
    format: str | None, output: str, **options: Any,
) -> None:  # fmt: skip
    """Say of every topic of each RUN what fails, and what mending it would bring.

    \b
    doxeval diagnose runs/*.jsonl --qrels answers.jsonl --docs corpus/ -m iR@5
    doxeval diagnose run.jsonl --qrels answers.jsonl --chunks chunks.jsonl --per-topic -f csv

    Every topic falls into one class at the cut-off of the measure (5 results if it has none): nothing
    returned, below the cut-off, near, far (in the right document), never (in none), cut, part, buried,
    complete. Then the value that the measure would have if results were reordered, widened, replaced by
    those of the right documents, or read twice as far.
    """
    from doxeval.core.output import form_of

    scoring.take_one_measure()
    topics = scoring.topics(by, topics_file)
    with scoring.then("drawing intervals"):
        found = dx.diagnose(
            expand(runs), *scoring.given, by=by, topics_file=topics, **options, **scoring.options
        )
    form = format or form_of(output)
    write_below_sentences(
        lambda: found.rendered(form, per_topic), lambda: found.sentences, output, form, scoring.quiet
    )
    say_beside(form, scoring.quiet, lambda: found.sentences, lambda: found.notes)
    scoring.finish(found.notices)
