"""What all tests share: the reference material, if there is any here, and how hypothesis searches."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

import doxeval.core.progress
import doxeval.core.settings

VARIABLE = "DOXEVAL_REFERENCE_DATA"
EXPLORE = "DOXEVAL_EXPLORE"
"""Set by ``make explore``: cases that were never tried; otherwise the same cases every time."""
QUICK = "DOXEVAL_QUICK"
"""Set by ``make quick``: two cases of every test, a few examples of every property."""
SLOW = {
    "browser", "robustness", "test_action.py", "test_contributing.py", "test_packaging.py",
    "test_papers.py", "approved/test_processors.py", "cli/agents/test_server.py", "cli/test_long_names.py",
    "comparison/outcomes/test_simulated.py", "comparison/test_families.py", "core/test_registries.py",
    "core/test_screen.py", "demo/test_demo.py", "io/formats/test_hostile_names.py",
    "judging/test_copies.py", "judging/test_databases.py", "judging/test_kills.py",
    "judging/test_server.py", "judging/test_trouble.py", "judging/test_tutorial.py",
    "rag/test_pytest_plugin.py", "reader/navigation/test_candidates.py", "scoring/test_composition.py",
    "show/notebooks/test_executed.py", "show/notebooks/test_outputs.py", "show/report/test_gallery.py",
    "show/report/test_plot.py",
}  # fmt: skip
"""Browsers, servers, processes, hostile input, drawings, simulations: ``make test-slow``, or by its name."""
TESTS = Path(__file__).parent
SLOW_PLACES = {TESTS / name for name in SLOW}
NOT_SET = f"the reference material is not here ({VARIABLE} is not set)"

os.unsetenv("COLUMNS")  # which readline sets behind the back of os.environ, for every process started here
settings.register_profile(
    "doxeval",
    deadline=None,
    max_examples=5 if QUICK in os.environ else 50 if EXPLORE in os.environ else 12,
    derandomize=EXPLORE not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("doxeval")
if EXPLORE not in os.environ and hasattr(providers, "_get_local_constants"):
    # Constants found in the modules loaded so far would make the cases depend on the order of the tests.
    providers._get_local_constants = lambda: providers._local_constants


def slow_places(path: Path) -> set[Path]:
    """The file of a test and the folders around it, those that are slow."""
    return {place for place in (path, *path.parents) if place in SLOW_PLACES}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark slow tests, and leave them out unless they are asked for by their mark, file or folder."""
    named = {Path(argument.partition("::")[0]).resolve() for argument in config.args}
    cases = Counter(map(case_of, items))
    wanted: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    seen: Counter[str] = Counter()
    for item in items:
        places = slow_places(item.path)
        if places:
            item.add_marker("slow")
        slow = item.get_closest_marker("slow") is not None
        asked = bool(places & named) or item.path in named or "slow" in config.option.markexpr
        seen[case_of(item)] += 1
        between = QUICK in os.environ and seen[case_of(item)] not in (1, cases[case_of(item)])
        (left_out if (slow and not asked) or between else wanted).append(item)
    items[:] = wanted
    config.hook.pytest_deselected(items=left_out)


def case_of(item: pytest.Item) -> str:
    """The test that an item is one case of."""
    return item.nodeid.partition("[")[0]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip cases of signals that are ignored here, and so in every process started here."""
    cases = item.callspec.params.values() if hasattr(item, "callspec") else ()
    for name in (case.name if isinstance(case, signal.Signals) else case for case in cases):
        for number in signal.Signals if isinstance(name, str) and "SIG" in name else ():
            if name.endswith(number.name) and signal.getsignal(number) == signal.SIG_IGN:
                pytest.skip("the signal is ignored here, as under nohup")


@pytest.fixture(scope="session", autouse=True)
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run tests, and examples in docstrings and pages, elsewhere: the checkout stays as it is."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
    yield
    os.chdir(before)


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command is told in a test holds for no other, and no terminal or clock changes what it says."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(doxeval.core.settings, "_changed", {})
    monkeypatch.setattr(doxeval.core.progress, "PATIENCE", 1e9)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # no machine fails in the middle of a test


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
