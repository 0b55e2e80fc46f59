"""Trajectories of SWE-agent: `.traj` files, one topic each, or a folder of them as one run.

A file is ``{"environment", "trajectory": [{"action", "observation", "state", ...}], "info"}``. After `open`,
`goto`, `scroll_down`, `scroll_up`, `create` and `edit` an observation prints a window of the open file, with
its path, its number of lines and numbered lines: these are what was shown. An edit that is refused prints the
file as it would have been, which is no window, and the file as it is. Paths lose the folder of the checkout.
What other commands print is not counted as shown; the files that searches list are `named`. Files that the
agent created, and lines that it wrote, are its own text; lines after an edit are those of the file before it.
Tested with files of versions 0.x, which state no amounts by step; `execution_time` of later ones is read.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.values import is_number, is_text
from doxeval.io.formats.changed_files import OWN, UNTRACED, ChangedFile, Window, line_ranges
from doxeval.io.formats.columns import Rows, columns_from_dicts
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.step_lines import build_trajectory
from doxeval.io.json_text import json_at
from doxeval.io.source import Source
from doxeval.tables.runs import Run

SUFFIX = ".traj"
BEGINS = re.compile(
    rb'"trajectory"\s*:\s*\[\s*(?:\]|\{\s*"(?:action|observation|response|state|thought|query)")'
)
WINDOW = re.compile(
    r"^\[File: (?P<path>\S+) \((?P<total>\d+) lines total\)\]\n"
    r"(?:\([^\n]*more lines above\)\n)?(?P<lines>(?:\d+:[^\n]*(?:\n|\Z))+)",
    re.MULTILINE,
)
INSTANCE = re.compile(r"[\w.-]+__[\w.-]+-\d+")
REFUSED, UNCHANGED = (
    "Your proposed edit has introduced new syntax error",
    "This is the original code before your edit",
)
EDIT = re.compile(r"edit\s+(\d+):(\d+)[^\n]*\n(.*?)^end_of_edit", re.DOTALL | re.MULTILINE)
ACTIONS = {
    "find_file": "search", "search_dir": "search", "search_file": "search", "grep": "search", "rg": "search",
    "find": "search", "ls": "search", "open": "open", "goto": "read", "scroll_down": "read",
    "scroll_up": "read", "edit": "edit", "submit": "answer",
}  # fmt: skip
ARGUMENT = re.compile(r"\s+(?:\"([^\"]*)\"|'([^']*)'|([^\s-]\S*))")
LISTED = re.compile(r"^(/\S+?)(?: \(\d+ matches?\))?$", re.MULTILINE)
SEARCHED = re.compile(r"^Found \d+ matches .* in (/\S+):$", re.MULTILINE)
PRINTED = re.compile(r"^(\.{0,2}[\w/+-][\w./+-]*?)(?::.*)?$", re.MULTILINE)


def sniff(head: bytes) -> bool:
    """A JSON object with a list of actions and observations."""
    return head.startswith(b"{") and bool(BEGINS.search(head))


def read(source: Source, options: Options) -> Run:
    """Read one file."""
    return _run_of([source], source.name, options.named_after(source))


def read_folder(sources: list[Source], folder: Source, options: Options) -> Run:
    """Read the files of a folder as one run, with a topic each."""
    return _run_of(sources, folder.name, options)


def _run_of(sources: list[Source], name: str, options: Options) -> Run:
    notices, rows, topics = Notices(), list[dict[str, Any]](), dict[str, str]()
    for source in sources:
        with source:
            whole = json_at(source.name, source.read())
        if not isinstance(whole, dict) or not isinstance(whole.get("trajectory"), list):
            raise InputError(f"{source.name}: expected an object with a list 'trajectory' (SWE-agent)")
        topic = _topic(whole, source)
        if topic in topics:
            raise InputError(
                f"{source.name}: has the topic {topic!r}, as {topics[topic]} has; one file a topic"
            )
        topics[topic] = source.name
        rows += _Reading(topic, source.name, notices, options.verbatim).rows(whole["trajectory"])
    rows = rows or [{"topic": topic, "step": None, "action": None} for topic in topics]
    return build_trajectory(Rows(len(rows), columns_from_dicts(rows), name, notices=notices), options)


def _topic(whole: dict[str, Any], source: Source) -> str:
    """The instance: named by the environment or the information, or else by the file."""
    info = whole.get("info")
    told = [whole.get("environment"), info.get("instance_id") if isinstance(info, dict) else None]
    found = (name for name in told if isinstance(name, str) and is_text(name) and INSTANCE.fullmatch(name))
    return next(found, source.stem)


class _Reading:
    """One trajectory, turn by turn: the files as they are by now, those made by the agent, and its steps."""

    def __init__(self, topic: str, name: str, notices: Notices, verbatim: bool) -> None:
        self.topic, self.name, self.notices, self.verbatim = topic, name, notices, verbatim
        self.files: dict[str, ChangedFile] = {}
        self.own: set[str] = set()

    def rows(self, turns: list[Any]) -> list[dict[str, Any]]:
        """The steps as lines of the native form; turns that are none are refused, and keep their number."""
        found, wrong = [], []
        for number, turn in enumerate(turns, start=1):
            if not isinstance(turn, dict) or not all(
                isinstance(turn.get(key) or "", str) for key in ("action", "observation")
            ):
                wrong.append(number)
            else:
                found.append({"topic": self.topic, "step": number} | self._step(turn))
        self.notices.add_each(
            "{count} {turn|turns} refused, expected an object with 'action' and 'observation'",
            wrong,
            lambda number: f"{self.name}: turn {number}",
        )
        return found or [{"topic": self.topic}]

    def _step(self, turn: dict[str, Any]) -> dict[str, Any]:
        command, seen = (turn.get("action") or "").strip(), turn.get("observation") or ""
        word = command.split(None, 1)[0] if command else ""
        refused = word == "edit" and seen.startswith(REFUSED)
        windows = list(windows_in(seen.partition(UNCHANGED)[2] if refused else seen))
        step: dict[str, Any] = {"action": ACTIONS.get(word, "other")}
        seconds = turn.get("execution_time")
        if seconds is not None and is_number(seconds) and seconds >= 0:
            step["seconds"] = seconds
        if word == "create":
            self.own |= {window.file for window in windows}
        if word == "edit" and not refused:
            step |= self._used(command, windows)
        shown = [place for window in windows if (place := self._place(window))]
        if shown:
            step["printed" if word == "edit" else "shown"] = shown
        if step["action"] == "search":
            step |= self._searched(word, command, seen, turn.get("state"))
        if seen.strip() and not windows and word not in ("edit", "submit"):
            self.notices.add(
                "{count} {observation of another command is|observations of other commands are} not counted "
                "as text shown (listings, searches, programs)",
                harmless=True,
                lasting=True,
            )
        return step

    def _used(self, command: str, windows: list[Window]) -> dict[str, Any]:
        """The lines that an accepted edit replaces, as they were before any edit."""
        edited, match = [window for window in windows if window.file not in self.own], EDIT.match(command)
        if not edited:
            return {}
        file, total = edited[0].file, edited[0].total
        if match is None or file not in self.files:
            self.files[file] = ChangedFile(total, [UNTRACED] * total)
            return {"doc": file, "own": "\n"}
        first, last, lines = int(match[1]), int(match[2]), match[3].split("\n")[:-1]
        ranges = line_ranges(self.files[file].edit(max(first, 1), last, lines, total))
        return {"doc": file, "lines": ranges} if ranges else {"doc": file, "own": match[3] or "\n"}

    def _place(self, window: Window) -> dict[str, Any]:
        """The place that a window shows; empty if it is left out."""
        file, whole = window.file, {"doc": window.file, "lines": [[window.first, window.last]]}
        if file in self.own:
            return {} if self.verbatim else {"doc": file, "own": _text(window.lines)}
        if file not in self.files:
            self.files[file] = ChangedFile(window.total)
        origin = self.files[file].show(window)
        if self.verbatim or origin is None:
            return whole
        own = [line for line, at in zip(window.lines, origin, strict=True) if at == OWN]
        if lost := origin.count(UNTRACED):
            self.notices.add(
                "{count} {line|lines} shown of files that were changed in an unknown way {is|are} left out",
                f"{self.name}: {file}",
                count=lost,
                lasting=True,
            )
        ranges = line_ranges(origin)
        return (
            ({"doc": file} if ranges or own else {})
            | ({"lines": ranges} if ranges else {})
            | ({"own": _text(own)} if own else {})
        )

    def _searched(self, word: str, command: str, seen: str, state: Any) -> dict[str, Any]:
        """The words of a search, and the files that it lists."""
        arguments = [next(filter(None, found), "") for found in ARGUMENT.findall(command.partition("\n")[0])]
        folder = _working_folder(state)
        if word in ("find_file", "search_dir"):
            paths = LISTED.findall(seen)
        elif word == "search_file":
            paths = SEARCHED.findall(seen)
        else:
            base = posixpath.join(folder, arguments[-1]) if word == "ls" and arguments else folder
            paths = [posixpath.join(base, path) for path in PRINTED.findall(seen)]
        names = dict.fromkeys(name for path in paths if (name := _in_checkout(path)) and name not in self.own)
        return ({"query": arguments[0]} if arguments else {}) | ({"named": list(names)} if names else {})


def windows_in(text: str) -> Iterator[Window]:
    """The windows that an observation prints: as many lines as are numbered one after the other."""
    for match in WINDOW.finditer(text) if "[File: " in text else ():
        numbered = match["lines"].removesuffix("\n")
        first, size = int(numbered.partition(":")[0]), numbered.count("\n") + 1
        if numbered.rpartition("\n")[2].partition(":")[0] != str(first + size - 1):
            numbers = (line.partition(":")[0] for line in numbered.split("\n"))
            size = next(at for at, number in enumerate(numbers) if number != str(first + at))
        yield Window(_in_checkout(match["path"]), int(match["total"]), first, size, numbered)


def _in_checkout(path: str) -> str:
    """A path without the folder of the checkout, which comes first."""
    return posixpath.normpath(path).strip("/").partition("/")[2]


def _working_folder(state: Any) -> str:
    """The folder in which a command ran; the top one if that is not told."""
    try:
        told = json.loads(state) if isinstance(state, str) else state
        folder = told["working_dir"]
    except (ValueError, KeyError, TypeError):
        return "/repository"
    return folder if isinstance(folder, str) else "/repository"


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


_OBSERVED = (
    "[File: /tea__tea/src/tea.py (9 lines total)]\\n(2 more lines above)\\n3:water = boil()\\n4:time = 3\\n"
    "(5 more lines below)\\n"
)
FORMAT = Format(
    name="swe-agent",
    kind="run",
    summary="SWE-agent: a .traj file, or a folder of them: windows shown, files named, lines edited",
    sniff=sniff,
    read=read,
    suffixes=(SUFFIX,),
    several=read_folder,
    priority=1,
    sample=(
        '{"environment": "tea__tea-1", "trajectory": [{"action": "open src/tea.py\\n", "observation": "'
        + _OBSERVED
        + '", "state": "{}"}, {"action": "submit\\n", "observation": ""}], "info": {}}\n'
    ).encode(),
)
