"""`doxeval config`: show what the project file sets, or write one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from doxeval.cli.files import check_files
from doxeval.cli.project_file import (
    RunsArgument,
    as_pattern,
    check_tables,
    defaults_of,
    resolved,
    settings_of,
)
from doxeval.cli.support import option, refuse_idle, say_lines
from doxeval.core.errors import UsageError


@click.command(name="config", context_settings={"allow_interspersed_args": False})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[COMMAND [ARG]...]")
@option("--write", "Write doxeval.toml, with what the command that follows is given.")
@option("--force", "Replace doxeval.toml if it exists.")
@option("--format -f", "Output format.", "table", of=["table", "csv", "jsonl", "json"], show_default=False)
def command(words: tuple[str, ...], write: bool, force: bool, format: str) -> None:
    """Show what the project file sets, and from which file; or what holds for a COMMAND.

    \b
    doxeval config
    doxeval config eval
    doxeval config --write eval runs/* -q gold.jsonl -m "AiP iP@5" --sort AiP

    The project file is doxeval.toml, or [tool.doxeval] in pyproject.toml, in this folder or the nearest one
    above. After the last command, 'doxeval eval' is enough. What is typed wins over the file, and --no-config
    ignores it.
    """
    if write:
        refuse_idle("format", "the project file is TOML")
        if not words:
            raise click.UsageError(
                "give the command whose arguments are to be kept, as in: eval runs/* -q FILE"
            )
        say_lines(_written(words, force), err=True)
        return
    refuse_idle("force", "nothing is written (--write)")
    from doxeval.core.output import atomic
    from doxeval.core.records import rendered
    from doxeval.core.table import Table

    rows = _of_command(words) if words else _of_file()
    if rows:
        table = Table(list(rows[0]), [[str(value) for value in row.values()] for row in rows], len(rows[0]))
        with atomic("-") as stream:
            stream.write(rendered(format, lambda: rows, lambda: [table]))


def _of_file() -> list[dict[str, Any]]:
    """Every setting of the project file, by the commands it is for."""
    from doxeval.core.project import OWN_FILE, SHARED_FILE, TABLE, find_project

    project = find_project()
    if project is None:
        raise UsageError(
            f"there is no {OWN_FILE}, and no {TABLE} in a {SHARED_FILE}, in this folder or above; start "
            "one with: doxeval config --write eval RUN... -q FILE"
        )
    check_tables(project)
    rows = [_row("all that take it", name, value, project.name) for name, value in project.settings.items()]
    for name, table in project.tables.items():
        inner = {f"{name} {key}": value for key, value in table.items() if isinstance(value, dict)}
        for words, values in (inner or {name: table}).items():
            rows += [_row(words, key, value, project.name) for key, value in values.items()]
    return rows


def _of_command(words: tuple[str, ...]) -> list[dict[str, Any]]:
    """Every option of a command, what it is if it is not typed, and why."""
    from doxeval.core.project import find_project

    name, chosen, further = resolved(words)
    if further:
        raise click.UsageError(
            f"expected a command only, found {further[0]!r} after it; or did you mean --write?"
        )
    project = find_project()
    settings = {} if project is None else settings_of(project, chosen, name)
    defaults = defaults_of(chosen)
    rows = []
    for one in chosen.params:
        key = "runs" if isinstance(one, RunsArgument) else str(one.name)
        if key in settings and project is not None:
            rows.append(_row(" ".join(name), key, settings[key], project.name))
        elif isinstance(one, click.Option) and one.expose_value:
            rows.append(_row(" ".join(name), key, defaults.get(str(one.name)), "default"))
    return rows


def _row(command: str, key: str, value: Any, origin: str) -> dict[str, Any]:
    shown = " ".join(map(str, value)) if isinstance(value, list | tuple) else value
    return {"command": command, "option": key, "value": "" if shown is None else shown, "from": origin}


def _written(words: tuple[str, ...], force: bool) -> str:
    """Write what a command is given to the project file; a line about it."""
    from doxeval.core.output import atomic
    from doxeval.core.project import OWN_FILE, TOP, find_project

    if Path(OWN_FILE).exists() and not force:
        raise UsageError(f"{OWN_FILE} exists; --force replaces it")
    name, chosen, arguments = resolved(words)
    with chosen.make_context(" ".join(name), ["--no-config", *arguments]) as ctx:
        check_files(ctx, {"--write": OWN_FILE})
        given = {
            "runs" if isinstance(parameter, RunsArgument) else str(parameter.name): ctx.params[
                str(parameter.name)
            ]
            for parameter in chosen.params
            if parameter.expose_value
            and ctx.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        }
        arguments_typed = [
            str(parameter.name)
            for parameter in chosen.params
            if isinstance(parameter, click.Argument) and not isinstance(parameter, RunsArgument)
        ]
    if "runs" in given:
        given["runs"] = as_pattern(list(given["runs"]))
    kept = {key: value for key, value in given.items() if key not in arguments_typed}
    settings = {key: value for key, value in kept.items() if key in TOP}
    own = {key: value for key, value in kept.items() if key not in TOP}
    if not kept:
        raise UsageError("the command is given nothing that can be kept")
    lines = [f"{key} = {_toml(value)}" for key, value in settings.items()]
    if own:
        lines += [*([""] if lines else []), f"[{'.'.join(name)}]"]
        lines += [f"{key} = {_toml(value)}" for key, value in own.items()]
    with atomic(OWN_FILE) as stream:
        stream.write("\n".join([*lines, ""]).encode())
    project = find_project()
    assert project is not None
    check_tables(project)
    return f"{OWN_FILE}: {', '.join(kept)}"


def _toml(value: Any) -> str:
    """A value in TOML, whose texts are those of JSON."""
    import json

    if isinstance(value, list | tuple):
        shown = [_toml(each) for each in value]
        return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
