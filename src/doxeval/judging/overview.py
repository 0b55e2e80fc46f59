"""The parts of the page beyond its documents: disagreements, and where the judging stands."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from doxeval import UsageError
from doxeval.io.formats.judgements import JudgementsFile
from doxeval.judging.desk import Desk
from doxeval.judging.disputes import Dispute, disputes, read_database, told_agreement
from doxeval.judging.judging_progress import AssessorProgress
from doxeval.judging.pool import READING_SPEED
from doxeval.judging.runs_so_far import RunsSoFar

LEAST_SPENT = 300
"""Seconds after which an assessor's own speed is known well enough."""


@dataclass(frozen=True)
class Overview:
    """The database next to the pool; `standing` if there are runs, `adjudicators` see every disagreement.

    `files` are the names of the pool, the documents and the runs, for commands to type next.
    """

    desk: Desk
    database: Path
    standing: RunsSoFar | None = None
    adjudicators: frozenset[str] = frozenset()
    files: dict[str, list[str]] = field(default_factory=dict)

    def disputes(self, progress: AssessorProgress) -> dict[str, Any]:
        """The disagreements that an assessor may see: on documents that they have finished themselves."""
        kept, before = (read_database(self.database, decisions) for decisions in (True, False))
        every = progress.assessor in self.adjudicators
        shown = [pair for pair in self.desk.pairs if every or progress.is_done(pair)]
        found = disputes(kept, self.standing, shown)
        measure = self.standing.measure if self.standing else ""
        return {"disputes": [self._told(one) for one in found], "measure": measure,
                "agreement": told_agreement(kept, before)}  # fmt: skip

    def _told(self, one: Dispute) -> dict[str, Any]:
        effect = one.effect and {
            "first": one.effect.first, "second": one.effect.second, "now": one.effect.now,
            "then": one.effect.then, "changes": one.effect.weight[0],
        }  # fmt: skip
        people = [
            {"name": name, "time": said.time, "note": said.note,
             "marks": [[mark.start, mark.end, mark.rel] for mark in one.marks_of(said.marks.values())]}
            for name, said in one.said.items()
        ]  # fmt: skip
        return {"at": self.desk.places[one.pair], "start": one.start, "end": one.end, "kind": one.kind,
                "people": people, "choices": one.choices, "effect": effect}  # fmt: skip

    def standing_now(self, progress: AssessorProgress) -> dict[str, Any]:
        """The work done and left, how far assessors agree, and the scores so far with their bounds."""
        kept, before = (read_database(self.database, decisions) for decisions in (True, False))
        people = {
            name: sum(name in said and said[name].done for said in
                      (kept.judgements.get(pair, {}) for pair in self.desk.pairs))
            for name in kept.assessors
        }  # fmt: skip
        done = [pair for pair in self.desk.pairs if progress.is_done(pair)]
        left = [one for one in self.desk.pool.documents if not progress.is_done((one.topic, one.doc))]
        found: dict[str, Any] = {
            "done": len(done), "count": len(self.desk.pool), "people": people,
            "left": sum(one.characters for one in left), "agreement": told_agreement(kept, before),
            "disputes": len(disputes(kept, None, done)), "decided": kept.decided,
            "commands": self._commands(bool(left)),
        }  # fmt: skip
        if self.standing is not None and kept.judgements:
            read = sum(one.characters for one in self.desk.pool.documents) - found["left"]
            enough = progress.spent >= LEAST_SPENT and read
            found |= _scores(self.standing, kept, 60 * read / progress.spent if enough else READING_SPEED)
        return found

    def _commands(self, unfinished: bool) -> list[str]:
        """The commands to type next."""

        def words(name: str) -> str:
            return " ".join(map(shlex.quote, self.files.get(name) or [name.upper()]))

        database, runs, docs = shlex.quote(str(self.database)), words("runs"), words("docs")
        measure = shlex.quote(self.standing.measure if self.standing else "iP@10")
        again = f"doxeval judge {words('pool')} --docs {docs} --to {database} --assessor NAME"
        compare = f"doxeval compare {runs} --qrels {database} --docs {docs} -m {measure} --bounds"
        more = f"doxeval pool {runs} --docs {docs} --qrels {database} --order deciding -o next.jsonl"
        return [again] if unfinished else [f"doxeval agree {database}", compare, more]


def _scores(standing: RunsSoFar, kept: JudgementsFile, speed: float) -> dict[str, Any]:
    """The scores of runs with what unjudged text could make of them, and what more judging could decide."""
    try:
        scores = standing.scores(kept, bounds=True)
    except UsageError:
        scores = standing.scores(kept)
    rows: list[tuple[str, float | None, float | None, float | None]] = []
    for run in scores.runs:
        bounds = scores.bounds(run.name, standing.measure) if scores.bounded else None
        low, high = (None if math.isnan(one) else one for one in bounds or (math.nan, math.nan))
        rows.append((run.name, scores.value(run.name, standing.measure), low, high))
    rows.sort(key=lambda row: -(row[1] or 0))
    return {"measure": standing.measure, "merge": standing.merge, "scores": rows,
            "topics": len(scores.topics), "hour": standing.next_hour(kept, speed)}  # fmt: skip
