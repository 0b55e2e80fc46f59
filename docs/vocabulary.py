"""The tables of docs/vocabulary.md that are made from the code: every flag, and every parameter.

`python -m docs.vocabulary` rewrites them.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

import doxeval
from doxeval.cli import COMMANDS, group
from doxeval.core.options import ScoringOptions

PAGE = Path(__file__).parent / "vocabulary.md"
MADE = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
EVERYWHERE = "all"


class Flag(NamedTuple):
    """A flag: how it can be typed, what its help begins with in every command, and who takes it."""

    spellings: tuple[str, ...]
    parameters: tuple[str, ...]
    meaning: str
    commands: tuple[str, ...]


def commands_in(owner: click.Group, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command with its name; those of a group by both names."""
    for word in COMMANDS if owner is group else owner.commands:
        command = owner.get_command(click.Context(owner), word)
        assert command is not None
        full = f"{name} {word}".strip()
        if isinstance(command, click.Group):
            yield from commands_in(command, full)
        else:
            yield full, command


def options_of_commands() -> dict[str, list[tuple[str, click.Option]]]:
    """Every long flag, with the commands that take it and its option there."""
    found: dict[str, list[tuple[str, click.Option]]] = defaultdict(list)
    named = [*commands_in(group), ("doxeval", group)]
    for name, command in named:
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                found[parameter.opts[0]].append((name, parameter))
    return dict(sorted(found.items()))


def flags() -> list[Flag]:
    """Every flag with its one meaning."""
    found = []
    for taken in options_of_commands().values():
        options = [option for _, option in taken]
        spellings = dict.fromkeys(word for one in options for word in (*one.opts, *one.secondary_opts))
        parameters = dict.fromkeys(str(one.name) for one in options)
        meaning = common_beginning([one.help or "" for one in options])
        commands = tuple(name for name, _ in taken)
        found.append(Flag(tuple(spellings), tuple(parameters), meaning, commands))
    return found


def common_beginning(helps: list[str]) -> str:
    """The words that all these begin with, as far as a clause of the first goes.

    >>> common_beginning(["Documents: a file or folder.", "Documents to check the files against."])
    'Documents'
    >>> common_beginning(["Output format."])
    'Output format'
    """
    words = [re.findall(r"[^\s]+", text) for text in helps]
    shared = []
    for position, word in enumerate(words[0]):
        others = {one[position].rstrip(".,:;") if position < len(one) else "" for one in words}
        if others != {word.rstrip(".,:;")}:
            break
        shared.append(word.rstrip(".,:;"))
        if word[-1] in ".,:;" or any(one[position][-1] in ".,:;" for one in words):
            break
    return " ".join(shared)


def parameters() -> dict[str, list[str]]:
    """Every parameter of a public function, or of a public class that is called, with those that take it."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in doxeval.__all__:
        thing = getattr(doxeval, name)
        if name.startswith("__") or (inspect.isclass(thing) and name != "Evaluation"):
            continue
        for parameter in inspect.signature(thing).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            found[parameter.name].append(name)
    for option in ScoringOptions.__annotations__:
        found[option].append("the options of scoring")
    return dict(sorted(found.items()))


def flag_table() -> str:
    """One row per flag."""
    known, total = parameters(), len(list(commands_in(group)))
    lines = ["| flag | meaning | parameter | commands |", "|---|---|---|---|"]
    for flag in flags():
        same = [f"`{name}`" for name in flag.parameters if name in known]
        where = EVERYWHERE if len(flag.commands) == total else ", ".join(flag.commands)
        typed = ", ".join(f"`{word}`" for word in flag.spellings)
        lines.append(f"| {typed} | {flag.meaning} | {', '.join(same)} | {where} |")
    return "\n".join(lines) + "\n"


TABLES = {"flags": flag_table}


def page() -> str:
    """The page with its tables made anew."""
    text = PAGE.read_text(encoding="utf-8")
    return MADE.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", text)


if __name__ == "__main__":
    importlib.invalidate_caches()
    PAGE.write_text(page(), encoding="utf-8")
