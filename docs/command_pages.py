"""One page for each command, made from the command itself: what it does, and every option with an example."""

from __future__ import annotations

import inspect
import re
import sys

import click
from docs.examples import commands, example, folded, options, shown
from docs.side_by_side import NO_FUNCTION, functions_of

from doxeval.cli import COMMAND_GROUPS, COMMANDS
from doxeval.cli.scoring import SCORING_FLAGS

HOME = "commands/eval.md"
"""The page that shows the options of all commands that score."""
ALL = (
    "Each command has a page with all of its options, each with an example that was run when the page was "
    "made, in a copy of the demo's files (`doxeval demo --copy FOLDER` makes one). `doxeval COMMAND --help` "
    "says the same in a terminal. Exit statuses: 0 if all is well, 1 if a check failed or an input was "
    "refused, 2 if something could not be scored or was typed wrongly."
)
SHARED = (
    "As for every command that scores runs; their examples are on the page of "
    "[eval](eval.md#options-of-scoring)."
)


NUMBERS = {"INTEGER": "N", "INTEGER RANGE": "N", "FLOAT": "X", "FLOAT RANGE": "X"}


def place(name: str) -> str:
    """The page of a command."""
    return f"commands/{name.replace(' ', '-')}.md"


def pages() -> dict[str, str]:
    """Every page made here, by its place in the site."""
    made = {"commands.md": index()}
    failed: list[str] = []
    for name, command in commands().items():
        made[place(name)] = page(name, command, failed)
    if failed:
        sys.exit("examples of docs/site/examples.toml that fail:\n" + "\n".join(failed))
    return made


def index() -> str:
    """All commands by what one wants to do."""
    lines = ["# Commands", "", ALL, ""]
    for title, names in COMMAND_GROUPS.items():
        lines += [f"## {title}", "", "| command | what it does |", "|---|---|"]
        for name, summary in names.items():
            inside = [one for one in commands() if one.split()[0] == name]
            links = ", ".join(f"[{one}]({place(one)})" for one in inside)
            lines.append(f"| {links} | {summary} |")
        lines.append("")
    return "\n".join(lines)


def page(name: str, command: click.Command, failed: list[str]) -> str:
    """The page of one command; examples that fail are added to a list."""
    context = click.Context(command, info_name=f"doxeval {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"# doxeval {name}", "", *told(command), "```text", f"doxeval {name} {usage}", "```", ""]
    found = example(name)
    if found is not None:
        lines += ["## Example", "", *shown(found, 30)]
        failed += [f"{found.line}: {found.printed[-300:]}"] if found.status else []
    scores = any(one.name == "unjudged" for one in command.params)
    own = {key: one for key, one in options(command).items() if not (scores and key in SCORING_FLAGS)}
    lines += ["## Options", ""]
    for key, option in own.items():
        lines += _option(name, key, option, failed)
    if scores:
        taken = {key: one for key, one in options(command).items() if key not in own}
        lines += ["## Options of scoring", "", *_shared(name, taken, failed)]
    lines += ["## See also", "", *_also(name), ""]
    return "\n".join(lines)


def told(command: click.Command) -> list[str]:
    """What a command says about itself, its examples as code."""
    parts = re.split(r"\n\s*\n", inspect.cleandoc(command.help or ""))
    lines = []
    for part in parts:
        if part.startswith("\b"):
            lines += [
                "```text",
                *(line for one in part.splitlines()[1:] for line in folded(one.strip())),
                "```",
                "",
            ]
        else:
            lines += [safe(" ".join(part.split())), ""]
    return lines


def heading(option: click.Option) -> str:
    """How an option is typed."""
    spelled = ", ".join(sorted(option.opts, key=len))
    spelled += "".join(f" / {other}" for other in option.secondary_opts)
    if option.is_flag:
        return spelled
    value = option.make_metavar(click.Context(click.Command("")))
    return f"{spelled} {NUMBERS.get(value, value)}"


def _option(name: str, key: str, option: click.Option, failed: list[str]) -> list[str]:
    """An option: how it is typed, what it does, its default, and an example."""
    lines = [f"### `{heading(option)}` {{ #{key.replace('_', '-')} }}", "", f"{said(option)}", ""]
    found, base = example(name, option), example(name)
    if found is None:
        return lines
    if found.status and key != "strict":
        failed.append(f"{found.line}: {found.printed[-300:]}")
    if base is not None and found.line == base.line:
        return [*lines, "Shown in the [example](#example) above.", ""]
    return [*lines, *shown(found)]


def said(option: click.Option) -> str:
    """What an option does, and its default."""
    default = option.default
    plain = isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
    needed = " It is required." if option.required else ""
    often = (
        " It may be given several times." if option.multiple and "repeat" not in (option.help or "") else ""
    )
    return safe(option.help or "") + needed + often + (f" The default is `{default}`." if plain else "")


def _shared(name: str, taken: dict[str, click.Option], failed: list[str]) -> list[str]:
    if place(name) == HOME:
        return [line for key, one in taken.items() for line in _option(name, key, one, failed)]
    lines = [SHARED, "", "| option | what it does |", "|---|---|"]
    for key, one in taken.items():
        cell = heading(one).replace("|", "\\|")
        lines.append(
            f"| [`{cell}`](eval.md#{key.replace('_', '-')}) | {said(one).replace('|', chr(92) + '|')} |"
        )
    return [*lines, ""]


def _also(name: str) -> list[str]:
    word = name.split()[0]
    siblings = next(names for names in COMMAND_GROUPS.values() if word in names)
    lines = [] if word in NO_FUNCTION else [
        f"- In Python: {', '.join(f'[dx.{one}](../python/{one}.md)' for one in functions_of(word))}"
    ]  # fmt: skip
    for other in commands():
        if other != name and other.split()[0] in siblings:
            lines.append(
                f"- [doxeval {other}]({place(other).rpartition('/')[2]}): {COMMANDS[other.split()[0]]}"
            )
    return [*lines, "- [Command line and Python](../side-by-side.md), flag by flag"]


def safe(text: str) -> str:
    """Help as Markdown: characters that would be markup are text."""
    parts = re.split(r"('[^']+'|(?<![\w-])--?[a-z][\w-]*|<\w+>)", text)
    plain = [re.sub(r"([*_\[\]|<>])", r"\\\1", part) for part in parts[::2]]
    code = [f"`{part.strip(chr(39))}`" for part in parts[1::2]]
    return "".join(one for pair in zip(plain, [*code, ""], strict=True) for one in pair)
