"""Read scores from files that `doxeval eval` wrote as CSV, JSON Lines, JSON or Parquet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.errors import InputError, UsageError
from doxeval.core.notices import Notices
from doxeval.core.quick_class import dataclass
from doxeval.core.strings import encode, natural_key
from doxeval.core.values import is_number, name_of, number_in, quoted
from doxeval.io.formats.csv_fields import csv_columns
from doxeval.io.inputs import open_input
from doxeval.io.json_text import NotJson, json_at, json_value
from doxeval.io.parquet_files import parquet_columns, parquet_frame, plain_frame
from doxeval.io.source import PARQUET_MARK, UTF8_MARK, Source
from doxeval.scoring.judged_answers import are_judged, are_judged_rows, judged_scores
from doxeval.scoring.scores import ALL, SCORE_COLUMNS, UNKNOWN_COUNT, RunScores, Scores, merged

NAME_COLUMNS = SCORE_COLUMNS[:3]
LARGEST_SCORE = 1e100
"""The largest score; squares and sums of larger ones overflow."""
FEW_CELLS, MOST_CELLS_A_VALUE = 10_000_000, 100
"""Most cells of runs x measures x topics that may be largely empty; larger tables must be fuller."""


def is_scores(path: str | Path) -> bool:
    """Whether a file begins like scores: with their columns in a header, or their keys in an object."""
    source = Source(path)
    head = source.head.removeprefix(UTF8_MARK).lstrip()
    source.close()
    if head.startswith(PARQUET_MARK):
        with open_input(path) as stream:
            return set(SCORE_COLUMNS) <= parquet_columns(stream)
    if are_judged(head):
        return True
    if head.startswith((b"{", b"[")):
        return all(f'"{name}"'.encode() in head.split(b"}", 1)[0] for name in SCORE_COLUMNS)
    return set(SCORE_COLUMNS) <= {
        name.strip(' "\r') for name in head.split(b"\n", 1)[0].decode(errors="replace").split(",")
    }


def judged_rows(data: Any) -> list[tuple[str, Any]] | None:
    """The rows of judged answers in a path, bytes or rows, each with its place; None if there are none."""
    if isinstance(data, str | Path | bytes):
        if not isinstance(data, bytes) and (str(data) in ("", "-") or Path(data).is_dir()):
            return None
        with Source(data) as source:
            judged = are_judged(source.head.removeprefix(UTF8_MARK).lstrip())
            return _json_objects(source) if judged else None
    if are_judged_rows(data):
        return [(f"row {at}", row) for at, row in enumerate(data, 1)]
    return None


def scores_of_answers(data: Any, trusted: bool = False) -> Scores | None:
    """The scores of judged answers; None if something holds none, as scores and runs do."""
    rows = judged_rows(data)
    stem = Source(data).stem if isinstance(data, str | Path) else "answers"
    return None if rows is None else judged_scores(rows, stem, trusted)


def read_scores(data: str | Path | bytes | Any) -> Scores:
    """Read scores from a path, bytes, a list of dicts or a frame with the columns run, topic, measure, value.

    Judged answers (nuggets, citations; see :mod:`doxeval.scoring.judged_answers`) are scores too.
    If there are only means, they are kept as a single topic `all`. If there are topics, means are computed
    from them, and those in the data are ignored. Scores are returned unchanged.
    """
    if isinstance(data, Scores):
        return data
    if (judged := scores_of_answers(data)) is not None:
        return judged
    if not isinstance(data, str | Path | bytes):
        return _scores_of(_rows_in_memory(data))
    with Source(data) as source:
        if source.head.startswith(PARQUET_MARK):
            rows = _parquet_rows(source)
        elif source.head.removeprefix(UTF8_MARK).lstrip().startswith((b"{", b"[")):
            rows = _json_rows(source)
        else:
            rows = _csv_rows(source)
        return _scores_of(rows)


@dataclass
class ScoreRows:
    """Rows of scores by column; a row as it was read, and its place, for messages."""

    name: str
    columns: Mapping[str, Sequence[Any]]
    row: Callable[[int], Any]
    place: Callable[[int], str]


def _rows_in_memory(data: Any) -> ScoreRows:
    """Rows of a frame or of dicts."""
    if type(data).__module__.partition(".")[0] == "pandas":
        data = data.to_dict("records")
    elif hasattr(data, "to_dicts"):
        data = data.to_dicts()
    rows = data if isinstance(data, list | tuple) else [data]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping) or not {*SCORE_COLUMNS} <= {*row}:
            expected = f"scores: a path, or dicts or a frame with the columns {', '.join(SCORE_COLUMNS)}"
            raise InputError(f"expected {expected}; row {number} is {quoted(row)}")
    columns = {name: [row[name] for row in rows] for name in SCORE_COLUMNS}
    return ScoreRows("scores", columns, rows.__getitem__, lambda number: f"scores: row {number + 1}")


def _csv_rows(source: Source) -> ScoreRows:
    lines, columns = csv_columns(source, SCORE_COLUMNS)
    return ScoreRows(
        source.name,
        columns,
        lambda at: {name: column[at] for name, column in columns.items()},
        lambda at: f"{source.name}:{lines[at]}",
    )


def _json_rows(source: Source) -> ScoreRows:
    content = source.read()
    if content.lstrip().startswith(b"["):
        rows = list(json_at(source.name, content))
        places = [f" entry {at}" for at in range(1, len(rows) + 1)]
    else:
        lines = {str(at): line for at, line in enumerate(content.split(b"\n"), start=1) if line.strip()}
        rows = [json_at(f"{source.name}:{at}", line) for at, line in lines.items()]
        places = list(lines)
    columns = {
        name: [row.get(name) if isinstance(row, dict) else None for row in rows] for name in SCORE_COLUMNS
    }
    return ScoreRows(source.name, columns, rows.__getitem__, lambda at: f"{source.name}:{places[at]}")


def _json_objects(source: Source) -> list[tuple[str, Any]]:
    """The objects of a list, or of lines, each with its place; what is no JSON stands as it is."""
    content = source.read()
    if content.lstrip().startswith(b"["):
        return [
            (f"{source.name}: entry {at}", row) for at, row in enumerate(json_at(source.name, content), 1)
        ]
    found: list[tuple[str, Any]] = []
    for at, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            try:
                found.append((f"{source.name}:{at}", json_value(line)))
            except NotJson as problem:
                found.append((f"{source.name}:{at}", str(problem)))
    return found


def _parquet_rows(source: Source) -> ScoreRows:
    frame = plain_frame(parquet_frame(source.read(), source.name))
    nothing = [None] * frame.height
    columns = {name: frame[name].to_list() if name in frame.columns else nothing for name in SCORE_COLUMNS}
    return ScoreRows(
        source.name,
        columns,
        lambda at: frame.row(at, named=True),
        lambda at: f"{source.name}: row {at + 1}",
    )


def _scores_of(rows: ScoreRows) -> Scores:
    """Rows as `values[measure, topic]` of each run; a repeated value is an error."""
    name = rows.name
    names = [list(map(_name, rows.columns[named])) for named in NAME_COLUMNS]
    for row, named in enumerate(zip(*names, strict=True)):
        if not all(named):
            found = quoted(rows.row(row))
            raise InputError(f"{rows.place(row)}: expected {', '.join(SCORE_COLUMNS)}, found {found}")
    values = np.array([_number(value, row, rows) for row, value in enumerate(rows.columns["value"])])
    if not len(values):
        raise InputError(f"{name}: has no scores")
    means = [row for row, topic in enumerate(names[1]) if topic == ALL]
    if len({(names[0][row], names[2][row]) for row in means}) < len(means):
        raise InputError(f"{name}: {ALL!r} has more than one value; if it is the name of a topic, rename it")
    if 0 < len(means) < len(values):
        kept = [row for row, topic in enumerate(names[1]) if topic != ALL]
        names, values = [[column[row] for row in kept] for column in names], values[kept]
    (runs, run), (topics, topic), (measures, measure) = map(encode, names)
    order = sorted(range(len(topics)), key=lambda code: natural_key(topics[code]))
    place_of = np.empty(len(topics), dtype=np.int64)
    place_of[order] = np.arange(len(topics))
    cells = len(runs) * len(measures) * len(topics)
    if cells > max(FEW_CELLS, MOST_CELLS_A_VALUE * len(values)):
        raise InputError(
            f"{name}: {len(values):,} values of {len(runs):,} runs, {len(measures):,} measures and "
            f"{len(topics):,} topics leave {cells - len(values):,} without a value; expected nearly all"
        )
    cube = np.full((len(runs), len(measures), len(topics)), np.nan)
    times = np.zeros(cube.shape, dtype=np.int64)
    np.add.at(times, (run, measure, place_of[topic]), 1)
    if times.max() > 1:
        r, m, t = np.argwhere(times > 1)[0]
        raise InputError(f"{name}: {runs[r]}, {topics[order[t]]}, {measures[m]} has more than one value")
    cube[run, measure, place_of[topic]] = values
    parts = [
        RunScores(run_name, cube[row], times[row].any(axis=0), results=UNKNOWN_COUNT, unjudged=0)
        for row, run_name in enumerate(runs)
    ]
    return Scores(measures, [topics[row] for row in order], parts)


def _name(value: Any) -> str:
    """The name that a value is; empty where it is none."""
    return value if type(value) is str and value.isascii() else name_of(value) or ""


def _number(value: Any, at: int, rows: ScoreRows) -> float:
    if value is None or value == "":
        return float("nan")
    number = number_in(value) if isinstance(value, str) else value if is_number(value) else None
    if number is None:
        raise InputError(f"{rows.place(at)}: expected a number as value, found {quoted(value)}")
    if LARGEST_SCORE < abs(number) < float("inf"):
        raise InputError(
            f"{rows.place(at)}: expected a value of at most {LARGEST_SCORE:g}, found {quoted(value)}"
        )
    return float(number)


def join_scores(parts: Sequence[Scores]) -> Scores:
    """Join scores of several files or evaluations: all runs, and the measures they have in common."""
    if len(parts) == 1:
        return parts[0]
    if any(part.pooled for part in parts):
        raise UsageError("micro averages cannot be joined with other scores; score all runs at once")
    shared = {name: found for name in parts[0].measures if (found := _positions(parts, name)) is not None}
    measures = list(shared)
    if not measures:
        have = "; ".join(", ".join(part.measures) for part in parts)
        raise UsageError(f"the scores have no measure in common: {have}")
    topics = sorted({topic for part in parts for topic in part.topics}, key=natural_key)
    place = {topic: at for at, topic in enumerate(topics)}
    notices = Notices(*(part.notices for part in parts))
    runs = []
    for at, part in enumerate(parts):
        columns = np.array([place[topic] for topic in part.topics], dtype=np.int64)
        picked = [found[at] for found in shared.values()]
        for run in part.runs:
            values = np.full((len(measures), len(topics)), np.nan)
            values[:, columns] = run.values[picked]
            counted = np.zeros(len(topics), dtype=bool)
            counted[columns] = run.counted
            bounds = run.bounds_of(picked) if part.topics == topics else None
            runs.append(
                replace(
                    run, values=values, counted=counted, seen=None, bounds=bounds, referred=None, parts=None
                )
            )
    kept = {part.measures[found[at]] for found in shared.values() for at, part in enumerate(parts)}
    dropped = {name for part in parts for name in part.measures} - kept
    notices.add_names(
        "{count} {measure is not in all inputs and is|measures are not in all inputs and are} left out",
        sorted(dropped),
    )
    attributes = merged(*(part.attributes for part in parts))
    joined = Scores(measures, topics, runs, notices, meanings=parts[0].meanings, attributes=attributes)
    origins = [part.origin for part in parts]
    if (first := origins[0]) and all(one is not None and one[0] is first[0] for one in origins):
        joined.origin = first[0], [load for one in origins if one is not None for load in one[1]]
    return joined


def _positions(parts: Sequence[Scores], name: str) -> list[int] | None:
    """The position of a measure in each part, by name or meaning; None if one lacks it."""
    meaning = parts[0].meaning(name)
    found = [part.measures.index(name) if name in part.measures else part.find(meaning) for part in parts]
    return [at for at in found if at is not None] if None not in found else None
