"""Synthetic systems of controlled quality: what they return, how well they rank it, how they fail.

A unit's score is its merit times the system's skill, plus chance. Merit belongs partly to the document (is
anything in it relevant?) and partly to the unit (the relevant share of it), and so does chance. A near miss
returns the neighbour of the intended unit; overlap also adds the surrounding text.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any
from zlib import crc32

import numpy as np

from doxeval import Run, UsageError
from doxeval.core.errors import nearest
from doxeval.core.grammar import parse_call
from doxeval.extend import Ragged
from doxeval.lab.synthesis.collection import DISTINCT_TAGS
from doxeval.lab.synthesis.made_topics import Topic

SYSTEM_STREAM = 4
GRANULARITIES = {
    "article": ("article",),
    "section": ("section",),
    "element": ("section", "ss1", "p"),
    "p": ("p",),
}
PASSAGE_SYSTEM = "passage"
DOCUMENT_PART = 0.5
"""The share of merit, and of chance, that belongs to the document."""


@dataclass(frozen=True)
class System:
    """One system; `near_miss` and `overlap` are chances, `skill` is 0 for a random order and has no limit."""

    name: str
    granularity: str = "p"
    skill: float = 2.0
    near_miss: float = 0.0
    overlap: float = 0.0
    passage: int = 1000
    results: int = 1500

    def __post_init__(self) -> None:
        known = [*GRANULARITIES, PASSAGE_SYSTEM]
        if self.granularity not in known:
            raise UsageError(
                f"{self.name}: granularity must be one of {', '.join(known)}"
                f"{nearest(self.granularity, known)}"
            )
        for chance in ("near_miss", "overlap"):
            if not 0 <= getattr(self, chance) <= 1:
                raise UsageError(
                    f"{self.name}: {chance} must be between 0 and 1, not {getattr(self, chance)}"
                )
        for size in ("passage", "results"):
            if getattr(self, size) < 1:
                raise UsageError(f"{self.name}: {size} must be at least 1, not {getattr(self, size)}")

    @classmethod
    def parse(cls, text: str) -> System:
        """Parse `name(granularity=section,skill=3,overlap=0.2)`.

        >>> System.parse("a(granularity=section,skill=3)").skill
        3.0
        """
        call = parse_call(text.strip())
        kinds = {field.name: field.type for field in fields(cls)}
        given: dict[str, Any] = {}
        for key, value in call.arguments:
            if key not in kinds or key == "name":
                raise UsageError(f"{text!r}: unknown parameter {key!r}{nearest(key, kinds)}")
            convert = {"int": int, "float": float, "str": str}[str(kinds[key])]
            try:
                given[key] = convert(value)
            except (TypeError, ValueError):
                raise UsageError(f"{text!r}: {key} cannot be {value}") from None
        return cls(call.name, **given)


def spread_systems(count: int, seed: int = 0, **fixed: Any) -> list[System]:
    """Systems spread over skills, granularities, near misses and overlap, named after these.

    Few are very good and most are average, as among submitted runs; `fixed` holds what is the same for all.
    """
    random = np.random.default_rng([seed, SYSTEM_STREAM])
    kinds = ["element", "p", "section", "article", PASSAGE_SYSTEM]
    systems = []
    for number in range(count):
        drawn: dict[str, Any] = {
            "granularity": kinds[int(random.integers(len(kinds)))],
            "skill": round(float(random.gamma(4.0, 0.6)), 2),
            "near_miss": round(float(random.beta(1, 6)), 2),
            "overlap": round(float(random.beta(1, 4)), 2),
        } | fixed
        systems.append(System(f"s{number:02d}-{drawn['granularity']}", **drawn))
    return systems


def make_run(system: System, topic: Topic, seed: int) -> Run:
    """The results of a system for one topic, best first."""
    key = crc32(f"{system.name} {topic.name}".encode())
    random = np.random.default_rng([seed, SYSTEM_STREAM, key])
    doc, start, end = _units(system, topic)
    share = topic.relevant_in(doc, start, end) / np.maximum(1, end - start)
    found_doc = np.zeros(len(topic.pool))
    found_doc[topic.doc] = 1.0
    merit = DOCUMENT_PART * found_doc[doc] + (1 - DOCUMENT_PART) * np.sqrt(share)
    chance = np.sqrt(DOCUMENT_PART) * random.standard_normal(len(topic.pool))[doc]
    chance += np.sqrt(1 - DOCUMENT_PART) * random.standard_normal(len(doc))
    score = system.skill * merit + chance
    unit = np.argsort(-score, kind="stable")[: system.results]
    score = score[unit]
    unit = _missed(unit, doc, system.near_miss, random)
    kept = np.sort(np.unique(unit, return_index=True)[1])
    unit, score = unit[kept], score[kept]
    doc, start, end, score = _with_surroundings(
        system, topic, doc[unit], start[unit], end[unit], score, random
    )
    size = min(len(doc), system.results)
    return Run(
        name=system.name, topics=[topic.name], docs=topic.pool.ids, topic=np.zeros(size, dtype=np.int32),
        doc=doc[:size].astype(np.int32), start=start[:size], end=end[:size], rank=np.arange(1, size + 1),
        score=np.round(score[:size], 6), tag=system.name,
    )  # fmt: skip


def _units(system: System, topic: Topic) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The document, start and end of everything that a system could return, in document order."""
    pool = topic.pool
    if system.granularity == PASSAGE_SYSTEM:
        passages = Ragged.of_counts(-(-pool.length // system.passage))
        doc, start = passages.row, passages.place * system.passage
        return doc, start, np.minimum(start + system.passage, pool.length[doc])
    wanted = [DISTINCT_TAGS.index(tag) for tag in GRANULARITIES[system.granularity]]
    rows = np.flatnonzero(np.isin(pool.tag, wanted))
    doc, start, end = pool.nodes.row[rows], pool.start[rows], pool.end[rows]
    if system.granularity == "section":
        lead = np.setdiff1d(np.arange(len(pool)), doc)
        doc, start, end = (
            np.concatenate(both) for both in ((doc, lead), (start, lead * 0), (end, pool.length[lead]))
        )
    return doc, start, end


def _missed(unit: np.ndarray, doc: np.ndarray, chance: float, random: np.random.Generator) -> np.ndarray:
    """Some units replaced by the one after or before them in the same document."""
    step = np.where(random.random(len(unit)) < 0.5, 1, -1)
    other = np.clip(unit + step, 0, len(doc) - 1)
    misses = (random.random(len(unit)) < chance) & (doc[other] == doc[unit])
    return np.where(misses, other, unit)


def _with_surroundings(
    system: System,
    topic: Topic,
    doc: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    score: np.ndarray,
    random: np.random.Generator,
) -> tuple[np.ndarray, ...]:
    """Insert after some results the text around them: the parent of a node, a passage shifted by half."""
    chosen = np.flatnonzero(random.random(len(doc)) < system.overlap)
    pool = topic.pool
    if system.granularity == PASSAGE_SYSTEM:
        begin = np.maximum(0, start[chosen] - system.passage // 2)
        finish = np.minimum(begin + system.passage, pool.length[doc[chosen]])
    else:
        inner = pool.cover(doc[chosen], start[chosen], end[chosen])
        node = inner[1][inner[0][:-1]]
        parent = np.maximum(0, pool.parent[pool.rows(doc[chosen], node)])
        begin, finish = pool.extent(doc[chosen], parent)
    order = np.argsort(np.concatenate([np.arange(len(doc)), chosen + 0.5]), kind="stable")
    both = ((doc, doc[chosen]), (start, begin), (end, finish), (score, score[chosen]))
    return tuple(np.concatenate(columns)[order] for columns in both)
