"""A pytest plugin that records which lines of the package each test reaches, and how long each test takes."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

FOLDER = Path(os.environ.get("DOXEVAL_REACH", "."))
tracer = coverage.Coverage(
    data_file=str(FOLDER / "lines"),
    data_suffix=True,
    source=[os.environ.get("DOXEVAL_REACH_PACKAGE", ".")],
    config_file=False,
)
if "DOXEVAL_REACH" in os.environ:
    tracer.start()
times: dict[str, float] = {}
failed: set[str] = set()


def spent() -> float:
    """The CPU time of this process, and of those it has started that have ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Count what happens during a test as reached by it."""
    tracer.switch_context(item.nodeid)
    os.environ["DOXEVAL_REACHED_BY"] = item.nodeid
    started = spent()
    result = yield
    times[item.nodeid] = spent() - started
    del os.environ["DOXEVAL_REACHED_BY"]
    tracer.switch_context("")
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note tests that do not pass here, which could notice nothing."""
    if report.outcome != "passed":
        failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Save what this process has recorded."""
    tracer.stop()
    tracer.save()
    passed = {name: spent for name, spent in times.items() if name not in failed}
    (FOLDER / f"times-{os.getpid()}.json").write_text(json.dumps(passed))
