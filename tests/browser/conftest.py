"""A real browser, offline: Debian's chromium driven by playwright; without one these tests are skipped."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.judging.serving import leaving

PICTURES = Path(__file__).parents[2] / "build" / "screenshots"
PATIENCE = 20
"""Seconds that a page is given to show what is expected of it."""
LOOKS = [(1280, "light"), (390, "dark")]
"""Widths and colour schemes that a page is looked at in."""

Read = TypeVar("Read")


def eventually(read: Callable[..., Read], expected: Any) -> Read:
    """What a page says once it is as expected: pages draw after an act, not within it.

    `expected` is a value, or a condition on it. Asserting what a page says at once is not allowed here
    (test_patience.py).
    """
    met = expected if callable(expected) else lambda found: found == expected
    end = time.monotonic() + PATIENCE
    while not met(found := read()) and time.monotonic() < end:
        time.sleep(0.03)
    if not callable(expected):
        assert found == expected
    assert met(found), f"the page says {found!r}"
    return found


def serious(page) -> list[str]:
    """What axe finds wrong with a page that keeps somebody from using it."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed (make browser)"
    )
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:120]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (make browser)")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("there is no chromium (make browser)")
    with api.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


class Visitor:
    """A page, what its console said, and pictures of it for people to look at."""

    def __init__(self, page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.dialogs: list[str] = []
        page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda problem: self.complaints.append(str(problem)))
        page.on("request", lambda asked: self.requests.append(asked.url))
        page.on("dialog", self._dismiss)

    def _dismiss(self, dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def check(self, here: tuple[str, ...]) -> None:
        """Nothing was complained about, popped up, or asked of other places than those."""
        assert self.complaints == []
        assert self.dialogs == []
        assert [url for url in self.requests if not url.startswith(here)] == []

    def fits(self, width: int) -> None:
        """Nothing sticks out to the right."""
        eventually(
            lambda: self.page.evaluate("document.documentElement.scrollWidth"), lambda wide: wide <= width
        )

    def picture(self, name: str) -> None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(PICTURES / f"{name}.png"))


@pytest.fixture
def visit(browser) -> Iterator[Callable[..., Visitor]]:
    """Open a file; afterwards nothing may have been complained about, asked for, or popped up."""
    contexts, visitors = [], []

    def opened(
        path: Path, address: str = "", width: int = 1280, height: int = 900, scheme: str = "light"
    ) -> Visitor:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, offline=True
        )
        visitor = Visitor(context.new_page())
        contexts.append(context)
        visitors.append(visitor)
        visitor.page.goto(path.as_uri() + address)
        return visitor

    yield opened
    for context in contexts:
        context.close()
    for visitor in visitors:
        visitor.check(("file:", "data:"))


@pytest.fixture
def attend(browser) -> Iterator[Callable[..., Visitor]]:
    """Open an address; afterwards nothing may have been complained about, popped up, or asked of others.

    Pages are left before their server stops.
    """
    contexts = []
    visitors: list[Visitor] = []

    def leave(place: str) -> None:
        for visitor in visitors:
            if visitor.page.url.startswith(place):
                visitor.page.close()

    def opened(address: str, width: int = 1280, height: int = 900, scheme: str = "light", **more) -> Visitor:
        if "context" not in more:
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, **more
            )
            contexts.append(context)
        else:
            context = more["context"]
        visitor = Visitor(context.new_page())
        visitors.append(visitor)
        visitor.page.goto(address)
        visitor.page.wait_for_selector("body[data-ready]")
        return visitor

    leaving.append(leave)
    yield opened
    leaving.remove(leave)
    for context in contexts:
        context.close()
    for visitor in visitors:
        visitor.check(("file:", "data:", "blob:", "http://127.0.0.1:"))
