"""How a run is taken: what official scorers do differently is said here, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Conventions:
    """Choices that hold for all measures of an evaluation.

    `added`: text of results that stands in no document is `"shown"`, or costs nothing (`"free"`).
    `order`: results come in the order of their `"rank"`, of their `"score"` as trec_eval has it, or of the
    `"file"`. `depth`: how many results of a
    topic are looked at. `unjudged`: results in unjudged documents are `"irrelevant"` or `"skip"`ped.
    `repeated`: what text shown again costs in denominators, its size (`"full"`) or, in relevant documents,
    nothing (`"free"`, as INEX's thorough task has it). `past_end`: gP past the end of a list divides by the
    `"cutoff"`, or keeps the `"last"` value. `tokenizer`: what cuts text into tokens (see
    :mod:`doxeval.ground.tokens`). `task`:
    the task whose rules results must keep; `fix` repairs what breaks them; `as_scored` follows its official
    scorer also where that is wrong. `shape`: results as they are given
    (None), those of a document joined into one (`"trees"`), or their documents, each whole (`"documents"`).
    """

    added: str = "shown"
    order: str = "rank"
    depth: int | None = None
    unjudged: str = "irrelevant"
    repeated: str = "full"
    past_end: str = "cutoff"
    tokenizer: Any = None
    task: str | None = None
    fix: bool = False
    as_scored: bool = False
    shape: str | None = None
