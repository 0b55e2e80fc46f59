"""The project file on the command line: which of its settings a command takes, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from doxeval.core.errors import IdleOption, nearest

if TYPE_CHECKING:
    from doxeval.core.notices import Notices
    from doxeval.core.project import Project

PROJECT, SAID = "doxeval.project", "doxeval.said"
"""The project file of a command, and whether what it gave has been said, in the context's notes."""
PLACES = ("FILE", "FOLDER", "DOCS", "OLD_DOCS")
"""The values that help shows for options that are paths."""


def _take_settings(ctx: click.Context, param: click.Parameter, ignored: bool) -> None:
    """Let the settings of the project file stand in for options that are not typed."""
    if ignored or ctx.resilient_parsing:
        return
    from doxeval.core.project import find_project

    project = find_project()
    if project is not None:
        ctx.meta[PROJECT] = project
        ctx.default_map = settings_of(project, ctx.command, _words(ctx))


NO_CONFIG = click.Option(
    ["--no-config"], is_flag=True, is_eager=True, expose_value=False, callback=_take_settings,
    help="Ignore the project file (see 'doxeval config').",
)  # fmt: skip


class RunsArgument(click.Argument):
    """The runs of a command; those of the project file if none is typed."""

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """The value and where it is from."""
        typed = opts.get(str(self.name))
        runs = (ctx.default_map or {}).get("runs")
        if runs and not (isinstance(typed, tuple) and typed):
            return tuple(runs), ParameterSource.DEFAULT_MAP
        return super().consume_value(ctx, opts)


def runs_argument(name: str = "runs", **more: Any) -> Callable[[Any], Any]:
    """The runs of a command that takes any number of them."""
    given: dict[str, Any] = {"nargs": -1, "required": True, "metavar": "RUN..."} | more
    return click.argument(name, cls=RunsArgument, **given)


def _words(ctx: click.Context) -> list[str]:
    """The command as it is typed, without the program."""
    above = [] if ctx.parent is None else _words(ctx.parent)
    return [*above, str(ctx.info_name)] if ctx.parent is not None else []


def settings_of(project: Project, command: click.Command, words: list[str]) -> dict[str, Any]:
    """The settings that a command takes: those for all commands, and those of its own table."""
    check_tables(project)
    options = {str(option.name) for option in _options(command).values()}
    runs = any(isinstance(one, RunsArgument) for one in command.params)
    taken = {
        name: value
        for name, value in project.settings.items()
        if name in options or (name == "runs" and runs)
    }
    table: Any = project.tables
    for word in words:
        table = table.get(word, {})
    return taken | _checked(project, table, command, words)


def check_tables(project: Project) -> None:
    """Raise an error for a table that is not a command's, or holds what the command does not take."""
    from doxeval.cli import COMMANDS, group
    from doxeval.core.project import TOP

    for name, table in project.tables.items():
        if name not in COMMANDS:
            raise project.problem(f"[{name}]", f"unknown command{nearest(name, (*COMMANDS, *TOP))}")
        command = group.get_command(click.Context(group), name)
        if not isinstance(command, click.Group):
            assert command is not None
            _checked(project, table, command, [name])
            continue
        for key, inner in table.items():
            if key not in command.commands or not isinstance(inner, dict):
                expected = ", ".join(f"[{name}.{word}]" for word in command.commands)
                raise project.problem(f"[{name}] {key}", f"expected {expected}")
            _checked(project, inner, command.commands[key], [name, key])


def _options(command: click.Command) -> dict[str, click.Option]:
    """The options of a command by the keys that may be used for them."""
    found: dict[str, click.Option] = {}
    for option in command.params:
        if isinstance(option, click.Option) and option.expose_value:
            long = [flag[2:].replace("-", "_") for flag in option.opts if flag.startswith("--")]
            found |= dict.fromkeys((str(option.name), *long), option)
    return found


def _checked(
    project: Project, table: dict[str, Any], command: click.Command, words: list[str]
) -> dict[str, Any]:
    """The values of a command's table, by parameter."""
    known, where = _options(command), f"[{'.'.join(words)}]"
    values: dict[str, Any] = {}
    for key, value in table.items():
        option = known.get(key.replace("-", "_"))
        if option is None:
            raise project.problem(f"{where} {key}", f"unknown key{nearest(key, known)}")
        if option.name in values:
            raise project.problem(f"{where} {key}", f"{option.opts[0]} is given twice")
        values[str(option.name)] = _value(project, f"{where} {key}", option, value)
    return values


def _value(project: Project, where: str, option: click.Option, value: Any) -> Any:
    """A value as the option takes it, paths as seen from the current folder; an error if it takes no such."""
    several = option.multiple or option.nargs > 1
    given = value if several and isinstance(value, list) else [value]
    kinds: dict[type | tuple[type, ...], str] = {
        bool: "true or false", int: "a whole number", (int, float): "a number", str: "a text",
    }  # fmt: skip
    kind: type | tuple[type, ...] = str
    if option.is_flag:
        kind = bool
    elif isinstance(option.type, click.types.IntParamType):
        kind = int
    elif isinstance(option.type, click.types.FloatParamType):
        kind = (int, float)
    for each in given:
        if not isinstance(each, kind) or (isinstance(each, bool) and kind is not bool):
            raise project.problem(where, f"expected {kinds[kind]}, found {each!r}")
        try:
            option.type.convert(each, option, None)
        except click.BadParameter as problem:
            raise project.problem(where, problem.message.rstrip(".")) from None
    if option.nargs > 1 and len(given) != option.nargs:
        raise project.problem(where, f"expected {option.nargs} texts, found {value!r}")
    if option.metavar in PLACES or isinstance(option.type, click.Path):
        given = [project.seen(each) for each in given]
    return given if several else given[0]


def is_from_project(name: str) -> bool:
    """Whether the command that runs has the value of a parameter from the project file."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP


def project_note() -> str:
    """The options that the command has from the project file; empty if there is nothing to say."""
    ctx = click.get_current_context(silent=True)
    if ctx is None or PROJECT not in ctx.meta:
        return ""
    names = [
        "runs" if isinstance(one, RunsArgument) else str(one.name)
        for one in ctx.command.params
        if is_from_project(str(one.name))
    ]
    return f"from {ctx.meta[PROJECT].name}: {', '.join(names)}" if names else ""


def add_note(notices: Notices) -> None:
    """Put what is from the project file below the numbers."""
    if text := project_note():
        notices.add(text, harmless=True, lasting=True)


def say_note(notices: Notices, quiet: bool) -> None:
    """Print the note once, unless it is among notices that are printed, or nothing is to be said."""
    ctx = click.get_current_context(silent=True)
    if ctx is None or ctx.meta.get(SAID):
        return
    ctx.meta[SAID] = True
    text = project_note()
    if text and not quiet and text not in [notice.message for notice in notices]:
        click.echo(f"note: {text}", err=True)


def heeding_project(callback: Callable[..., Any]) -> Callable[..., Any]:
    """A command that gives up a setting of the project file which would do nothing, and says what it took."""

    @wraps(callback)
    def heeding(**given: Any) -> Any:
        ctx = click.get_current_context()
        while True:
            try:
                result = callback(**given)
                break
            except IdleOption as idle:
                if not is_from_project(idle.option):
                    raise
                given[idle.option] = _given_up(ctx, idle.option)
        from doxeval.core.notices import Notices

        say_note(Notices(), bool(ctx.params.get("quiet")))
        return result

    return heeding


def _given_up(ctx: click.Context, name: str) -> Any:
    """The value of an option without the project file."""
    ctx.set_parameter_source(name, ParameterSource.DEFAULT)
    ctx.params[name] = defaults_of(ctx.command)[name]
    return ctx.params[name]


def defaults_of(command: click.Command) -> dict[str, Any]:
    """The values of a command's parameters if nothing is typed and there is no project file."""
    with command.make_context(str(command.name), [], resilient_parsing=True) as ctx:
        return dict(ctx.params)


def resolved(words: tuple[str, ...]) -> tuple[list[str], click.Command, list[str]]:
    """The command that words begin with, by name, and the rest of the words."""
    from doxeval.cli import COMMANDS, group

    owner: click.Group = group
    for number, word in enumerate(words):
        known = COMMANDS if owner is group else owner.commands
        if word not in known:
            raise click.UsageError(f"unknown command {word!r}{nearest(word, known)}")
        command = owner.get_command(click.Context(owner), word)
        assert command is not None
        if not isinstance(command, click.Group):
            return list(words[: number + 1]), command, list(words[number + 1 :])
        owner = command
    raise click.UsageError(f"name one of its commands, too: {', '.join(owner.commands)}")


def as_pattern(paths: list[str]) -> list[str]:
    """Paths as a pattern, if they are all files of a folder, or all with a suffix; else as they are."""
    places = [Path(path) for path in paths]
    folders, suffixes = {path.parent for path in places}, {path.suffix for path in places}
    if len(places) > 1 and len(folders) == 1:
        (folder,) = folders
        for pattern in ("*", *(f"*{suffix}" for suffix in suffixes if len(suffixes) == 1)):
            if {path for path in folder.glob(pattern) if path.is_file()} == set(places):
                return [str(folder / pattern)]
    return paths
