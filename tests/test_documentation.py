"""The documentation is true: examples print what they say, links lead somewhere, nothing is left out."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import doxeval
from doxeval.cli import COMMANDS
from doxeval.measurement.base import measures

PROJECT = Path(__file__).parent.parent
DOCS = PROJECT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
sys.path.insert(0, str(PROJECT))

from docs.build import linked, navigation, places  # noqa: E402
from docs.measure_pages import FAMILIES, entries  # noqa: E402
from docs.reference import api_page, commands_page  # noqa: E402
from docs.toy import worked  # noqa: E402
from docs.typeset import formulas, papers  # noqa: E402


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_in_python_print_what_they_say(page: Path) -> None:
    examples = "\n".join(re.findall(r"```pycon\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_sessions_print_what_they_say(page: Path, tmp_path: Path) -> None:
    for session in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            program, *arguments = shlex.split(command)
            assert program == "doxeval"
            done = subprocess.run(
                [sys.executable, "-m", "doxeval", *arguments], capture_output=True, text=True, cwd=tmp_path,
                env=os.environ | {"COLUMNS": "100"},
            )  # fmt: skip
            assert done.stdout == expected, command


def test_the_script_of_the_rag_tutorial_runs_as_it_stands(tmp_path: Path) -> None:
    for needed in ("langchain_core", "langchain_text_splitters", "bm25s"):
        pytest.importorskip(needed, reason=f"{needed} is not installed (make browser)")
    text = (PROJECT / "docs" / "tutorial-rag.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (answers,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (tmp_path / "score.py").write_text(script, encoding="utf-8")
    (tmp_path / "answers.jsonl").write_text(answers, encoding="utf-8")
    from shutil import copytree

    from doxeval.demo import DOCUMENTS

    copytree(DOCUMENTS, tmp_path / "manual")
    done = subprocess.run([sys.executable, "score.py"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split("  ")[0] for line in lines[1:4]] == ["400", "800", "800 overlapping"]
    assert "Warning" not in done.stderr and (tmp_path / "report.html").stat().st_size > 50_000


def test_links_lead_somewhere_and_every_page_has_a_chapter() -> None:
    known = places()
    for page in known:
        assert linked(page.read_text(encoding="utf-8"), page, known)[1] == []
    listed = set(re.findall(r"[\w/-]+\.md", str(navigation(known))))
    assert {place for place in known.values() if place.endswith(".md")} <= listed


def test_every_rule_of_what_counts_is_held_by_tests_that_exist() -> None:
    text = (DOCS / "what-counts.md").read_text(encoding="utf-8")
    for rule in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        held = re.findall(r"`(tests\.[\w.]+)`", rule.rpartition("Held by ")[2])
        assert held, rule.partition("\n")[0]
        for module in held:
            assert PROJECT.joinpath(*module.split(".")).with_suffix(".py").exists(), module


def test_the_index_names_every_page() -> None:
    index = (PROJECT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        place = page.relative_to(DOCS).as_posix()
        assert place == "README.md" or f"({place})" in index, place


def test_the_picture_of_the_rooms_shows_the_imports_as_they_are() -> None:
    pytest.importorskip("grimp", reason="import-linter is not installed (make lint)")
    from docs.rooms import PICTURE, edges, picture, rooms

    assert set(rooms()) == {path.parent.name for path in (PROJECT / "src" / "doxeval").glob("*/__init__.py")}
    assert all(rooms().index(importer) < rooms().index(imported) for importer, imported in edges())
    assert PICTURE.read_text(encoding="utf-8") == picture(), (
        "docs/rooms.svg is old; run: python -m docs.rooms"
    )


def test_every_measure_score_and_model_has_a_formula_papers_that_exist_and_neighbours() -> None:
    for kind, of_kind in entries().items():
        assert set(of_kind) == set(formulas()[kind]), "give it a formula in docs/site/formulas.toml"
        assert len({one.place.lower() for one in of_kind.values()}) == len(of_kind)
        for one in of_kind.values():
            assert one.told["formula"] and one.told["related"]
            assert set(one.told["related"]) <= set(of_kind) - {one.name}
            assert set(one.told["papers"]) <= set(papers())
    listed = [name for names, _ in FAMILIES.values() for name in names.split()]
    assert sorted(listed) == sorted(measures()), "give it a family in docs/measure_pages.py"


@pytest.mark.parametrize("kind", ["measures", "scores"])
def test_every_worked_example_adds_up_to_the_score_that_evaluating_gives(kind: str) -> None:
    from docs.toy import CHUNKS, DOCUMENTS, QRELS, run

    for one in entries()[kind].values():
        chunks = {"chunks": CHUNKS} if one.name == "IoUomega" else {}
        scores = doxeval.evaluate({"toy": run()}, QRELS, one.example, DOCUMENTS, **chunks)
        found = worked(one.example)
        assert found.value == scores.value("toy", one.example), one.name
        assert sum(found.added) + found.rest == pytest.approx(found.value, abs=1e-12), one.name


def test_defaults_in_the_reference_can_be_typed() -> None:
    api = api_page()
    assert 'judged: str = "both"' in api and '`unjudged` | `"irrelevant"`' in api
    for default in re.findall(r"^    \w+: .* = (.*),$", api, re.MULTILINE):
        assert default == "..." or compile(default, "default", "eval"), default
        assert "<" not in default and " object at " not in default


def test_references_hold_every_public_name_and_command() -> None:
    api, commands = api_page(), commands_page()
    for name in doxeval.__all__:
        assert name.startswith("__") or f"\n## {name}\n" in api, name
    for name in COMMANDS:
        assert f"\n## {name}\n" in commands and f"Usage: doxeval {name}" in commands
