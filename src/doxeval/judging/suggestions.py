"""Suggestions: what a model or a rule marked, which a pool carries for assessors to confirm or not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from doxeval import Documents, Notices, UsageError, read_assessments
from doxeval.extend import Ground, Source, prepare_ground
from doxeval.io.formats.merging import MERGE_RULES
from doxeval.judging.pool_file import Pool, PooledDocument, Suggested


def with_suggestions(
    documents: list[PooledDocument], suggested: Any, library: Documents | None, notices: Notices
) -> list[PooledDocument]:
    """The lines of a pool with what is suggested for them."""
    found: dict[tuple[str, str], Suggested] = {}
    for name, data in _named(suggested).items():
        if name in MERGE_RULES or not name.strip():
            raise UsageError(
                f"suggested: expected a name that is not {', '.join(MERGE_RULES)}, found {name!r}"
            )
        for pair, ranges in _ranges(prepare_ground(read_assessments(data), library)).items():
            found.setdefault(pair, {})[name] = ranges
    pooled = {(one.topic, one.doc) for one in documents}
    notices.add_names(
        "{count} {document of a topic|documents of topics} with suggestions {is|are} not in the pool",
        [f"{topic} {doc}" for topic, doc in found if (topic, doc) not in pooled],
        harmless=True, lasting=True,
    )  # fmt: skip
    return [replace(one, suggested=found.get((one.topic, one.doc), {})) for one in documents]


def _named(suggested: Any) -> dict[str, Any]:
    """Assessments by the name of the model or rule that made them: that of their file, unless told."""
    if suggested is None:
        return {}
    if isinstance(suggested, Mapping):
        return {str(name): data for name, data in suggested.items()}
    several = suggested if isinstance(suggested, list | tuple) else [suggested]
    if all(isinstance(one, str | Path) for one in several):
        return {Source(one).stem: one for one in several}
    return {"suggested": suggested}


def _ranges(ground: Ground) -> dict[tuple[str, str], tuple[tuple[int, int, float], ...]]:
    """The highlighted ranges of each document of a topic; none in one that was only looked at."""
    ground.require_highlights("a suggestion")
    table = ground.assessments
    topics = [ground.topics[topic] for topic in table.pair_topic.tolist()]
    docs = [table.docs[doc] for doc in table.pair_doc.tolist()]
    found: dict[tuple[str, str], list[tuple[int, int, float]]] = {
        pair: [] for pair in zip(topics, docs, strict=True)
    }
    columns = (ground.unit_pair, ground.unit_start, ground.unit_end, ground.unit_grade)
    for pair, start, end, grade in zip(*(column.tolist() for column in columns), strict=True):
        found[topics[pair], docs[pair]].append((start, end, grade))
    return {pair: tuple(sorted(ranges)) for pair, ranges in found.items()}


def suggesting_acts(pool: Pool) -> Iterator[tuple[str, dict[str, Any]]]:
    """The suggestions of a pool as acts for its database, each with its source; the same ones each time."""
    now = datetime.now(UTC).isoformat()
    for one in pool.documents:
        for source, ranges in one.suggested.items():
            told = repr((source, one.topic, one.doc, ranges)).encode()
            name = hashlib.blake2b(told, digest_size=12).hexdigest()
            marks = [
                {"id": f"{name}-{at}", "start": start, "end": end, **({} if rel == 1 else {"rel": rel})}
                for at, (start, end, rel) in enumerate(ranges)
            ]
            act = {"id": name, "time": now, "topic": one.topic, "doc": one.doc, "act": {"suggests": marks}}
            yield source, act


def check_sources(pool: Pool, people: Iterable[str]) -> None:
    """Raise an error if an assessor has the name of a model or rule that suggests something."""
    sources = {name for one in pool.documents for name in one.suggested}
    both = sorted(sources.intersection(people))
    if both:
        raise UsageError(f"{both[0]} is an assessor and the source of suggestions; rename one of them")
