"""What all tests share: the reference material, if there is any here, and how hypothesis searches."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

import doxeval.core.settings

VARIABLE = "DOXEVAL_REFERENCE_DATA"
EXPLORE = "DOXEVAL_EXPLORE"
"""Set by ``make explore``: cases that were never tried; otherwise the same cases every time."""
SLOW = {
    "test_action.py", "test_contributing.py", "test_packaging.py", "judging/test_copies.py",
    "judging/test_kills.py", "judging/test_tutorial.py", "robustness/test_dask.py",
    "robustness/test_executors.py", "robustness/test_faults.py", "robustness/test_forks.py",
    "robustness/test_kill.py", "robustness/test_signals.py", "show/notebooks/test_outputs.py",
    "show/notebooks/test_executed.py",
}  # fmt: skip
"""Files that start many processes, or whole copies of the package: ``make test-slow``, or by their name."""
TESTS = Path(__file__).parent
NOT_SET = f"the reference material is not here ({VARIABLE} is not set)"

os.unsetenv("COLUMNS")  # which readline sets behind the back of os.environ, for every process started here
settings.register_profile(
    "doxeval",
    deadline=None,
    max_examples=50,
    derandomize=EXPLORE not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("doxeval")
if EXPLORE not in os.environ and hasattr(providers, "_get_local_constants"):
    # Constants found in the modules loaded so far would make the cases depend on the order of the tests.
    providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark slow tests, and leave them out unless they are asked for by their mark or their file."""
    named = {Path(argument.partition("::")[0]).resolve() for argument in config.args}
    wanted, left_out = [], []
    for item in items:
        if item.path.is_relative_to(TESTS) and item.path.relative_to(TESTS).as_posix() in SLOW:
            item.add_marker("slow")
        slow = item.get_closest_marker("slow") is not None
        asked = item.path in named or "slow" in config.option.markexpr
        (left_out if slow and not asked else wanted).append(item)
    items[:] = wanted
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session", autouse=True)
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run tests, and examples in docstrings and pages, elsewhere: the checkout stays as it is."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
    yield
    os.chdir(before)


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command is told in a test holds for no other one, and no terminal is told of by its width."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(doxeval.core.settings, "_changed", {})


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder with reference data and official scorers' outputs; without it the test is skipped."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(NOT_SET)
    path = Path(folder).resolve()
    if not path.is_dir():
        pytest.fail(f"{VARIABLE} names {folder}, which is not a folder")
    return path


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why tests were skipped, one line a reason, and what tests have recorded for all to see."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "summary":
                terminalreporter.write_line(value)
