"""From the spans of an agent to the steps of a trajectory: what they show, and how much they took.

A retrieval is a search step, also within a tool; other tools are steps by their names; calls of a model are
steps that show nothing, with their tokens; the output of the agent is the answer. Of calls of a model within
one another only the outermost counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from doxeval.io.formats.messages import AGENTS, last_said, result_text
from doxeval.io.formats.nested_values import value_at
from doxeval.io.formats.shown_text import ShownResult, shown_by_chunks
from doxeval.io.formats.span_questions import (
    AskedQuestion,
    outer_retrievals,
    outermost,
    retrieval_words,
    retrieved_by,
)
from doxeval.io.formats.spans import Span
from doxeval.io.formats.tool_calls import ToolCall, arguments_in, step_of_call

ANSWERS = ("gen_ai.output.messages", "llm.output_messages", "output.value")
TOKENS = ("llm.token_count.total",)
TOKEN_PARTS = (
    ("llm.token_count.prompt", "llm.token_count.completion"),
    ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
    ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"),
)
COSTS = ("llm.cost.total", "gen_ai.usage.cost", "gen_ai.usage.total_cost")
CITED = re.compile(r"[\[【(]([^\[\]【】()\n]{1,300})[\]】)]")
"""A name in brackets, as answers cite documents."""


class StepLines:
    """The steps of questions as lines of the native form; `stated` is what places say, in their order."""

    def __init__(self) -> None:
        self.stated: list[tuple[int, int, Any]] = []

    def lines(self, question: AskedQuestion) -> Iterable[dict[str, Any]]:
        """The lines of a question; `line` is that of the span."""
        topic, found = {"topic": question.topic}, list[_Step]()
        for root in question.roots:
            steps = list(self._below(root))
            steps += _answer(root, [*found, *steps])
            found += _timed(root, _with_free_steps(steps))
        for number, (span, keys, stated) in enumerate(found, start=1):
            self.stated += stated
            yield topic | {"line": span.line, "step": number} | keys
        if not found:
            yield topic | {"line": question.line}

    def _below(self, span: Span) -> Iterator[_Step]:
        """The steps of a span and of those below it."""
        if span.is_retrieval:
            for search in outer_retrievals(span):
                yield _search_step(search)
        elif span.kind == "LLM" and not _is_around(span):
            yield span, {"action": "other"} | _amounts(span), []
        elif span.kind == "TOOL":
            inner = [step for child in span.children for step in self._below(child)]
            shows = [step for step in inner if step[1]["action"] != "other"]
            if len(inner) == len(shows) == 1:
                yield span, inner[0][1], inner[0][2]
            elif shows:
                yield from inner
            else:
                keys, stated = step_of_call(call_of(span))
                yield span, keys | _amounts(span), list(stated)
        else:
            for child in span.children:
                yield from self._below(child)


def _is_around(span: Span) -> bool:
    """Whether a call of a model is only around others, and tools: then those are the steps."""
    kinds = {one.kind for child in span.children for one in child.walk()}
    return "LLM" in kinds and "TOOL" in kinds


_Step = tuple[Span, dict[str, Any], list[tuple[int, int, Any]]]


def _search_step(span: Span) -> _Step:
    shown: ShownResult = shown_by_chunks(retrieved_by(span))
    words = retrieval_words(span)
    keys: dict[str, Any] = {"action": "search"} | ({"query": words} if words else {})
    keys |= {"shown": shown.places} if shown.places else {}
    keys |= {"named": shown.named} if shown.named else {}
    return span, keys | _amounts(span), shown.stated


def call_of(span: Span) -> ToolCall:
    """The call of a tool that a span records; one that failed returned nothing."""
    name = span.text("tool.name", "gen_ai.tool.name") or span.name
    arguments: Mapping[str, Any] | str = ""
    for key in ("gen_ai.tool.call.arguments", "input.value", "tool.parameters"):
        if span.get(key) is not None:
            arguments = arguments_in(span.get(key))
            break
    held = (span.get(key) for key in ("gen_ai.tool.call.result", "output.value"))
    found = next((value for value in held if value is not None), "")
    return ToolCall(name, arguments, "" if _failed(found) else result_text(found))


def _failed(result: Any) -> bool:
    """Whether a result is a message that the tool failed."""
    return (
        value_at(result, ["data", "status"]) == "error" or value_at(result, ["kwargs", "status"]) == "error"
    )


def _answer(root: Span, steps: list[_Step]) -> list[_Step]:
    """The answer of an agent, with the documents that it cites: those seen before that it has in brackets."""
    speakers = [span for span in root.walk() if span is root or span.kind == "AGENT"]
    words = next(filter(None, map(_said, speakers)), "")
    is_told = any(span is not root or span.kind == "AGENT" for span in speakers)
    if not words or not is_told or (steps and steps[-1][1]["action"] == "answer"):
        return []
    known = {place["doc"] for _, keys, _ in steps for place in keys.get("shown", ()) if "doc" in place}
    known |= {name for _, keys, _ in steps for name in keys.get("named", ())}
    cited = [name.strip() for name in CITED.findall(words) if name.strip() in known]
    places = [{"doc": name} for name in dict.fromkeys(cited)]
    return [(root, {"action": "answer"} | ({"shown": places} if places else {}), [])]


def _said(span: Span) -> str:
    """The last words of an agent in its output."""
    for name in ANSWERS:
        told = span.get(name)
        if told is not None and (words := last_said(told, AGENTS) or result_text(told)):
            return words
    return ""


def _timed(root: Span, steps: Iterable[_Step]) -> Iterator[_Step]:
    """Steps with the seconds that passed from the end of the step before, or the beginning, to their own."""
    since = root.start
    for span, keys, stated in steps:
        if since is None or span.end is None:
            yield span, keys, stated
        else:
            yield span, keys | {"seconds": round(max(0, span.end - since) / 1e9, 6)}, stated
            since = max(since, span.end)


def _with_free_steps(steps: list[_Step]) -> Iterator[_Step]:
    """Steps in which calls of a model state tokens or cost: others, which call none, state 0 of them."""
    told = {name for _, keys, _ in steps for name in ("tokens", "cost") if name in keys}
    for span, keys, stated in steps:
        free = dict.fromkeys(told, 0) if span.kind != "LLM" else {}
        yield span, free | keys, stated


def _amounts(span: Span) -> dict[str, float]:
    """The tokens and the cost that a span states, or else those of the spans below it together."""
    found = {"tokens": _stated(span, _tokens), "cost": _stated(span, lambda one: one.number_of(*COSTS))}
    return {name: amount for name, amount in found.items() if amount is not None}


def _stated(span: Span, amount_of: Callable[[Span], float | None]) -> float | None:
    """The sum over the outermost spans that state an amount; None if none does."""
    amounts = [amount_of(one) for one in outermost(span, lambda one: amount_of(one) is not None)]
    return sum(amount for amount in amounts if amount is not None) if amounts else None


def _tokens(span: Span) -> float | None:
    total = span.number_of(*TOKENS)
    if total is None:
        for parts in TOKEN_PARTS:
            numbers = [number for part in parts if (number := span.number_of(part)) is not None]
            if numbers:
                return sum(numbers)
    return total
