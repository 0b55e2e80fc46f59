"""Shared by all commands: options, notices on standard error, file name patterns."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from doxeval.cli import message_lines
from doxeval.cli.files import KEPT_FOLDER, OUTPUT
from doxeval.cli.project_file import is_from_project, say_note
from doxeval.cli.registered import Registered
from doxeval.core.errors import IdleOption, InputError, no_such_file
from doxeval.core.harmless import visible
from doxeval.core.notices import Notices
from doxeval.core.options import OPTIONS, flags_of
from doxeval.core.phrases import counted
from doxeval.core.progress import wipe
from doxeval.core.registry import Registry
from doxeval.core.screen import change_screen, fitted, is_terminal, screen, width_of

Command = Callable[..., Any]
METRICS_ARE_MEANS = "metrics are means over all topics, one number a measure"


def option(
    names: str, help: str, default: Any = None, of: Any = None, least: int | None = None, **more: Any
) -> Callable[[Command], Command]:
    """An option from its names, followed by the name of its value in capitals. Without a value it is a flag.

    Its value is one `of` several, or of a type, or an integer of at least `least`. A default is shown.
    """
    called = names.split()
    if called[-1].isupper() and not called[-1].startswith("-"):
        more["metavar"] = called.pop()
    elif default is of is least is None:
        more["is_flag"] = True
    if default is not None:
        shown = not isinstance(default, bool) and default not in ("", "-")
        more = {"default": default, "show_default": shown} | more
    if least is not None or isinstance(of, list | tuple):
        of = click.Choice(of) if least is None else click.IntRange(least)
    return click.option(*called, type=of, help=help, **more)


def to_type(program: str = "doxeval") -> str:
    """The command as one types it: its name, or if that is not on the PATH, where it is."""
    import shutil

    started = Path(sys.argv[0])
    if started.stem == "__main__" and started.parent.name == program:
        return program if shutil.which(program) else f"{_near(Path(sys.executable))} -m {program}"
    if started.stem != program or shutil.which(program):
        return program
    return _near(started)


def _near(path: Path) -> str:
    """A path as one would type it here."""
    path = path.absolute()
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def declared_option(name: str, help: str = "") -> Callable[[Command], Command]:
    """An option of scoring as declared, perhaps with a command's own help; flags are off unless typed."""
    declared = OPTIONS[name]
    of: Any = Registered(declared.choices) if isinstance(declared.choices, str) else declared.choices or None
    of = KEPT_FOLDER if name == "store" else of
    default = None if isinstance(declared.default, bool) else declared.default
    names = f"{flags_of(name)} {name} {declared.value}"
    more: dict[str, Any] = {"multiple": True, "callback": _none_of_no} if declared.several else {}
    return option(names, help or declared.help, default, of, declared.least, **more)


def _none_of_no(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[str] | None:
    """The values of a flag that may be repeated; None if it was not given."""
    return list(values) or None


def _of_any_width(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """The value; output to a file depends neither on the width of the screen nor on its colours."""
    if value != "-":
        change_screen(width=None, colour=False, noted=None)
    return value


output_option = option(
    "--output -o FILE", "Write to FILE; its suffix can set the format.", "-", OUTPUT, callback=_of_any_width
)
quiet_option = option("--quiet", "Print results only: no verdict, no progress, no notes and no warnings.")


def expand(names: Iterable[str], folders: bool = False) -> list[str]:
    """Paths as given; patterns the shell left alone (in quotes, or on Windows) are expanded.

    Folders are refused unless `folders` is set, or they are a run: they hold trajectories or patches.
    """
    from doxeval.io.run_descriptions import is_description

    paths: list[str] = []
    for name in names:
        if name == "-" or (Path(name).exists() and (folders or not _is_refused(Path(name)))):
            paths.append(name)
        elif any(letter in name for letter in "*?[") and (found := sorted(_glob(name))):
            paths.extend(found)
        elif Path(name).is_dir():
            raise InputError(f"{name}: is a folder; name the files in it, as in {name.rstrip('/')}/*")
        else:
            raise InputError(no_such_file(name))
    return [path for path in paths if not is_description(path)] if len(paths) > 1 else paths


def _is_refused(path: Path) -> bool:
    """Whether a path is a folder that is no run."""
    if not path.is_dir():
        return False
    from doxeval.io.formats.folders import folder_of_topics

    return folder_of_topics(path) is None


def _glob(pattern: str) -> list[str]:
    import glob

    from doxeval.io.inputs import is_input

    found = [path for path in glob.glob(pattern, recursive=True) if is_input(path)]  # noqa: PTH207
    return [f"./{path}" if path.startswith("-") else path for path in found]


def refuse_idle(options: str, reason: str) -> None:
    """Refuse options that would do nothing, if the user gave any; those of the project file are given up."""
    context = click.get_current_context()
    for name in options.split():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE or is_from_project(name):
            flag = next(parameter.opts[0] for parameter in context.command.params if parameter.name == name)
            raise IdleOption(name, f"{flag} would do nothing here: {reason}")


def on_a_desktop() -> bool:
    """Whether the user is at a screen that can show a browser."""
    screen = (
        sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    return bool(screen) and is_terminal(sys.stdout)


def warn_of_broken_plugins(registry: Registry[Any]) -> None:
    """Print which plug-ins are missing from a list because they could not be loaded."""
    for failure in registry.failures:
        say(f"warning: {failure}", err=True)


def say(message: object, err: bool = False, **facts: Any) -> None:
    """Print a message, in lines that fit the terminal; with `--errors json`, its `facts` are beside it."""
    if err and message_lines.form == "json":
        click.echo(message_lines.line(str(message), **facts), err=True)
        return
    wipe()
    text = visible(str(message))
    click.echo(fitted(text, width_of(sys.stderr if err else sys.stdout), later="  " * err), err=err)


def say_lines(text: object, err: bool = False) -> None:
    """Print a text in the lines it has, with its control characters written out."""
    if err and message_lines.form == "json":
        say(text, err)
        return
    wipe()
    click.echo(visible(str(text)), err=err)


def write_below_sentences(
    content: Callable[[], bytes], sentences: Callable[[], Iterable[str]], output: str, form: str, quiet: bool
) -> None:
    """Write what was found, below the sentences on it where it is a table for people."""
    from doxeval.core.output import atomic
    from doxeval.core.screen import bullets

    with atomic(output) as stream:
        if form == "table" and not quiet:
            stream.write(bullets(sentences()).encode())
        stream.write(content())


def say_beside(
    form: str, quiet: bool, sentences: Callable[[], Iterable[str]], notes: Callable[[], Iterable[str]]
) -> None:
    """Say what is above and below the cells of a table, where JSON holds the cells and messages are JSON."""
    if quiet or form != "json" or message_lines.form != "json":
        return
    for line in sentences():
        say(f"verdict: {line}", err=True)
    for line in notes():
        say(f"note: {line}", err=True)


def finish(notices: Notices, strict: bool, quiet: bool = False) -> None:
    """Print each notice that is not below a table already; with `strict`, fail if there were any."""
    say_note(notices, quiet)
    noted = screen().noted or ()
    if not quiet:
        for notice in notices:
            if str(notice) not in noted:
                say(f"{'note' if notice.harmless else 'warning'}: {notice}", err=True)
    if strict and notices.failures:
        say(f"strict: {counted(len(notices.failures), 'kind')} of problems in the input", err=True)
        sys.exit(1)


class TakingManyRuns(click.Command):
    """A command whose `--runs` takes all names up to the next option, as shells expand patterns."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spread: list[str] = []
        taking = False
        for word in args:
            if word == "--runs":
                taking = True
                continue
            taking &= not (word.startswith("-") and word != "-")
            spread += ["--runs", word] if taking else [word]
        return super().parse_args(ctx, spread)
