"""The command line: what is typed enters, the public function is called, and what it returns is printed.

Each command is a module here, imported only when it is run or its help is shown. `support.py` has what all
share, `scoring.py` the options of those that score, `project_file.py` takes what is not typed from the
project file. Read `eval_command.py` first.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

import click

from doxeval.cli import message_lines
from doxeval.cli.files import guarding_inputs
from doxeval.cli.project_file import NO_CONFIG, heeding_project
from doxeval.cli.support import option, say
from doxeval.core.errors import DoxevalError, DoxevalWarning, nearest
from doxeval.core.output import fill_descriptors, open_streams
from doxeval.core.progress import telling, work_kept
from doxeval.core.screen import change_screen, shown_on, standard_output

COMMAND_GROUPS = {
    "Start here": {
        "demo": "Take a tour in one screen: six systems on twelve pages.",
        "config": "Show what the project file sets, or write one.",
        "mcp": "Serve tools to an agent, for the files in a folder.",
    },
    "Score runs": {
        "eval": "Score runs against assessments.",
        "explain": "See where the score of a topic comes from, rank by rank.",
        "diagnose": "Say what fails, and what mending it would bring.",
        "report": "Write a report that opens in a browser: one file, offline.",
        "plot": "Draw curves and differences for a paper.",
        "budget": "Show how much must be read to reach a recall.",
        "ceiling": "Compare collections of chunks without a retriever.",
        "cite": "Check what answers cite against documents, results and gold.",
        "scores": "Query a store of scores.",
    },
    "Tell what differences mean": {
        "compare": "Compare runs topic by topic: is the difference real?",
        "effects": "Show which parameter of the runs matters, and how much.",
        "gate": "Fail a build when a measure has dropped.",
        "correlate": "Correlate how measures rank systems.",
        "agree": "Measure how far assessors agree, and whether rankings depend on them.",
    },
    "Get data into shape": {
        "formats": "List the formats of files, or show one with a sample.",
        "validate": "Check files without scoring.",
        "convert": "Convert one format to another.",
        "anchor": "Locate quotes, pages and offsets in documents, or carry them to new ones.",
        "index": "Index documents into one file that opens at once.",
        "chunk": "Cut documents by structure or size.",
    },
    "Judge": {
        "pool": "Gather the unjudged text that runs show, for assessors.",
        "judge": "Serve a page on which assessors mark relevant text.",
    },
    "Look up and study measures": {
        "measures": "List the measures, or explain one.",
        "navigations": "List the navigation models, or compare some on a log.",
        "navigate": "Print the probabilities of a navigation model in a document.",
        "summary": "Summarise the structure of a collection, save it and draw it.",
        "simulate": "Simulate the user of a measure and compare with its formula.",
        "perturb": "Make runs better or worse in a known way.",
        "synth": "Make a collection, assessments and runs of any size.",
        "study": "Study measures, or repeat the papers' experiments.",
    },
}
"""The commands by what one wants to do, with what each does."""
COMMANDS = {name: summary for commands in COMMAND_GROUPS.values() for name, summary in commands.items()}

FOUND, FAILURE, DEFECT, INTERRUPTED, READER_GONE = 1, 2, 70, 130, 141
STATUSES = {
    0: "The command did what it was asked to.",
    FOUND: "It did, and found what it was asked to look for; the table below says what that is.",
    FAILURE: "It could not, or only in part: the error says why. Nothing is half written.",
    DEFECT: "A bug in doxeval: please report it.",
    INTERRUPTED: "It was interrupted (Ctrl-C).",
    READER_GONE: "The reader of its output went away, as in `doxeval measures | head -1`.",
}
"""The exit statuses of all commands; 70 is that of sysexits.h, 130 and 141 are what shells report."""
FOUND_BY = {
    "anchor": "with `--strict`: a quote is ambiguous or lost",
    "cite": "with `--strict`: a citation is not real",
    "convert": "with `--strict`: something was refused or lost",
    "eval": "with `--strict`: something was refused or warned about",
    "gate": "a measure has dropped, or with `--strict-gold` answers are stale, lost or out of reach",
    "validate": "a file or line is refused, or files do not match; with `--strict` any warning",
}
"""The commands that can exit with status 1, and when."""


def _without_colour(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        change_screen(colour=False)


NO_COLOUR = click.Option(
    ["--no-color"], is_flag=True, expose_value=False, callback=_without_colour,
    help="No colours on a terminal, as with NO_COLOR in the environment.",
)  # fmt: skip


class LazyGroup(click.Group):
    """A group that knows its commands' names and summaries without importing them."""

    debug = False

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command, also where standard output or standard error was closed."""
        with open_streams():
            return super().main(*args, **kwargs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words of the command, none of which is a file that a pattern of the shell made an option."""
        message_lines.set_form(args)
        for word in args[: args.index("--")] if "--" in args else args:
            if word.startswith("-") and word != "-" and os.path.lexists(word):
                raise click.UsageError(
                    f"{word!r} is an option, and a file of this folder; for the file type ./{word}, or -- "
                    "before the files; for the option rename the file"
                )
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"doxeval.cli.{cmd_name}_command").command
        _equip(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            ctx.fail(f"unknown command {args[0]!r}{nearest(args[0], COMMANDS)}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            ctx.obj = click.Context(command, info_name=name, parent=ctx)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what is wrong with its words is its error, also where click does not say so."""
        try:
            return super().invoke(ctx)
        except click.UsageError as problem:
            problem.ctx = problem.ctx or ctx.obj
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, commands in COMMAND_GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in commands.items()])


def _equip(command: click.Command) -> None:
    """Give a command, or those of a group, the options that all have, and the project file."""
    if NO_COLOUR in command.params:
        return
    command.params.append(NO_COLOUR)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _equip(inner)
        return
    command.params.append(NO_CONFIG)
    assert command.callback is not None
    command.callback = _reading_once(heeding_project(guarding_inputs(_telling(command.callback))))


def _reading_once(callback: Callable[..., Any]) -> Callable[..., Any]:
    """A command to which a pipe gives the same bytes each time."""

    @wraps(callback)
    def reading(**given: Any) -> Any:
        from doxeval.io.inputs import reading_once

        with reading_once():
            return callback(**given)

    return reading


def _telling(callback: Callable[..., Any]) -> Callable[..., Any]:
    """A command that tells what takes long, unless it is quiet."""

    @wraps(callback)
    def told(**given: Any) -> Any:
        with telling(quiet=bool(given.get("quiet"))):
            return callback(**given)

    return told


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from doxeval.core.version import __version__
        from doxeval.kernels import compiled

        kernels = (
            "compiled kernels" if compiled() else "plain Python kernels (slow: no C compiler at install)"
        )
        click.echo(f"doxeval {__version__}, {kernels}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version,
    help="Print the version and whether the kernels are compiled.",
)  # fmt: skip
@option("--max-line SIZE", "Longest line allowed in an input file (64M).")
@option("--max-unpacked SIZE", "Largest size a compressed input file may unpack to (64G).")
@option("--max-ratio NUMBER", "Largest ratio of unpacked to compressed size (200).")
@option("--max-whole SIZE", "Score run files larger than this a few topics at a time (512M).")
@option(
    "--errors", "Print errors, warnings and notes as text, or as JSON Lines.", "text", of=message_lines.FORMS
)
@option("--debug", "Show a traceback when a command fails.")
@click.pass_context
def group(ctx: click.Context, /, debug: bool, errors: str, **limits: str | None) -> None:
    """Score retrieval systems that return parts of documents: elements, passages, chunks, subtrees."""
    ctx.with_resource(warnings.catch_warnings())
    warnings.simplefilter("ignore", DoxevalWarning)  # commands print the notices of their results
    seen = standard_output()
    ctx.with_resource(shown_on(seen))
    ctx.terminal_width = max(min(seen.width or 80, 80) - 2, 50)  # click's rule, without importing shutil
    group.debug = debug
    for name, text in limits.items():
        if text is not None:
            from doxeval.extend import set_limit

            set_limit(name.removeprefix("max_"), text)


def main() -> None:
    """Run the command line, also where standard output or standard error was closed."""
    fill_descriptors()
    with open_streams():
        _main()


def _main() -> None:
    """Run a command. Errors are reported in one paragraph, never as a traceback."""
    output = sys.stdout
    try:
        group.main(standalone_mode=False)
    except click.ClickException as problem:
        _fail(f"error: {_told(problem)}", problem.exit_code, "UsageError")
    except (click.Abort, KeyboardInterrupt):
        told = f"interrupted; {work_kept().decode()}"
        say(f"error: {told}" if message_lines.form == "json" else told, err=True, status=INTERRUPTED)
        sys.exit(INTERRUPTED)
    except DoxevalError as problem:
        _fail(f"error: {problem}", FAILURE, type(problem).__name__)
    except MemoryError:
        told = "error: not enough memory; --max-whole SIZE scores large runs in smaller pieces"
        _fail(told, FAILURE, "MemoryError")
    except SystemExit:
        if sys.stdout is not output:
            sys.exit(READER_GONE)
        raise
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(READER_GONE)
    except OSError as problem:
        told = f"error: {problem.filename or 'output'}: {problem.strerror or problem}"
        say(told, err=True, status=FAILURE, kind="OSError")
        os._exit(FAILURE)
    except BaseException as problem:
        from shlex import join

        from doxeval.core.errors import PlugInFailed, is_failure, on_one_line, plug_in_of

        if not is_failure(problem):
            raise
        if plug_in := plug_in_of(problem):
            _fail(f"error: {PlugInFailed(plug_in, on_one_line(problem))}", FAILURE, "PlugInFailed")
        _fail(
            f"error: this is a bug in doxeval, please report it: {on_one_line(problem)}, at: "
            f"doxeval {join(sys.argv[1:])} (doxeval --debug ... shows where)",
            DEFECT,
            "Defect",
        )


def _told(problem: click.ClickException) -> str:
    """The message of click, in the form of all other errors, with the command whose help explains it."""
    text = problem.format_message().rstrip(".")
    context = getattr(problem, "ctx", None)
    where = context.command_path if context is not None else "doxeval"
    return f"{text[:1].lower()}{text[1:]} ('{where} --help' explains)"


def _fail(message: str, status: int, kind: str) -> NoReturn:
    """Print what went wrong and exit; with a traceback if one was asked for."""
    if group.debug:
        import traceback

        traceback.print_exc()
    say(message, err=True, status=status, kind=kind)
    sys.exit(status)
