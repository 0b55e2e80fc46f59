"""The wording and the attributes of topics."""

from __future__ import annotations

from dataclasses import dataclass, field

from doxeval.core.phrases import counted
from doxeval.tables.glimpse import FirstRows, Glimpsed, clipped


@dataclass(repr=False)
class Topics(Glimpsed):
    """The wording and the attributes of topics, by name."""

    queries: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)

    def __repr__(self) -> str:
        known = {name for told in self.attributes.values() for name in told}
        return f"<Topics: {counted(len(self._names), 'topic')}, {counted(len(known), 'attribute')}>"

    @property
    def _names(self) -> list[str]:
        return list(dict.fromkeys([*self.queries, *self.attributes]))

    def _first_rows(self, count: int) -> FirstRows:
        names = self._names[:count]
        known = list(dict.fromkeys(name for topic in names for name in self.attributes.get(topic, {})))[:4]
        rows = [
            [topic, clipped(self.queries.get(topic, "")),
             *(clipped(str(self.attributes.get(topic, {}).get(name, ""))) for name in known)]
            for topic in names
        ]  # fmt: skip
        return ["topic", "question", *known], rows, len(self._names), "topics"
