"""`doxeval cite`: are citations real, and was the right text cited?"""

from __future__ import annotations

import sys

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.scoring import Scoring, scoring_options
from doxeval.cli.support import option, output_option, refuse_idle
from doxeval.core.output import form_of
from doxeval.core.records import ROW_FORMS

CITE_FORMS = ("table", "md", "latex", *ROW_FORMS)


@click.command(name="cite")
@click.argument("answers", metavar="ANSWERS")
@option("--run -r RUN", "The run that the answers were made from.", required=True)
@scoring_options("cite", None, without="navigation")
@option("--cited FILE", "Write what was cited to FILE, as a run.", of=OUTPUT)
@option("--format -f", "Output format: summary tables, or one row per citation (csv, json).", of=CITE_FORMS)
@output_option
@option("--strict", "Exit with status 1 unless every citation is real.")
def command(
    answers: str, run: str, scoring: Scoring, cited: str | None, format: str | None, output: str, strict: bool
) -> None:
    """Check whether each citation in ANSWERS is real, and score what was cited.

    \b
    doxeval cite answers.jsonl --run run.jsonl --docs documents
    doxeval cite answers.jsonl --run run.jsonl --docs documents --qrels gold.jsonl --cited cited.jsonl
    doxeval cite answers.jsonl --run run.jsonl --docs documents -f csv -o citations.csv

    ANSWERS is JSON Lines with topic and answer, a text with "quotes" and marks that refer to the results of
    RUN by rank, as [2], [^2] or (Source 2), or to documents, as [file.txt]; or with citations, each with
    quote, result or doc, or objects of a model provider's citation interface. A citation is real, altered
    (other words), stitched (from several places), misattributed or made up. No model is called.
    """
    from doxeval.cli.support import finish
    from doxeval.core.errors import UsageError

    if not scoring.documents:
        raise UsageError("give the documents in which to look for citations (--docs FILE)")
    if not scoring.assessments:
        refuse_idle("measures", "nothing is scored without --qrels")
    found = dx.cite(answers, run, scoring.assessments, scoring.measures, scoring.documents)
    if cited:
        dx.write_run(found.run, cited)
    form = format or form_of(output)
    found.write(output, format=form if form in CITE_FORMS else "table")
    finish(found.notices, False, scoring.quiet)
    if strict and found.counts["real"] < len(found.cited):
        sys.exit(1)
