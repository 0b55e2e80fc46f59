"""From the spans of an agent to the steps of a trajectory: whose question they answer, and what they show.

One root is one question: the outermost span that asks one, or has the attribute that names the topic. Below
it, a retrieval is a search step, also within a tool; other tools are steps by their names; calls of a model
are steps that show nothing, with their tokens; the output of the agent is the answer. Of spans of a kind
within one another only the outermost counts, except that a retrieval without documents gives way to one with
some.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from doxeval.io.formats.messages import AGENTS, USERS, last_said, question_in, result_text
from doxeval.io.formats.shown_text import Shown, shown_by_chunks
from doxeval.io.formats.spans import DOCUMENT_LISTS, Span, listed, value_at
from doxeval.io.formats.tool_calls import ToolCall, arguments_in, step_of_call

OWN_TOPIC = "doxeval.topic"
RETRIEVAL_QUESTIONS = ("input.value", "gen_ai.retrieval.query.text")
QUESTIONS = ("input.value", "gen_ai.input.messages", "llm.input_messages", *RETRIEVAL_QUESTIONS[1:])
"""The attributes in which questions are, in the order in which they are looked at."""
NAMES_OF_QUESTIONS = ("metadata.question_id", "metadata.topic", "gen_ai.conversation.id")
"""Attributes that name a question whose words were not kept."""
ALIASES = (*NAMES_OF_QUESTIONS, "session.id")
ANSWERS = ("gen_ai.output.messages", "llm.output_messages", "output.value")
NOT_ASKING = ("LLM", "TOOL", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT")
"""Kinds of spans whose input is not the question of the whole."""
TOKENS = ("llm.token_count.total",)
TOKEN_PARTS = (
    ("llm.token_count.prompt", "llm.token_count.completion"),
    ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
    ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"),
)
COSTS = ("llm.cost.total", "gen_ai.usage.cost", "gen_ai.usage.total_cost")
CITED = re.compile(r"[\[【(]([^\[\]【】()\n]{1,300})[\]】)]")
"""A name in brackets, as answers cite documents."""


@dataclass(eq=False)
class Question:
    """One question with the spans that answer it: those below `roots`, in order. `words` are its own."""

    topic: str
    words: str
    roots: list[Span]

    @property
    def line(self) -> int:
        """The line of its first span."""
        return self.roots[0].line

    @property
    def aliases(self) -> list[str]:
        """Other names that it may have: by attributes that name questions and sessions, and its words."""
        found = (text for span in self.walk() for name in ALIASES if (text := span.text(name)))
        names = dict.fromkeys([self.words, *found, *(root.trace for root in self.roots)])
        return [name for name in names if name and name != self.topic]

    def walk(self) -> Iterator[Span]:
        """All its spans, in order."""
        for root in self.roots:
            yield from root.walk()


def questions_of(root: Span, attribute: str) -> list[Question]:
    """The questions asked by a tree of spans; an error if there is none."""
    name = attribute or (OWN_TOPIC if any(span.text(OWN_TOPIC) for span in root.walk()) else "")
    if name:
        return _by_attribute(root, name)
    if words := words_of(root):
        return [Question(words, words, [root])]
    asking = [span for span in _outermost(root, lambda span: span.kind == "AGENT") if words_of(span)]
    if asking:
        return [Question(words_of(span), words_of(span), [span]) for span in asking]
    models = (span for span in root.walk() if span.kind == "LLM")
    if root.kind not in NOT_ASKING and (words := next(filter(None, map(_user_words, models)), "")):
        return [Question(words, words, [root])]
    searches = [span for span in outer_retrievals(root) if retrieval_words(span)]
    if searches and not any(span.kind in ("AGENT", "TOOL") for span in root.walk()):
        return [Question(retrieval_words(span), retrieval_words(span), [span]) for span in searches]
    if topic := _named(root):
        return [Question(topic, topic, [root])]
    if any(span.is_retrieval or span.kind in ("AGENT", "TOOL", "LLM") for span in root.walk()):
        raise KeyError(f"attribute {' or '.join((OWN_TOPIC, *RETRIEVAL_QUESTIONS))}")
    return []


def _by_attribute(root: Span, name: str) -> list[Question]:
    """The questions by an attribute: the whole tree if its spans agree, else each outermost that has it."""
    having = list(_outermost(root, lambda span: bool(span.text(name))))
    if not having:
        if any(span.is_retrieval or span.kind in ("AGENT", "TOOL") for span in root.walk()):
            raise KeyError(f"attribute {name}")
        return []
    topics = {topic_in(span, name) for span in having}
    spans = [root] if len(topics) == 1 else having
    return [
        Question(
            topic_in(having[0] if span is root else span, name), words_of(span) or _any_words(span), [span]
        )
        for span in spans
    ]


def topic_in(span: Span, name: str) -> str:
    """The topic that an attribute holds: its value, or the question in it."""
    told = span.text(name)
    return question_in(told) or " ".join(told.split())


def words_of(span: Span) -> str:
    """The question that a span asks; empty if it asks none, or is only a part of an answer to one."""
    if span.kind in NOT_ASKING or span.is_retrieval:
        return ""
    return next(filter(None, (question_in(span.get(name)) for name in QUESTIONS)), "")


def retrieval_words(span: Span) -> str:
    """The words of a search."""
    return next(filter(None, (question_in(span.get(name)) for name in RETRIEVAL_QUESTIONS)), "")


def _any_words(root: Span) -> str:
    """The first words below a span that state no question of the whole: they tell searches apart."""
    found = (words_of(span) or _user_words(span) or retrieval_words(span) for span in root.walk())
    return next(filter(None, found), "")


def _user_words(span: Span) -> str:
    found = (last_said(span.get(name), USERS) for name in QUESTIONS)
    return " ".join(next(filter(None, found), "").split())


def _named(root: Span) -> str:
    found = (span.text(*NAMES_OF_QUESTIONS) for span in root.walk())
    return next(filter(None, found), "")


def _outermost(root: Span, wanted: Callable[[Span], bool]) -> Iterator[Span]:
    """The spans of a kind that are not within another of it, in order."""
    rest = [root]
    while rest:
        span = rest.pop()
        if wanted(span):
            yield span
        else:
            rest += reversed(span.children)


def outer_retrievals(root: Span) -> list[Span]:
    """The retrievals below a span that are in no other; one without documents gives way to those in it."""
    found = []
    for span in _outermost(root, lambda span: span.is_retrieval):
        inner = (
            [] if documents_in(span) else [one for child in span.children for one in outer_retrievals(child)]
        )
        found += inner if any(map(documents_in, inner)) else [span]
    return found


def documents_in(span: Span) -> list[Any]:
    """The documents that a retrieval returned, in order."""
    return next(filter(None, (listed(span.get(name)) for name in DOCUMENT_LISTS)), [])


def is_agentic(question: Question) -> bool:
    """Whether a question has steps: an agent, a tool, or searches in different words."""
    if any(span.kind in ("AGENT", "TOOL") for span in question.walk()):
        return True
    searches = [retrieval_words(span) for root in question.roots for span in outer_retrievals(root)]
    return len(set(searches)) > 1


class StepLines:
    """The steps of questions as lines of the native form; `stated` is what places say, in their order."""

    def __init__(self) -> None:
        self.stated: list[tuple[int, int, Any]] = []

    def lines(self, question: Question) -> Iterable[dict[str, Any]]:
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
    shown: Shown = shown_by_chunks(documents_in(span))
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
    amounts = [amount_of(one) for one in _outermost(span, lambda one: amount_of(one) is not None)]
    return sum(amount for amount in amounts if amount is not None) if amounts else None


def _tokens(span: Span) -> float | None:
    total = span.number_of(*TOKENS)
    if total is None:
        for parts in TOKEN_PARTS:
            numbers = [number for part in parts if (number := span.number_of(part)) is not None]
            if numbers:
                return sum(numbers)
    return total
