"""Score retrieval systems that return parts of documents.

>>> import doxeval as dx
>>> qrels = [{"topic": "t1", "doc": "d1", "start": 10, "end": 40}]
>>> results = [{"topic": "t1", "doc": "d1", "rank": 1, "start": 20, "end": 60}]
>>> scores = dx.evaluate(dx.read_run(results, name="mine"), dx.read_assessments(qrels), "iP@1 iR@1")
>>> scores.mean["value"].to_list()
[0.5, 0.6666666666666666]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "DoxevalError": "doxeval.errors",
    "DoxevalWarning": "doxeval.errors",
    "InputError": "doxeval.errors",
    "MissingExtra": "doxeval.errors",
    "UsageError": "doxeval.errors",
    "Documents": "doxeval.tables.documents",
    "Assessments": "doxeval.tables.assessments",
    "Run": "doxeval.tables.runs",
    "Scores": "doxeval.scores.scores",
    "chunk": "doxeval.chunking.cut",
    "correlate": "doxeval.comparison.correlation",
    "evaluate": "doxeval.evaluation",
    "explain": "doxeval.explanation.explain",
    "index": "doxeval.documents.index",
    "plot": "doxeval.plots.plot",
    "read_documents": "doxeval.reading",
    "read_assessments": "doxeval.reading",
    "read_chunks": "doxeval.reading",
    "read_run": "doxeval.reading",
    "read_scores": "doxeval.scores.reading",
    "retrieve": "doxeval.rag.score",
    "score_retriever": "doxeval.rag.score",
    "write_report": "doxeval.report.write",
}

__all__ = [*_HOMES, "__version__"]

if TYPE_CHECKING:
    from doxeval.chunking.cut import chunk
    from doxeval.comparison.correlation import correlate
    from doxeval.documents.index import index
    from doxeval.errors import DoxevalError, DoxevalWarning, InputError, MissingExtra, UsageError
    from doxeval.evaluation import evaluate
    from doxeval.explanation.explain import explain
    from doxeval.plots.plot import plot
    from doxeval.rag.score import retrieve, score_retriever
    from doxeval.reading import read_assessments, read_chunks, read_documents, read_run
    from doxeval.report.write import write_report
    from doxeval.scores.reading import read_scores
    from doxeval.scores.scores import Scores
    from doxeval.tables.assessments import Assessments
    from doxeval.tables.documents import Documents
    from doxeval.tables.runs import Run


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: `import doxeval` itself costs nothing."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'doxeval' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
