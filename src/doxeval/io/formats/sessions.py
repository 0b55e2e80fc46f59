"""Sessions of coding agents as runs: a file is one topic, a folder of files one run.

The topic has the name of an instance, such as ``django__django-11099``, if the file's name or the session has
one, else the name of the file. Its other names are the session's id and the words of the first user message:
the topic assessed under any of them is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.io.formats.columns import Rows, columns_from_dicts
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.other_tools import UNFORESEEN, ToolFile
from doxeval.io.formats.spans import nanoseconds
from doxeval.io.formats.step_lines import build_trajectory
from doxeval.io.formats.workbench import Workbench
from doxeval.io.source import Source
from doxeval.tables.runs import Run
from doxeval.tables.steps import with_aliases

INSTANCE = re.compile(r"[A-Za-z0-9][\w.-]*?__[\w.-]*?-\d+(?!\w)")
AGAIN = "{count} {topic has|topics have} several sessions; the last counts"


@dataclass
class Session:
    """One session while it is read: its steps so far, its files, and the names that it may have."""

    bench: Workbench
    question: str = ""
    names: list[str] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    moment: int | None = None

    def ask(self, words: str) -> None:
        """Take the words of the first user message as the question."""
        self.question = self.question or " ".join(words.split())

    def step(self, keys: dict[str, Any], moment: Any = None) -> dict[str, Any]:
        """Add a step, which ended at some time."""
        self.steps.append(self._timed(keys, moment))
        return self.steps[-1]

    def fill(self, step: dict[str, Any], keys: dict[str, Any], moment: Any) -> None:
        """Say what a step that was added before is."""
        step.update(self._timed(keys, moment))

    def _timed(self, keys: dict[str, Any], moment: Any) -> dict[str, Any]:
        now = nanoseconds(moment)
        if now is None:
            return keys
        since, self.moment = self.moment, now if self.moment is None else max(now, self.moment)
        return keys | ({} if since is None else {"seconds": round((self.moment - since) / 1e9, 6)})

    def begin(self, moment: Any) -> None:
        """Start the clock with the first record that has a time."""
        if self.moment is None:
            self.moment = nanoseconds(moment)


Reader = Callable[[ToolFile, Options], Iterable[Session]]


def session_format(
    name: str, summary: str, sniff: Callable[[bytes], bool], reader: Reader, **more: Any
) -> Format:
    """A format of sessions: one in a file, or several, and folders of files."""

    def read(source: Source, options: Options) -> Run:
        return _run_of([source], source.name, options.named_after(source), reader)

    def read_folder(sources: list[Source], folder: Source, options: Options) -> Run:
        return _run_of(sources, folder.name, options, reader)

    return Format(
        name=name, kind="run", summary=summary, sniff=sniff, read=read, several=read_folder, **more
    )  # fmt: skip


def _run_of(sources: list[Source], name: str, options: Options, reader: Reader) -> Run:
    """The run of the sessions in some files."""
    notices = Notices()
    found: dict[str, Session] = {}
    for source in sources:
        with source:
            for session in reader(ToolFile(source, notices), options):
                topic = _topic(session, source)
                if found.pop(topic, None) is not None:
                    notices.add_names(AGAIN, [topic], lasting=True)
                found[topic] = session
    if not found:
        told = "; ".join(map(str, notices.refusals))
        raise InputError(f"{name}: holds no session{f' ({told})' if told else ''}")
    rows = [row for topic, session in found.items() for row in _rows(topic, session)]
    if not any("step" in row for row in rows):
        rows = [row | {"step": None, "action": None} for row in rows]
    run = build_trajectory(Rows(len(rows), columns_from_dicts(rows), name, notices=notices), options)
    return with_aliases(run, {topic: _aliases(topic, session) for topic, session in found.items()})


def _topic(session: Session, source: Source) -> str:
    """The name of a session: that of an instance, if it or its file has one, else that of the file."""
    told = [source.stem, *session.names, session.bench.folder]
    instances = (match[0] for name in told if (match := INSTANCE.search(name)))
    session.names.append(source.stem)
    return next(instances, source.stem)


def _aliases(topic: str, session: Session) -> list[str]:
    instance = INSTANCE.search(session.question)
    names = [*session.names, session.question, instance[0] if instance else ""]
    return [name for name in dict.fromkeys(names) if name and name != topic]


def _rows(topic: str, session: Session) -> Iterator[dict[str, Any]]:
    """The steps of a session as lines of the native form."""
    steps = [step for step in session.steps if "action" in step]
    told = {name for step in steps for name in ("tokens", "cost") if name in step}
    for number, step in enumerate(steps, start=1):
        yield {"topic": topic, "step": number} | dict.fromkeys(told, 0) | step
    if not steps:
        yield {"topic": topic}


def each_record(
    file: ToolFile, take: Callable[[dict[str, Any]], None], records: Iterable[tuple[int, Any]], expected: str
) -> None:
    """Take the records of a file one after the other; those of another shape are refused."""
    for number, record in records:
        try:
            take(record)
        except UNFORESEEN as problem:
            found = f"no {problem}" if isinstance(problem, KeyError) else str(problem)
            file.refuse("record", expected, number, found)
