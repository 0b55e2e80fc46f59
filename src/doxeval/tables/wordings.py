"""The wording and the attributes of topics."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Topics:
    """The wording and the attributes of topics, by name."""

    queries: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
