"""Sessions of Codex: rollout files, JSON Lines with a `payload` each, or with the items alone (older ones).

`function_call` items of `shell`, `shell_command` and `exec_command` run commands: those that print files show
their lines (:mod:`~doxeval.io.formats.shell_commands`). `apply_patch`, as a call or within a command, changes
files: its hunks have no line numbers, so that they are looked for among the lines shown before. `read_file`,
`grep_files` and `list_dir` read and search. All other calls are steps that show nothing. Tokens are those of
`token_count` events, seconds those between the times of records.

Tested on files made after public descriptions and fixtures of versions 0.46 to 0.135; not on real sessions.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from doxeval.io.formats.edited_files import LineHunk
from doxeval.io.formats.format import Options
from doxeval.io.formats.messages import content_text
from doxeval.io.formats.nested_values import json_inside
from doxeval.io.formats.other_tools import ToolFile
from doxeval.io.formats.sessions import Session, each_record, session_format
from doxeval.io.formats.shown_text import files_named, matches_in, windows_in
from doxeval.io.formats.workbench import Workbench

RECORD_EXPECTED = "a record of a session, with its payload"
CALLS = ("function_call", "custom_tool_call", "local_shell_call")
OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
SHELLS = ("shell", "shell_command", "exec_command", "container.exec", "local_shell", "exec")
WRAPPED = re.compile(r"(?:[^\n]*\n){0,8}?Output:\n")
"""Lines in front of what a command printed."""
EXIT_CODE = re.compile(r"(?:exited with code|Exit code:)\s*(-?\d+)")
NOT_ASKED = ("<", "# AGENTS.md instructions")
"""The beginnings of user messages that the program itself writes."""
PATCH = re.compile(r"\*\*\* Begin Patch\n(.*?)\n\*\*\* End Patch", re.DOTALL)
PATCH_FILE = re.compile(r"\*\*\* (Update|Add|Delete) File: (.+)")


def sniff(head: bytes) -> bool:
    """Records of a rollout, or items with a session's first line."""
    lines = [line for line in head.split(b"\n")[:20] if line.startswith(b"{")]
    if any(b'"payload"' in line and b'"type"' in line for line in lines):
        return any(key in head for key in (b'"session_meta"', b'"response_item"', b'"turn_context"'))
    first = lines[0] if lines else b""
    return b'"instructions"' in first and b'"id"' in first and b'"timestamp"' in first


def sessions_in(file: ToolFile, options: Options) -> Iterator[Session]:
    """The session in a file."""
    reading = _CodexSession(Workbench(file.source.name, file.notices, options.verbatim))
    each_record(file, reading.take, file.records(), RECORD_EXPECTED)
    if reading.items:
        yield reading.finished()


class _CodexSession:
    """A session, record by record."""

    def __init__(self, bench: Workbench) -> None:
        self.bench, self.session = bench, Session(bench)
        self.calls: dict[str, tuple[dict[str, Any], str, Any]] = {}
        self.unpaid: dict[str, Any] | None = None
        self.items = 0
        self.last_words = ""
        self.last_moment: Any = None

    def take(self, record: dict[str, Any]) -> None:
        """Take one record."""
        kind, moment = record.get("type"), record.get("timestamp")
        payload: Mapping[str, Any] = record
        if kind in ("session_meta", "response_item", "event_msg", "turn_context", "compacted"):
            payload = record["payload"]
            if not isinstance(payload, Mapping):
                raise ValueError(f"found {type(payload).__name__} as payload")
        self.session.begin(moment)
        self.items += 1
        item = payload.get("type")
        if kind == "session_meta" or (kind is None and "instructions" in record):
            self.bench.folder = str(payload.get("cwd") or self.bench.folder)
            self.session.names += [str(payload["id"])] if payload.get("id") else []
        elif kind == "turn_context":
            self.bench.folder = self.bench.folder or str(payload.get("cwd") or "")
        elif kind == "event_msg" and item == "user_message":
            self._asked(str(payload.get("message") or ""))
        elif kind == "event_msg" and item == "token_count":
            self._spend(payload.get("info") or {})
        elif item == "message":
            self._message(payload, moment)
        elif item in CALLS:
            self._called(payload)
        elif item in OUTPUTS:
            self._answered(payload, moment)

    def _asked(self, words: str) -> None:
        if words.strip() and not words.lstrip().startswith(NOT_ASKED):
            self.session.ask(words)

    def _message(self, payload: Mapping[str, Any], moment: Any) -> None:
        blocks = payload.get("content") or []
        texts = [content_text(block) for block in blocks] if isinstance(blocks, list) else [str(blocks)]
        if payload.get("role") == "assistant":
            self.last_words, self.last_moment = "\n".join(texts), moment
        elif payload.get("role") == "user":
            for text in texts:
                self._asked(text)

    def _called(self, payload: Mapping[str, Any]) -> None:
        key = {"custom_tool_call": "input", "local_shell_call": "action"}.get(payload["type"], "arguments")
        given = payload.get(key)
        name = str(payload.get("name") or payload["type"].removesuffix("_call"))
        step = self.session.step({"action": "other"})
        self.unpaid = self.unpaid or step
        self.calls[str(payload.get("call_id") or payload.get("id") or "")] = step, name, json_inside(given)
        self.last_words = ""

    def _answered(self, payload: Mapping[str, Any], moment: Any) -> None:
        call = self.calls.pop(str(payload.get("call_id") or ""), None)
        if call is not None:
            step, name, given = call
            text, failed = _output(payload.get("output"))
            self.session.fill(step, self._keys(name, given, text, failed), moment)

    def _keys(self, name: str, given: Any, text: str, failed: bool) -> dict[str, Any]:
        arguments = given if isinstance(given, Mapping) else {}
        command, folder = _command(arguments if arguments else given)
        patch = PATCH.search(
            given if isinstance(given, str) else command or str(arguments.get("input") or "")
        )
        if patch and (name == "apply_patch" or "apply_patch" in command):
            return {"action": "other"} if failed else self._patched(patch[1], folder)
        if name in SHELLS:
            return self.bench.command(command, "" if failed else text, folder)
        path = str(arguments.get("file_path") or arguments.get("path") or arguments.get("dir_path") or "")
        if name == "read_file":
            places = [] if failed else self.bench.shown(path, windows_in(text))
            return {"action": "read"} | ({"shown": places} if places else {})
        if name in ("grep_files", "list_dir"):
            words, places = str(arguments.get("pattern") or ""), self.bench.matched(matches_in(text))
            keys = {"action": "search"} | ({"query": words} if words else {})
            return keys | ({"shown": places} if places else {}) | self.bench.named(files_named(text))
        if text.strip():
            self.bench.note_not_shown()
        return {"action": "other"}

    def _patched(self, patch: str, folder: str) -> dict[str, Any]:
        """A patch as one step that uses the lines it replaces in every file."""
        places = []
        for part in re.split(r"^(?=\*\*\* (?:Update|Add|Delete) File: )", patch, flags=re.MULTILINE):
            match = PATCH_FILE.match(part)
            if match is None:
                continue
            path = (
                f"{folder.rstrip('/')}/{match[2].strip()}"
                if folder and match[2][:1] != "/"
                else match[2].strip()
            )
            path = path if path.startswith("/") or not self.bench.folder else f"{self.bench.folder}/{path}"
            if match[1] == "Add":
                keys = self.bench.written(path, existed=False)
            else:
                hunks = _hunks(part.partition("\n")[2]) if match[1] == "Update" else []
                keys = self.bench.edited(path, hunks or None)
            places += (
                [{key: value for key, value in keys.items() if key != "action"}] if "doc" in keys else []
            )
        return {"action": "edit"} | ({"shown": places} if places else {})

    def _spend(self, info: Mapping[str, Any]) -> None:
        """Give the tokens of the last call of the model to the first step that it made."""
        last = info.get("last_token_usage") or {}
        total = last.get("total_tokens")
        if not isinstance(total, int):
            total = sum(
                value
                for name in ("input_tokens", "output_tokens")
                if isinstance(value := last.get(name), int)
            )
        if self.unpaid is not None and total > 0:
            self.unpaid["tokens"] = total
        elif total > 0:
            self.tokens_left = total
        self.unpaid = None

    tokens_left = 0

    def finished(self) -> Session:
        """The session with its answer."""
        if self.last_words.strip():
            paid = {"tokens": self.tokens_left} if self.tokens_left else {}
            self.session.step({"action": "answer"} | paid, self.last_moment)
        return self.session


def _command(given: Any) -> tuple[str, str]:
    """The command that a call runs, and its folder."""
    if not isinstance(given, Mapping):
        return (given if isinstance(given, str) else ""), ""
    command = given.get("command", given.get("cmd"))
    folder = given.get("workdir") or given.get("working_directory") or ""
    if isinstance(command, list):
        words = [str(word) for word in command]
        is_shell = len(words) == 3 and words[1] in ("-lc", "-c")
        command = words[2] if is_shell else shlex.join(words)
    return str(command or ""), str(folder)


def _output(output: Any) -> tuple[str, bool]:
    """The text that a call returned, without what is in front of it, and whether it failed."""
    inside = json_inside(output)
    if isinstance(inside, Mapping) and "output" in inside:
        told = inside.get("metadata")
        code = told.get("exit_code") if isinstance(told, Mapping) else 0
        return str(inside["output"]), bool(code)
    if isinstance(inside, Mapping) and "content" in inside:
        return content_text(inside["content"]), inside.get("success") is False
    text = output if isinstance(output, str) else content_text(inside)
    match = WRAPPED.match(text)
    if match is None:
        return text, False
    code = EXIT_CODE.search(match[0])
    return text[match.end() :], bool(code and code[1] != "0")


def _hunks(text: str) -> list[LineHunk]:
    """The hunks of a file in a patch: their places are unknown."""
    found: list[LineHunk] = []
    for line in text.split("\n"):
        if line.startswith("@@"):
            found.append(LineHunk(0, []))
        elif line[:1] in (" ", "+", "-") or not line:
            found += [] if found else [LineHunk(0, [])]
            found[-1].lines.append(line or " ")
    return [hunk for hunk in found if any(line[:1] in "+-" for line in hunk.lines)]


SAMPLE = (
    b'{"timestamp": "2026-01-05T10:00:00Z", "type": "session_meta", "payload": {"id": "s1", '
    b'"cwd": "/home/u/tea"}}\n'
    b'{"timestamp": "2026-01-05T10:00:01Z", "type": "response_item", "payload": {"type": "message", "role": '
    b'"user", "content": [{"type": "input_text", "text": "Why does it boil over?"}]}}\n'
    b'{"timestamp": "2026-01-05T10:00:02Z", "type": "response_item", "payload": {"type": "function_call", '
    b'"name": "shell", "call_id": "c1", "arguments": "{\\"command\\": [\\"bash\\", \\"-lc\\", '
    b'\\"sed -n \'1,2p\' src/pot.py\\"]}"}}\n'
    b'{"timestamp": "2026-01-05T10:00:03Z", "type": "response_item", "payload": {"type": '
    b'"function_call_output", "call_id": "c1", "output": "{\\"output\\": \\"lid = None\\\\nheat = 9\\\\n\\", '
    b'\\"metadata\\": {\\"exit_code\\": 0}}"}}\n'
)
FORMAT = session_format(
    "codex",
    "Codex: a rollout file as JSON Lines, or a folder of them: lines printed, files named, lines patched",
    sniff,
    sessions_in,
    suffixes=(".jsonl",),
    sample=SAMPLE,
    broken=(b"{", b'{"type": "response_item"}', b'{"type": "response_item", "payload": 3}'),
)
