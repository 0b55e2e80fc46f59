"""The entry point for users of ir_measures and PyTerrier: every measure of doxeval as one of theirs.

>>> import ir_measures, pandas
>>> from doxeval.ir import AiP, iR
>>> qrels = pandas.DataFrame([("q1", "d1", 1, 10, 40)], columns="query_id doc_id relevance start end".split())
>>> run = pandas.DataFrame([("q1", "d1", 9.5, 20, 60)], columns="query_id doc_id score start end".split())
>>> ir_measures.calc_aggregate([iR@5], qrels, run)
{iR@5: 0.6666666666666666}
>>> ir_measures.parse_measure("iP(alpha=0.5)@'2000c'")
iP(alpha=0.5)@'2000c'
"""

from __future__ import annotations

from typing import Any

from doxeval import MissingExtra

try:
    import ir_measures as ir_measures
except ImportError:
    raise MissingExtra("ir", "doxeval.ir") from None

from doxeval.extend import MEASURES
from doxeval.ir.passage_measures import PassageMeasure, measure, offer
from doxeval.ir.provider import join_pipeline, use

__all__ = ["PassageMeasure", "measure", "use"]

for _name in MEASURES.names():
    offer(_name)
join_pipeline()


def __getattr__(name: str) -> Any:
    """A measure by its name, as in ``from doxeval.ir import AiP``; also one that was registered later."""
    if name.startswith("_") or (found := offer(name)) is None:
        raise AttributeError(f"module 'doxeval.ir' has no attribute {name!r}")
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, *MEASURES.names()])
