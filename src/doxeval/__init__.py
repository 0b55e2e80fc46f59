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

from doxeval.core.version import __version__

_HOMES = {
    "DoxevalError": "doxeval.core.errors",
    "DoxevalWarning": "doxeval.core.errors",
    "InputError": "doxeval.core.errors",
    "MissingExtra": "doxeval.core.errors",
    "UsageError": "doxeval.core.errors",
    "Documents": "doxeval.tables.documents",
    "Assessments": "doxeval.tables.assessments",
    "Run": "doxeval.tables.runs",
    "Scores": "doxeval.scoring.scores",
    "chunk": "doxeval.rag.chunk",
    "compare": "doxeval.comparison.compare",
    "correlate": "doxeval.comparison.correlation",
    "evaluate": "doxeval.scoring.evaluation",
    "explain": "doxeval.show.explanation.explain",
    "index": "doxeval.io.documents.index",
    "plot": "doxeval.show.plot",
    "read_documents": "doxeval.io.read",
    "read_assessments": "doxeval.io.read",
    "read_chunks": "doxeval.io.read",
    "read_run": "doxeval.io.read",
    "read_scores": "doxeval.scoring.read_scores",
    "retrieve": "doxeval.rag.retrieve",
    "score_retriever": "doxeval.rag.retrieve",
    "write_report": "doxeval.show.report.write",
}

__all__ = [*_HOMES, "__version__"]

if TYPE_CHECKING:
    from doxeval.comparison.compare import compare
    from doxeval.comparison.correlation import correlate
    from doxeval.core.errors import DoxevalError, DoxevalWarning, InputError, MissingExtra, UsageError
    from doxeval.io.documents.index import index
    from doxeval.io.read import read_assessments, read_chunks, read_documents, read_run
    from doxeval.rag.chunk import chunk
    from doxeval.rag.retrieve import retrieve, score_retriever
    from doxeval.scoring.evaluation import evaluate
    from doxeval.scoring.read_scores import read_scores
    from doxeval.scoring.scores import Scores
    from doxeval.show.explanation.explain import explain
    from doxeval.show.plot import plot
    from doxeval.show.report.write import write_report
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
