"""How a run is interpreted, including where official scorers differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Conventions:
    """Choices that apply to all measures of an evaluation.

    `added`: text of results that is in no document is `"shown"`, or costs nothing (`"free"`). `order`:
    results come in the order of their `"rank"`, of their `"score"` as in trec_eval, or of the `"file"`.
    `depth`: how many results of a topic are used. `unjudged`: results in unjudged documents are
    `"irrelevant"` or `"skip"`ped. `repeated`: the cost in denominators of text shown again, its size
    (`"full"`) or, in relevant documents, nothing (`"free"`, as in INEX's thorough task). `past_end`: gP past
    the end of a list divides by the `"cutoff"`, or keeps the `"last"` value. `tokenizer`: how text is cut
    into tokens (see :mod:`doxeval.ground.tokens`). `task`: the task whose rules results must follow; `fix`
    repairs results that break them; `as_scored` takes the figures of its official scorer, right or wrong.
    `shape`: results as given (None), those of a document joined into one (`"trees"`), or their documents,
    each whole (`"documents"`).
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
