"""Examples of every option of every command, run on the demo's files: docs/site/examples.toml."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import tempfile
import tomllib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import COMMANDS, group
from doxeval.demo import FOLDER

HOME = Path(__file__).parent / "site" / "examples.toml"
EVERYWHERE = ("no_color", "no_config", "help")
"""Options of all commands, which have no example."""
RULES = {
    "output": "-o out.txt",
    "seed": "--seed 7",
    "draws": "--draws 200",
    "confidence": "--confidence 0.9",
    "alpha": "--alpha 0.01",
    "strict": "--strict",
    "quiet": "--quiet",
}
"""Examples that suit every command with the option; else a flag is typed, and a choice is not the first."""
WIDTH = 80
MADE = (
    "convert answers.jsonl qrels.txt -f inex-assessments -d documents",
    "convert runs/paragraphs.jsonl run.fol -d documents",
    "convert runs/paragraphs.jsonl passages.run --ranges doc#start-end",
    "chunk documents --size 400 -o chunks.jsonl",
    "pool runs/paragraphs.jsonl runs/chunks-400.jsonl -d documents --depth 2 -o pool.jsonl",
    "eval runs/sentences.jsonl -q answers.jsonl -m iR@5 --per-topic -o sentences.csv",
    "eval runs/sentences.jsonl runs/sections.jsonl -q answers.jsonl -m iR@5 --per-topic -o two.csv",
    "eval runs/*.jsonl -q answers.jsonl -m 'iP@5 iR@5' --store store",
)
TREE = {
    "doc": "d1",
    "text": "word " * 20,
    "nodes": [
        {"id": "a", "parent": None, "tag": "article", "start": 0, "end": 100},
        {"id": "b", "parent": "a", "tag": "sec", "start": 0, "end": 40},
        {"id": "c", "parent": "a", "tag": "sec", "start": 40, "end": 100},
    ],
}


class Example(NamedTuple):
    """A command line that was run: its exit status and what it printed, or why it was not run."""

    line: str
    status: int = 0
    printed: str = ""
    not_run: str = ""


@cache
def told() -> dict[str, dict[str, str]]:
    """The examples as they are written."""
    return tomllib.loads(HOME.read_text(encoding="utf-8"))


def commands() -> dict[str, click.Command]:
    """Every command by its full name, those of groups one by one."""
    found: dict[str, click.Command] = {}
    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        assert command is not None
        inside = command.commands if isinstance(command, click.Group) else None
        found |= {f"{name} {word}": one for word, one in inside.items()} if inside else {name: command}
    return found


def options(command: click.Command) -> dict[str, click.Option]:
    """The options of a command that have an example, by name."""
    return {
        str(one.name): one
        for one in command.params
        if isinstance(one, click.Option) and not one.hidden and one.name not in EVERYWHERE
    }


def words_for(name: str, option: click.Option) -> str:
    """What is typed to show an option of a command; empty if nobody has said."""
    own = told().get(name, {})
    base, words = own.get("base", ""), own.get(str(option.name), "")
    if not words and {*option.opts, *option.secondary_opts} & set(shlex.split(base)):
        return base
    words = words or RULES.get(str(option.name), "")
    if not words and option.name not in told()["not-run"]:
        if option.is_flag:
            words = option.opts[0]
        elif isinstance(option.type, click.Choice):
            words = f"{option.opts[-1]} {option.type.choices[-1 if option.multiple else 1]}"
    if not words:
        return ""
    return words.removeprefix("= ") if words.startswith("= ") else f"{base} {words}".strip()


def example(name: str, option: click.Option | None = None) -> Example | None:
    """The example of an option, or of the command itself, run here; None if there is none."""
    given = told().get(name, {}).get("base") if option is None else words_for(name, option)
    why = told()["not-run"].get(str(option.name), "") if option is not None else ""
    if "serve:" in (given or ""):
        given, why = (given or "").partition("serve: ")[2], "starts a server"
    if given is None or not (given or why or option is None):
        return None
    line = f"doxeval {name} {given}".strip()
    if why:
        return Example(line if given else f"{line} {option.opts[0] if option else ''}", not_run=why)
    return _tried(line, f"doxeval {name} {told()[name]['prior']}" if "prior" in told()[name] else "")


@cache
def _tried(line: str, prior: str) -> Example:
    """A command line run, after another; the files it makes are removed."""
    with tidied():
        if prior:
            run_line(prior)
        return run_line(line)


@contextmanager
def tidied() -> Iterator[None]:
    """Files made meanwhile are removed."""
    before = things_here()
    yield
    for path in map(Path, sorted(things_here().keys() - before.keys(), reverse=True)):
        path.rmdir() if path.is_dir() else path.unlink()


def things_here() -> dict[str, tuple[int, int] | None]:
    """All files in the current folder and those in it, with what tells that one was changed; folders too."""
    found: dict[str, tuple[int, int] | None] = {}
    folders = [""]
    for inside in folders:
        with os.scandir(inside or ".") as entries:
            for entry in entries:
                name, status = f"{inside}{entry.name}", entry.stat()
                is_folder = entry.is_dir()
                found[name] = None if is_folder else (status.st_size, status.st_mtime_ns)
                if is_folder:
                    folders.append(f"{name}/")
    return found


def run_line(line: str) -> Example:
    """A command line run here, in this process, with what it prints."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runner = CliRunner(env={"COLUMNS": str(WIDTH)})
        done = runner.invoke(group, [word for one in shlex.split(line)[1:] for word in _matching(one)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return Example(line, done.exit_code or 1, f"error: {done.exception}")
    return Example(line, done.exit_code, done.output.rstrip("\n"))


def _matching(pattern: str) -> list[str]:
    return sorted(map(str, Path().glob(pattern))) if "*" in pattern and "/" in pattern else [pattern]


def folded(line: str) -> list[str]:
    """A command line on as many lines as it needs, continued as shells continue it."""
    words = shlex.split(line, posix=False)
    parts: list[str] = []
    for word in words:
        valued = bool(parts) and parts[-1].startswith("-") and " " not in parts[-1] and word[0] != "-"
        parts[-1:] = [f"{parts[-1]} {word}"] if valued else [*parts[-1:], word]
    lines: list[str] = []
    now = parts[0]
    for part in parts[1:]:
        if len(now) + len(part) > WIDTH - 6:
            lines, now = [*lines, f"{now} \\"], f"    {part}"
        else:
            now += f" {part}"
    return [*lines, now]


def shown(found: Example, most: int = 12) -> list[str]:
    """An example as a block of a page: what was typed, and the first lines of what was printed."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line)[:240] for line in found.printed.splitlines()]
    left = len(lines) - most
    if left > 2:
        lines = [*lines[:most], f"... and {left} more lines"]
    block = ["```console", *folded(f"$ {found.line}"), *lines, "```"]
    said = [f"Not run here: it {found.not_run}."] if found.not_run else []
    said += [f"The exit status is {found.status}."] if found.status else []
    return [*block, "", *[line for one in said for line in (one, "")]]


@contextmanager
def workplace(collection: Path = FOLDER) -> Iterator[Path]:
    """A folder with the files that examples name, made of a collection as the demo has one, which is the
    current one meanwhile.
    """
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _files(collection)
            yield Path(folder)
        finally:
            os.chdir(before)
            _tried.cache_clear()


def _files(collection: Path) -> None:
    shutil.copytree(collection / "documents", "documents")
    shutil.copytree(collection / "runs", "runs")
    shutil.copy(collection / "answers.jsonl", "answers.jsonl")
    shutil.copy("answers.jsonl", "copy.jsonl")
    Path("sizes").mkdir()
    for system, name in (("chunks-400", "size-400_overlap-0"), ("overlapping-800", "size-800_overlap-400")):
        shutil.copy(f"runs/{system}.jsonl", f"sizes/{name}.jsonl")
    shutil.copy("runs/sections.jsonl", "sizes/size-800_overlap-0.jsonl")
    shutil.make_archive("documents", "zip", "documents")
    answers = [json.loads(line) for line in Path("answers.jsonl").read_text(encoding="utf-8").splitlines()]
    told = (collection / "questions.jsonl").read_text(encoding="utf-8")
    questions = [json.loads(line) for line in told.splitlines()]
    kinds = ("fact", "list")
    _lines("kinds.jsonl", [
        {"topic": row["topic"], "query": row["question"], "kind": kinds[at % 2]}
        for at, row in enumerate(questions)
    ])  # fmt: skip
    for name in ("quotes", "quotes-copy"):
        _lines(f"{name}.jsonl", [
            {"topic": row["topic"], **place} for row in questions[:4] for place in row["answers"]
        ])  # fmt: skip
    marked = [row for row in answers if "start" in row]
    moved = [row | {"start": _later(row, 40)} for row in marked]
    _lines("ann.jsonl", answers)
    _lines("model.jsonl", moved + [row for row in answers if "start" not in row])
    _lines("some.jsonl", answers[:20])
    _lines("graded.jsonl", [row | {"rel": 1 + at % 3} for at, row in enumerate(marked)])
    _lines("regraded.jsonl", [row | {"rel": 1 + at % 2} for at, row in enumerate(marked)])
    by = (("ann", marked), ("bob", moved), ("carl", marked))
    _lines("several.jsonl", [row | {"assessor": who} for who, rows in by for row in rows])
    Path("torn.jsonl").write_text(Path("answers.jsonl").read_text(encoding="utf-8") + '{"topic": \n')
    _trees()
    _agents(marked)
    _outcomes([row["topic"] for row in questions])
    for line in MADE:
        assert run_line(f"doxeval {line}").status == 0, run_line(f"doxeval {line}")
    _judged(marked)


def _later(row: dict[str, Any], characters: int) -> int:
    """A start after that of a range, and within it."""
    return min(row["start"] + characters, row["end"] - 1)


def _lines(name: str, rows: list[Any]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _trees() -> None:
    """A document with nodes, judged by codes, and a log of its readers."""
    _lines("tree.jsonl", [TREE])
    _lines("tree-run.jsonl", [{"topic": "t1", "doc": "d1", "rank": 1, "start": 0, "end": 60}])
    codes = [("/article[1]/sec[1]", "3E"), ("/article[1]/sec[2]", "2S")]
    _lines("codes.jsonl", [{"topic": "t1", "doc": "d1", "node": node, "code": code} for node, code in codes])
    region = {"topic": "t1", "doc": "scan", "page": 1, "region": [0.1, 0.1, 0.55, 0.4]}
    _lines("regions.jsonl", [region])
    _lines("regions-run.jsonl", [region | {"rank": 1, "region": [0.1, 0.2, 0.6, 0.4]}])
    documents = dx.read_documents("documents")
    nodes = [documents.path(0, node) for node in range(4)]
    _lines("log.jsonl", [{"doc": documents.ids[0], "route": nodes[at % 2 :]} for at in range(10)])


def _agents(marked: list[dict[str, Any]]) -> None:
    """Steps of an agent, answers that cite, traces, patches, and a tokenizer."""
    steps, seen = [], set()
    for row in marked:
        if row["topic"] not in seen:
            seen.add(row["topic"])
            place = {"topic": row["topic"], "doc": row["doc"]}
            read = {"step": 1, "action": "read", "start": max(0, row["start"] - 200), "end": row["end"]}
            steps.append(place | read | {"cost": 0.01})
            steps.append(place | {"step": 2, "action": "cite", "start": row["start"], "end": row["end"]})
    _lines("steps.jsonl", steps)
    said = 'A near-miss "is worth the probability that this happens" [1], "as everybody knows" [2].'
    _lines("cited.jsonl", [{"topic": "q01", "answer": said}])
    _lines("tea.jsonl", [{"topic": "s1", "doc": "tea", "quote": "Tea is hot."}])
    Path("tea").mkdir()
    Path("tea/tea.txt").write_text("Tea is hot. Milk is not.\n", encoding="utf-8")
    _lines(
        "tea-chunks.jsonl", [{"doc": "tea", "start": 0, "end": 11}, {"doc": "tea", "start": 12, "end": 24}]
    )
    attributes = {
        "openinference.span.kind": "RETRIEVER",
        "input.value": "is tea hot?",
        "session.id": "s1",
        "retrieval.documents.0.document.content": "Tea is hot.",
    }
    context = {"trace_id": "0x1", "span_id": "0x74"}
    _lines("spans.jsonl", [{"name": "r", "context": context, "parent_id": None, "attributes": attributes}])
    lines = ("def brew():", "-    wait(3)", "+    wait(4)", "     pour()", "+    drink()")
    patch = "--- a/tea.py\n+++ b/tea.py\n@@ -1,3 +1,4 @@\n " + "\n".join(lines) + "\n"
    row = {"instance_id": "tea-1", "repo": "tea/tea", "base_commit": "4f2c", "problem_statement": "weak"}
    _lines("swe.jsonl", [row | {"patch": patch}])
    _lines("patches.jsonl", [{"instance_id": "tea-1", "model_name_or_path": "m", "model_patch": patch}])
    _lines("code-chunks.jsonl", [{"doc": "tea.py", "start": 0, "end": 34}])
    Path("code").mkdir()
    Path("code/tea.py").write_text("def brew():\n    wait(3)\n    pour()\n", encoding="utf-8")
    vocabulary = {"[UNK]": 0}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}
    tokenizer = {"version": "1.0", "pre_tokenizer": {"type": "Whitespace"}, "model": model}
    Path("tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")


def _outcomes(topics: list[str]) -> None:
    lines = ["topic,run,solved,score"]
    for number, topic in enumerate(topics):
        for at, run in enumerate(sorted(path.stem for path in Path("runs").glob("*.jsonl"))):
            lucky = (3 * number + 5 * at) % 7
            lines.append(f"{topic},{run},{'yes' if lucky > 3 else 'no'},{lucky / 7:.2f}")
    Path("solved.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _judged(marked: list[dict[str, Any]]) -> None:
    """A database of judgements, and what a page that was judged offline has saved."""
    lengths = dx.read_documents("documents")
    assert lengths.text is not None
    sizes = {doc: [len(lengths.text[at]), ""] for at, doc in enumerate(lengths.ids)}
    for at, who in enumerate(("ann", "bob")):
        acts = [
            {
                "id": f"{who}{number}",
                "time": "2026-01-02T03:04:05.678Z",
                "topic": row["topic"],
                "doc": row["doc"],
                "act": {"adds": [{"id": "m1", "start": _later(row, 9 * at), "end": row["end"]}]},
            }
            for number, row in enumerate(marked)
        ]
        saved = {"judgements": 1, "assessor": who, "documents": sizes, "acts": acts}
        saved["queries"] = {row["topic"]: "" for row in marked}
        Path(f"judgements-{who}.json").write_text(json.dumps(saved), encoding="utf-8")
    made = run_line("doxeval judge --take judgements-bob.json --to judgements.db")
    assert made.status == 0, made
