"""Settings of this process: from options of the command line, else from environment variables.

They are held here and never written to the environment, which belongs to the host process and all it starts;
workers get them with their shared data (:mod:`doxeval.core.workers`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable

PREFIX = "DOXEVAL_"
ORIGIN = "ORIGIN"

_process = os.urandom(8).hex()
_changed: dict[str, str] = {}
_is_worker = False


def setting(name: str) -> str | None:
    """The text of a setting; None if it was not set."""
    return _changed.get(name) or os.environ.get(f"{PREFIX}{name}")


def settings_given(names: Iterable[str]) -> dict[str, str]:
    """The texts of those settings that were set."""
    return {name: text for name in names if (text := setting(name))}


def change_setting(name: str, text: str) -> None:
    """Change a setting for this process and its workers."""
    _changed[name] = text


def settings_to_send() -> dict[str, str]:
    """The settings for workers: those changed here, those of the environment, and their origin."""
    inherited = {
        name.removeprefix(PREFIX): text for name, text in os.environ.items() if name.startswith(PREFIX)
    }
    return inherited | _changed | {ORIGIN: _identity()}


def _identity() -> str:
    """A unique identity of this process: a fork has another number, a process elsewhere another word."""
    return f"{_process}-{os.getpid()}"


def adopt_settings(settings: dict[str, str]) -> None:
    """Use the settings of the process this one works for; does nothing in that process itself."""
    global _is_worker
    if settings.get(ORIGIN) == _identity():
        return
    _is_worker = True
    _changed.clear()
    _changed.update(settings)


def is_worker() -> bool:
    """Whether this process works for another one, and has only what it was sent."""
    return _is_worker
