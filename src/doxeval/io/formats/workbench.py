"""The view of an agent that works on files: the places that its tools show, name and change.

Lines are those of the files before the agent touched them: lines that it wrote, and files that it made, are
its own text; lines of a file that changed in an unknown way are left out and counted.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from typing import Any

from doxeval.core.notices import Notices
from doxeval.io.formats.changed_files import OWN, UNTRACED, line_ranges
from doxeval.io.formats.edited_files import EditedFile, LineHunk
from doxeval.io.formats.shell_commands import printed_by
from doxeval.io.formats.shown_text import Place, ShownLines

LINES_LOST = "{count} {line|lines} shown of files that were changed in an unknown way {is|are} left out"
NOT_SHOWN = (
    "{count} {observation of another command|observations of other commands} {is|are} not counted as text "
    "shown (listings, searches, programs)"
)
CHECKOUT = re.compile(r"/(?:testbed|workspace/[^/]*__[^/]*)(?:/|$)")
"""Folders in which benchmarks put the files of a task."""
UNTOLD = "\n"
"""The own text of an edit whose place is unknown."""


class Workbench:
    """The files of one session, as they are by now. Names of files lose the folder in which it works."""

    def __init__(self, name: str, notices: Notices, verbatim: bool) -> None:
        self.name, self.notices, self.verbatim = name, notices, verbatim
        self.folder = ""
        self.files: dict[str, EditedFile] = {}
        self.own: set[str] = set()

    def doc(self, path: str) -> str:
        """The name of a file: its path in the folder of the session, or of the checkout."""
        path = posixpath.normpath(path.replace("\\", "/")) if path else ""
        folder = self.folder.rstrip("/")
        if folder and path.startswith(f"{folder}/"):
            return path[len(folder) + 1 :]
        match = CHECKOUT.match(path)
        return path[match.end() :] if match else path.removeprefix("/workspace/")

    def shown(self, path: str, windows: Iterable[ShownLines]) -> list[Place]:
        """The places that windows of a file show: lines of the file before, and own text."""
        doc = self.doc(path)
        found: list[Place] = []
        for window in windows:
            if doc in self.own:
                found += [] if self.verbatim else [{"doc": doc, "own": _text(window.lines)}]
                continue
            file = self.files.setdefault(doc, EditedFile())
            origin = file.show(window.first, window.lines)
            if self.verbatim:
                found.append({"doc": doc, "lines": [[window.first, window.last]]})
            elif place := self._place(doc, window.lines, origin):
                found.append(place)
        return found

    def _place(self, doc: str, lines: list[str], origin: list[int]) -> Place:
        if lost := origin.count(UNTRACED):
            self.notices.add(LINES_LOST, f"{self.name}: {doc}", count=lost, lasting=True)
        ranges = line_ranges(origin)
        own = [line for line, at in zip(lines, origin, strict=True) if at == OWN]
        place: Place = ({"lines": ranges} if ranges else {}) | ({"own": _text(own)} if own else {})
        return {"doc": doc} | place if place else {}

    def edited(self, path: str, hunks: list[LineHunk] | None) -> dict[str, Any]:
        """An edit: the lines of before that it replaces; without hunks its place is unknown."""
        doc = self.doc(path)
        if doc in self.own:
            return {"action": "edit"}
        file = self.files.setdefault(doc, EditedFile())
        if hunks is None:
            file.lose()
        removed = None if hunks is None else file.edit(hunks)
        ranges = line_ranges(removed or [])
        own = _text(line for hunk in hunks or () for line in hunk.added) or UNTOLD
        return {"action": "edit", "doc": doc} | ({"lines": ranges} if ranges else {"own": own})

    def replaced(self, path: str, old: str, new: str) -> dict[str, Any]:
        """An edit that replaces a text, which is looked for among the lines shown."""
        file = self.files.get(self.doc(path), EditedFile())
        hunk = file.hunk_for(old, new)
        return self.edited(path, None if hunk is None else [hunk])

    def inserted(self, path: str, first: int, lines: list[str]) -> dict[str, Any]:
        """An edit that only adds lines, the first of them at some line."""
        return self.edited(path, [LineHunk(max(1, first), [f"+{line}" for line in lines])])

    def written(self, path: str, existed: bool) -> dict[str, Any]:
        """A file written as a whole: the agent's own if there was none, else changed in an unknown way."""
        doc = self.doc(path)
        if existed and doc not in self.own:
            return self.edited(path, None)
        self.own.add(doc)
        return {"action": "edit"}

    def command(self, command: str, output: str, folder: str = "") -> dict[str, Any]:
        """A command in a shell and what it printed, as a step."""
        printed = printed_by(command, output)
        at = posixpath.join(self.folder, folder)
        edits = [self.edited(posixpath.join(at, path), None) for path in printed.changed]
        for path in printed.written:
            path = posixpath.join(at, path)
            edits.append(self.written(path, self.doc(path) in self.files))
        if edits:
            places = [{key: edit[key] for key in edit if key != "action"} for edit in edits if "doc" in edit]
            return {"action": "edit"} | ({"shown": places} if places else {})
        if output.strip() and not printed.known:
            self.note_not_shown()
        keys: dict[str, Any] = {"action": printed.action}
        if printed.action == "search" and printed.words:
            keys["query"] = printed.words
        places = self.shown(posixpath.join(at, printed.file), printed.windows) if printed.file else []
        places += self.matched({posixpath.join(at, name): lines for name, lines in printed.matches.items()})
        keys |= {"shown": places} if places else {}
        return keys | self.named(posixpath.join(at, name) for name in printed.named)

    def matched(self, matches: dict[str, list[int]]) -> list[Place]:
        """The lines of files that a search printed."""
        found = []
        for path, numbers in matches.items():
            doc = self.doc(path)
            if doc in self.own:
                continue
            file = self.files.get(doc, EditedFile())
            origin = [at for number in numbers for at in file.origins(number, 1) if at != OWN]
            if place := self._place(doc, [""] * len(origin), origin):
                found.append(place)
        return found

    def named(self, paths: Iterable[str]) -> dict[str, Any]:
        """The documents that a search only lists."""
        names = dict.fromkeys(name for path in paths if (name := self.doc(path)) and name not in self.own)
        return {"named": list(names)} if names else {}

    def note_not_shown(self) -> None:
        """Count an output that is no text of documents."""
        self.notices.add(NOT_SHOWN, harmless=True, lasting=True)


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
