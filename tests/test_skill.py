"""What agents are told is true: recipes run, messages exist, tools and limits are as the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from doxeval.cli.agents.folder import Folder
from doxeval.cli.agents.tool_answers import LONGEST_TEXT, MOST_CHARACTERS
from doxeval.cli.agents.tools import tools
from tests.documented import blocks, commands, perform, prepare

PROJECT = Path(__file__).parent.parent
SKILL = PROJECT / "skills" / "doxeval" / "SKILL.md"
MESSAGE = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)


def test_the_skill_has_the_form_that_agents_expect() -> None:
    opening, front, text = SKILL.read_text(encoding="utf-8").split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert opening == "" and set(fields) == {"name", "description"}
    assert fields["name"] == SKILL.parent.name and re.fullmatch(r"[a-z0-9-]{1,64}", fields["name"])
    assert len(fields["description"]) <= 1024 and "<" not in fields["description"]
    assert len(text.splitlines()) < 500


def test_the_recipes_run_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    prepare("skill")
    ran = 0
    for reason, language, content in blocks(SKILL):
        assert not reason
        if language == "shell":
            for command in commands(content):
                perform(command)
                ran += 1
        elif language == "python":
            exec(compile(content, "recipe.py", "exec"), {})
    assert ran >= 9


def test_lines_of_runs_and_gold_are_read_as_they_stand(tmp_path: Path) -> None:
    import doxeval as dx

    (content,) = (content for _, language, content in blocks(SKILL) if language == "json")
    (tmp_path / "run.jsonl").write_text(content, encoding="utf-8")
    (gold,) = re.findall(r'`(\{"topic".*?\})`', SKILL.read_text(encoding="utf-8"))
    (tmp_path / "gold.jsonl").write_text(gold + "\n", encoding="utf-8")
    text = "The warranty is two years. " + "And so on. " * 60
    documents = {"manual": text, "faq": text}
    scores = dx.evaluate(tmp_path / "run.jsonl", tmp_path / "gold.jsonl", "iR@2", documents)
    assert scores.value("run", "iR@2") == 0.0


def test_every_message_that_is_explained_exists() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (PROJECT / "src").rglob("*.py"))
    said = " ".join(re.sub(r"\"\s*\n\s*f?\"", "", source).split())
    said = re.sub(r"\{([^{}|]*)\|[^{}]*\}", r"\1", said)
    for message in MESSAGE.findall(SKILL.read_text(encoding="utf-8")):
        assert message in said, message


def test_the_page_on_the_server_names_every_tool_and_its_limits() -> None:
    page = (PROJECT / "docs" / "agents.md").read_text(encoding="utf-8")
    assert MESSAGE.findall(page) == list(tools(Folder(PROJECT / "docs"), 1))
    assert f"{MOST_CHARACTERS:,} characters" in page and f"{LONGEST_TEXT:,}" in page


def test_what_agents_are_pointed_to_exists() -> None:
    """In the skill's own folder too, which is copied without the rest of the repository."""
    for page in (PROJECT / "AGENTS.md", SKILL):
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)]+)\)|\b((?:docs|tests|src)/[\w/-]+\.\w+)", text):
            assert (page.parent / "".join(target)).exists(), f"{page.name}: {''.join(target)}"
