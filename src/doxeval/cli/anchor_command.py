"""`doxeval anchor`: place gold in documents."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from doxeval.cli.support import merge_option, option

if TYPE_CHECKING:
    from doxeval.tables.assessments import Assessments
    from doxeval.tables.documents import Documents

FAILURES_SHOWN = 20


@click.command(name="anchor")
@click.argument("gold", metavar="GOLD")
@option("--docs -d DOCS", "The documents in which to place GOLD.", required=True)
@option("--from old OLD_DOCS", "Older documents that GOLD's offsets are of, to be carried over.")
@option("--output -o FILE", "Write the assessments there.", "-")
@option("--format FORMAT", "Format of GOLD, where it is not recognised.")
@option("--encoding NAME", "Encoding of GOLD, where it is not evident.")
@merge_option
@option("--strict", "Exit with status 1 if a quote is ambiguous or lost.")
@option("--quiet", "No table and no warnings on standard error.")
def command(
    gold: str, docs: str, old: str | None, output: str, format: str | None, encoding: str | None,
    merge: str, strict: bool, quiet: bool,
) -> None:  # fmt: skip
    """Place quotes, pages, boxes and offsets of GOLD in documents, and write native assessments with offsets.

    \b
    doxeval anchor gold.jsonl --docs documents -o answers.jsonl
    doxeval anchor answers.jsonl --from old-documents --docs documents -o new-answers.jsonl

    A quote needs no document; prefix, suffix, page (from 1), section and occurrence (first, all, any, or a
    number) tell its places apart. A page, or a box on it (left, bottom, right, top), may stand without a
    quote; boxes need the documents as files. How many were found at which level is told on standard error,
    and what the nearest text is where one was not. Ambiguous and lost quotes are written without start and
    end.
    """
    from doxeval.cli.support import finish
    from doxeval.ground.anchor import anchor
    from doxeval.io.read import read_assessments, read_documents
    from doxeval.io.write import write_assessments

    documents = read_documents(docs)
    assessments = read_assessments(gold, format=format, encoding=encoding, merge=merge)
    found = anchor(assessments, documents, old)
    write_assessments(found, output, format="native-assessments")
    if not quiet:
        _show(found, documents)
    finish(found.notices, False, quiet)
    if strict and found.quotes is not None and not all(place.placed for place in found.quotes.placed or ()):
        sys.exit(1)


def _show(found: Assessments, documents: Documents) -> None:
    """How many were found at which level, and what to do about the others."""
    from doxeval.ground.quote_report import level_table, unplaced

    click.echo(level_table(found), err=True)
    failures = list(unplaced(found, documents))
    for line in failures[:FAILURES_SHOWN]:
        click.echo(f"  {line}", err=True)
    if len(failures) > FAILURES_SHOWN:
        click.echo(
            f"  ... and {len(failures) - FAILURES_SHOWN:,} more; those without start in the output", err=True
        )
