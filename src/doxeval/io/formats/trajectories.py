"""Trajectories in the native form: JSON Lines, one step of an agent per line.

``{"topic": "t1", "step": 3, "action": "open", "doc": "a.py", "start_line": 1, "end_line": 40, "cost": 1}``;
the `action` is search, open, read, edit, cite, answer or other. The place is given as in a line of a run; a
step that shows several has a list of them, `shown`, and further lines with the same topic and step belong to
the same step. The places of edit, cite and answer steps are used, not shown; what such a step shows besides
is in `printed`. `named` lists documents that a search names without showing text of them. `own` is text shown
that the agent wrote itself. `query`, `tokens`, `seconds` and `cost` are those of the step. A line with only a
topic is a topic for which nothing was done.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.ragged import Ragged
from doxeval.io.formats.field_lines import topics_of_objects
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.native import EVERYTHING, IN_STEPS, keys_of_first_line, read_rows, write_head
from doxeval.io.formats.rows_out import native_place
from doxeval.io.formats.step_lines import build_trajectory
from doxeval.io.source import Source
from doxeval.tables.runs import Run
from doxeval.tables.steps import ACTIONS, AMOUNTS, USING


def sniff(head: bytes) -> bool:
    """JSON objects with a topic, a step and an action."""
    return keys_of_first_line(head) >= IN_STEPS


def read(source: Source, options: Options) -> Run:
    """Read a native trajectory."""
    return build_trajectory(read_rows(source, of_run=True), options.named_after(source))


def write(run: Run, stream: IO[str], options: Options) -> None:
    """Write a trajectory, one step per line, after its parameters."""
    write_head(run, stream)
    for row in step_rows(run):
        stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def step_rows(run: Run) -> Iterator[dict[str, Any]]:
    """Steps as lines of the native form."""
    steps = run.steps
    if steps is None:
        raise InputError(f"{run.source or run.name}: holds ranked results, no steps of a trajectory")
    tag = {"run": run.tag} if run.tag else {}
    shown, used, named = (_by_step(part, len(steps)) for part in (run, steps.used, steps.named))
    for step in range(len(steps)):
        action = int(steps.action[step])
        line: dict[str, Any] = {
            "topic": run.topics[steps.topic[step]],
            "step": int(steps.number[step]),
            "action": ACTIONS[action],
        }
        query = steps.query[step]
        line |= {} if query is None else {"query": query}
        places = [_place(run, row) for row in shown[step]]
        if action in USING:
            line |= {"printed": places} if places else {}
            places = [_place(steps.used, row) for row in used[step]]
        line |= places[0] if len(places) == 1 else {"shown": places} if places else {}
        names = [steps.named.docs[steps.named.doc[row]] for row in named[step]]
        line |= {"named": names} if names else {}
        stated = {name: getattr(steps, name)[step] for name in AMOUNTS}
        yield line | {name: _plain(amount) for name, amount in stated.items() if amount == amount} | tag
    told = set(steps.topic.tolist())
    yield from ({"topic": topic} | tag for code, topic in enumerate(run.topics) if code not in told)


def _by_step(run: Run, steps: int) -> list[list[int]]:
    """The results of each step, in order."""
    assert run.step is not None and run.rank is not None
    order = np.lexsort((run.rank, run.step))
    rows = Ragged.of_rows(run.step[order], steps)
    return [order[rows.slice(step)].tolist() for step in range(steps)]


def _place(run: Run, row: int) -> dict[str, Any]:
    doc = run.docs[run.doc[row]]
    return ({"doc": doc} if doc else {}) | native_place(run, row)


def _plain(amount: float) -> int | float:
    """A whole number without its decimals."""
    return int(amount) if amount == int(amount) else float(amount)


SAMPLE = (
    b'{"topic": "1", "step": 1, "action": "search", "query": "tea", "named": ["d1", "d2"], "tokens": 20}\n'
    b'{"topic": "1", "step": 2, "action": "open", "doc": "d1", "start_line": 1, "end_line": 9, "cost": 0.5}\n'
    b'{"topic": "1", "step": 3, "action": "edit", "doc": "d1", "start_line": 4, "end_line": 4}\n'
    b'{"topic": "2", "step": 1, "action": "read", "shown": [{"doc": "d1", "start_line": 3, "end_line": 5}, '
    b'{"doc": "d2", "start_line": 2, "end_line": 2}], "seconds": 1.5}\n'
)
LATER = b'{"topic": "3", "step": 1, "action": "read", '
FORMAT = Format(
    name="trajectory",
    kind="run",
    summary="JSON Lines: topic, step, action, and what was shown; query, tokens, seconds, cost",
    sniff=sniff,
    read=read,
    write=write,
    holds=lambda options: EVERYTHING | {"steps"},
    suffixes=(".jsonl", ".ndjson"),
    priority=-1,
    sample=SAMPLE,
    broken=(
        b"{",
        b'{"topic": "2", "step": 0, "action": "read", "doc": "d1", "start_line": 1, "end_line": 2}',
        b'{"topic": "3", "step": 1, "action": "reed", "doc": "d1", "start_line": 1, "end_line": 2}',
        b'{"topic": "1", "step": 2, "action": "read", "doc": "d1", "start_line": 1, "end_line": 2}',
        LATER + b'"tokens": -1}',
        LATER + b'"shown": [{"doc": "d1", "start_line": 3, "end_line": 2}]}',
        LATER + b'"named": ["d1"]}',
        LATER + b'"shown": ["d1"]}',
    ),
    cut=topics_of_objects,
)
