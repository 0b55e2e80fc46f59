"""A table of what chunks allow any retriever to show, and of how much of it runs reach."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.notices import Notices, warn
from doxeval.core.options import ReadingOptions
from doxeval.core.phrases import counted, percent
from doxeval.core.progress import each
from doxeval.core.ragged import Ragged
from doxeval.core.records import Records
from doxeval.core.run_labels import set_apart
from doxeval.core.table import Best, Table, shown
from doxeval.ground.document_names import assessed_codes
from doxeval.ground.text_unit import chunks_in
from doxeval.measurement.chunk_limits import ChunkLimits, limits_of
from doxeval.scoring.evaluation import Evaluation
from doxeval.scoring.truth import chunks_by_run

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground
    from doxeval.scoring.scores import Scores
    from doxeval.tables.runs import Chunks

MEASURES = ("iR", "iP", "IoU")


@dataclass(eq=False)
class ChunkCollection:
    """A collection of chunks: their sizes, the share of their text that is repeated, and their limits."""

    name: str
    size: np.ndarray
    repeated: float
    limits: ChunkLimits


@dataclass(eq=False, repr=False)
class Ceiling(Records):
    """The best that collections of chunks allow any retriever that shows at most `k` of them, exact.

    `collections` have their limits by topic. `runs` has for each run its collection and, by measure, its mean
    and the share of the ceiling that this is, NaN if the run shows something else than these chunks.
    """

    k: int
    collections: list[ChunkCollection]
    total: int
    topics: int
    unit: str
    runs: dict[str, tuple[str, dict[str, tuple[float, float]]]] = field(default_factory=dict)
    notices: Notices = field(default_factory=Notices)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each number: of a collection, or of a run on it."""
        found = [
            {"chunks": name, "run": "", "figure": figure, "value": value}
            for name, figures in self._figures.items()
            for figure, value in figures.items()
        ]
        for run, (name, values) in self.runs.items():
            for measure, (mean, share) in values.items():
                label = f"{measure}@{self.k}"
                found += [
                    {"chunks": name, "run": run, "figure": label, "value": mean},
                    {"chunks": name, "run": run, "figure": f"{label} of ceiling", "value": share},
                ]
        return found

    @cached_property
    def _figures(self) -> dict[str, dict[str, float]]:
        """The numbers of each collection, by name."""
        return {one.name: self._figures_of(one) for one in self.collections}

    def _figures_of(self, one: ChunkCollection) -> dict[str, float]:
        reached = one.limits.fewest > 0
        return {
            "chunks": len(one.size),
            "median size": float(np.median(one.size)),
            "largest": float(one.size.max()),
            "repeated": one.repeated,
            "needs": len(one.limits.whole),
            "needs in one chunk": int(one.limits.whole.sum()),
            "chunks per need": float(one.limits.fewest[reached].mean()) if reached.any() else float("nan"),
            "relevant text cut off": one.limits.lost.sum() / self.total if self.total else float("nan"),
            **{f"{name}@{self.k}": float(np.nanmean(values)) for name, values in one.limits.best.items()},
        }

    @property
    def sentences(self) -> list[str]:
        """How many needs the chunks hold whole, what they allow a retriever, and what runs reach of that."""
        figures = self._figures
        whole = {name: (row["needs in one chunk"], _whole(row)) for name, row in figures.items()}
        label = f"iR@{self.k}"
        shares = {name: (row[label], percent(row[label])) for name, row in figures.items()}
        chunks = counted(self.k, "chunk")
        found = [
            f"One chunk holds {_most_and_least(whole, 'needs whole')}.",
            f"{chunks} can show {_most_and_least(shares, 'of the relevant text')} ({label}).",
        ]
        reached = {run: (values["iR"][1], percent(values["iR"][1])) for run, (_, values) in self.runs.items()}
        reached = {run: told for run, told in reached.items() if not np.isnan(told[0])}
        if reached:
            found.append(
                f"Of what the chunks allow by {label}, runs reach {_most_and_least(reached, by='with')}."
            )
        return found

    @property
    def table(self) -> Table:
        """A row for each collection."""
        figures = self._figures
        labels = [f"{name}@{self.k}" for name in MEASURES]
        best = {label: max(row[label] for row in figures.values()) for label in labels}
        wholes = max(row["needs in one chunk"] for row in figures.values())

        def mark(cell: str, is_best: bool) -> str:
            return Best(cell) if is_best and len(figures) > 1 else cell

        body = []
        for name, row in figures.items():
            whole = _whole(row)
            body.append([
                name, f"{row['chunks']:,}", f"{row['median size']:,.0f}", f"{row['largest']:,.0f}",
                percent(row["repeated"]), mark(whole, row["needs in one chunk"] == wholes),
                shown(row["chunks per need"], 2), percent(row["relevant text cut off"], 1),
                *(mark(shown(row[one]), row[one] == best[one]) for one in labels),
            ])  # fmt: skip
        header = [
            "chunks", "number", "median", "largest", "repeated", "needs whole", "per need", "cut off", *labels
        ]  # fmt: skip
        return Table(header, body, 1, self._footer(labels), notices=self.notices)

    def _footer(self, labels: Sequence[str]) -> list[str]:
        return [
            f"{', '.join(labels)}: the best mean over {counted(self.topics, 'topic')} that any retriever can "
            f"reach with at most {self.k} of the chunks, each measure by itself; exact",
            f"sizes in {self.unit}; needs whole: one chunk holds the need; per need: the fewest chunks that "
            "show it; cut off: relevant text in no chunk",
        ]

    @property
    def tables(self) -> list[Table]:
        """The collections, and the runs if there are any."""
        if not self.runs:
            return [self.table]
        header = ["run", "chunks"]
        for name in MEASURES:
            header += [f"{name}@{self.k}", "of ceiling"]
        body = []
        for run, (name, values) in self.runs.items():
            cells = [
                cell
                for mean, share in values.values()
                for cell in (shown(mean), "" if np.isnan(share) else percent(share))
            ]
            body.append([run, name, *cells])
        return [self.table, Table(header, body, 2, title="What runs reach of it", notices=self.notices)]


def _whole(row: Mapping[str, float]) -> str:
    return f"{row['needs in one chunk']:,} of {row['needs']:,}"


def _most_and_least(told: Mapping[str, tuple[float, str]], what: str = "", by: str = "in") -> str:
    """The highest and the lowest of some values, by name: `12 of 20 needs whole in a, 3 of 20 in b`."""
    ordered = sorted(told, key=lambda name: -told[name][0])
    most, least = ordered[0], ordered[-1]
    first = f"{told[most][1]} {what}".rstrip()
    if len(told) == 1:
        return first
    if told[most][1] == told[least][1]:
        return f"{first} {by} each of {', '.join(map(set_apart, ordered))}"
    return f"{first} {by} {set_apart(most)}, {told[least][1]} {by} {set_apart(least)}"


def ceiling(
    chunks: Any,
    assessments: Any,
    documents: Any = None,
    *,
    runs: Any = None,
    k: int = 5,
    **options: Unpack[ReadingOptions],
) -> Ceiling:
    """Compare collections of chunks by what they allow any retriever to show, before there is one.

    `chunks` are one collection, files of them, or a mapping from names to collections, each a table (as of
    :func:`doxeval.chunk`, which splitters make too), a path, or rows with doc, start and end. For each: their
    sizes, how many needs one chunk holds whole, how many chunks a need takes, the relevant text in no chunk,
    and the best ``iR``, ``iP`` and ``IoU`` of at most `k` of them. With `runs`, also how much of that they
    reach: a run belongs to the collection of its name, to one of which either name contains the other, or to
    the only one.

    >>> answers = [{"topic": "t1", "doc": "d1", "start": 10, "end": 30}]
    >>> cut = lambda size: [{"doc": "d1", "start": at, "end": at + size} for at in range(0, 60, size)]
    >>> found = ceiling({"small": cut(10), "large": cut(30)}, answers, k=1)
    >>> [(one.name, int(one.limits.whole.sum()), one.limits.best["iR"].tolist()) for one in found.collections]
    [('small', 0, [0.5]), ('large', 1, [1.0])]
    """
    if k < 1:
        raise UsageError(f"k is at least 1, not {k}")
    given = chunks_by_run(chunks)
    if not given:
        raise UsageError("give at least one collection of chunks")
    units = {one.unit for one in given.values()}
    if len(units) > 1:
        raise UsageError(f"collections count in different units: {', '.join(sorted(units))}")
    measures = [f"{name}@{k}" for name in MEASURES]
    evaluation = Evaluation(assessments, measures, documents, unit=units.pop(), **options)
    ground = evaluation.ground
    if ground.cuts is not None:
        raise UsageError(
            "optional text belongs to topics; it cannot be left out of the chunks of a collection"
        )
    notices = Notices(ground.assessments.notices, ground.notices, *(one.notices for one in given.values()))
    each_given = each(given.items(), "finding the best chunks", len(given))
    collections = [_collection(ground, name or "chunks", one, k) for name, one in each_given]
    known = int(ground.has_relevant.sum())
    found = Ceiling(k, collections, int(ground.total_relevant.sum()), known, ground.unit, notices=notices)
    if runs is not None:
        _add_runs(found, evaluation.scores(runs))
    notices.warn()
    return found


def _collection(ground: Ground, name: str, given: Chunks, k: int) -> ChunkCollection:
    chunks = chunks_in(given, ground.documents, ground.unit)
    if not len(chunks):
        raise UsageError(f"{name}: there are no chunks")
    if (assessed_codes(ground, chunks.docs) < 0).all():
        raise UsageError(
            f"{name}: no document of the chunks was assessed: the chunks have {', '.join(chunks.docs[:3])}, "
            f"the assessments have {', '.join(ground.assessments.docs[:3])}"
        )
    size = chunks.end - chunks.start
    rows, start, end = Ragged.gathered(chunks.doc, len(chunks.docs), chunks.start, chunks.end)
    _, start, end = rows.merge(start, end)
    total = int(size.sum())
    repeated = 1 - int((end - start).sum()) / total if total else 0.0
    return ChunkCollection(name, size, repeated, limits_of(ground, chunks, k))


def _add_runs(found: Ceiling, scores: Scores) -> None:
    """Add what runs reach; a run that shows more than its chunks allow is said to show something else."""
    by_name = {one.name: one for one in found.collections}
    beyond = []
    for run in scores.runs:
        one = by_name[collection_of_run(run.name, by_name)]
        counts = run.counted & ~np.isnan(run.values[0])
        values = {}
        limits = [one.limits.best[name] for name in MEASURES]
        within = all((v[counts] <= m[counts] + 1e-12).all() for v, m in zip(run.values, limits, strict=True))
        beyond += [] if within else [run.name]
        for name, value, most in zip(MEASURES, run.values, limits, strict=True):
            mean, high = (float(part[counts].mean()) if counts.any() else np.nan for part in (value, most))
            values[name] = mean, mean / high if within and high > 0 else np.nan
        found.runs[run.name] = one.name, values
    for lost in scores.unscored:
        warn(f"not scored: {lost}")
    found.notices.extend(scores.notices)
    found.notices.add_names(
        "{count} {run shows|runs show} more than the chunks allow: results that are no chunks of the "
        "collection have no ceiling",
        beyond,
        lasting=True,
    )


def collection_of_run(run: str, names: Mapping[str, Any] | Sequence[str]) -> str:
    """The collection that a run retrieves from: that of its name, the only one, or the one it names.

    >>> collection_of_run("bm25-large", ["large", "small"]), collection_of_run("a", ["a.chunks", "b.chunks"])
    ('large', 'a.chunks')
    """
    if run in names:
        return run
    if len(names) == 1:
        return next(iter(names))
    contained = [name for name in names if _names(run, name)]
    longest = [name for name in contained if all(other in name for other in contained)]
    held = [name for name in names if _names(name, run)]
    if len(longest or held) == 1:
        return (longest or held)[0]
    raise UsageError(
        f"{run}: it is not clear from which chunks it retrieves{nearest(run, names)}; a run's name is that "
        f"of its chunks, or contains it, or is contained in it ({', '.join(names)})"
    )


def _names(text: str, name: str) -> bool:
    """Whether a name is in a text, not as a part of other words."""
    return bool(re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text, re.IGNORECASE))
