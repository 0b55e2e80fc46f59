"""Nothing that a user sees changes unseen: ``python -m tests.approved`` shows what has, and records it."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import pytest
from docs.examples import things_here

from tests.approved.outcomes import (
    SIGNATURES,
    Things,
    lines,
    outcome,
    recorded,
    restored,
    signatures,
    workplace,
)

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


def test_public_names_take_the_arguments_and_have_the_defaults_that_were_approved() -> None:
    was, now = SIGNATURES.read_text(encoding="utf-8").splitlines(), signatures().splitlines()
    changed = list(unified_diff(was, now, "recorded", "now", lineterm="", n=0))
    assert not changed, "\n".join(changed)
