"""Sessions of Claude Code: JSON Lines with messages of the user and the assistant, one session in a file.

Tools are called by `tool_use` blocks and answer in `tool_result` blocks: `Read` shows numbered lines, `Grep`
matching lines or names, `Glob` and `LS` names; `Edit`, `MultiEdit` and `Write` change files, by the hunks in
`toolUseResult` or by the text they replace; `Bash` commands that print files show their lines
(:mod:`~doxeval.io.formats.shell_commands`). All other tools are steps that show nothing. The last words of
the assistant are the answer. Tokens are those of `usage`, of each message once; the steps of sub-agents in
the same file count.

Tested on files made after public descriptions and fixtures of versions 1.0 to 2.1; not on real sessions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from doxeval.io.formats.edited_files import LineHunk, hunks_between
from doxeval.io.formats.format import Options
from doxeval.io.formats.messages import content_text
from doxeval.io.formats.other_tools import ToolFile
from doxeval.io.formats.sessions import Session, each_record, session_format
from doxeval.io.formats.shown_text import ShownLines, files_named, matches_in, windows_in
from doxeval.io.formats.workbench import Workbench

RECORD_EXPECTED = "a message with its content"
USAGE = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
RECORDS = (b'"sessionId"', b'"session_id"')


def sniff(head: bytes) -> bool:
    """JSON objects of a session, with messages."""
    return any(_is_record(line) for line in head.split(b"\n")[:20])


def _is_record(line: bytes) -> bool:
    return (
        line.startswith(b"{")
        and any(key in line for key in RECORDS)
        and (b'"message"' in line and b'"content"' in line)
        and (b'"assistant"' in line or b'"user"' in line)
    )


def sessions_in(file: ToolFile, options: Options) -> Iterator[Session]:
    """The session in a file; none if it has no messages."""
    reading = _ClaudeSession(Workbench(file.source.name, file.notices, options.verbatim))
    each_record(file, reading.take, file.records(), RECORD_EXPECTED)
    if reading.messages:
        yield reading.finished()


class _ClaudeSession:
    """A session, record by record."""

    def __init__(self, bench: Workbench) -> None:
        self.bench, self.session = bench, Session(bench)
        self.calls: dict[str, tuple[dict[str, Any], str, Mapping[str, Any]]] = {}
        self.step_of_message: dict[str, dict[str, Any]] = {}
        self.messages = 0
        self.last_words = ""
        self.last_moment: Any = None

    def take(self, record: dict[str, Any]) -> None:
        """Take one record; those that are no messages say nothing."""
        if record.get("type") not in ("user", "assistant"):
            return
        message = record["message"]
        content = message["content"]
        self.messages += 1
        self.session.begin(record.get("timestamp"))
        self.bench.folder = self.bench.folder or str(record.get("cwd") or "")
        name = record.get("sessionId") or record.get("session_id")
        if isinstance(name, str) and name not in self.session.names:
            self.session.names.append(name)
        blocks = content if isinstance(content, list) else [{"type": "text", "text": str(content)}]
        if record["type"] == "assistant":
            self._said(message, blocks, record)
        else:
            self._answered(blocks, record)

    def _said(self, message: Mapping[str, Any], blocks: list[Any], record: Mapping[str, Any]) -> None:
        for block in blocks:
            if block.get("type") == "tool_use":
                step = self.session.step({"action": "other"})
                self.calls[str(block["id"])] = step, str(block["name"]), block.get("input") or {}
                self._spend(message, record, step)
                self.last_words = ""
            elif block.get("type") == "text" and str(block.get("text") or "").strip():
                self.last_words = str(block["text"])
                self.last_moment = record.get("timestamp")
                self.last_message = message, record

    def _spend(self, message: Mapping[str, Any], record: Mapping[str, Any], step: dict[str, Any]) -> None:
        """Add the tokens and the cost of a message to the first of its steps."""
        usage = message.get("usage") or {}
        tokens = [usage[name] for name in USAGE if isinstance(usage.get(name), int) and usage[name] >= 0]
        step = self.step_of_message.setdefault(str(message.get("id") or id(message)), step)
        if tokens:
            step["tokens"] = max(sum(tokens), step.get("tokens", 0))
        cost = record.get("costUSD")
        if isinstance(cost, int | float) and cost >= 0:
            step["cost"] = cost

    def _answered(self, blocks: list[Any], record: Mapping[str, Any]) -> None:
        for block in blocks:
            if block.get("type") == "tool_result" and str(block.get("tool_use_id")) in self.calls:
                step, name, given = self.calls.pop(str(block["tool_use_id"]))
                text = content_text(block.get("content") or "")
                held = record.get("toolUseResult") or record.get("tool_use_result")
                failed = bool(block.get("is_error"))
                keys = self._keys(
                    name, given, "" if failed else text, held if isinstance(held, Mapping) else {}, failed
                )
                self.session.fill(step, keys, record.get("timestamp"))
            elif block.get("type") == "text" and not record.get("isMeta") and not record.get("isSidechain"):
                words = str(block.get("text") or "")
                if not words.lstrip().startswith("<"):
                    self.session.ask(words)

    def _keys(
        self, name: str, given: Mapping[str, Any], text: str, held: Mapping[str, Any], failed: bool
    ) -> dict[str, Any]:
        """The step that a call of a tool is."""
        path = str(given.get("file_path") or given.get("notebook_path") or given.get("path") or "")
        if name in ("Read", "NotebookRead"):
            return {"action": "read"} | self._shown(
                self.bench.shown(path, [] if failed else _windows(given, text, held))
            )
        if name in ("Grep", "Glob", "LS"):
            return self._searched(given, path, text)
        if name in ("Edit", "MultiEdit", "Write", "NotebookEdit"):
            return {"action": "other"} if failed else self._changed(name, path, given, held)
        if name == "Bash":
            return self.bench.command(str(given.get("command") or ""), text)
        if text.strip():
            self.bench.note_not_shown()
        return {"action": "other"}

    def _shown(self, places: list[Any]) -> dict[str, Any]:
        return {"shown": places} if places else {}

    def _searched(self, given: Mapping[str, Any], path: str, text: str) -> dict[str, Any]:
        matches = matches_in(text)
        if not matches and path and given.get("output_mode") == "content":
            lines = [line for window in windows_in(text) for line in range(window.first, window.last + 1)]
            matches = {path: lines} if lines else {}
        names = [] if matches else files_named(text)
        words = str(given.get("pattern") or "")
        return (
            {"action": "search"}
            | ({"query": words} if words else {})
            | self._shown(self.bench.matched(matches))
            | self.bench.named(names)
        )

    def _changed(
        self, name: str, path: str, given: Mapping[str, Any], held: Mapping[str, Any]
    ) -> dict[str, Any]:
        hunks = _hunks(held.get("structuredPatch"))
        before, after = held.get("originalFile"), given.get("content")
        if not hunks and name == "Write" and isinstance(before, str) and isinstance(after, str):
            hunks = hunks_between(before, after)
        if hunks:
            return self.bench.edited(path, hunks)
        if name == "Write":
            existed = held.get("type") == "update" or (not held and self.bench.doc(path) in self.bench.files)
            return self.bench.written(path, existed)
        edits = given.get("edits") if isinstance(given.get("edits"), list) else [given]
        found: dict[str, Any] = {"action": "edit"}
        for edit in edits or ():
            found = self.bench.replaced(
                path, str(edit.get("old_string") or ""), str(edit.get("new_string") or "")
            )
        return found

    def finished(self) -> Session:
        """The session with its answer."""
        if self.last_words:
            step = self.session.step({"action": "answer"}, self.last_moment)
            self._spend(*self.last_message, step)
        return self.session


def _windows(given: Mapping[str, Any], text: str, held: Mapping[str, Any]) -> list[ShownLines]:
    """The lines that `Read` shows: the file in its result, numbered lines, or lines from its offset on."""
    file = held.get("file")
    if isinstance(file, Mapping) and isinstance(file.get("content"), str):
        first = file.get("startLine")
        lines = file["content"].removesuffix("\n").split("\n")
        return (
            [ShownLines(first if isinstance(first, int) and first > 0 else 1, lines)]
            if file["content"]
            else []
        )
    found = windows_in(text)
    if found or not text.strip() or text.lstrip().startswith("<system-reminder>"):
        return found
    offset = given.get("offset")
    return [
        ShownLines(
            offset if isinstance(offset, int) and offset > 0 else 1, text.removesuffix("\n").split("\n")
        )
    ]


def _hunks(patch: Any) -> list[LineHunk]:
    """The hunks of a structured patch, with their places in the file as it is after the ones before."""
    found = []
    for hunk in patch if isinstance(patch, list) else ():
        lines = [str(line) for line in hunk.get("lines") or () if not str(line).startswith("\\")]
        if isinstance(hunk.get("newStart"), int) and lines:
            found.append(LineHunk(max(1, hunk["newStart"]), lines))
    return found


SAMPLE = (
    b'{"type": "user", "sessionId": "s1", "cwd": "/home/u/tea", "timestamp": "2026-01-05T10:00:00Z", '
    b'"message": {"role": "user", "content": "Why does it boil over?"}}\n'
    b'{"type": "assistant", "sessionId": "s1", "timestamp": "2026-01-05T10:00:02Z", "message": {"id": "m1", '
    b'"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": '
    b'{"file_path": "/home/u/tea/src/pot.py"}}], "usage": {"input_tokens": 90, "output_tokens": 10}}}\n'
    b'{"type": "user", "sessionId": "s1", "timestamp": "2026-01-05T10:00:03Z", "message": {"role": "user", '
    b'"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1\\tlid = 0\\n2\\theat = 9"}]}}\n'
)
FORMAT = session_format(
    "claude-code",
    "Claude Code: a session as JSON Lines, or a folder of them: lines shown, files named, lines edited",
    sniff,
    sessions_in,
    suffixes=(".jsonl",),
    sample=SAMPLE,
    broken=(
        b"{",
        b'{"type": "user", "sessionId": "s1", "message": {"role": "user"}}',
        b'{"type": "assistant", "sessionId": "s1", "message": {"role": "assistant", "content": [3]}}',
    ),
)
