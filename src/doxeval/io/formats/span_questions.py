"""The questions that spans answer: one root is one question.

It is the outermost span that asks one, in its input or its last user message, or that has the attribute that
names the topic. A root that asks nothing is none: then it is each outermost agent, or the first user message
of its models, or each retrieval. Of retrievals within one another only the outermost counts, but one without
documents gives way to one with some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from doxeval.io.formats.messages import USERS, last_said, question_in
from doxeval.io.formats.nested_values import as_list
from doxeval.io.formats.spans import DOCUMENT_LISTS, Span

OWN_TOPIC = "doxeval.topic"
RETRIEVAL_QUESTIONS = ("input.value", "gen_ai.retrieval.query.text")
QUESTIONS = ("input.value", "gen_ai.input.messages", "llm.input_messages", *RETRIEVAL_QUESTIONS[1:])
"""The attributes in which questions are, in the order in which they are looked at."""
NAMES_OF_QUESTIONS = ("metadata.question_id", "metadata.topic", "gen_ai.conversation.id")
"""Attributes that name a question whose words were not kept."""
ALIASES = (*NAMES_OF_QUESTIONS, "session.id")
NOT_ASKING = ("LLM", "TOOL", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT")
"""Kinds of spans whose input is not the question of the whole."""


@dataclass(eq=False)
class AskedQuestion:
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


def questions_of(root: Span, attribute: str) -> list[AskedQuestion]:
    """The questions asked by a tree of spans; an error if there is none."""
    name = attribute or (OWN_TOPIC if any(span.text(OWN_TOPIC) for span in root.walk()) else "")
    if name:
        return _by_attribute(root, name)
    if words := words_of(root):
        return [AskedQuestion(words, words, [root])]
    asking = [span for span in outermost(root, lambda span: span.kind == "AGENT") if words_of(span)]
    if asking:
        return [AskedQuestion(words_of(span), words_of(span), [span]) for span in asking]
    models = (span for span in root.walk() if span.kind == "LLM")
    if root.kind not in NOT_ASKING and (words := next(filter(None, map(_user_words, models)), "")):
        return [AskedQuestion(words, words, [root])]
    searches = [span for span in outer_retrievals(root) if retrieval_words(span)]
    if searches and not any(span.kind in ("AGENT", "TOOL") for span in root.walk()):
        return [AskedQuestion(retrieval_words(span), retrieval_words(span), [span]) for span in searches]
    if topic := _named(root):
        return [AskedQuestion(topic, topic, [root])]
    if any(span.is_retrieval or span.kind in ("AGENT", "TOOL", "LLM") for span in root.walk()):
        raise KeyError(f"attribute {' or '.join((OWN_TOPIC, *RETRIEVAL_QUESTIONS))}")
    return []


def _by_attribute(root: Span, name: str) -> list[AskedQuestion]:
    """The questions by an attribute: the whole tree if its spans agree, else each outermost that has it."""
    having = list(outermost(root, lambda span: bool(span.text(name))))
    if not having:
        if any(span.is_retrieval or span.kind in ("AGENT", "TOOL") for span in root.walk()):
            raise KeyError(f"attribute {name}")
        return []
    topics = {topic_in(span, name) for span in having}
    spans = [root] if len(topics) == 1 else having
    return [
        AskedQuestion(
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


def outermost(root: Span, wanted: Callable[[Span], bool]) -> Iterator[Span]:
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
    for span in outermost(root, lambda span: span.is_retrieval):
        inner = (
            [] if retrieved_by(span) else [one for child in span.children for one in outer_retrievals(child)]
        )
        found += inner if any(map(retrieved_by, inner)) else [span]
    return found


def retrieved_by(span: Span) -> list[Any]:
    """The documents that a retrieval returned, in order."""
    return next(filter(None, (as_list(span.get(name)) for name in DOCUMENT_LISTS)), [])


def is_agentic(question: AskedQuestion) -> bool:
    """Whether a question has steps: an agent, a tool, or searches in different words."""
    if any(span.kind in ("AGENT", "TOOL") for span in question.walk()):
        return True
    searches = [retrieval_words(span) for root in question.roots for span in outer_retrievals(root)]
    return len(set(searches)) > 1
