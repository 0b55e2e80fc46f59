"""Functions carried across the commits of a git repository, compared with the syntax trees of both sides.

Functions are drawn from files that changed between two commits. One still exists if its path and qualified
name do, or a function with equal tokens (Python's own `tokenize`; comments and white space do not count);
it is placed right if it is at one of these. Truth comes from `ast`, which doxeval does not use.
`DOXEVAL_HISTORY` names the repository, by default this one.
"""

from __future__ import annotations

import ast
import io
import os
import random
import subprocess
import sys
import time
import tokenize
import warnings
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import doxeval as dx

PAIRS, DISTANCES, DRAWN = 40, (1, 5, 20, 60, 150), 25
LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT}


class Function(NamedTuple):
    """A function of a file, its lines from `def` to its end, and its tokens, with and without its name."""

    path: str
    name: str
    first: int
    last: int
    tokens: tuple[str, ...]
    nameless: tuple[str, ...]


def git(repository: str, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=True)
    return done.stdout.decode(errors="replace")


def functions(path: str, text: str) -> list[Function]:
    """The functions in a file, nested ones too; none if it does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    lines = text.splitlines(keepends=True)
    found = []

    def visit(node: ast.AST, outer: str) -> None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                visit(child, outer)
                continue
            name = f"{outer}.{child.name}" if outer else child.name
            if not isinstance(child, ast.ClassDef) and child.end_lineno is not None:
                tokens = _tokens(lines[child.lineno - 1 : child.end_lineno])
                nameless = tuple("" if token == child.name else token for token in tokens)
                found.append(Function(path, name, child.lineno, child.end_lineno, tokens, nameless))
            visit(child, name)

    visit(tree, "")
    return found


def _tokens(lines: list[str]) -> tuple[str, ...]:
    """The tokens of some lines; strings without the white space that re-indenting changes."""
    try:
        found = list(tokenize.generate_tokens(io.StringIO("if 1:\n" + "".join(lines)).readline))[3:]
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return tuple(" ".join(lines).split())
    kept = [" ".join(token.string.split()) for token in found if token.type not in LAYOUT]
    return tuple(
        token
        for token, after in zip(kept, [*kept[1:], ""], strict=True)
        if token and not (token == "," and after in (")", "]", "}"))
    )


class History:
    """The functions of a repository's files, each version of a file read once."""

    def __init__(self, repository: str) -> None:
        self.repository = repository
        self.commits = git(repository, "rev-list", "--first-parent", "--reverse", "HEAD").split()
        self._known: dict[str, list[Function]] = {}

    def files(self, commit: str) -> dict[str, str]:
        rows = git(self.repository, "ls-tree", "-r", commit).splitlines()
        told = (row.partition("\t") for row in rows)
        return {path: row.split()[2] for row, _, path in told if path.endswith(".py")}

    def functions(self, path: str, blob: str) -> list[Function]:
        key = f"{path}:{blob}"
        if key not in self._known:
            self._known[key] = functions(path, git(self.repository, "cat-file", "blob", blob))
        return self._known[key]


def carried(history: History, old: str, new: str, draw: random.Random, drawn: int) -> Counter[str]:
    """Carry some functions from one commit to another, and count what became of them."""
    before, after = history.files(old), history.files(new)
    changed = [path for path, blob in before.items() if after.get(path) != blob]
    population = [one for path in changed for one in history.functions(path, before[path])]
    twice = Counter((one.path, one.name) for one in population)
    population = [one for one in population if twice[one.path, one.name] == 1]
    sample = draw.sample(population, min(drawn, len(population)))
    by_name, by_tokens, by_nameless = defaultdict(list), defaultdict(list), defaultdict(list)
    for path, blob in after.items():
        for one in history.functions(path, blob):
            by_name[one.path, one.name].append(one)
            by_tokens[one.tokens].append(one)
            by_nameless[one.nameless].append(one)
    if not sample:
        return Counter()
    gold = [
        {"topic": str(at), "doc": one.path, "start_line": one.first, "end_line": one.last}
        for at, one in enumerate(sample)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = time.perf_counter()
        found = dx.anchor(
            gold, f"git:{history.repository}@{new}", old_documents=f"git:{history.repository}@{old}"
        )
        spent = time.perf_counter() - started
    places = {}
    quotes = found.quotes
    assert quotes is not None and quotes.placed is not None
    for row, placement in enumerate(quotes.placed):
        topic = int(found.topics[int(found.pair_topic[quotes.pair[row]])])
        doc = found.docs[int(found.pair_doc[quotes.pair[row]])]
        places[topic] = (doc, placement)
    counts = Counter(seconds=round(spent * 1000))
    for at, one in enumerate(sample):
        homes = by_name.get((one.path, one.name)) or by_tokens.get(one.tokens) or []
        doc, placement = places[at]
        counts["functions"] += 1
        kind = "kept" if homes else "renamed" if one.nameless in by_nameless else "deleted"
        counts[kind] += 1
        if not placement.placed:
            if kind == "kept":
                counts["not placed"] += 1
                told(f"not placed ({placement.outcome}): {one.path}::{one.name} {old[:9]} {new[:9]}")
            continue
        counts[f"{kind} placed"] += 1
        start, end = placement.places[0][0][0], placement.places[0][-1][1]
        right = any((doc, start + 1, end) == (home.path, home.first, home.last) for home in homes)
        if kind == "kept":
            counts["right"] += right
        if kind == "renamed":
            counts["renamed right"] += any(
                (doc, start + 1, end) == (home.path, home.first, home.last)
                for home in by_nameless[one.nameless]
            )
        if not right:
            told(f"{kind}, placed: {one.path}::{one.name} {old[:9]} {new[:9]} at {doc}:{start + 1}-{end}")
    return counts


def told(line: str) -> None:
    """Print what went wrong, if `DOXEVAL_TOLD` is set."""
    if os.environ.get("DOXEVAL_TOLD"):
        print(line, file=sys.stderr, flush=True)


def report() -> str:
    repository = os.environ.get("DOXEVAL_HISTORY", str(Path(__file__).parents[1]))
    history, draw = History(repository), random.Random(1)
    pairs = int(os.environ.get("DOXEVAL_PAIRS", PAIRS))
    counts: Counter[str] = Counter()
    for number in range(pairs):
        distance = DISTANCES[number % len(DISTANCES)]
        first = draw.randrange(max(1, len(history.commits) - distance))
        second = min(first + distance, len(history.commits) - 1)
        counts += carried(history, history.commits[first], history.commits[second], draw, DRAWN)
    kept, placed = counts["kept"], counts["kept placed"]
    rows = [
        ("functions drawn from changed files", counts["functions"], ""),
        ("still exist", kept, ""),
        ("of these placed", placed, f"{placed / max(1, kept):.1%}"),
        ("of the placed right", counts["right"], f"{counts['right'] / max(1, placed):.1%}"),
        ("the same but for their own name", counts["renamed"], ""),
        ("of these placed, right", f"{counts['renamed placed']}, {counts['renamed right']}", ""),
        ("deleted", counts["deleted"], ""),
        ("of these placed", counts["deleted placed"], ""),
        ("seconds for each pair of commits", round(counts["seconds"] / 1000 / pairs, 1), ""),
    ]
    table = "\n".join(f"| {what} | {count} | {share} |" for what, count, share in rows)
    apart = f"{pairs} pairs of commits, {', '.join(map(str, DISTANCES))} commits apart"
    return f"## Functions carried across commits\n\n{apart}:\n\n| | | |\n|---|---|---|\n{table}\n"
