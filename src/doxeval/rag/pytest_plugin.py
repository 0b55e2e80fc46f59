"""The plug-in for pytest: scores in tests, and the baselines they are compared with.

It is loaded wherever doxeval is installed, so it imports what it needs only for the tests that use it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from doxeval.rag.checked import Scorer

RENEWED = "doxeval baseline"
"""The property of a test that says which baseline it updated; it comes back from other processes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options for where baselines are, and whether to update them."""
    parser.getgroup("doxeval").addoption(
        "--doxeval-update",
        action="store_true",
        help="Store the scores of this run as the baselines that later ones are compared with.",
    )
    parser.addini(
        "doxeval_baselines", "Folder of the stored scores, beside each test file.", default="baselines"
    )


@pytest.fixture
def doxeval_scores(request: pytest.FixtureRequest) -> Scorer:
    """Scores a retriever (with questions) or a run, as ``doxeval.evaluate`` does.

    ``scores = doxeval_scores(run, answers, "iR@5", documents)``, then ``assert scores["iR@5"] >= 0.8``, and
    ``scores.check()``, which fails if any measure has really dropped below the stored baseline.
    """
    from doxeval.rag.checked import Scorer

    folder = Path(request.path.parent, request.config.getini("doxeval_baselines"))
    renewed = request.node.user_properties
    return Scorer(
        folder,
        f"{request.path.stem}.{request.node.name}",
        (lambda told: renewed.append((RENEWED, told)))
        if request.config.getoption("doxeval_update")
        else None,
    )


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Explain a score whose comparison failed: the measure, and the worst question."""
    checked: Any = sys.modules.get("doxeval.rag.checked")
    return checked.comparison_told(op, left, right) if checked else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say which baselines were updated."""
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        if getattr(report, "when", "") == "call":
            for key, told in report.user_properties:
                if key == RENEWED:
                    terminalreporter.write_line(f"doxeval: renewed {told}")
