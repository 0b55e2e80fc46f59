"""A browser that is killed loses nothing that its page had called saved."""

from __future__ import annotations

import os
import shutil
import signal
import time

import psutil

from tests.browser.conftest import eventually
from tests.browser.test_judging import saved, select
from tests.judging.serving import serving

KILLS = int(os.environ.get("DOXEVAL_BROWSER_KILLS", "4"))
WORDS = [f"word{number:04}" for number in range(max(KILLS, 20))]
TEXT = " ".join(WORDS)
MARKS = "[...document.querySelectorAll('mark')].map(mark => mark.textContent)"


def killed(sign: str) -> int:
    """Kill all processes of the browser with that sign in its command line; how many there were."""
    found = 0
    for process in psutil.process_iter(["cmdline"]):
        if any(sign in part for part in process.info["cmdline"] or ()):
            os.kill(process.pid, signal.SIGKILL)
            found += 1
    return found


def test_what_a_killed_browser_had_saved_is_there(browser, tmp_path) -> None:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    acknowledged: set[str] = set()
    with serving(tmp_path, texts={"d1": TEXT}) as served:
        for number in range(KILLS):
            sign = f"--killed-{os.getpid()}-{number}"
            chromium = browser.browser_type.launch(executable_path=program, args=["--no-sandbox", sign])
            page = chromium.new_page()
            page.goto(served.address)
            page.wait_for_selector("body[data-ready]")
            eventually(lambda page=page: acknowledged - set(page.evaluate(MARKS)), set())
            word = WORDS[number]
            select(page, TEXT, word)
            page.keyboard.press("h")
            if number % 2:
                time.sleep(0.002 * number % 0.05)
            else:
                eventually(lambda page=page: page.evaluate(MARKS), lambda marks, word=word: word in marks)
                saved(page)
                acknowledged.add(word)
            assert killed(sign) > 0
    assert len(acknowledged) == (KILLS + 1) // 2
