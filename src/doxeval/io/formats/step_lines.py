"""From the lines of a trajectory to a run with steps: what keys mean, and which lines are refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from doxeval.core.errors import nearest
from doxeval.core.ragged import Ragged
from doxeval.core.strings import codes_in, index_of
from doxeval.core.values import name_of, quoted
from doxeval.io.formats.build_tables import (
    RUN_KEYS,
    TEXT_NAMES,
    build_run,
    only_asked,
    run_tag,
    used_names,
)
from doxeval.io.formats.columns import Column, Rows, columns_from_dicts, join_columns
from doxeval.io.formats.format import Options
from doxeval.tables.runs import Run
from doxeval.tables.steps import ACTIONS, AMOUNTS, OTHER, SEARCH, USING, Steps

KINDS = {
    "step": "integer", "action": "text", "shown": "list", "printed": "list", "named": "list",
    **dict.fromkeys(AMOUNTS, "number"),
}  # fmt: skip
OF_A_PLACE = tuple(key for key in RUN_KEYS if key not in ("topic", "rank", "score", "run", "line"))
STEP_KEYS = ("topic", "query", "run", "line", *KINDS, *OF_A_PLACE)


def run_of_rows(rows: Rows, options: Options) -> Run:
    """A trajectory if the rows are steps, else a run of ranked results."""
    return (build_trajectory if {"step", "action"} <= rows.columns.keys() else build_run)(rows, options)


def build_trajectory(rows: Rows, options: Options) -> Run:
    """Build a run with its steps; lines that make no sense are refused."""
    rows.rename(TEXT_NAMES, "text")
    rows.unknown(STEP_KEYS)
    rows.set_kinds(KINDS)
    lines = _StepLines(rows)
    parts = [lines.shown(options), lines.used(options), lines.named(options)]
    for part in parts:
        rows.kept[part.refused] = False
    lines.refuse_out_of_place()
    topics = used_names(lines.topic, rows.kept)
    steps, row_of_line = lines.steps(topics.codes)
    results, used, named = (part.table(list(topics.table), rows.kept, row_of_line) for part in parts)
    return replace(results, steps=replace(steps, used=used, named=named), tag=lines.tag)


@dataclass
class _Part:
    """Places out of some lines as a run, with the line of each of its results, and the lines refused."""

    run: Run
    at: np.ndarray
    refused: np.ndarray

    def table(self, topics: list[str], kept: np.ndarray, row_of_line: np.ndarray) -> Run:
        """The run of the lines that are kept, in the order of steps, with the topics of the trajectory."""
        good = kept[self.at]
        step = row_of_line[self.at]
        order = np.lexsort((np.arange(len(good)), self.at, step))
        order = order[good[order]]
        run = self.run.take(order)
        topic = codes_in(index_of(topics), run.topics)[run.topic]
        return replace(
            run, topics=topics, topic=topic, rank=Ragged.of_runs(topic).place + 1, score=None,
            step=step[order],
        )  # fmt: skip


class _StepLines:
    """The lines of a trajectory: what each says about its step, checked."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.topic, self.number, action = rows.require("topic"), rows.take("step"), rows.take("action")
        self.asked = only_asked(rows)
        rows.refuse(~self.number.present & ~self.asked, "a 'step'")
        rows.refuse(self.number.present & (self.number.values < 1), "a 'step' counted from 1")
        rows.refuse(~action.present & ~self.asked, "an 'action'")
        code = {name: at for at, name in enumerate(ACTIONS)}
        known = np.array([*(code.get(name, -1) for name in action.table), OTHER], dtype=np.int8)
        self.action = known[action.values]
        rows.refuse(
            self.action < 0,
            f"an 'action' among {', '.join(ACTIONS)}",
            lambda row: repr(name := action.table[action.values[row]]) + nearest(name, ACTIONS),
        )
        self.query = rows.take("query")
        self.amounts = {name: self._amount(name) for name in AMOUNTS}
        self.tag = run_tag(rows, rows.take("run"))
        self.uses = np.isin(self.action, USING)
        self.listed = {key: rows.take(key) for key in ("shown", "printed", "named")}
        rows.refuse(
            self.listed["printed"].present & ~self.uses,
            "'printed' only in edit, cite and answer steps ('shown' in others)",
        )
        rows.refuse(self.listed["named"].present & (self.action != SEARCH), "'named' only in search steps")
        self.placed = np.logical_or.reduce([rows.take(key).present for key in OF_A_PLACE])

    def _amount(self, name: str) -> Column:
        amount = self.rows.take(name)
        self.rows.refuse(amount.present & (amount.values < 0), f"a {name!r} of at least 0",
                         lambda row: f"{amount.values[row]:g}")  # fmt: skip
        return amount

    def shown(self, options: Options) -> _Part:
        """The places that steps show."""
        nested = self.listed["shown"].present & ~self.uses
        return self._part(self.placed & ~self.uses, {"shown": nested, "printed": self.uses}, options)

    def used(self, options: Options) -> _Part:
        """The places that edit, cite and answer steps name."""
        return self._part(self.placed & self.uses, {"shown": self.uses}, options)

    def named(self, options: Options) -> _Part:
        """The documents that search steps name."""
        return self._part(np.zeros(self.rows.size, dtype=bool), {"named": self.action == SEARCH}, options)

    def _part(self, plain: np.ndarray, nested: dict[str, np.ndarray], options: Options) -> _Part:
        """The places of `plain` lines themselves, and of the lists of `nested` ones, as a run."""
        rows = self.rows
        at = np.flatnonzero(plain & rows.kept)
        keys = [key for key in ("topic", *OF_A_PLACE) if key in rows.columns]
        columns = [{key: rows.columns[key].take(at) for key in keys}]
        inside, wrong = self._nested(nested)
        places = [place for _, place in inside]
        columns.append(columns_from_dicts(places))
        joined = join_columns(columns, [len(at), len(places)]) if places else columns[0]
        origin = np.concatenate([at, np.array([row for row, _ in inside], dtype=np.int64)])
        line = None if rows.line is None else rows.line[origin]
        picked = Rows(len(origin), joined, rows.source, line, rows.notices, origin)
        run = build_run(picked, options)
        refused = np.concatenate([origin[~picked.kept], np.array(wrong, dtype=np.int64)])
        return _Part(run, origin[picked.kept], refused)

    def _nested(self, nested: dict[str, np.ndarray]) -> tuple[list[tuple[int, dict[str, Any]]], list[int]]:
        """The places in lists, each with its line; and the lines with lists of anything else, reported."""
        found: list[tuple[int, dict[str, Any]]] = []
        refused: list[int] = []
        for key, wanted in nested.items():
            column, wrong = self.listed[key], {}
            for row in np.flatnonzero(wanted & column.present & self.rows.kept).tolist():
                topic = {"topic": self.topic.table[self.topic.values[row]]}
                places = [_place_in(one, key) for one in column.values[row]]
                if None in places:
                    wrong[row] = quoted(column.values[row])
                found += [(row, place | topic) for place in places if place is not None and row not in wrong]
            expected = "names of documents" if key == "named" else '{"doc": ..., ...}'
            self.rows.refuse_wrong(wrong, f"{key!r} as [{expected}, ...]")
            refused += wrong
        return found, refused

    def refuse_out_of_place(self) -> None:
        """Refuse lines that come after a later step, or contradict the first line of their step."""
        rows, number = self.rows, self.number.values
        at = np.flatnonzero(rows.kept & ~self.asked)
        at = at[np.argsort(self.topic.values[at], kind="stable")]
        by_topic = Ragged.of_runs(self.topic.values[at])
        latest = by_topic.cumulate(number[at], np.maximum)
        late = np.zeros(rows.size, dtype=bool)
        late[at] = number[at] < latest
        last = dict(zip(at.tolist(), latest.tolist(), strict=True))
        rows.refuse(
            late, "steps in ascending order", lambda row: f"step {number[row]} after step {last[row]}"
        )
        at = at[~late[at]]
        group = _groups(self.topic.values[at], number[at])
        facts = {"action": Column(self.action, np.ones(rows.size, dtype=bool)), "query": self.query}
        for name, column in (facts | self.amounts).items():
            stated = at[column.present[at]]
            of_group = group.row[column.present[at]]
            first = np.full(len(group), -1, dtype=np.int64)
            first[of_group[::-1]] = stated[::-1]
            other = np.zeros(rows.size, dtype=bool)
            other[stated] = column.values[stated] != column.values[first[of_group]]
            rows.refuse(other, f"the same {name} as the first line of its step")

    def steps(self, codes: np.ndarray) -> tuple[Steps, np.ndarray]:
        """The steps of the lines kept, and the row of each line among them (-1: none)."""
        kept = np.flatnonzero(self.rows.kept)
        code = np.zeros(self.rows.size, dtype=np.int64)
        code[kept] = codes
        at = kept[~self.asked[kept]]
        order = np.lexsort((at, self.number.values[at], code[at]))
        at = at[order]
        group = _groups(code[at], self.number.values[at])
        row_of_line = np.full(self.rows.size, -1, dtype=np.int64)
        row_of_line[at] = group.row
        first = at[group.first]
        amounts = {name: _first_stated(column, at, group) for name, column in self.amounts.items()}
        words = np.full(len(group), -1, dtype=np.int64)
        asked = self.query.present[at][::-1]
        words[group.row[::-1][asked]] = self.query.values[at][::-1][asked]
        query = [self.query.table[word] if word >= 0 else None for word in words.tolist()]
        nothing: Any = None
        steps = Steps(
            code[first].astype(np.int32), self.number.values[first], self.action[first], query,
            **amounts, used=nothing, named=nothing,
        )  # fmt: skip
        return steps, row_of_line


def _place_in(one: Any, key: str) -> dict[str, Any] | None:
    """A place in a list: an object, or the name of a document; None if it is neither."""
    if key == "named":
        name = name_of(one)
        return {"doc": name} if name else None
    return dict(one) if isinstance(one, dict) and one else None


def _first_stated(column: Column, at: np.ndarray, group: Ragged) -> np.ndarray:
    """The amount that each step states, NaN if it states none."""
    amount = np.full(len(group), np.nan)
    stated = column.present[at][::-1]
    amount[group.row[::-1][stated]] = column.values[at][::-1][stated]
    return amount


def _groups(*keys: np.ndarray) -> Ragged:
    """A row for each run of lines that are equal in all keys."""
    changes = np.logical_or.reduce([np.diff(key, prepend=key[:1]) != 0 for key in keys])
    return Ragged.of_runs(np.cumsum(changes))
