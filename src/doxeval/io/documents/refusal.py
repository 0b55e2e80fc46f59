"""Documents that are left out: each is reported with its place, and the others are kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.io.documents.tree import Refused
from doxeval.io.gate import UNREADABLE, gate

REFUSED = "{{count}} {{document|documents}} refused: {kind}"


def refuse(refusal: Refused, place: str, notices: Notices) -> None:
    """Add a notice about a document that is left out."""
    example = f"{place}: {refusal.detail}" if refusal.detail else place
    notices.add(REFUSED.format(kind=refusal.kind), example)


@contextmanager
def refused_alone(place: str, notices: Notices) -> Iterator[None]:
    """Leave out a document whose parser fails, and keep the others."""
    try:
        with gate(place):
            yield
    except Refused as refusal:
        refuse(refusal, place, notices)
    except InputError as problem:
        detail = str(problem).removeprefix(f"{place}: ").removeprefix(f"{UNREADABLE}: ")
        refuse(Refused(UNREADABLE, detail), place, notices)
