"""`doxeval navigations`: list navigation models, explain one, compare and fit some on a log of readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from doxeval.cli.support import option, refuse_idle, say, warn_of_broken_plugins

if TYPE_CHECKING:
    from doxeval.reader.navigation.fit import FittedParameter
    from doxeval.reader.navigation.likelihood import Likelihood

COLUMNS = ("model", "log_likelihood", "steps", "ruled_out", "parameter", "value", "low", "high")
FITTED = "Fitted on the whole log, intervals by profile likelihood; likelihood of sessions not fitted on."
LEARNED = "A model that learns from the log is fitted to predict other sessions, which gives no interval."


class Row(NamedTuple):
    """A model, how well it predicts the log, and the parameters that were fitted."""

    model: str
    found: Likelihood
    fitted: Sequence[FittedParameter] = ()


@click.command(name="navigations")
@click.argument("names", nargs=-1, metavar="[MODEL]...")
@option("--log FILE", "Sessions of readers: JSON Lines with doc and route.")
@option("--docs -d documents FILE", "Documents that the sessions are about.")
@option("--fit fits MODEL", "Also fit the parameters written as ?, as in readon(mean=?); may be repeated.",
        multiple=True)  # fmt: skip
@option("--candidates",
        "Nodes among which readers choose their next step: of the kinds that the log leads to, all, or those "
        "without others in them.", "logged", of=["logged", "all", "leaves"])  # fmt: skip
@option("--revisits",
        "Whether readers may choose a place they have visited in the session; by default if any does.",
        of=["yes", "no"])  # fmt: skip
@option("--folds", "Number of parts to split the log into.", 5, least=2)
@option("--seed", "Random seed for splitting the log.", 0)
@option("--format -f", "Output format.", "table", of=["table", "csv", "jsonl"], show_default=False)
def command(
    names: tuple[str, ...], log: str | None, documents: str | None, fits: tuple[str, ...],
    candidates: str, revisits: str | None, folds: int, seed: int, format: str,
) -> None:  # fmt: skip
    """List the navigation models, or explain the one called MODEL.

    With --log and --docs, compare MODELs by how well they predict the log: the mean log-likelihood of a
    step that the model has not seen. A model that learns from the log itself is trained on the other parts,
    and parameters are fitted on these.

    \b
    doxeval navigations --log log.jsonl --docs docs.dox hierarchical "routes(file=log.jsonl,partition=tag)"
    doxeval navigations --log log.jsonl --docs docs.dox hierarchical --fit "readon(mean=?)"
    """
    if log is None:
        from doxeval.reader.navigation.base import NAVIGATIONS
        from doxeval.reader.navigation.listing import list_models

        refuse_idle(
            "documents fits candidates revisits folds seed format",
            "models are compared only on a log of readers (--log)",
        )
        say("\n\n".join(list_models(name) for name in names) if names else list_models())
        if not names:
            warn_of_broken_plugins(NAVIGATIONS)
        return
    if documents is None or not (names or fits):
        raise click.UsageError("to compare models on a log, name the models and give --docs")
    from doxeval.cli.support import finish, progress
    from doxeval.core.output import atomic
    from doxeval.io.read import read_documents
    from doxeval.reader.navigation.base import navigation_named
    from doxeval.reader.navigation.candidates import candidates_in
    from doxeval.reader.navigation.fit import fit_navigation
    from doxeval.reader.navigation.likelihood import held_out
    from doxeval.reader.navigation.logs import read_sessions

    collection = read_documents(documents)
    sessions = read_sessions(log, collection)
    again = None if revisits is None else revisits == "yes"
    sessions.candidates = candidates_in(sessions, collection, candidates, again)
    sessions.notices.add(str(sessions.candidates), harmless=True, lasting=True)
    notices, rows = sessions.notices, []
    for name in names:
        model = navigation_named(name, collection)
        rows.append(Row(name, held_out(model, sessions, folds, seed)))
        notices.extend(model.notices)
    for name in progress(fits, len(fits), "fitting"):
        fitted = fit_navigation(sessions, collection, name, folds=folds, seed=seed)
        rows.append(Row(str(fitted), fitted.likelihood, fitted.parameters))
        notices.extend(fitted.notices)
    with atomic("-") as stream:
        stream.write(_written(rows, format))
    finish(notices, strict=False)


def _written(rows: Sequence[Row], form: str) -> bytes:
    """The comparison in the form asked for; csv and jsonl have a row for each fitted parameter."""
    from doxeval.core.records import rendered
    from doxeval.core.table import Table

    flat = [
        (row.model, row.found.mean, row.found.steps, row.found.impossible,
         *((one.name, one.value, one.low, one.high) if one else (None,) * 4))
        for row in rows
        for one in row.fitted or (None,)
    ]  # fmt: skip
    header, footer = ["model", "log-likelihood", "steps", "ruled out"], list[str]()
    body = [
        [row.model, f"{row.found.mean:.4f}", str(row.found.steps), str(row.found.impossible)] for row in rows
    ]
    if any(row.fitted for row in rows):
        header.append("fitted, with 95% interval")
        for line, row in zip(body, rows, strict=True):
            line.append("; ".join(map(str, row.fitted)))
        footer = [FITTED] + [LEARNED] * any(not one.interval for row in rows for one in row.fitted)
        footer += [f"--nav '{row.model}'" for row in rows if row.fitted]
    named = [dict(zip(COLUMNS, row, strict=True)) for row in flat]
    return rendered(named, Table(header, body, footer=footer), form)
