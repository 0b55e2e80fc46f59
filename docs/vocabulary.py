"""The tables of docs/vocabulary.md that are made from the code: every flag, and every parameter.

`python -m docs.vocabulary` rewrites them.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import click

import doxeval
from doxeval.cli import COMMANDS, group
from doxeval.core.options import ScoringOptions

PAGE = Path(__file__).parent / "vocabulary.md"
MADE = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
IN_PYTHON = {"output": "path"}
"""Parameters whose flag has a name that only the command line uses."""


class Flag(NamedTuple):
    """A flag: how it can be typed, what it is called in Python, what it means, and who takes it."""

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
        parameters = dict.fromkeys(IN_PYTHON.get(str(one.name), str(one.name)) for one in options)
        commands = tuple(name for name, _ in taken)
        found.append(Flag(tuple(spellings), tuple(parameters), meaning_of(options), commands))
    return found


def meaning_of(options: list[click.Option]) -> str:
    """The first sentence of the help that most commands have."""
    helps = Counter(str(option.help) for option in options)
    most = max(helps.values())
    usual = min((text for text, count in helps.items() if count == most), key=len)
    return re.split(r"\.(?:\s|$)", usual)[0]


def shared_beginning(helps: list[str]) -> str:
    """The words with which all these begin.

    >>> shared_beginning(["Documents: a file or folder.", "Documents to check the files against."])
    'Documents'
    """
    words = [[word.rstrip(".,:;") for word in text.split()] for text in helps]
    same = takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False))
    return " ".join(column[0] for column in same)


def parameters() -> dict[str, list[str]]:
    """Every parameter of a public function, or of a public class that is called, with those that take it."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in dir(doxeval):
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
    known = parameters()
    lines = ["| flag | meaning | parameter | commands |", "|---|---|---|---|"]
    for flag in flags():
        same = [f"`{name}`" for name in flag.parameters if name in known]
        typed = ", ".join(f"`{word}`" for word in flag.spellings)
        cells = (
            typed,
            flag.meaning.replace("|", "\\|").replace("<", "&lt;"),
            ", ".join(same),
            _listed(flag.commands),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _listed(commands: tuple[str, ...]) -> str:
    """Commands in few words."""
    every = [name for name, _ in commands_in(group) if " " not in name]
    if set(every) <= set(commands):
        return "all"
    scoring = [name for name, _ in options_of_commands()["--unjudged"]]
    missing = [name for name in scoring if name not in commands]
    if len(missing) > len(scoring) // 2:
        return ", ".join(commands)
    but = f" but {', '.join(missing)}" if missing else ""
    more = [name for name in commands if name not in scoring]
    return f"all that score{but}{'; also ' if more else ''}{', '.join(more)}"


TABLES = {"flags": flag_table}


def page() -> str:
    """The page with its tables made anew."""
    text = PAGE.read_text(encoding="utf-8")
    return MADE.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
