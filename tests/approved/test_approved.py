"""Nothing that a user sees changes unseen: ``python -m tests.approved`` shows what has, and records it."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import pytest
from docs.examples import things_here

from tests.approved.outcomes import Things, lines, outcome, recorded, restored, workplace

KNOWN = recorded()


@pytest.fixture(scope="module")
def place() -> Iterator[tuple[Path, Things]]:
    """The folder with the files that lines name, and how they were."""
    with workplace() as kept:
        yield kept, things_here()


def differences(known: dict[str, str], found: dict[str, str]) -> list[str]:
    """What was printed or written otherwise, line by line."""
    told: list[str] = []
    for name in sorted({*known, *found}):
        was, now = known.get(name, "").splitlines(), found.get(name, "").splitlines()
        told += unified_diff(was, now, f"{name}, recorded", f"{name}, now", lineterm="", n=1)
    return told


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=[pytest.mark.slow] * ("study papers" in line)) for line in KNOWN]
)
def test_what_is_printed_and_written_is_what_was_approved(line: str, place: tuple[Path, Things]) -> None:
    kept, before = place
    found = outcome(line)
    restored(kept, before)
    changed = differences(KNOWN[line], found)
    assert not changed, "\n".join([line, *changed[:40]])


def test_every_example_is_recorded() -> None:
    assert list(KNOWN) == lines(), "run python -m tests.approved, and read what it says"
