"""How retrievers of any framework are asked, and for how many results.

A number of results is passed on to everything that takes one: as an argument, or as a setting of a copy; the
caller's objects are not changed. Coroutines and asynchronous generators are awaited.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field
from typing import Any, TypeVar

import doxeval
from doxeval import Notices, UsageError
from doxeval.core.grammar import Cutoff, split_names
from doxeval.core.phrases import counted
from doxeval.core.screen import is_open, is_terminal
from doxeval.extend import Measure
from doxeval.ground.budget import counter_of
from doxeval.io.placing.place_chunks import Chunk
from doxeval.rag.answers import in_their_code

FIRST_ASKED = 10
"""How many results to ask for at first if a measure limits the text it looks at."""

ASKED_WITHOUT_CUTOFF = 100
"""How many to ask for if a measure looks at all results."""


@dataclass(frozen=True)
class Depth:
    """How much to ask for: at least `results`, and more until each of the `budgets` is filled."""

    results: int
    budgets: tuple[Cutoff, ...] = ()
    measures: tuple[Measure, ...] = field(default=())

    def filled(self, chunks: Sequence[Chunk]) -> bool:
        """Whether chunks hold as much as any measure looks at."""
        return all(budget.amount <= counter_of(budget.unit).held(chunks) for budget in self.budgets)

    def tell(self, notices: Notices, run: str, most: int) -> None:
        """Report which measures look deeper than what was retrieved."""
        deeper = [measure.label for measure in self.measures if (measure.rank or 0) > most]
        if deeper:
            notices.add(
                f"{run}: {', '.join(deeper)} {'looks' if len(deeper) == 1 else 'look'} deeper than what was "
                f"retrieved, at most {counted(most, 'result')}",
                harmless=True,
                lasting=True,
            )
        endless = [measure.label for measure in self.measures if measure.expression.cutoff is None]
        if endless and most >= self.results:
            notices.add(
                f"{run}: {', '.join(endless)} look at all results; the first {most} were retrieved (k=)",
                harmless=True,
                lasting=True,
            )


def depth_of(measures: Iterable[str | Measure], k: int | None) -> Depth:
    """The depth that measures look at: `k` results if given, else as many as the deepest cut-off."""
    if k is not None and k < 1:
        raise UsageError(f"k must be at least 1, not {k}")
    chosen = [
        one
        for given in measures
        for one in ([given] if isinstance(given, Measure) else map(doxeval.measure, split_names(given)))
    ]
    if k is not None:
        return Depth(k, measures=tuple(chosen))
    cutoffs = [measure.expression.cutoff for measure in chosen]
    budgets = tuple(cutoff for cutoff in cutoffs if cutoff is not None and cutoff.unit != "ranks")
    ranks = [measure.rank for measure in chosen if measure.rank is not None]
    ranks += [FIRST_ASKED] if budgets else []
    ranks += [ASKED_WITHOUT_CUTOFF] if None in cutoffs or not cutoffs else []
    return Depth(max(ranks), budgets, tuple(chosen))


Item = TypeVar("Item")
SECONDS_BETWEEN = 0.5
SIZES = ("k", "top_k", "similarity_top_k", "n_results", "limit")
"""Names for the number of results, as an argument or a setting."""
SETTING = "search_kwargs"
"""Where retrievers of LangChain keep the settings for their vector store."""
INSIDE = ("retrievers", "_retrievers", "retriever", "_retriever", "base_retriever", "first")
"""Where retrievers keep those that they ask: ensembles, fusions, compressions, chains."""
METHODS = ("invoke", "retrieve")
ASYNCHRONOUS = ("ainvoke", "aretrieve")
WORDINGS = ("query", "text", "question")
"""Names that a pipeline of Haystack may have for the question."""


def watched(items: Iterable[Item], total: int, name: str, progress: bool | None) -> Iterator[Item]:
    """The items one by one, with progress on standard error, if wanted or if that is a terminal."""
    shown = is_terminal(sys.stderr) if progress is None else progress and is_open(sys.stderr)
    last = time.monotonic()
    for done, item in enumerate(items):
        if shown and time.monotonic() - last >= SECONDS_BETWEEN:
            last = time.monotonic()
            print(f"\r{name}: {done:,} of {total:,} questions", end="", file=sys.stderr, flush=True)
        yield item
    if shown:
        print(f"\r{name}: {total:,} of {total:,} questions", file=sys.stderr)


class Asker:
    """A retriever that can be asked for a number of results; `sized` says whether it takes the number.

    `seconds` is the time that it has taken so far.
    """

    def __init__(self, retriever: Any) -> None:
        self.sized = True
        self.seconds = 0.0
        self._waiting: ThreadPoolExecutor | None = None
        self._loop: asyncio.Runner | None = None
        self._ask = self._way(retriever)

    def _way(self, retriever: Any) -> Callable[[str, int], Any]:
        """How this retriever is asked a question for k results."""
        asked, method = _method_of(retriever)
        if asked is not None:
            self.sized = _is_sized(asked)
            return lambda question, k: _called(getattr(_with_size(asked, k), method), question)
        if callable(similar := getattr(retriever, "similarity_search", None)):
            return lambda question, k: _called(similar, question, k=k)
        query: Any = getattr(retriever, "query", None)
        if "query_texts" in _arguments(query):
            return lambda question, k: _called(query, query_texts=[question], n_results=k)
        run = getattr(retriever, "run", None)
        if callable(told := getattr(retriever, "inputs", None)) and "data" in _arguments(run):
            return self._way_of_pipeline(run, {name for inputs in told().values() for name in inputs})
        if "query" in _arguments(search := getattr(retriever, "search", None)):
            return lambda question, k: _searched(search, question, k)
        call, named = (run, "query") if "query" in _arguments(run) else (retriever, "")
        if not callable(call):
            raise UsageError(
                f"{type(retriever).__name__!r} cannot be called: expected a retriever or vector store of "
                "LangChain, LlamaIndex or Haystack, a pipeline of Haystack, a collection of Chroma, a table "
                "of LanceDB, or a function from a question to a list of chunks"
            )
        size = next((name for name in SIZES if name in _arguments(call)), None)
        self.sized = size is not None

        def ask(question: str, k: int) -> Any:
            sized = {size: k} if size else {}
            return _called(call, **{named: question}, **sized) if named else _called(call, question, **sized)

        return ask

    def _way_of_pipeline(self, run: Any, inputs: set[str]) -> Callable[[str, int], Any]:
        """How a pipeline of Haystack is asked: by all of its inputs that take a question or a number."""
        wordings, sizes = ([name for name in names if name in inputs] for names in (WORDINGS, SIZES))
        if not wordings:
            raise UsageError(
                f"a pipeline that takes {', '.join(sorted(inputs)) or 'nothing'} cannot be called: expected "
                f"an input called {' or '.join(WORDINGS)}"
            )
        self.sized = bool(sizes)
        return lambda question, k: _called(run, dict.fromkeys(wordings, question) | dict.fromkeys(sizes, k))

    def __call__(self, question: str, k: int) -> Any:
        """The answer of the retriever; whatever it raises is marked as its own failure."""
        begun = time.monotonic()
        try:
            answer = self._ask(question, k)
            if hasattr(answer, "__aiter__") or inspect.isawaitable(answer):
                return self._wait(answer)
            return answer
        finally:
            self.seconds += time.monotonic() - begun

    def _wait(self, promised: Any) -> Any:
        """Wait in a thread with a loop of its own, since the caller's may be running already (notebooks)."""
        if self._waiting is None:
            self._waiting, self._loop = ThreadPoolExecutor(1), asyncio.Runner()
        assert self._loop is not None
        with in_their_code():
            return self._waiting.submit(self._loop.run, _settled(promised)).result()

    def close(self) -> None:
        """Release the thread and the loop, if there were any."""
        if self._waiting is not None and self._loop is not None:
            self._waiting.submit(self._loop.close).result()
            self._waiting.shutdown()


def _called(theirs: Any, *arguments: Any, **named: Any) -> Any:
    """The result of a method or function of the caller."""
    with in_their_code():
        return theirs(*arguments, **named)


async def _settled(promised: Any) -> Any:
    if hasattr(promised, "__aiter__"):
        return [answer async for answer in promised]
    return await promised


def _arguments(function: Any) -> tuple[str, ...]:
    """The names of the arguments a function takes; none if they are unknown."""
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def _method_of(retriever: Any) -> tuple[Any, str]:
    """The retriever and the method to call, for a retriever or a method of one; None for others."""
    for method in METHODS:
        if callable(getattr(retriever, method, None)):
            return retriever, method
    name = getattr(retriever, "__name__", "")
    if inspect.ismethod(retriever) and name in METHODS + ASYNCHRONOUS:
        return retriever.__self__, name
    return None, ""


def _searched(search: Any, question: str, k: int) -> Any:
    """The results of a search of txtai or LanceDB; the latter takes the number of results afterwards."""
    if "limit" in _arguments(search):
        return _called(search, question, limit=k)
    found = _called(search, question)
    return _called(found.limit, k) if hasattr(found, "limit") else found


def _settings(retriever: Any, k: int) -> dict[str, Any]:
    """The settings that say how many results a retriever returns, so that it returns at least k."""
    changed: dict[str, Any] = {
        name: max(k, now) for name in SIZES if isinstance(now := getattr(retriever, name, None), int)
    }
    if isinstance(now := getattr(retriever, SETTING, None), dict):
        changed[SETTING] = {**now, "k": max(k, now.get("k") or 0)}
    return changed


def _inside(retriever: Any) -> dict[str, list[Any]]:
    """The retrievers that a retriever asks, by the attribute that holds them."""
    held = {name: getattr(retriever, name, None) for name in INSIDE}
    listed = {name: list(one) if isinstance(one, list | tuple) else [one] for name, one in held.items()}
    return {name: ones for name, ones in listed.items() if ones and all(_method_of(one)[0] for one in ones)}


def _is_sized(retriever: Any) -> bool:
    """Whether a retriever, or one inside it, takes a number of results to return."""
    return bool(_settings(retriever, 1)) or any(
        _is_sized(one) for ones in _inside(retriever).values() for one in ones
    )


def _with_size(retriever: Any, k: int) -> Any:
    """The retriever set to return at least k results, and those inside it: itself, or a copy."""
    wanted = _settings(retriever, k)
    changes = {name: value for name, value in wanted.items() if value != getattr(retriever, name)}
    for name, ones in _inside(retriever).items():
        sized = [_with_size(one, k) for one in ones]
        if any(new is not old for new, old in zip(sized, ones, strict=True)):
            changes[name] = sized if isinstance(getattr(retriever, name), list | tuple) else sized[0]
    if not changes:
        return retriever
    if hasattr(retriever, "model_copy"):
        return retriever.model_copy(update=changes)
    changed = copy(retriever)
    for name, value in changes.items():
        setattr(changed, name, value)
    return changed
