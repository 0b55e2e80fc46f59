"""Events of OpenHands: a list of them, one per line, or the `history` of instances, as evaluations write it.

Events are actions and their observations: ``{"action": "read", "args": {...}}`` and ``{"observation": "read",
"content", "extras"}`` (version 0), or ``{"kind": "ActionEvent", "tool_name", "action": {...}}`` and
``{"kind": "ObservationEvent", "observation": {...}}`` (version 1). `read`, and the command `view` of the file
editor, show numbered lines; other commands of the editor change files, by the contents before and after if
the observation has them, else by the text replaced; commands of the shell that print files show their lines
(:mod:`~doxeval.io.formats.shell_commands`). `browse` and all other actions show nothing; `finish` is the
answer. Tokens and cost are those that accumulated metrics gained.

Tested on files made after the public code, tests and fixtures of versions 0 and 1; not on real sessions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from doxeval.io.formats.edited_files import hunks_between
from doxeval.io.formats.format import Options
from doxeval.io.formats.messages import content_text
from doxeval.io.formats.other_tools import ToolFile
from doxeval.io.formats.sessions import Session, each_record, session_format
from doxeval.io.formats.shown_text import ShownLines, files_named, windows_in
from doxeval.io.formats.workbench import Workbench

EVENT_EXPECTED = "an event with its args or its observation"
EDITORS = ("edit", "write", "file_editor", "str_replace_editor", "read")
SHELLS = ("run", "terminal", "execute_bash", "bash")
UNTOLD = (
    "message",
    "system",
    "think",
    "recall",
    "change_agent_state",
    "null",
    "condensation",
    "agent_state_changed",
)
"""Actions that are no steps."""
NO_FILE = ("ERROR:", "File not found", "[ERROR", "Error:")
LISTING = "files and directories up to"


def sniff(head: bytes) -> bool:
    """Events of either version, or instances with a history of them."""
    begin = head[:4096]
    if not begin.lstrip().startswith((b"{", b"[")):
        return False
    version_0 = (
        b'"action"' in head and b'"args"' in head and (b'"observation"' in head or b'"source"' in head)
    )
    version_1 = b'"ActionEvent"' in head and b'"tool_name"' in head
    return (version_0 or version_1) and not any(key in begin for key in (b'"trajectory"', b'"attributes"'))


def sessions_in(file: ToolFile, options: Options) -> Iterator[Session]:
    """The sessions in a file: one of events, or one for each instance."""
    records = file.records()
    events = []
    for number, record in records:
        history = record.get("history") or record.get("events") if isinstance(record, Mapping) else None
        if not isinstance(history, list):
            events.append((number, record))
            continue
        names = [str(record[key]) for key in ("instance_id", "id", "session_id") if record.get(key)]
        flat = [one for event in history for one in (event if isinstance(event, list) else [event])]
        yield _session(file, options, [(number, event) for event in flat], names)
    if events:
        yield _session(file, options, events, [])


def _session(file: ToolFile, options: Options, events: list[tuple[int, Any]], names: list[str]) -> Session:
    reading = _EventSession(Workbench(file.source.name, file.notices, options.verbatim), names)
    each_record(file, reading.take, events, EVENT_EXPECTED)
    return reading.session


class _EventSession:
    """A session, event by event."""

    def __init__(self, bench: Workbench, names: list[str]) -> None:
        self.bench, self.session = bench, Session(bench, names=names)
        self.calls: dict[str, tuple[dict[str, Any], str, Mapping[str, Any]]] = {}
        self.last = ""
        self.spent = {"tokens": 0.0, "cost": 0.0}

    def take(self, event: dict[str, Any]) -> None:
        """Take one event."""
        self.session.begin(event.get("timestamp"))
        kind = event.get("kind")
        if kind == "ActionEvent":
            given = event.get("action") or {}
            self._acted(
                str(event["tool_name"]), given, str(event.get("tool_call_id") or event.get("id")), event
            )
        elif kind == "ObservationEvent":
            held = event["observation"]
            self._observed(held, held, str(event.get("tool_call_id") or event.get("action_id")), event)
        elif kind == "MessageEvent":
            if event.get("source") == "user":
                self.session.ask(content_text((event.get("llm_message") or {}).get("content") or ""))
        elif "action" in event:
            self._acted(str(event["action"]), event.get("args") or {}, str(event.get("id", "")), event)
        elif "observation" in event:
            held = event.get("extras") or {}
            self._observed(event, held, str(event.get("cause", "")), event)
        elif kind is None:
            raise KeyError("action or observation")

    def _acted(self, name: str, given: Mapping[str, Any], own: str, event: Mapping[str, Any]) -> None:
        if name == "message" and event.get("source") == "user":
            self.session.ask(str(given.get("content") or event.get("message") or ""))
        if name in UNTOLD or event.get("source") == "user":
            return
        answer = name in ("finish", "submit")
        keys = {"action": "answer" if answer else "other"} | self._gained(event)
        step = self.session.step(keys, event.get("timestamp") if answer else None)
        self.last = own
        if not answer:
            self.calls[own] = step, name, given

    def _gained(self, event: Mapping[str, Any]) -> dict[str, float]:
        """The tokens and the cost since the step before, by the metrics that add up."""
        told = event.get("llm_metrics")
        if not isinstance(told, Mapping):
            return {}
        usage = told.get("accumulated_token_usage") or {}
        names = ("prompt_tokens", "completion_tokens")
        tokens = [usage[name] for name in names if isinstance(usage.get(name), int)]
        found = {"cost": told.get("accumulated_cost"), "tokens": sum(tokens) if len(tokens) == 2 else None}
        gained = {}
        for name, value in found.items():
            if isinstance(value, int | float) and value >= self.spent[name]:
                gained[name] = round(value - self.spent[name], 9)
                self.spent[name] = value
        return gained

    def _observed(
        self, told: Mapping[str, Any], held: Mapping[str, Any], cause: str, event: Mapping[str, Any]
    ) -> None:
        call = self.calls.pop(cause, None) or self.calls.pop(self.last, None)
        if call is None:
            return
        step, name, given = call
        content = told.get("content")
        text = content if isinstance(content, str) else content_text(content or "")
        failed = bool(held.get("is_error")) or event.get("observation") == "error"
        self.session.fill(step, self._keys(name, given, text, held, failed), event.get("timestamp"))

    def _keys(
        self, name: str, given: Mapping[str, Any], text: str, held: Mapping[str, Any], failed: bool
    ) -> dict[str, Any]:
        """The step that an action is, by its observation."""
        path = str(given.get("path") or held.get("path") or "")
        command = str(given.get("command") or "")
        if name in SHELLS:
            told = held.get("metadata") if isinstance(held.get("metadata"), Mapping) else held
            code = (told or {}).get("exit_code") or held.get("exit_code")
            folder = str((told or {}).get("working_dir") or "")
            return self.bench.command(command, "" if failed or code else text, folder)
        if name == "read" or (name in EDITORS and command == "view"):
            return self._viewed(path, given, "" if failed else text)
        if name in EDITORS:
            return {"action": "other"} if failed else self._changed(name, path, given, held, text)
        if text.strip():
            self.bench.note_not_shown()
        return {"action": "other"}

    def _viewed(self, path: str, given: Mapping[str, Any], text: str) -> dict[str, Any]:
        if LISTING in text.partition("\n")[0]:
            return {"action": "search"} | self.bench.named(files_named(text))
        windows = windows_in(text)
        if not windows and text.strip() and not text.startswith(NO_FILE):
            start = given.get("start")
            first = start + 1 if isinstance(start, int) and start > 0 else 1
            windows = [ShownLines(first, text.removesuffix("\n").split("\n"))]
        places = self.bench.shown(path, windows)
        return {"action": "read"} | ({"shown": places} if places else {})

    def _changed(
        self, name: str, path: str, given: Mapping[str, Any], held: Mapping[str, Any], text: str
    ) -> dict[str, Any]:
        before, after = held.get("old_content"), held.get("new_content")
        command = given.get("command")
        if command == "create" or name == "write" or held.get("prev_exist") is False:
            if isinstance(before, str) and isinstance(after, str) and held.get("prev_exist") is not False:
                return self.bench.edited(path, hunks_between(before, after))
            return self.bench.written(path, existed=bool(held.get("prev_exist")))
        if text.startswith(NO_FILE):
            return {"action": "other"}
        if isinstance(before, str) and isinstance(after, str):
            keys = self.bench.edited(path, hunks_between(before, after))
        elif command == "insert" and isinstance(given.get("insert_line"), int):
            lines = str(given.get("new_str") or "").split("\n")
            keys = self.bench.inserted(path, given["insert_line"] + 1, lines)
        elif isinstance(given.get("old_str"), str):
            keys = self.bench.replaced(path, given["old_str"], str(given.get("new_str") or ""))
        else:
            keys = self.bench.edited(path, None)
        printed = self.bench.shown(path, windows_in(text))
        return keys | ({"printed": printed} if printed else {})


SAMPLE = (
    b'{"id": 0, "timestamp": "2026-01-05T10:00:00", "source": "user", "action": "message", "args": '
    b'{"content": "Why does it boil over?"}}\n'
    b'{"id": 1, "timestamp": "2026-01-05T10:00:02", "source": "agent", "action": "read", "args": {"path": '
    b'"/workspace/src/pot.py"}}\n'
    b'{"id": 2, "timestamp": "2026-01-05T10:00:03", "source": "agent", "cause": 1, "observation": "read", '
    b'"content": "     1\\tlid = None\\n     2\\theat = 9\\n", "extras": {"path": "/workspace/src/pot.py"}}\n'
)
FORMAT = session_format(
    "openhands",
    "OpenHands: events of a session, instances with a history, or a folder of them: lines shown and edited",
    sniff,
    sessions_in,
    suffixes=(".json", ".jsonl"),
    sample=SAMPLE,
    broken=(b"{", b'{"id": 9, "source": "agent"}', b'{"kind": "ActionEvent", "source": "agent"}'),
)
