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

_HELD = {
    "core.errors": "DoxevalError DoxevalWarning InputError MissingExtra UsageError",
    "core.parameters": "Parameter",
    "core.registry": "register",
    "tables.assessments": "Assessments",
    "tables.documents": "Documents",
    "tables.runs": "Chunks Run",
    "io.formats.format": "Format",
    "io.documents.index": "index",
    "io.read": "read_assessments read_chunks read_documents read_layout read_run",
    "io.write": "write_assessments write_chunks write_run",
    "ground.anchor": "anchor",
    "ground.convert": "convert",
    "ground.validate": "Validation validate",
    "reader.navigation.base": "Navigation navigations",
    "reader.navigation.fit": "FittedNavigation fit_navigation",
    "measurement.base": "Measure measures",
    "measurement.meaning": "Meaning",
    "scoring.scores": "Scores",
    "scoring.evaluation": "Evaluation evaluate",
    "scoring.read_scores": "read_scores",
    "scoring.write_scores": "write_scores",
    "comparison.agreement.agree": "Agreement agree",
    "comparison.compare": "Comparison compare",
    "comparison.shapes": "compare_shapes",
    "comparison.correlation": "Correlation correlate",
    "comparison.gate": "Gate gate",
    "comparison.slices": "Slices slice_scores",
    "comparison.trust": "Trusted trust",
    "comparison.verdict": "verdict",
    "show.explanation.explain": "Explanation explain",
    "show.budget": "budget",
    "show.plot": "plot",
    "show.points": "Curves curve",
    "show.report.write": "write_report",
    "rag.chunk": "chunk",
    "rag.cite": "Citations cite",
    "rag.retrieve": "retrieve score_retriever",
    "judging.pool": "pool",
    "judging.pool_file": "Pool read_pool write_pool",
    "lab.perturbation.perturbations": "perturb",
}
"""The public names that each module holds."""

_HOMES = {name: (module, name) for module, names in _HELD.items() for name in names.split()}
_HOMES["measure"] = "measurement.base", "measure_named"
_HOMES["write_documents"] = "io.documents.index", "save_documents"

__all__ = [
    "Agreement", "Assessments", "Chunks", "Citations", "Comparison", "Correlation", "Curves", "Documents",
    "DoxevalError", "DoxevalWarning", "Evaluation", "Explanation", "FittedNavigation", "Format", "Gate",
    "InputError", "Meaning", "Measure", "MissingExtra", "Navigation", "Parameter", "Pool", "Run", "Scores",
    "Slices", "Trusted", "UsageError", "Validation", "__version__", "agree", "anchor", "budget", "chunk",
    "cite", "compare", "compare_shapes", "convert", "correlate", "curve", "evaluate", "explain",
    "fit_navigation", "gate", "index", "measure", "measures", "navigations", "perturb", "plot", "pool",
    "read_assessments", "read_chunks", "read_documents", "read_layout", "read_pool", "read_run",
    "read_scores", "register", "retrieve", "score_retriever", "slice_scores", "trust", "validate",
    "verdict", "write_assessments", "write_chunks", "write_documents", "write_pool", "write_report",
    "write_run", "write_scores",
]  # fmt: skip

if TYPE_CHECKING:
    from doxeval.comparison.agreement.agree import Agreement, agree
    from doxeval.comparison.compare import Comparison, compare
    from doxeval.comparison.correlation import Correlation, correlate
    from doxeval.comparison.gate import Gate, gate
    from doxeval.comparison.shapes import compare_shapes
    from doxeval.comparison.slices import Slices, slice_scores
    from doxeval.comparison.trust import Trusted, trust
    from doxeval.comparison.verdict import verdict
    from doxeval.core.errors import DoxevalError, DoxevalWarning, InputError, MissingExtra, UsageError
    from doxeval.core.parameters import Parameter
    from doxeval.core.registry import register
    from doxeval.ground.anchor import anchor
    from doxeval.ground.convert import convert
    from doxeval.ground.validate import Validation, validate
    from doxeval.io.documents.index import index
    from doxeval.io.documents.index import save_documents as write_documents
    from doxeval.io.formats.format import Format
    from doxeval.io.read import read_assessments, read_chunks, read_documents, read_layout, read_run
    from doxeval.io.write import write_assessments, write_chunks, write_run
    from doxeval.judging.pool import pool
    from doxeval.judging.pool_file import Pool, read_pool, write_pool
    from doxeval.lab.perturbation.perturbations import perturb
    from doxeval.measurement.base import Measure, measures
    from doxeval.measurement.base import measure_named as measure
    from doxeval.measurement.meaning import Meaning
    from doxeval.rag.chunk import chunk
    from doxeval.rag.cite import Citations, cite
    from doxeval.rag.retrieve import retrieve, score_retriever
    from doxeval.reader.navigation.base import Navigation, navigations
    from doxeval.reader.navigation.fit import FittedNavigation, fit_navigation
    from doxeval.scoring.evaluation import Evaluation, evaluate
    from doxeval.scoring.read_scores import read_scores
    from doxeval.scoring.scores import Scores
    from doxeval.scoring.write_scores import write_scores
    from doxeval.show.budget import budget
    from doxeval.show.explanation.explain import Explanation, explain
    from doxeval.show.plot import plot
    from doxeval.show.points import Curves, curve
    from doxeval.show.report.write import write_report
    from doxeval.tables.assessments import Assessments
    from doxeval.tables.documents import Documents
    from doxeval.tables.runs import Chunks, Run


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: `import doxeval` itself costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'doxeval' has no attribute {name!r}")
    module, known_there_as = _HOMES[name]
    return getattr(importlib.import_module(f"doxeval.{module}"), known_there_as)


def __dir__() -> list[str]:
    return sorted(__all__)
