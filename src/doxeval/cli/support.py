"""What the commands share: progress on a terminal, notices on standard error, names that are patterns."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import click
from click.core import ParameterSource

from doxeval.core.errors import InputError, UsageError, nearest
from doxeval.core.notices import Notices

Item = TypeVar("Item")

output_option = click.option(
    "--output", "-o", default="-", metavar="FILE", help="Write there; its suffix can tell the form."
)


class Registered(click.Choice):  # type: ignore[type-arg]
    """One of the names in a registry, which is opened when somebody asks for one."""

    def __init__(self, module: str, registry: str, *more: str) -> None:
        self.home = module, registry
        self.more = more
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """What is registered now, and `more`."""
        module, registry = self.home
        return *getattr(importlib.import_module(module), registry), *self.more


def progress(items: Iterable[Item], total: int, what: str, quiet: bool = False) -> Iterator[Item]:
    """Hand items on; with a bar on standard error when that is a terminal and there is more than one."""
    if quiet or total < 2 or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        for item in items:
            yield item
            bar.advance(task)


def expand(names: Iterable[str], folders: bool = False) -> list[str]:
    """Paths as given; patterns the shell left alone (as in quotes, or on Windows) are expanded.

    Folders are refused unless they are welcome.
    """
    paths: list[str] = []
    for name in names:
        if name == "-" or (Path(name).exists() and (folders or not Path(name).is_dir())):
            paths.append(name)
        elif any(letter in name for letter in "*?[") and (found := sorted(_glob(name))):
            paths.extend(found)
        elif Path(name).is_dir():
            raise InputError(f"{name}: is a folder; name the files in it, as in {name.rstrip('/')}/*")
        else:
            raise InputError(f"{name}: no such file{_nearest_file(name)}")
    return paths


def _glob(pattern: str) -> list[str]:
    import glob

    from doxeval.io.inputs import is_input

    return [path for path in glob.glob(pattern, recursive=True) if is_input(path)]  # noqa: PTH207


def _nearest_file(name: str) -> str:
    folder = Path(name).parent
    if not folder.is_dir():
        return ""
    return nearest(
        name, (str(folder / entry.name) if folder != Path() else entry.name for entry in folder.iterdir())
    )


def refuse_idle(option: str, reason: str) -> None:
    """Refuse an option that would do nothing, if the user has given it."""
    context = click.get_current_context()
    if context.get_parameter_source(option) is ParameterSource.COMMANDLINE:
        flag = next(parameter.opts[0] for parameter in context.command.params if parameter.name == option)
        raise UsageError(f"{flag} would do nothing here: {reason}")


def finish(notices: Notices, strict: bool, quiet: bool = False) -> None:
    """Tell what was noticed, once each; with `strict`, fail if anything was."""
    if not quiet:
        for notice in notices:
            click.echo(f"{'note' if notice.harmless else 'warning'}: {notice}", err=True)
    if strict and notices.failures:
        click.echo(f"strict: {len(notices.failures)} kinds of problems in the input", err=True)
        sys.exit(1)
