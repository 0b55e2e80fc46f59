"""`doxeval convert`: turn one format into another."""

from __future__ import annotations

import click

from doxeval.cli.support import merge_option, option

KINDS = ("run", "assessments", "chunks", "documents")


class _Command(click.Command):
    """A command whose help ends with the formats there are."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from doxeval.io.formats.base import formats

        for kind in KINDS[:3]:
            with formatter.section(f"Formats of {kind} (* can also be written)"):
                formatter.write_dl(
                    [(f"{'*' if f.write else ' '} {f.name}", f.summary) for f in formats(kind).values()]
                )


@click.command(name="convert", cls=_Command)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@option("--from from_format FORMAT", "Format of IN, where it is not recognised.")
@option("--to to_format FORMAT", "Format of OUT, where its suffix does not tell.")
@option("--kind", "What IN holds, where its content does not tell.", of=KINDS)
@option("--docs -d FILE", "Documents, in which nodes, quotes and whole documents become ranges.")
@option("--ranges PATTERN", "How TREC document ids carry ranges: doc_offset_length or doc#start-end.", "")
@option("--encoding NAME", "Encoding of IN, where it is not evident.")
@merge_option
@option("--strict", "Exit with status 1 if anything was refused or lost.")
@option("--quiet", "No warnings on standard error.")
def command(
    source: str, target: str, from_format: str | None, to_format: str | None, kind: str | None,
    docs: str | None, ranges: str, encoding: str | None, merge: str, strict: bool, quiet: bool,
) -> None:  # fmt: skip
    """Turn the run, assessments, chunks or documents in IN into another format.

    \b
    doxeval convert run.xml run.fol --docs collection.dox
    doxeval convert questions.csv answers.jsonl
    doxeval convert passages.fol passages.run --ranges doc_offset_length
    doxeval convert judgements.db answers.jsonl --merge majority

    '-' is standard input or output; .gz and .zst are packed on the way. What OUT cannot hold is told. JSON
    Lines with neither rank nor score are taken for assessments unless --kind says run.
    """
    from doxeval.cli.support import finish
    from doxeval.ground.convert import converted

    notices = converted(source, target, from_format, to_format, kind, docs, ranges, encoding, merge)
    finish(notices, strict, quiet)
