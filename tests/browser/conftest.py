"""A real browser, offline: Debian's chromium driven by playwright; without one these tests are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PICTURES = Path(__file__).parents[2] / "build" / "screenshots"


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
    """Open an address; afterwards nothing may have been complained about, popped up, or asked of others."""
    contexts, visitors = [], []

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

    yield opened
    for context in contexts:
        context.close()
    for visitor in visitors:
        visitor.check(("file:", "data:", "blob:", "http://127.0.0.1:"))
