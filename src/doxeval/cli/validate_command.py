"""`doxeval validate`: check files without scoring."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.support import merge_option, option
from doxeval.core.notices import Notices

if TYPE_CHECKING:
    from doxeval.io.formats.base import Options


@click.command(name="validate")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@option("--qrels -q FILE", "Assessments that the runs should fit.")
@option("--docs -d FILE", "Documents that the files should fit.")
@option("--kind", "What all FILEs hold.", of=["run", "assessments", "chunks", "documents"])
@option("--format FORMAT", "Format of all FILEs, where it is not recognised.")
@option("--ranges PATTERN", "How TREC document ids carry ranges: doc_offset_length or doc#start-end.", "")
@option("--encoding NAME", "Encoding of all FILEs, where it is not evident.")
@merge_option
@option("--strict", "Exit with status 1 for any warning, not only for what does not meet.")
def command(
    files: tuple[str, ...], qrels: str | None, docs: str | None, kind: str | None, format: str | None,
    ranges: str, encoding: str | None, merge: str, strict: bool,
) -> None:  # fmt: skip
    """Read FILEs without scoring, and tell what is in them, what is wrong with them and what does not meet.

    \b
    doxeval validate runs/*.fol --qrels qrels.txt --docs collection.dox
    doxeval validate documents/ collection.dox

    Documents may be a file, folder, archive or index; plain text and JSON need --kind documents. Exits with
    status 1 if a file or a line was refused, or if topics, documents, nodes, texts or quotes do not meet.
    """
    from doxeval.cli.support import expand
    from doxeval.core.errors import DoxevalError
    from doxeval.ground.ground import prepare_ground
    from doxeval.io.formats.base import Options
    from doxeval.io.read import read_assessments, read_documents

    documents = read_documents(docs) if docs else None
    options = Options(ranges=ranges, merge="" if qrels else merge)
    failed = False
    ground = None
    if qrels:
        truth = read_assessments(qrels, ranges=ranges, encoding=encoding, merge=merge)
        ground = prepare_ground(truth, documents)
        failed |= _tell(Notices(ground.assessments.notices, ground.notices), strict, qrels)
    for path in expand(files, folders=True):
        notices = Notices()
        try:
            shown, held, table = _read(path, kind, format, options, encoding)
            notices = Notices(*_noticed(held, table, ground, documents))
            click.echo(f"{path}: {shown}: {repr(table).strip('<>')}")
        except DoxevalError as problem:
            click.echo(f"{path}: refused: {problem}")
            failed = True
        failed |= _tell(notices, strict)
    if failed:
        sys.exit(1)


def _tell(notices: Notices, strict: bool, heading: str = "") -> bool:
    """Tell what was noticed; whether it is a failure."""
    if heading and len(notices):
        click.echo(f"{heading}:")
    for notice in notices:
        click.echo(f"  {'note' if notice.harmless else 'warning'}: {notice}")
    return any(notice in notices.lasting or strict for notice in notices.failures)


def _read(
    path: str, kind: str | None, format: str | None, options: Options, encoding: str | None
) -> tuple[str, str, Any]:
    """What a file holds in words, its kind, and the table."""
    from doxeval.io.documents.dox import is_dox, verify_dox
    from doxeval.io.documents.recognition import holds_documents
    from doxeval.io.read import read_documents, read_table

    if kind == "documents" or (not kind and not format and holds_documents(path)):
        if Path(path).is_file() and is_dox(Path(path)):
            verify_dox(Path(path))
        return "documents", "documents", read_documents(path, format=format)
    held, name, table = read_table(path, kind=kind, format=format, options=options, encoding=encoding)
    return f"{held}, {name}", held, table


def _noticed(kind: str, table: Any, ground: Any, documents: Any) -> list[Any]:
    """What is noticed in a table, and where it meets the assessments and the documents."""
    if kind == "run" and ground is not None:
        from doxeval.ground.align import align

        return [table.notices, align(table, ground).notices]
    if kind == "run" and documents is not None:
        from doxeval.ground.as_ranges import run_as_ranges

        return [run_as_ranges(table, documents).notices]
    if kind == "assessments" and (documents is not None or (table.quotes is None and table.nodes is None)):
        from doxeval.ground.ground import prepare_ground

        prepared = prepare_ground(table, documents)
        return [prepared.assessments.notices, prepared.notices]
    return [table.notices]
