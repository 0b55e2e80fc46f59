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
    "Parameter": "doxeval.core.parameters",
    "register": "doxeval.core.registry",
    "Assessments": "doxeval.tables.assessments",
    "Chunks": "doxeval.tables.chunks",
    "Documents": "doxeval.tables.documents",
    "Run": "doxeval.tables.runs",
    "Format": "doxeval.io.formats.base",
    "index": "doxeval.io.documents.index",
    "read_assessments": "doxeval.io.read",
    "read_chunks": "doxeval.io.read",
    "read_documents": "doxeval.io.read",
    "read_run": "doxeval.io.read",
    "write_assessments": "doxeval.io.write",
    "write_chunks": "doxeval.io.write",
    "write_documents": "doxeval.io.documents.index:save_documents",
    "write_run": "doxeval.io.write",
    "convert": "doxeval.ground.convert",
    "Navigation": "doxeval.reader.navigation.base",
    "navigations": "doxeval.reader.navigation.base",
    "Measure": "doxeval.measurement.base",
    "measure": "doxeval.measurement.base:measure_named",
    "measures": "doxeval.measurement.base",
    "Meaning": "doxeval.measurement.meaning",
    "Scores": "doxeval.scoring.scores",
    "evaluate": "doxeval.scoring.evaluation",
    "read_scores": "doxeval.scoring.read_scores",
    "write_scores": "doxeval.scoring.write_scores",
    "Comparison": "doxeval.comparison.compare",
    "Correlation": "doxeval.comparison.correlation",
    "Gate": "doxeval.comparison.gate",
    "compare": "doxeval.comparison.compare",
    "correlate": "doxeval.comparison.correlation",
    "gate": "doxeval.comparison.gate",
    "Explanation": "doxeval.show.explanation.explain",
    "budget": "doxeval.show.budget",
    "explain": "doxeval.show.explanation.explain",
    "plot": "doxeval.show.plot",
    "write_report": "doxeval.show.report.write",
    "chunk": "doxeval.rag.chunk",
    "retrieve": "doxeval.rag.retrieve",
    "score_retriever": "doxeval.rag.retrieve",
    "perturb": "doxeval.lab.perturbation.perturbations",
}
"""The module of every public name, which bears it there too unless told otherwise."""

__all__ = [*_HOMES, "__version__"]

if TYPE_CHECKING:
    from doxeval.comparison.compare import Comparison, compare
    from doxeval.comparison.correlation import Correlation, correlate
    from doxeval.comparison.gate import Gate, gate
    from doxeval.core.errors import DoxevalError, DoxevalWarning, InputError, MissingExtra, UsageError
    from doxeval.core.parameters import Parameter
    from doxeval.core.registry import register
    from doxeval.ground.convert import convert
    from doxeval.io.documents.index import index
    from doxeval.io.documents.index import save_documents as write_documents
    from doxeval.io.formats.base import Format
    from doxeval.io.read import read_assessments, read_chunks, read_documents, read_run
    from doxeval.io.write import write_assessments, write_chunks, write_run
    from doxeval.lab.perturbation.perturbations import perturb
    from doxeval.measurement.base import Measure, measures
    from doxeval.measurement.base import measure_named as measure
    from doxeval.measurement.meaning import Meaning
    from doxeval.rag.chunk import chunk
    from doxeval.rag.retrieve import retrieve, score_retriever
    from doxeval.reader.navigation.base import Navigation, navigations
    from doxeval.scoring.evaluation import evaluate
    from doxeval.scoring.read_scores import read_scores
    from doxeval.scoring.scores import Scores
    from doxeval.scoring.write_scores import write_scores
    from doxeval.show.budget import budget
    from doxeval.show.explanation.explain import Explanation, explain
    from doxeval.show.plot import plot
    from doxeval.show.report.write import write_report
    from doxeval.tables.assessments import Assessments
    from doxeval.tables.chunks import Chunks
    from doxeval.tables.documents import Documents
    from doxeval.tables.runs import Run


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: `import doxeval` itself costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'doxeval' has no attribute {name!r}")
    module, _, known_there_as = _HOMES[name].partition(":")
    return getattr(importlib.import_module(module), known_there_as or name)


def __dir__() -> list[str]:
    return sorted(__all__)
