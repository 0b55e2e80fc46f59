"""`doxeval judge`: show a pool to assessors, and keep what they mark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.support import declared_option, on_a_desktop, option, refuse_idle, say
from doxeval.core.phrases import counted

if TYPE_CHECKING:
    from doxeval.judging.desk import Desk

USUAL_PORT = 8421
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
SERVING = "host port open_page"
ASKING = "documents topics_file grades need assessor"
EXPORTS = {"native": "native-assessments", "inex": "inex-assessments", "label-studio": ""}


@click.command(name="judge")
@click.argument("pool", required=False, metavar="[POOL]")
@option("--docs -d documents FILE", "Documents of the pool: a file, folder, archive or index.")
@option("--to database FILE", "Database to keep the judgements in; created if it does not exist.")
@option("--assessor -a NAME", "Name of an assessor; may be repeated, each gets an address.", multiple=True)
@option("--topics-file FILE",
        "Topics: JSON Lines with topic, query and needs, or topic TAB query.")  # fmt: skip
@option("--grades N", "Offer the grades 1 to N.", 1, of=click.IntRange(1, 9))
@option("--need NAME", "A need that answers can meet, in every topic; may be repeated.", multiple=True)
@option(
    "--host ADDRESS", "Address to listen on; the default can be reached only from this machine.", LOOPBACK
)
@option(
    "--port N", f"Port to listen on; by default {USUAL_PORT}, or any free one.", of=click.IntRange(0, 65535)
)
@click.option(
    "--open/--no-open", "open_page", default=None, help="Open the page in a browser; by default on a desktop."
)
@option("--offline FILE", "Write the page to one file instead, to mail to an assessor.")
@option("--take FILE", "Add the judgements saved by such a page; may be repeated.", multiple=True)
@option("--export FILE", "Export the judgements to FILE.")
@option("--format -f", "Output format of the export.", "native", of=list(EXPORTS))
@declared_option("merge")
def command(
    pool: str | None, documents: str | None, database: str | None, assessor: tuple[str, ...],
    topics_file: str | None, grades: int, need: tuple[str, ...], host: str, port: int | None,
    open_page: bool | None, offline: str | None, take: tuple[str, ...], export: str | None, format: str,
    merge: str,
) -> None:  # fmt: skip
    """Serve the documents of POOL to assessors, who mark what is relevant in them.

    \b
    doxeval judge pool.jsonl --docs documents --to judgements.db --assessor ann
    doxeval judge pool.jsonl --docs documents --assessor bob --offline bob.html
    doxeval judge --take judgements-bob.json --to judgements.db
    doxeval judge --to judgements.db --export tasks.json --format label-studio --docs documents

    Every mark is on disk before the page says that it is saved, and history is kept. Anyone who knows the
    address, which contains a secret, can judge. Every command reads the database as assessments (--qrels
    judgements.db --merge majority).
    """
    chosen = [
        name for name, given in (("--offline", offline), ("--take", take), ("--export", export)) if given
    ]
    if len(chosen) > 1:
        raise click.UsageError(f"{' and '.join(chosen)} cannot be combined; use one at a time")
    if not export:
        refuse_idle("format merge", "nothing is exported (--export)")
    if offline or take or export:
        refuse_idle(SERVING, "no page is served")
    if take:
        refuse_idle(f"pool {ASKING}", "what --take adds has been judged already")
        _take(take, _needed(database, "--to"))
    elif export:
        refuse_idle("pool topics_file grades need assessor", "what is exported has been judged already")
        _export(_needed(database, "--to"), export, format, documents, merge)
    elif offline:
        refuse_idle("database", "an offline page saves its judgements to a file, which --take adds")
        _write_offline(_desk(pool, documents, topics_file, grades, need), _people(assessor), offline)
    else:
        desk = _desk(pool, documents, topics_file, grades, need)
        _serve(desk, _people(assessor), _needed(database, "--to"), host, port, open_page)


def _needed(given: Any, name: str) -> str:
    if not given:
        raise click.UsageError(f"{name} is missing, as in: doxeval judge pool.jsonl --docs documents "
                               "--to judgements.db --assessor ann")  # fmt: skip
    return str(given)


def _people(names: tuple[str, ...]) -> list[str]:
    from doxeval.judging.store import checked_assessor

    if not names:
        _needed(None, "--assessor")
    return [checked_assessor(name) for name in dict.fromkeys(names)]


def _desk(
    pool: str | None, documents: str | None, topics_file: str | None, grades: int, need: tuple[str, ...]
) -> Desk:
    from doxeval.io.read import read_documents
    from doxeval.io.topics import topics_of
    from doxeval.judging.desk import desk_of
    from doxeval.judging.pool_file import read_pool

    read = read_pool(_needed(pool, "POOL"))
    collection = read_documents(_needed(documents, "--docs"))
    return desk_of(read, collection, topics_of(topics_file), grades, need)


def _serve(
    desk: Desk, people: list[str], database: str, host: str, port: int | None, open_page: bool | None
) -> None:
    """Serve the page until a signal ends it."""
    from socket import gethostname

    from doxeval.judging.server import application, bound, new_secret, serve
    from doxeval.judging.store import JudgementStore

    store = JudgementStore(database)
    store.know(desk.queries, desk.documents)
    listener = bound(host, port, USUAL_PORT)
    number = listener.getsockname()[1]
    called = gethostname() if host in EVERYWHERE else host
    shown = f"[{called}]" if ":" in called else called
    secrets = {new_secret(): name for name in people}
    addresses = {name: f"http://{shown}:{number}/{secret}/" for secret, name in secrets.items()}
    for name, address in addresses.items():
        click.echo(f"{name}: {address}")
    say(f"Judgements are saved in {database}; press Ctrl-C to stop.", err=True)
    if host not in (LOOPBACK, "localhost", "::1"):
        say("warning: the connection is not encrypted; use it only in a network you trust", err=True)
    if on_a_desktop() if open_page is None else open_page:
        _open(addresses[people[0]])
    serve(application(desk, store, (called, number), secrets), listener)


def _open(address: str) -> None:
    """Open an address through a file that only its owner can read: the list of processes shows no secret."""
    import atexit
    import tempfile
    from html import escape
    from pathlib import Path

    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False) as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(address)}">')
    atexit.register(Path(file.name).unlink, missing_ok=True)
    click.launch(file.name)


def _write_offline(desk: Desk, people: list[str], target: str) -> None:
    from doxeval.core.output import atomic

    if len(people) > 1:
        raise click.UsageError("an offline page is for one assessor; write one for each")
    with atomic(target) as stream:
        stream.write(desk.page(people[0], offline=True).encode())
    say(f"{target}: {counted(len(desk.pool), 'document')} to judge, for {people[0]}", err=True)


def _take(files: tuple[str, ...], database: str) -> None:
    from doxeval.judging.exchange import take
    from doxeval.judging.store import JudgementStore

    with JudgementStore(database) as store:
        for path in files:
            name, count = take(path, store)
            say(f"{path}: added {counted(count, 'new act')} of {name} to {database}", err=True)


def _export(database: str, target: str, form: str, documents: str | None, merge: str) -> None:
    from doxeval.cli.support import finish
    from doxeval.io.formats.format import Options
    from doxeval.io.read import read_assessments, read_documents
    from doxeval.io.write import format_to_write, write_table

    if form == "label-studio":
        from doxeval.judging.exchange import write_label_studio

        refuse_idle("merge", "an export to Label Studio keeps assessors apart")
        write_label_studio(database, target, read_documents(_needed(documents, "--docs")))
        return
    refuse_idle("documents", "judgements are ranges of their documents already")
    table = read_assessments(database, input_format="judgements", merge=merge)
    table.notices.extend(
        write_table(table, target, format_to_write("assessments", target, EXPORTS[form]), Options())
    )
    finish(table.notices, False)
