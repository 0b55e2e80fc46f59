"""Settings of this process: from options of the command line, else from environment variables.

They are kept here and never written to the environment, which belongs to the host process and all it starts;
workers get them with their work (:mod:`doxeval.core.crews`).
"""

from __future__ import annotations

import os

PREFIX = "DOXEVAL_"
TOLD_BY = "TOLD_BY"

_process = os.urandom(8).hex()
_made: dict[str, str] = {}
_adopted = False


def setting(name: str) -> str | None:
    """The text of a setting; None if it was not set."""
    return _made.get(name) or os.environ.get(f"{PREFIX}{name}")


def make_setting(name: str, text: str) -> None:
    """Change a setting for this process and its workers."""
    _made[name] = text


def settings_made() -> dict[str, str]:
    """The settings to send to workers: those made here, those of the environment, and their origin."""
    inherited = {
        name.removeprefix(PREFIX): text for name, text in os.environ.items() if name.startswith(PREFIX)
    }
    return inherited | _made | {TOLD_BY: _itself()}


def _itself() -> str:
    """A unique identity of this process: a fork has another number, a process elsewhere another word."""
    return f"{_process}-{os.getpid()}"


def adopt_settings(settings: dict[str, str]) -> None:
    """Use the settings of the process this one works for; does nothing in that process itself."""
    global _adopted
    if settings.get(TOLD_BY) == _itself():
        return
    _adopted = True
    _made.clear()
    _made.update(settings)


def is_worker() -> bool:
    """Whether this process works for another one, and has only what it was sent."""
    return _adopted
