"""Commands of a shell that print files: which lines of which file their output shows.

`cat`, `nl`, `head`, `tail -n +K`, `sed -n 'A,Bp'` and the like, alone or in a pipe, show lines that are known
from the command, or by their numbers. `grep -n`, `rg -n` and `git grep -n` show lines with their numbers;
`ls`, `find` and searches that list files name them. If several commands print, their outputs cannot be
told apart.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from dataclasses import dataclass, field
from typing import NamedTuple

from doxeval.io.formats.shown_text import ShownLines, files_named, is_file_name, matches_in, windows_in

SEPARATORS = (";", "&&", "||", "&", "\n")
SILENT = ("cd", "set", "export", "source", ".", "mkdir", "touch", "true", "pushd", "unset", "sleep")
SEARCHES = ("grep", "rg", "egrep", "fgrep", "ag", "ack", "git-grep")
LISTINGS = ("ls", "find", "fd", "tree", "git-ls-files", "rg-files")
READERS = ("cat", "nl", "head", "tail", "sed", "less", "more", "bat", "awk")
PRINTED_RANGE = re.compile(r"(\d+)(?:,(\d+|\$|\+\d+))?p")
RANGES = re.compile(r"(?:\d+(?:,(?:\d+|\$|\+\d+))?p;?\s*)+(?:\d+q;?)?")
AWK_RANGE = re.compile(r"NR\s*>=?\s*(\d+)\s*&&\s*NR\s*<=?\s*(\d+)")
CUT = re.compile(r"(?:\.\.\.|…|\[).*(?:truncated|omitted).*(?:\.\.\.|…|\])", re.IGNORECASE)
"""A line in place of output that was left out."""
LAST = 1 << 40


@dataclass
class Printed:
    """The output of a command: windows of one file, lines of files, names of files; `words` are those sought.

    `changed` are files that it changed in an unknown way, `written` those that it wrote anew. `known` says
    whether all of the output is accounted for.
    """

    file: str = ""
    windows: list[ShownLines] = field(default_factory=list)
    matches: dict[str, list[int]] = field(default_factory=dict)
    named: list[str] = field(default_factory=list)
    words: str = ""
    action: str = "other"
    changed: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    known: bool = False


class _Lines(NamedTuple):
    """The lines that reach a stage of a pipe: of a file, in ranges, perhaps with numbers in front.

    `shift` is added to the numbers printed.
    """

    file: str
    ranges: list[tuple[int, int]] | None
    numbered: bool = False
    shift: int = 0


def printed_by(command: str, output: str) -> Printed:
    """The output of a command, as far as it is understood."""
    if "<<" in command:
        return _written_by(command)
    pipes = _pipes_of(command)
    found = Printed()
    if pipes is None:
        return found
    folder, printing = "", []
    for pipe in pipes:
        if pipe[0][0] == "cd" and len(pipe[0]) == 2:
            folder = posixpath.join(folder, pipe[0][1])
        elif pipe[0][0] not in SILENT:
            printing.append(pipe)
    for pipe in printing:
        found.changed += [posixpath.join(folder, name) for name in _changed_by(pipe)]
        found.written |= {posixpath.join(folder, name): "" for name in _targets_of(pipe, ">")}
    if len(printing) == 1:
        _tell(printing[0], folder, output, found)
    return found


def _written_by(command: str) -> Printed:
    """A command with a text of its own: the file that it writes, if it is `cat > FILE <<END`."""
    match = re.search(
        r"(?:cat|tee)\s*(?:>\s*(\S+)\s*<<-?|<<-?\s*['\"]?\w+['\"]?\s*>\s*(\S+)|\s(\S+)\s*<<-?)", command
    )
    if match is None:
        return Printed()
    name = shlex.split(next(filter(None, match.groups())))[0]
    mark = re.search(r"<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n(.*?)^\s*\1\s*$", command, re.DOTALL | re.MULTILINE)
    return Printed(written={name: mark[2] if mark else ""}, known=True)


def _pipes_of(command: str) -> list[list[list[str]]] | None:
    """The commands of a line: pipes of stages of words; None if it cannot be taken apart."""
    try:
        one_line = command.replace("\\\n", " ").replace("\n", " ; ")
        lexer = shlex.shlex(one_line, posix=True, punctuation_chars=";&|<>")
        lexer.whitespace_split = True
        lexer.commenters = ""
        words = list(lexer)
    except ValueError:
        return None
    pipes: list[list[list[str]]] = [[[]]]
    for word in words:
        if word in SEPARATORS:
            pipes.append([[]])
        elif word in ("|", "|&"):
            pipes[-1].append([])
        else:
            pipes[-1][-1].append(word)
    return [[_plain(stage) for stage in pipe] for pipe in pipes if pipe[0]]


def _plain(stage: list[str]) -> list[str]:
    """The words of a stage without what is sent to /dev/null or joined with the output."""
    found: list[str] = []
    rest = iter(stage)
    for word in rest:
        if word in (">", ">>", ">&", "&>") and (target := next(rest, "")) in ("/dev/null", "1", "2", "&1"):
            if found and found[-1] in ("1", "2"):
                found.pop()
            continue
        if word in (">", ">>", ">&", "&>"):
            found += [word, target]
            continue
        found.append(word)
    if len(found) > 1 and found[0] == "git" and found[1] in ("grep", "ls-files"):
        found[:2] = [f"git-{found[1]}"]
    if found[:1] == ["rg"] and "--files" in found:
        found[0] = "rg-files"
    return found or [""]


def _changed_by(pipe: list[list[str]]) -> list[str]:
    """The files that a pipe changes where they are."""
    in_place = [
        word
        for stage in pipe
        if stage[0] in ("sed", "perl") and any(re.match(r"-\w*i|--in-place", word) for word in stage)
        for word in stage[2:]
        if is_file_name(word)
    ]
    return [*in_place, *_targets_of(pipe, ">>")]


def _targets_of(pipe: list[list[str]], sign: str) -> list[str]:
    """The files into which a pipe writes."""
    return [stage[at + 1] for stage in pipe for at, word in enumerate(stage[:-1]) if word == sign]


def _tell(pipe: list[list[str]], folder: str, output: str, found: Printed) -> None:
    """Add what a single pipe prints."""
    name, *arguments = pipe[0]
    if name in SEARCHES:
        _tell_matches(name, arguments, folder, output, found)
    elif name in LISTINGS:
        found.action, found.known = "search", True
        base = next((word for word in arguments if not word.startswith("-")), "") if name == "ls" else ""
        within = posixpath.join(folder, "" if is_file_name(base) else base)
        found.named = [posixpath.normpath(posixpath.join(within, file)) for file in files_named(output)]
    elif name in READERS and not found.changed and not found.written:
        lines = _source(name, arguments)
        for stage in pipe[1:]:
            lines = _filtered(lines, stage) if lines else None
        if lines and lines.file:
            found.file = posixpath.join(folder, lines.file)
            found.windows = _windows(lines, output)
            found.action = "read" if found.windows else "other"
            found.known = bool(found.windows) or not output.strip()


def _tell_matches(name: str, arguments: list[str], folder: str, output: str, found: Printed) -> None:
    found.action, found.known = "search", True
    plain = [word for word in arguments if not word.startswith("-")]
    found.words = plain[0] if plain else ""
    matches = matches_in(output)
    if not matches and len(plain) == 2 and is_file_name(plain[1]):
        numbers = re.findall(r"^(\d{1,9})[:-]", output, re.MULTILINE)
        matches = {plain[1]: [int(number) for number in numbers]} if numbers else {}
    found.matches = {posixpath.join(folder, file): lines for file, lines in matches.items()}
    if not matches:
        listed = [line.partition(":")[0] for line in output.split("\n")]
        names = dict.fromkeys(name for line in listed if is_file_name(name := line.strip()))
        found.named = [posixpath.join(folder, name) for name in names]
        found.known = not output.strip() or bool(names)


def _source(name: str, arguments: list[str]) -> _Lines | None:
    """The lines that the first command of a pipe reads from a file."""
    options, files = _options(name, arguments)
    if len(files) != 1 or files[0] in ("-", ">", "<"):
        return None
    everything = _Lines(files[0], [(1, LAST)])
    return _filtered(everything, [name, *options])


def _options(name: str, arguments: list[str]) -> tuple[list[str], list[str]]:
    """The options of a command, with their values, and its files."""
    options, files = [], list[str]()
    rest = iter(arguments)
    scripted = name in ("sed", "awk")
    for word in rest:
        if word in ("-n", "-c", "--lines") and name in ("head", "tail"):
            options += [word, next(rest, "")]
        elif word == "-e" and scripted:
            options.append(next(rest, ""))
            scripted = False
        elif word.startswith("-") or (name == "tail" and word.startswith("+")):
            options.append(word)
        elif scripted:
            options.append(word)
            scripted = False
        else:
            files.append(word)
    return options, files


def _filtered(lines: _Lines, stage: list[str]) -> _Lines | None:
    """The lines that a stage lets through; None if that is unknown."""
    name, *options = stage
    if name in ("cat", "nl", "less", "more", "bat"):
        numbering = name == "nl" or any(re.fullmatch(r"-[A-Za-z]*[nb]\w*", word) for word in options)
        if name == "nl" and not any("ba" in word or word == "a" for word in options):
            return None
        if not numbering or lines.numbered:
            return lines
        first = lines.ranges[0][0] if lines.ranges and len(lines.ranges) == 1 else 1
        return lines._replace(numbered=True, shift=first - 1)
    if name == "sed" and "-n" in options:
        script = next((word for word in options if RANGES.fullmatch(word.strip())), None)
        return None if script is None else _narrowed(lines, _ranges_of(script))
    if name == "awk" and (match := AWK_RANGE.fullmatch(" ".join(options).strip())):
        return _narrowed(lines, [(int(match[1]), int(match[2]))])
    if name == "head":
        return lines
    if name == "tail":
        start = next((word for word in options if re.fullmatch(r"(?:-n)?\+\d+", word)), "")
        if start:
            return _narrowed(lines, [(int(start.rpartition("+")[2]), LAST)])
        return lines if lines.numbered else lines._replace(ranges=None)
    if name in SEARCHES and lines.numbered:
        return lines
    return None


def _ranges_of(script: str) -> list[tuple[int, int]]:
    found = []
    for match in PRINTED_RANGE.finditer(script):
        first, last = int(match[1]), match[2] or match[1]
        end = LAST if last == "$" else first + int(last[1:]) if last.startswith("+") else int(last)
        found.append((max(1, first), end))
    return found


def _narrowed(lines: _Lines, ranges: list[tuple[int, int]]) -> _Lines | None:
    """The lines in some ranges of those that arrive."""
    if lines.numbered:
        return lines
    if lines.ranges is None or len(lines.ranges) != 1:
        return None
    shift = lines.ranges[0][0] - 1
    return lines._replace(ranges=[(first + shift, last + shift) for first, last in ranges])


def _windows(lines: _Lines, output: str) -> list[ShownLines]:
    """The windows that an output shows; what follows a place where it was cut is left out."""
    if lines.numbered:
        return [ShownLines(window.first + lines.shift, window.lines) for window in windows_in(output)]
    shown = output.removesuffix("\n").split("\n") if output else []
    shown = shown[: next((at for at, line in enumerate(shown) if CUT.search(line)), len(shown))]
    found = []
    for first, last in lines.ranges or ():
        size = min(len(shown), last - first + 1)
        if size > 0:
            found.append(ShownLines(first, shown[:size]))
            shown = shown[size:]
    return found
