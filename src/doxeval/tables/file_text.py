"""The words of a file, kept beside its table for official scorers, which read it their own way."""

from __future__ import annotations

from dataclasses import field

from doxeval.core.quick_class import dataclass


@dataclass(frozen=True)
class FileText:
    """The `text` of a file in a `format`, converted to UTF-8 if it is in another `encoding`.

    Of a part of a file, `first_line` is the number of its first line.
    """

    format: str
    text: bytes = field(repr=False)
    encoding: str = ""
    first_line: int = 1

    @property
    def original(self) -> bytes:
        """The text as it is in the file."""
        return self.text.decode().encode(self.encoding, "replace") if self.encoding else self.text

    def spelled(self, name: str) -> bytes:
        """A name of the table as it is in the file."""
        return name.encode(self.encoding or "utf-8", "replace")
