"""`doxeval convert`: convert one format to another."""

from __future__ import annotations

import click

import doxeval as dx
from doxeval.cli.files import OUTPUT
from doxeval.cli.support import declared_option, option, quiet_option

TABLE_KINDS = ("run", "assessments", "chunks", "documents")


@click.command(name="convert")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=OUTPUT)
@option("--replace", "Let OUT replace IN, which is the same file.")
@option("--input-format FORMAT", "Format of the input, if it is not recognised.")
@option("--format -f FORMAT", "Output format, if the suffix of OUT does not determine it.")
@option("--kind", "What the input contains, if it is not recognised.", of=TABLE_KINDS)
@option("--docs -d documents FILE", "Documents, to turn nodes, quotes and whole documents into ranges.")
@option("--ranges PATTERN", "How TREC document ids encode ranges: doc_offset_length or doc#start-end.", "")
@option("--encoding NAME", "Encoding of the input, if it is not detected.")
@declared_option("merge")
@option("--strict", "Exit with status 1 if anything is refused or lost.")
@quiet_option
def command(
    source: str, target: str, input_format: str | None, format: str | None, kind: str | None,
    documents: str | None, ranges: str, encoding: str | None, merge: str, replace: bool, strict: bool,
    quiet: bool,
) -> None:  # fmt: skip
    """Convert the run, assessments, chunks or documents in IN to another format.

    \b
    doxeval convert run.xml run.fol --docs collection.dox
    doxeval convert questions.csv answers.jsonl
    doxeval convert passages.fol passages.run --ranges doc_offset_length
    doxeval convert judgements.db answers.jsonl --merge majority

    'doxeval formats' lists the formats. '-' is standard input or output; .gz and .zst files are compressed. A
    warning says what OUT cannot hold. JSON Lines with neither rank nor score are taken for assessments unless
    you give --kind run.
    """
    from doxeval.cli.support import finish

    notices = dx.convert(
        source, target, kind=kind, documents=documents, input_format=input_format, format=format,
        ranges=ranges, encoding=encoding, merge=merge, replace=replace,
    )  # fmt: skip
    finish(notices, strict, quiet)
