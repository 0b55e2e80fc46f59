"""`doxeval validate`: check files without scoring."""

from __future__ import annotations

import sys
from typing import Any

import click

import doxeval as dx
from doxeval.cli.support import declared_option, option, say, say_lines
from doxeval.core.notices import Notices
from doxeval.core.records import rendered


@click.command(name="validate")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@option("--qrels --assessments -q assessments FILE", "Assessments to check the runs against.")
@option("--docs -d documents FILE", "Documents to check the files against.")
@option(
    "--kind",
    "What the input contains, if it is not recognised.",
    of=["run", "assessments", "chunks", "documents", "scores", "topics"],
)
@option("--input-format FORMAT", "Format of the input, if it is not recognised.")
@option("--ranges PATTERN", "How TREC document ids encode ranges: doc_offset_length or doc#start-end.", "")
@option("--encoding NAME", "Encoding of the input, if it is not detected.")
@declared_option("merge")
@option("--format -f", "Output format.", "table", of=["table", "json"], show_default=False)
@option("--strict", "Exit with status 1 for any warning, not only for mismatches.")
def command(
    files: tuple[str, ...], assessments: str | None, documents: str | None, kind: str | None,
    input_format: str | None, ranges: str, encoding: str | None, merge: str, format: str,
    strict: bool,
) -> None:  # fmt: skip
    """Read FILEs without scoring, and report what they contain, what is wrong and what does not match.

    \b
    doxeval validate runs/*.fol --qrels qrels.txt --docs collection.dox
    doxeval validate documents/ collection.dox

    Documents may be a file, folder, archive or index; plain text and JSON need --kind documents, files of
    queries --kind topics. The exit status is 1 if a file or line is refused, or if topics, documents, nodes,
    texts or quotes do not match.
    """
    from doxeval.cli.support import expand
    from doxeval.core.errors import DoxevalError
    from doxeval.extend import prepare_ground

    collection = dx.read_documents(documents) if documents else None
    failed = False
    rows: list[dict[str, Any]] = []
    ground = None
    if assessments:
        truth = dx.read_assessments(assessments, ranges=ranges, encoding=encoding, merge=merge)
        ground = prepare_ground(truth, collection)
        noticed = Notices(ground.assessments.notices, ground.notices)
        validation = dx.Validation("assessments", "", ground.assessments, noticed)
        rows.append({"file": assessments} | validation.row)
        if format == "table" and validation.lines:
            say("\n".join([f"{assessments}:", *validation.lines]))
        failed = bool(noticed.failures if strict else validation.problems)
    reading = {"kind": kind, "input_format": input_format, "encoding": encoding}
    for path in expand(files, folders=True):
        try:
            validation = dx.validate(
                path, ground, collection, **reading, ranges=ranges, merge="" if assessments else merge
            )
            rows.append({"file": path} | validation.row)
            if format == "table":
                say(f"{path}: {validation}")
            failed |= bool(validation.notices.failures if strict else validation.problems)
        except DoxevalError as problem:
            notices = [{"level": "error", "message": str(problem)}]
            rows.append({"file": path, "kind": kind or "", "format": input_format or "", "content": ""}
                        | {"status": "refused", "notices": notices})  # fmt: skip
            if format == "table":
                say(f"{path}: refused: {problem}")
            failed = True
    if format == "json":
        say_lines(rendered(format, lambda: rows, list).decode().removesuffix("\n"))
    if failed:
        sys.exit(1)
