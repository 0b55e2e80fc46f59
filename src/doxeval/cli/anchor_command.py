"""`doxeval anchor`: locate gold in documents."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.support import declared_option, option, quiet_option, say

if TYPE_CHECKING:
    from doxeval.tables.assessments import Assessments
    from doxeval.tables.documents import Documents

FAILURES_SHOWN = 20


@click.command(name="anchor")
@click.argument("gold", metavar="GOLD")
@option("--docs -d documents DOCS", "Documents in which to locate GOLD.", required=True)
@option(
    "--from old_documents OLD_DOCS", "The older documents to which GOLD's offsets refer, to carry them over."
)
@option("--output -o FILE", "Write to FILE.", "-", OUTPUT)
@option("--replace", "Let FILE replace GOLD, which is the same file.")
@declared_option("assessments_format")
@option("--encoding NAME", "Encoding of GOLD, if it is not detected.")
@declared_option("merge")
@option("--strict", "Exit with status 1 if a quote is ambiguous or lost.")
@quiet_option
def command(
    gold: str, documents: str, old_documents: str | None, output: str, assessments_format: str | None,
    replace: bool, encoding: str | None, merge: str, strict: bool, quiet: bool,
) -> None:  # fmt: skip
    """Locate quotes, pages, boxes and offsets of GOLD in documents; write native assessments with offsets.

    \b
    doxeval anchor gold.jsonl --docs documents -o answers.jsonl
    doxeval anchor answers.jsonl --from old-documents --docs documents -o new-answers.jsonl

    A quote needs no document; prefix, suffix, page (from 1), section and occurrence (first, all, any, or a
    number) decide between several places. A page, or a box on it (left, bottom, right, top), needs no quote;
    boxes need the documents as files. Standard error shows how many quotes were found at which level, and
    the nearest text of those that were not found. Ambiguous and lost quotes are written without start and
    end.
    """
    from doxeval.cli.support import finish

    collection = dx.read_documents(documents)
    assessments = dx.read_assessments(gold, input_format=assessments_format, encoding=encoding, merge=merge)
    found = dx.anchor(assessments, collection, old_documents=old_documents)
    dx.write_assessments(found, output, format="native-assessments")
    if not quiet:
        _show(found, collection)
    finish(found.notices, False, quiet)
    if strict and found.quotes is not None and not all(place.placed for place in found.quotes.placed or ()):
        sys.exit(1)


def _show(found: Assessments, documents: Documents) -> None:
    """Show how many were found at which level, and what to do about the others."""
    from doxeval.ground.quote_report import level_table, unplaced

    say(level_table(found), err=True)
    failures = list(unplaced(found, documents))
    for line in failures[:FAILURES_SHOWN]:
        say(f"  {line}", err=True)
    if len(failures) > FAILURES_SHOWN:
        say(f"  ... and {len(failures) - FAILURES_SHOWN:,} more: those without start in the output", err=True)
