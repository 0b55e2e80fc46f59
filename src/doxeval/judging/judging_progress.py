"""How far assessors have come: their acts and judgements, read from the database as they are added."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from doxeval.io.formats.judgements import Judgement
from doxeval.judging.store import JudgementStore

LONGEST_PAUSE = 180
"""Seconds between two acts; what is longer was a break."""
TO_BE_JUDGED, BEGUN, RELEVANT, NOTHING = "-br0"
"""The states of a document of a topic."""

Pair = tuple[str, str]


@dataclass
class AssessorProgress:
    """The acts of one assessor so far, by topic and document, what they leave, and the rules of all."""

    assessor: str
    acts: dict[Pair, list[dict[str, Any]]] = field(default_factory=dict)
    judgements: dict[Pair, Judgement] = field(default_factory=dict)
    rules: list[dict[str, Any]] = field(default_factory=list)
    last: int = 0
    spent: float = 0.0
    time: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def catch_up(self, store: JudgementStore) -> None:
        """Take in what was added since."""
        with self._lock:
            for act in store.acts(self.assessor, self.last):
                pair, self.last = (act["topic"], act["doc"]), act["number"]
                if "rule" in act["act"]:
                    self.rules.append(act)
                    continue
                self.acts.setdefault(pair, []).append(act)
                if "decides" in act["act"]:
                    if pair in self.judgements:
                        self.judgements[pair].settle(act["act"]["decides"])
                    continue
                self.judgements.setdefault(pair, Judgement()).follow(act["act"])
                now = datetime.fromisoformat(act["time"]).timestamp()
                self.spent += min(max(now - self.time, 0), LONGEST_PAUSE) if self.time else 0
                self.time = max(self.time, now)

    def states(self, places: Mapping[Pair, int]) -> list[tuple[str, int]]:
        """The state of each pair, as runs of equal ones; `places` are those of the pairs in the pool."""
        found = bytearray(TO_BE_JUDGED.encode() * len(places))
        for pair, said in self.judgements.items():
            if pair in places:
                found[places[pair]] = ord(_state(said))
        return [(chr(state), len(list(run))) for state, run in groupby(found)]

    def is_done(self, pair: Pair) -> bool:
        """Whether the assessor has finished a document of a topic."""
        said = self.judgements.get(pair)
        return said is not None and said.done

    def of(self, pairs: Iterable[Pair]) -> Iterator[dict[str, Any]]:
        """The acts on some pairs, in order."""
        found = [act for pair in pairs for act in self.acts.get(pair, ())]
        return iter(sorted(found, key=lambda act: act["number"]))


def _state(said: Judgement) -> str:
    if said.done:
        return RELEVANT if said.marks else NOTHING
    return BEGUN if said.marks else TO_BE_JUDGED
