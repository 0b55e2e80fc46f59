"""Show a pool to assessors and keep what they mark: on a served page, or one to mail and take back."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from doxeval import Notices, UsageError, convert, read_documents, read_topics
from doxeval.core.errors import nearest
from doxeval.core.harmless import visible
from doxeval.core.output import atomic, open_streams
from doxeval.core.phrases import counted
from doxeval.core.progress import step
from doxeval.core.values import is_several, quoted
from doxeval.extend import Measures
from doxeval.judging.desk import Desk, desk_of
from doxeval.judging.exchange import read_saved, write_backup, write_label_studio, write_rules
from doxeval.judging.overview import Overview
from doxeval.judging.pool_file import read_pool
from doxeval.judging.runs_so_far import RunsSoFar
from doxeval.judging.store import JudgementStore, checked_assessor
from doxeval.judging.suggestions import check_sources, suggesting_acts

USUAL_PORT = 8421
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
EXPORTS = {"native": "native-assessments", "inex": "inex-assessments", "label-studio": "", "rules": ""}
AS_IN = "as in judge(pool, documents, 'judgements.db', assessors='ann')"


@dataclass(eq=False)
class Judging:
    """A record of what was done: a line about each thing, the address of each assessor, and notices."""

    lines: list[str] = field(default_factory=list)
    addresses: dict[str, str] = field(default_factory=dict)
    notices: Notices = field(default_factory=Notices)

    def __repr__(self) -> str:
        return "\n".join([*(f"{name}: {address}" for name, address in self.addresses.items()), *self.lines])


def judge(
    pool: Any = None,
    documents: Any = None,
    path: str | Path | None = None,
    *,
    assessors: str | Sequence[str] = (),
    topics_file: Any = None,
    grades: int = 1,
    needs: str | Sequence[str] = (),
    adjudicators: str | Sequence[str] = (),
    runs: Any = None,
    measures: Measures = (),
    host: str = LOOPBACK,
    port: int | None = None,
    open_page: bool = False,
    offline: str | Path | None = None,
    take: Any = (),
    export: str | Path | None = None,
    backup: str | Path | None = None,
    format: str = "native",
    merge: str = "",
) -> Judging:
    """Serve the documents of a pool to assessors, who mark what is relevant in them, until it is interrupted.

    Judgements are kept in the database `path`, which every function reads as assessments. Each of the
    `assessors` gets an address, which is printed and contains a secret; anyone who knows it can judge.
    `topics_file` has the wording and the needs of topics, `grades` is the highest grade, `needs` are those
    that answers can meet in every topic. `open_page` opens the first address in a browser.

    Where assessors differ, they decide it on the page; `adjudicators` are people who see every disagreement,
    not only those about documents that they have judged. With `runs`, disagreements come in the order of what
    hangs on them for comparisons of the runs by `measures`, which is one (``iP`` at the depth of the pool
    unless named), and the page shows the scores so far; `merge` says how assessors are merged for that.

    With `offline`, the page is written to a file instead, for one assessor, who saves a file of judgements;
    `take` adds such files to the database. `export` writes the judgements of the database to a file, as
    `native`, `inex` or `label-studio` (which needs the documents), merged as `merge` says, or its rule book
    as `rules`. `backup` writes a copy of the database, which is whole even while people are judging.
    """
    doing = {"offline": offline is not None, "take": bool(take), "export": export is not None}
    doing["backup"] = backup is not None
    if sum(doing.values()) > 1:
        raise UsageError(f"{' and '.join(name for name, done in doing.items() if done)}: do one at a time")
    if not 1 <= grades <= 9:
        raise UsageError(f"grades must be from 1 to 9, not {grades}")
    if take:
        return _take([take] if isinstance(take, str | Path) else take, _needed(path, "path"))
    if export is not None:
        return _export(_needed(path, "path"), export, format, documents, merge)
    if backup is not None:
        acts = counted(write_backup(_needed(path, "path"), backup), "act")
        return Judging([f"{backup}: a copy of {path} with {acts}"])
    people = _people(assessors)
    settling = _people(adjudicators) if adjudicators else []
    always: list[Any] = list(needs) if is_several(needs) else [needs]
    read = read_pool(_needed(pool, "pool"))
    check_sources(read, [*people, *settling])
    desk = desk_of(
        read, read_documents(_needed(documents, "documents")), read_topics(topics_file), grades, always
    )
    if offline is not None:
        return _write_offline(desk, people, offline)
    database = Path(_needed(path, "path"))
    depth = read.made.get("depth", 10)
    standing = None if runs is None else RunsSoFar(runs, measures, desk.library, merge, depth)
    if standing is None and (measures or merge):
        raise UsageError("measures and merge would do nothing: there are no runs to compare (runs)")
    files = {"pool": _files(pool), "docs": _files(documents), "runs": _files(runs)}
    overview = Overview(desk, database, standing, frozenset(settling), files)
    return _serve(overview, list(dict.fromkeys([*people, *settling])), host, port, open_page)


def _files(given: Any) -> list[str]:
    """The names of files among what was given."""
    every = given if isinstance(given, list | tuple) else [given]
    return [str(one) for one in every if isinstance(one, str | Path)]


def _needed(given: Any, name: str) -> Any:
    if given is None:
        raise UsageError(f"{name} is missing, {AS_IN}")
    return given


def _people(assessors: str | Sequence[str]) -> list[str]:
    """The names of assessors, each once."""
    names: list[Any] = list(assessors) if is_several(assessors) else [assessors]
    if not all(isinstance(name, str) for name in names):
        raise UsageError(f"expected the name of an assessor, or several, found {quoted(assessors)}")
    if not names:
        raise UsageError(f"assessors is missing, {AS_IN}")
    return [checked_assessor(name) for name in dict.fromkeys(names)]


def _serve(overview: Overview, people: list[str], host: str, port: int | None, open_page: bool) -> Judging:
    """Serve the page until a signal ends it."""
    from socket import gethostname

    from doxeval.judging.listening import bound, serve
    from doxeval.judging.server import application, new_secret

    desk, database = overview.desk, overview.database
    with bound(host, port, USUAL_PORT) as listener, JudgementStore(database) as store:
        with step("preparing the page"):
            store.know(desk.queries, desk.documents)
            desk.prepare()
            suggestions: dict[str, list[Any]] = {}
            for source, act in suggesting_acts(desk.pool):
                suggestions.setdefault(source, []).append(act)
            for source, acts in suggestions.items():
                store.add(source, acts)
        number = listener.getsockname()[1]
        called = gethostname() if host in EVERYWHERE else host
        shown = f"[{called}]" if ":" in called else called
        secrets = {new_secret(): name for name in people}
        done = Judging(
            addresses={name: f"http://{shown}:{number}/{secret}/" for secret, name in secrets.items()}
        )
        with open_streams():
            for name, address in done.addresses.items():
                print(f"{name}: {address}", flush=True)
            saved = visible(f"Judgements are saved in {database}; press Ctrl-C to stop.")
            print(saved, file=sys.stderr, flush=True)
            if host not in (LOOPBACK, "localhost", "::1"):
                warning = "warning: the connection is not encrypted; use it only in a network you trust"
                print(warning, file=sys.stderr, flush=True)
        if open_page:
            _open(done.addresses[people[0]])
        serve(application(desk, store, (called, number), secrets, overview), listener)
    return done


def _open(address: str) -> None:
    """Open an address through a file that only its owner can read: the list of processes shows no secret."""
    import atexit
    import tempfile
    import webbrowser
    from html import escape

    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False) as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(address)}">')
    atexit.register(Path(file.name).unlink, missing_ok=True)
    webbrowser.open(Path(file.name).as_uri())


def _write_offline(desk: Desk, people: list[str], target: str | Path) -> Judging:
    if len(people) > 1:
        raise UsageError("an offline page is for one assessor; write one for each")
    with atomic(target) as stream:
        stream.write(desk.page(people[0]).encode())
    return Judging([f"{target}: {counted(len(desk.pool), 'document')} to judge, for {people[0]}"])


def _take(files: Sequence[str | Path], database: str | Path) -> Judging:
    """Add the judgements in files, all or none; a database that was made for none is removed."""
    saved = {str(file): read_saved(file) for file in files}
    with JudgementStore(database) as store:
        try:
            counts = store.take(saved)
        except BaseException:
            if store.is_new:
                store.path.unlink(missing_ok=True)
            raise
    lines = [
        f"{file}: added {counted(count, 'new act')} of {one.assessor} to {database}"
        for (file, one), count in zip(saved.items(), counts, strict=True)
    ]
    return Judging(lines)


def _export(database: str | Path, target: str | Path, form: str, documents: Any, merge: str) -> Judging:
    if form not in EXPORTS:
        raise UsageError(f"format must be one of {', '.join(EXPORTS)}, not {form!r}{nearest(form, EXPORTS)}")
    if form == "label-studio":
        if merge:
            raise UsageError("merge would do nothing: an export to Label Studio keeps assessors apart")
        write_label_studio(database, target, read_documents(_needed(documents, "documents")))
        return Judging([f"{target}: judgements of {database} for Label Studio"])
    if form == "rules":
        if merge or documents is not None:
            raise UsageError("merge and documents would do nothing: rules are those of all assessors")
        return Judging([f"{target}: {counted(write_rules(database, target), 'rule')} of {database}"])
    if documents is not None:
        raise UsageError("documents would do nothing: judgements are ranges of their documents already")
    how: dict[str, Any] = {"input_format": "judgements", "format": EXPORTS[form], "merge": merge}
    notices = convert(database, target, kind="assessments", **how)
    return Judging([f"{target}: judgements of {database}"], notices=notices)
