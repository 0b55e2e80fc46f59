"""`doxeval ceiling`: compare collections of chunks without a retriever."""

from __future__ import annotations

from typing import cast

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.scoring import Scoring, scoring_options
from doxeval.cli.support import TakingManyRuns, expand, option, say_beside, write_below_sentences
from doxeval.core.options import ReadingOptions


@click.command(name="ceiling", cls=TakingManyRuns)
@click.argument("chunks", metavar="CHUNKS...", nargs=-1, required=True)
@option("--k -k N", "Number of chunks that a retriever may show.", 5, least=1)
@option("--runs RUN...", "Runs to compare with the ceiling of their chunks.", multiple=True)
@scoring_options("ceiling", ReadingOptions, without="measures navigation")
@option("--format -f", "Output format.", "table", of=["table", "csv", "jsonl", "json", "md", "latex"])
@option("--output -o FILE", "Write to FILE.", "-", OUTPUT)
def command(
    chunks: tuple[str, ...], k: int, runs: tuple[str, ...], scoring: Scoring, format: str, output: str
) -> None:
    """Show what CHUNKS (files of doc, start and end, as 'doxeval chunk' writes) allow any retriever.

    \b
    doxeval ceiling small.jsonl large.jsonl --qrels answers.jsonl
    doxeval ceiling small.jsonl large.jsonl -q answers.jsonl --runs bm25-*.jsonl

    For each collection: sizes, repeated text, how many needs one chunk holds whole, how many chunks a need
    takes, relevant text in no chunk, and the best iR, iP and IoU of at most k chunks, exactly. A run belongs
    to the collection whose name it has or contains, or to the only one.
    """
    assessments, _, documents, _ = scoring.given
    options = cast(ReadingOptions, scoring.options)
    found = dx.ceiling(
        expand(chunks), assessments, documents, runs=expand(runs) if runs else None, k=k, **options
    )
    write_below_sentences(
        lambda: found.rendered(format), lambda: found.sentences, output, format, scoring.quiet
    )
    say_beside(format, scoring.quiet, lambda: found.sentences, lambda: found.table.footer)
    scoring.finish(found.notices)
