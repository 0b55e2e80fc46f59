"""How retrievers are asked, whoever made them, and for how many results.

A number of results is passed on to whatever takes one: as an argument, or as a setting of a copy; what the
caller gave is not changed. Answers that are promised (coroutines, asynchronous generators) are waited for.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from typing import Any, TypeVar

from doxeval.core.errors import UsageError

Item = TypeVar("Item")
SECONDS_BETWEEN = 0.5
SIZES = ("k", "top_k", "similarity_top_k", "n_results", "limit")
"""What the number of results is called, as an argument or a setting."""


def watched(items: Iterable[Item], total: int, name: str, progress: bool | None) -> Iterator[Item]:
    """The items one by one; how far it is stands on standard error, if wanted or if that is a terminal."""
    shown = sys.stderr.isatty() if progress is None else progress
    last = time.monotonic()
    for done, item in enumerate(items):
        if shown and time.monotonic() - last >= SECONDS_BETWEEN:
            last = time.monotonic()
            print(f"\r{name}: {done:,} of {total:,} questions", end="", file=sys.stderr, flush=True)
        yield item
    if shown:
        print(f"\r{name}: {total:,} of {total:,} questions", file=sys.stderr)


class Asker:
    """A retriever that can be asked for a number of results; `sized` says whether it is told the number."""

    def __init__(self, retriever: Any) -> None:
        self.sized = True
        self._waiting: ThreadPoolExecutor | None = None
        self._loop: asyncio.Runner | None = None
        self._ask = self._way(retriever)

    def _way(self, retriever: Any) -> Callable[[str, int], Any]:
        """How this retriever is asked a question for k results."""
        for method in ("invoke", "retrieve"):
            if callable(getattr(retriever, method, None)):
                self.sized = _setting(retriever) is not None
                return lambda question, k: getattr(_with_size(retriever, k), method)(question)
        if callable(search := getattr(retriever, "similarity_search", None)):
            return lambda question, k: search(question, k=k)
        query: Any = getattr(retriever, "query", None)
        if "query_texts" in _arguments(query):
            return lambda question, k: query(query_texts=[question], n_results=k)
        run = getattr(retriever, "run", None)
        call, named = (run, "query") if "query" in _arguments(run) else (retriever, "")
        if not callable(call):
            raise UsageError(
                f"{type(retriever).__name__!r} cannot be asked: expected a retriever or vector store of "
                "LangChain, LlamaIndex or Haystack, a collection of Chroma, or a function from a question to "
                "a list of chunks"
            )
        size = next((name for name in SIZES if name in _arguments(call)), None)
        self.sized = size is not None

        def ask(question: str, k: int) -> Any:
            sized = {size: k} if size else {}
            return call(**{named: question}, **sized) if named else call(question, **sized)

        return ask

    def __call__(self, question: str, k: int) -> Any:
        """What the retriever answers."""
        answer = self._ask(question, k)
        if hasattr(answer, "__aiter__") or inspect.isawaitable(answer):
            return self._wait(answer)
        return answer

    def _wait(self, promised: Any) -> Any:
        """Wait in a thread with a loop of its own, since the caller's may be running already (notebooks)."""
        if self._waiting is None:
            self._waiting, self._loop = ThreadPoolExecutor(1), asyncio.Runner()
        assert self._loop is not None
        return self._waiting.submit(self._loop.run, _settled(promised)).result()

    def close(self) -> None:
        """Give back the thread and the loop, where there were any."""
        if self._waiting is not None and self._loop is not None:
            self._waiting.submit(self._loop.close).result()
            self._waiting.shutdown()


async def _settled(promised: Any) -> Any:
    if hasattr(promised, "__aiter__"):
        return [answer async for answer in promised]
    return await promised


def _arguments(function: Any) -> tuple[str, ...]:
    """The names of the arguments a function takes; none where it does not tell."""
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def _setting(retriever: Any) -> str | None:
    """The setting of a retriever that says how many results it returns."""
    if isinstance(getattr(retriever, "search_kwargs", None), dict):
        return "search_kwargs"
    return next((name for name in SIZES if isinstance(getattr(retriever, name, None), int)), None)


def _with_size(retriever: Any, k: int) -> Any:
    """The retriever set to return at least k results: itself, or a copy."""
    setting = _setting(retriever)
    if setting is None:
        return retriever
    now = getattr(retriever, setting)
    if setting == "search_kwargs":
        value: Any = {**now, "k": max(k, now.get("k") or 0)}
    else:
        value = max(k, now)
    if value == now:
        return retriever
    if hasattr(retriever, "model_copy"):
        return retriever.model_copy(update={setting: value})
    changed = copy(retriever)
    setattr(changed, setting, value)
    return changed
