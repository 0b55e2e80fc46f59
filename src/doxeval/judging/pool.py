"""Pools: the unjudged text that runs show, each stretch once, in an order worth reading."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cache
from typing import Any, Unpack, cast

import numpy as np

from doxeval import Assessments, Notices, ScoringOptions, UsageError, measure, read_documents, read_topics
from doxeval.core.errors import nearest
from doxeval.core.options import ReadingOptions, checked_options, how_to_read
from doxeval.core.progress import each, step
from doxeval.extend import Conventions, Ground, Ragged, align, prepare_ground
from doxeval.ground.open_text import ASSESSED, assessed_pairs, check_assessed
from doxeval.io.inputs import reading_once
from doxeval.io.placing.library import fingerprint
from doxeval.judging.between import decisive, pick_two, rivals
from doxeval.judging.candidates import Candidates, find_candidates
from doxeval.judging.growing import GROWTHS
from doxeval.judging.orders import ORDERS
from doxeval.judging.pool_file import Passages, Pool, PooledDocument, Retrieved
from doxeval.judging.suggestions import with_suggestions
from doxeval.scoring.applied_options import read_truth
from doxeval.scoring.loader import RunLoader, named_runs
from doxeval.tables.assessments import Ranges, build_assessments
from doxeval.tables.places import CHARACTERS, LINES

READING_SPEED = 1400
"""Characters a minute: 238 English words read silently (Brysbaert 2019), of six characters with the space."""


@dataclass(frozen=True)
class JudgingBudget:
    """How much to read: a number of characters, or of minutes at a speed in characters per minute."""

    max_characters: int | None = None
    minutes: float | None = None
    speed: float = READING_SPEED

    def __post_init__(self) -> None:
        for name in ("max_characters", "minutes", "speed"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"{name} must be more than 0, not {value}")

    @property
    def most(self) -> float:
        """The most characters."""
        given = [self.max_characters, None if self.minutes is None else self.minutes * self.speed]
        return min((amount for amount in given if amount is not None), default=np.inf)


class PoolOptions(ReadingOptions, total=False):
    """How runs and assessments are read, and results ordered, as for :func:`doxeval.evaluate`."""

    rank_by: str | None


@reading_once()
def pool(
    runs: Any,
    assessments: Any = None,
    documents: Any = None,
    *,
    topics_file: Any = None,
    depth: int = 10,
    grow: str | None = None,
    assessed: str = ASSESSED[0],
    order: str = "depth",
    between: tuple[str, str] | None = None,
    max_characters: int | None = None,
    minutes: float | None = None,
    speed: float = READING_SPEED,
    suggested: Any = None,
    **options: Unpack[PoolOptions],
) -> Pool:
    """The unjudged text that the first `depth` results of runs show, for assessors to read.

    `runs` are as for :func:`doxeval.evaluate`. Every stretch of text is pooled once, however many runs show
    it, cut wherever a result begins or ends. Results are extended to whole sentences (`grow="sentence"`, the
    default if the documents have text), to whole
    nodes (`"node"`) or not at all (`"none"`). What `assessments` have judged is left out: documents that were
    assessed or, with `assessed="highlights"`, highlighted text and documents without highlights. `order` is
    the order of reading; `max_characters`, or `minutes` at a `speed`, limit how much of it is pooled.
    `topics_file` is a file or mapping with the wording of topics. With `between`, the names of two of the
    runs, the pool holds the fewest characters whose judgement could decide which of the two has the larger
    ``iP`` at that depth, no matter what else is relevant; none if that is already decided. `suggested` are
    assessments by a model or a rule, or several by name, for assessors to confirm or not. Options say how
    runs and assessments are read, as for :func:`doxeval.evaluate`.

    >>> first = {"topic": "q1", "doc": "d1", "rank": 1, "start": 5, "end": 14}
    >>> pool({"mine": [first, first | {"rank": 2, "start": 10, "end": 19}]}).documents[0].passages
    ((5, 10), (10, 14), (14, 19))
    """
    budget = JudgingBudget(max_characters, minutes, speed)
    _check("order", order, ORDERS)
    check_assessed(assessed)
    known = None if documents is None else read_documents(documents)
    if grow is None:
        grow = "sentence" if known is not None and known.text is not None else "none"
    _check("grow", grow, GROWTHS)
    if depth < 1:
        raise UsageError(f"depth must be at least 1, not {depth}")
    given = checked_options(cast(ScoringOptions, options))
    tables = [loader() for loader in each(_loaders(runs, given), "reading runs")]
    if between is not None:
        tables = [tables[at] for at in pick_two([run.name for run in tables], between)]
    truth = _no_assessments() if assessments is None else read_truth(assessments, given)
    ground = prepare_ground(truth.with_more_topics(name for run in tables for name in run.topics), known)
    notices = Notices(truth.notices, ground.notices)
    for unit, name in (
        (ground.unit, "the assessments"),
        *((run.unit, run.source or run.name) for run in tables),
    ):
        if unit not in (CHARACTERS, LINES):
            raise UsageError(f"{name}: places are given in {unit}; a pool holds text for assessors to read")
    # Whatever needs aligned runs is found in this block: closing them drops all that is cached about them.
    with ExitStack() as stack:
        conventions = Conventions(rank_by=given["rank_by"] or "rank", depth=depth)
        aligned = [
            stack.enter_context(closing(align(run, ground, conventions)))
            for run in each(tables, "aligning runs")
        ]
        for run in aligned:
            notices.extend(Notices(run.run.notices, run.notices))
        with step("gathering passages"):
            passages = find_candidates(ground, aligned, assessed, grow)
        if between is not None:
            one, other = aligned
            found = rivals(measure(f"iP@{depth}"), one, other, passages)
    made = {"depth": depth, "order": order, "grow": grow, "assessed": assessed, "runs": len(tables)}
    if between is None:
        chosen = ORDERS[order].sorted(passages)
    else:
        chosen, made["order"] = decisive(passages, found), "next"
        sizes = (int(column.sum()) for column in (passages.characters[chosen], passages.characters))
        notices.add(found.told(*sizes), harmless=True, lasting=True)
    # Sums of lengths never fall, so that what fits the budget is the beginning of the order of reading.
    kept = chosen[np.cumsum(passages.characters[chosen]) <= budget.most]
    if len(kept) < len(chosen):
        made["left_out"] = int(passages.characters[chosen[len(kept) :]].sum())
        notices.add(
            "{count} {passage does|passages do} not fit the budget and {is|are} left out, "
            f"{made['left_out']:,} of {int(passages.characters.sum()):,} characters",
            count=len(chosen) - len(kept), harmless=True, lasting=True,
        )  # fmt: skip
    groups = _grouped(passages, kept, ORDERS[order].by_topic)
    documents_found = _documents(ground, passages, groups, truth.queries | read_topics(topics_file).queries)
    documents_found = with_suggestions(documents_found, suggested, known, notices)
    return Pool(documents_found, made, _retrieved(passages, kept), notices)


def _check(name: str, given: str, known: Mapping[str, Any]) -> None:
    if given not in known:
        raise UsageError(
            f"{name} must be {' or '.join(map(repr, known))}, not {given!r}{nearest(given, known)}"
        )


def _loaders(runs: Any, given: ScoringOptions) -> list[RunLoader]:
    found = [RunLoader(run, name, **how_to_read(given, "runs")) for name, run in named_runs(runs)]
    if not found:
        raise UsageError("give at least one run to pool")
    return found


def _no_assessments() -> Assessments:
    nothing = np.zeros(0, dtype=np.int64)
    return build_assessments([], [], nothing, nothing, Ranges(nothing, nothing, nothing, np.zeros(0)))


def _grouped(passages: Candidates, chosen: np.ndarray, by_topic: bool) -> list[np.ndarray]:
    """The chosen passages of each document of a topic, in the order in which these come first."""
    pairs, first, group = np.unique(passages.pair[chosen], return_index=True, return_inverse=True)
    order = np.argsort(first)
    if by_topic:
        topic = passages.topic[chosen[first]]
        first_of_topic = np.full(len(passages.open.topics), len(chosen))
        np.minimum.at(first_of_topic, topic, first)
        order = np.lexsort((first, first_of_topic[topic]))
    by_pair, members = Ragged.gathered(group, len(pairs), chosen)
    return [members[by_pair.slice(at)] for at in order.tolist()]


def _documents(
    ground: Ground, passages: Candidates, groups: list[np.ndarray], queries: dict[str, str]
) -> list[PooledDocument]:
    """The lines of the pool."""
    table, documents = passages.open.assessments, ground.documents
    pair = passages.pair[[group[0] for group in groups]]
    names = [table.docs[doc] for doc in table.pair_doc[pair].tolist()]
    assessed = assessed_pairs(ground, table.pair_topic[pair], np.arange(len(names)), names)
    codes = np.full(len(names), -1) if documents is None else documents.codes(names)
    text = None if documents is None else documents.text
    mark_of = cache(lambda code: "" if text is None else fingerprint(text[code]))
    found = []
    for at, (group, code) in enumerate(zip(groups, codes.tolist(), strict=True)):
        topic = ground.topics[table.pair_topic[pair[at]]]
        known = ground.relevant_by_pair.slice(int(assessed[at])) if assessed[at] >= 0 else slice(0)
        length, mark = -1, ""
        if documents is not None and code >= 0:
            length, mark = int(documents.length[code]), mark_of(code)
        group = np.sort(group)
        unread = tuple(zip(passages.start[group].tolist(), passages.end[group].tolist(), strict=True))
        judged = _ranges(*(column[known] for column in ground.relevant[1:]))
        runs = tuple(passages.showing[group].tolist())
        query = queries.get(topic, "")
        found.append(PooledDocument(topic, names[at], unread, judged, query, length, mark, runs))
    return found


def _ranges(start: np.ndarray, end: np.ndarray) -> Passages:
    """Ranges in order, touching ones joined."""
    _, start, end = Ragged.of_counts([len(start)]).merge(start, end)
    return tuple(zip(start.tolist(), end.tolist(), strict=True))


def _retrieved(passages: Candidates, chosen: np.ndarray) -> list[Retrieved]:
    """The runs that show something of the chosen passages, passage by passage, and where first."""
    docs, topics = passages.open.assessments.docs, passages.open.topics
    place = np.full(len(passages), -1)
    place[chosen] = np.arange(len(chosen))
    found: dict[tuple[int, int], int] = {}
    for number, run in enumerate(passages.runs):
        row, passage = passages.shown_by(run)
        for at, rank in zip(place[passage].tolist(), run.rank[row].tolist(), strict=True):
            found[at, number] = min(rank, found.get((at, number), rank))
    columns = (passages.topic, passages.doc, passages.start, passages.end)
    topic, doc, start, end = (column[chosen].tolist() for column in columns)
    return [
        Retrieved(topics[topic[at]], docs[doc[at]], start[at], end[at], passages.runs[number].name, rank)
        for (at, number), rank in sorted(found.items())
        if at >= 0
    ]
