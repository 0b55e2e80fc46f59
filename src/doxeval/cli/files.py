"""The files of commands: which parameters are written, which are read, and the gate between them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from doxeval.core.files import check_outputs, files_of_calls, folder_problem

READ = {
    "FILE", "FOLDER", "STORE", "RUN", "A B", "IN", "POOL", "DOCS", "OLD_DOCS", "DOCUMENTS", "GOLD", "ANSWERS",
    "ASSESSMENTS", "KIND", "CHUNKS",
}  # fmt: skip
"""The values that help shows for parameters that can be files to read."""
STANDARD_OUTPUT = "standard output"


class Output(click.ParamType):  # type: ignore[type-arg]
    """A file to write, or a folder to fill; what is `kept` is read as well, and added to."""

    name = "file"

    def __init__(self, folder: bool = False, kept: bool = False) -> None:
        self.folder, self.kept = folder, kept

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path as it was typed."""
        if not self.folder and (problem := folder_problem(value)):
            self.fail(problem, param, ctx)
        return value


OUTPUT, OUTPUT_FOLDER = Output(), Output(folder=True)
KEPT_FILE, KEPT_FOLDER = Output(kept=True), Output(folder=True, kept=True)


def guarding_inputs(callback: Callable[..., Any]) -> Callable[..., Any]:
    """A command that is refused, before any work, if it would write to what it reads."""

    @wraps(callback)
    def guarding(**given: Any) -> Any:
        check_files(click.get_current_context())
        return callback(**given)

    return guarding


def check_files(ctx: click.Context, also: dict[str, str] | None = None) -> None:
    """Raise an error if the command that runs would write to what it reads, or write one file twice.

    With `--replace` it may write to what is its argument. `also` are further files that are written.
    """
    from doxeval.cli.project_file import PROJECT

    written: dict[str, Any] = {**(also or {})}
    read: dict[str, Any] = {}
    kept, replaced = [], None
    for parameter in ctx.command.params:
        value, name = ctx.params.get(str(parameter.name)), _called(parameter)
        if isinstance(parameter.type, Output):
            written[name] = value
            kept += [name] * parameter.type.kept
        if is_read(parameter):
            read[name] = value
            if "replace" in ctx.params and isinstance(parameter, click.Argument):
                replaced = (name, "--replace", ctx.params["replace"])
        else:
            read[name] = files_of_calls(list(value) if isinstance(value, tuple) else value)
    if PROJECT in ctx.meta:
        read["project file"] = ctx.meta[PROJECT].path
    if "-" not in written.values():
        written[STANDARD_OUTPUT] = "-"
    check_outputs(written, read, kept, replaced)


def is_read(parameter: click.Parameter) -> bool:
    """Whether a parameter can name files that are read."""
    if isinstance(parameter.type, Output):
        return parameter.type.kept
    return parameter.type is click.STRING and _value_of(parameter) in READ


def _value_of(parameter: click.Parameter) -> str:
    """The name that help shows for a parameter's value."""
    return (parameter.metavar or str(parameter.name).upper()).strip("[].")


def _called(parameter: click.Parameter) -> str:
    """The name of a parameter in messages."""
    return _value_of(parameter) if isinstance(parameter, click.Argument) else parameter.opts[0]
