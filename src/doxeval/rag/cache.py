"""Answers of retrievers, kept in a file line by line, so that nothing is asked twice after a crash."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any

from doxeval import InputError, UsageError
from doxeval.io.placing.claims import Claim
from doxeval.io.placing.place_chunks import Chunk

Key = tuple[str, str, int]


class AnswerCache:
    """The chunks a named retriever returned for a question and a number of results.

    A line is written, and handed to the system, as soon as there is an answer; a last line that was cut off
    by a crash is left out, and written over.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.path = None if path is None else Path(path)
        self.known: dict[Key, list[Chunk]] = {}
        self.used = 0
        self._stream: Any = None

    def __enter__(self) -> AnswerCache:
        if self.path is not None:
            try:
                whole = self._read(self.path.read_bytes()) if self.path.exists() else 0
                self._stream = self.path.open("r+b" if whole else "wb")
                self._stream.seek(whole)
                self._stream.truncate()
            except OSError as problem:
                raise UsageError(f"{self.path}: cannot be used as a cache: {problem.strerror}") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None:
            self._stream.close()

    def _read(self, data: bytes) -> int:
        """Load all complete lines; returns where they end."""
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].splitlines(), 1):
            try:
                name, question, k, chunks = json.loads(line)
                found = [
                    Chunk(text, tuple(names), start, end, score, Claim(*map(_as_tuple, claim)))
                    for text, names, start, end, score, claim in chunks
                ]
            except (ValueError, TypeError):
                raise InputError(
                    f"{self.path}:{number}: not an answer as doxeval's cache stores them; use another "
                    "file as cache, or remove this one"
                ) from None
            self.known[name, question, k] = found
        return whole

    def get(self, name: str, question: str, k: int) -> list[Chunk] | None:
        """The answer to a question, if it is known."""
        found = self.known.get((name, question, k))
        self.used += found is not None
        return found

    def put(self, name: str, question: str, k: int, chunks: list[Chunk]) -> None:
        """Keep an answer."""
        if self._stream is not None:
            line = json.dumps([name, question, k, chunks], ensure_ascii=False)
            self._stream.write(line.encode(errors="surrogatepass") + b"\n")
            self._stream.flush()


def _as_tuple(value: Any) -> Any:
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value
