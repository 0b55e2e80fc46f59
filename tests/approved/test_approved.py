"""Nothing that a user sees changes unseen: ``python -m tests.approved`` shows what has, and records it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from difflib import unified_diff
from functools import cache
from pathlib import Path

import pytest
from docs.examples import things_here

from tests.approved.outcomes import (
    SIGNATURES,
    WORLDS,
    Things,
    lines,
    outcome,
    recorded,
    restored,
    signatures,
    workplace,
)

KNOWN = recorded()


Place = tuple[Path, Path, Things]


@pytest.fixture(scope="module")
def place_of() -> Iterator[Callable[[str], Place]]:
    """For a world, the folder with the files that its lines name, a copy of them, and how they were."""
    with ExitStack() as open_places:

        @cache
        def place(world: str) -> Place:
            kept = open_places.enter_context(workplace(world))
            return Path.cwd(), kept, things_here()

        yield place


def differences(known: dict[str, str], found: dict[str, str]) -> list[str]:
    """What was printed or written otherwise, line by line."""
    told: list[str] = []
    for name in sorted({*known, *found}):
        was, now = known.get(name, "").splitlines(), found.get(name, "").splitlines()
        told += unified_diff(was, now, f"{name}, recorded", f"{name}, now", lineterm="", n=1)
    return told


@pytest.mark.parametrize(
    ("world", "line"),
    [
        pytest.param(world, line, marks=[pytest.mark.slow] * ("study papers" in line))
        for world, known in KNOWN.items()
        for line in known
    ],
)
def test_what_is_printed_and_written_is_what_was_approved(
    world: str, line: str, place_of: Callable[[str], Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, kept, before = place_of(world)
    monkeypatch.chdir(folder)
    found = outcome(line)
    restored(kept, before)
    changed = differences(KNOWN[world][line], found)
    assert not changed, "\n".join([line, *changed[:40]])


@pytest.mark.parametrize("world", WORLDS)
def test_every_example_is_recorded(world: str) -> None:
    assert list(KNOWN[world]) == lines(world), "run python -m tests.approved, and read what it says"


def test_public_names_take_the_arguments_and_have_the_defaults_that_were_approved() -> None:
    was, now = SIGNATURES.read_text(encoding="utf-8").splitlines(), signatures().splitlines()
    changed = list(unified_diff(was, now, "recorded", "now", lineterm="", n=0))
    assert not changed, "\n".join(changed)
