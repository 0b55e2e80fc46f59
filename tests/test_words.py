"""Messages, help, docstrings, comments and pages are plain English: see "Words" in CONTRIBUTING.md."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import nodes, texts

PROJECT = Path(__file__).parent.parent
SOURCE = PROJECT / "src" / "doxeval"
ROOMS = sorted(folder.parent.name for folder in SOURCE.glob("*/__init__.py"))
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "src/doxeval/**/assets/*.js"]

BETTER = {
    r"(?:is|are|was|were|be|been|being) told(?! apart| from)": "is reported",
    r"in vain": "without success, without results",
    r"likewise": "also, in the same way, or the words themselves",
    r"(?:he|his|him|himself)": "they, their, them: for readers, users and assessors alike",
    r"(?:there|where)(?:of|in|by|upon)": "of it, in which",
    r"for want of": "for lack of",
    r"judgements to come": "further judgements",
}
"""Phrases that sound translated, each with what to write instead."""
ODD = {re.compile(rf"\b{odd}\b", re.DOTALL): better for odd, better in BETTER.items()}
ANY_ODD = re.compile("|".join(odd.pattern for odd in ODD))
QUESTIONS = ("What", "Where", "Who", "Which", "Why")
"""Words that begin no docstring: it names what is returned, as in "A mask of the rows that name nodes"."""
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def texts_in(path: Path) -> Iterator[tuple[int, str]]:
    """Every string and comment of a module, with its line."""
    for node in nodes()[path]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
    if "#" in (code := texts()[path]):
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def odd_phrases(text: str) -> Iterator[str]:
    """What is odd in a text, and what to write instead."""
    line = " ".join(text.split())
    for odd, better in ODD.items() if ANY_ODD.search(line) else ():
        for found in odd.finditer(line):
            yield f"{found[0]!r}; better: {better}"


@pytest.mark.parametrize("room", ROOMS)
def test_texts_are_plain_english(room: str) -> None:
    modules = [path for path in texts() if path.parts[0] == room]
    assert modules
    found = [
        f"{path}:{line}: {odd}"
        for path in modules
        for line, text in texts_in(path)
        for odd in odd_phrases(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("pages", PAGES)
def test_pages_are_plain_english(pages: str) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(PROJECT.glob(pages))}
    assert texts
    found = [
        f"{path.relative_to(PROJECT)}: {odd}" for path, text in texts.items() for odd in odd_phrases(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("odd", ["it is told once", "searched in\n    vain", "what he has read"])
def test_odd_phrases_are_found(odd: str) -> None:
    assert list(odd_phrases(odd)) and not list(odd_phrases("They are told apart; the others hear of it."))


def test_docstrings_say_what_is_returned() -> None:
    found = [
        (f"{path}: {getattr(node, 'name', 'the module')}", text)
        for path in texts()
        for node in nodes()[path]
        if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node))
    ]
    assert len(found) > 4000
    odd = [f"{name}: {text.splitlines()[0]}" for name, text in found if text.split()[0] in QUESTIONS]
    assert not odd, "\n".join(odd)
