"""The documentation is true: examples print what they say, links lead somewhere, nothing is left out."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import click
import pytest
from click.testing import CliRunner

import doxeval
from doxeval.cli import COMMANDS, group
from doxeval.cli.scoring import SCORING_FLAGS
from doxeval.core.calls import options_taken
from doxeval.measurement.base import measures

PROJECT = Path(__file__).parent.parent
DOCS = PROJECT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
ALONE = [page for page in PAGES if page.parent.name != "papers"]
"""Pages whose sessions need no files; those on the papers have a test of their own."""
sys.path.insert(0, str(PROJECT))

from docs import command_pages, examples, python_pages  # noqa: E402
from docs.build import COPIED, linked, navigation, places  # noqa: E402
from docs.measure_pages import entries, index  # noqa: E402
from docs.measure_pages import page as page_of  # noqa: E402
from docs.reference import option_rows, signature  # noqa: E402
from docs.side_by_side import parameters_of  # noqa: E402
from docs.toy import worked  # noqa: E402
from docs.typeset import formulas, papers  # noqa: E402

from tests.core.things import session  # noqa: E402
from tests.documented import COMMAND, blocks, commands, perform, prepare  # noqa: E402


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_in_python_print_what_they_say(page: Path) -> None:
    examples = "\n".join(re.findall(r"```pycon\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, page.name, str(page), 0)
    with session():
        assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


@pytest.mark.parametrize("page", ALONE, ids=lambda page: page.stem)
def test_sessions_print_what_they_say(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            program, *arguments = shlex.split(command)
            if program == "trec_eval":
                continue  # tests/integrations/test_pages.py runs it, where it is
            assert program == "doxeval"
            done = CliRunner(env={"COLUMNS": "100"}).invoke(group, arguments)
            assert done.stdout == expected, command


def test_the_rag_tutorial_runs_from_the_first_block_to_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for needed in ("langchain_core", "langchain_text_splitters", "bm25s"):
        pytest.importorskip(needed, reason=f"{needed} is not installed (make browser)")
    monkeypatch.chdir(tmp_path)
    page = blocks(DOCS / "tutorial-rag.md")
    files = {"python": Path("score.py"), "json": Path("answers.jsonl")}
    for reason, language, content in page:
        if language in files:
            files[language].write_text(content, encoding="utf-8")
        elif language == "shell" and not reason:
            for command in commands(content):
                perform(command)
    assert all(Path(name).exists() for name in ("400.jsonl", "800.jsonl", "800 overlapping.jsonl"))
    assert Path("report.html").stat().st_size > 50_000


def test_the_tutorial_of_code_runs_from_the_first_block_to_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _, language, content in blocks(DOCS / "tutorial-code.md"):
        if language == "python":
            exec(compile(content, "make.py", "exec"), {"__name__": "__main__"})
        elif language == "shell":
            for command in commands(content):
                if command.startswith("doxeval"):
                    perform(command)
    assert Path("report.html").stat().st_size > 50_000


def test_the_tutorial_of_agents_runs_and_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = ""
    for _, language, content in blocks(DOCS / "tutorial-agents.md"):
        if language == "python":
            exec(compile(content, "make.py", "exec"), {"__name__": "__main__"})
            said = capsys.readouterr().out
        elif language == "text":
            assert content.strip() == said.strip()
        for command in commands(content) if language == "shell" else ():
            if command.startswith("doxeval"):
                perform(command)
    assert Path("report.html").stat().st_size > 50_000
    assert "UsedR" in Path("success.csv").read_text(encoding="utf-8")


def test_lines_in_the_readme_are_a_result_and_an_answer() -> None:
    (content,) = (content for _, language, content in blocks(PROJECT / "README.md") if language == "json")
    result, answer = (line.encode() for line in content.splitlines())
    text = {"manual": "If it stops: Press the red button twice. Then wait."}
    scores = doxeval.evaluate({"mine": result}, answer, "iR@1 iP@1", text)
    assert scores.value("mine", "iR@1") == 1.0 and scores.value("mine", "iP@1") == 27 / 38


def test_links_lead_somewhere_and_every_page_has_a_chapter() -> None:
    known = places()
    for page in known:
        assert page.suffix in COPIED or linked(page.read_text(encoding="utf-8"), page, known)[1] == []
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
        assert set(formulas()[kind]) <= set(of_kind), "formulas.toml explains what is not there"
        assert len({one.place.lower() for one in of_kind.values()}) == len(of_kind)
        for one in of_kind.values():
            assert one.told["formula"] and one.told["related"]
            assert set(one.told["related"]) <= set(of_kind) - {one.name}
            assert set(one.told["papers"]) <= set(papers())
    assert set(re.findall(r"\(measures/([A-Za-z0-9]+)-*\.md\)", index())) == set(measures())


def test_a_missing_formula_is_an_error_that_names_it() -> None:
    new = replace(entries()["measures"]["iP"], name="Unheard")
    with pytest.raises(LookupError, match=r"formulas.toml has no \[measures.Unheard\]; give it a formula"):
        page_of(new, {}, "measures")


@pytest.mark.parametrize(("part", "said"), [("doc", "docstring"), ("example", "`example`")])
def test_what_a_class_does_not_say_is_an_error_that_names_it(part: str, said: str) -> None:
    with pytest.raises(LookupError, match=f"iP has no {said}"):
        page_of(replace(entries()["measures"]["iP"], **{part: ""}), {}, "measures")


@pytest.mark.parametrize("kind", ["measures", "scores"])
def test_every_worked_example_adds_up_to_the_score_that_evaluating_gives(kind: str) -> None:
    from docs.toy import CHUNKS, DOCUMENTS, QRELS, run_for

    for one in entries()[kind].values():
        chunks = {"chunks": CHUNKS} if one.name == "IoUomega" else {}
        scores = doxeval.evaluate({"toy": run_for(one.example)}, QRELS, one.example, DOCUMENTS, **chunks)
        found = worked(one.example)
        assert found.value == scores.value("toy", one.example), one.name
        assert sum(found.added) + found.rest == pytest.approx(found.value, abs=1e-12), one.name


def test_defaults_in_the_reference_can_be_typed() -> None:
    shown = [
        signature(getattr(doxeval, name))
        for name in cast(Any, doxeval).__all__
        if inspect.isfunction(getattr(doxeval, name))
    ]
    assert any('judged: str = "both"' in one for one in shown)
    assert any('`unjudged` | `"irrelevant"`' in row for row in option_rows())
    for default in re.findall(r"^    \w+: .* = (.*),$", "\n".join(shown), re.MULTILINE):
        assert default == "..." or compile(default, "default", "eval"), default
        assert "<" not in default and " object at " not in default


def test_references_list_every_public_name_and_command() -> None:
    api, commands = python_pages.index(), command_pages.index()
    for name in cast(Any, doxeval).__all__:
        assert name.startswith("__") or f"[{name}]({python_pages.place(name)})" in api, name
    assert {name.split()[0] for name in examples.commands()} == set(COMMANDS)
    for name in examples.commands():
        assert f"[{name}]({command_pages.place(name)})" in commands
    places = [python_pages.place(name).lower() for name in python_pages.names()]
    assert len(set(places)) == len(places)


def test_every_option_has_an_example() -> None:
    """They are run when the site is built; docs/site/examples.toml has those that follow no rule."""
    for name, command in examples.commands().items():
        assert "base" in examples.told().get(name, {}), f"docs/site/examples.toml has no [{name}]"
        scores = any(one.name == "unjudged" for one in command.params) and name != "eval"
        for key, option in examples.options(command).items():
            told = examples.words_for(name, option) or examples.told()["not-run"].get(key)
            assert told or (scores and key in SCORING_FLAGS), (
                f"docs/site/examples.toml: [{name}] has no {key}"
            )
    options = {key for one in examples.commands().values() for key in examples.options(one)}
    for name, given in examples.told().items():
        assert name in ("python", "not-run") or set(given) <= options | {"base", "prior"}, name


def test_every_parameter_of_a_public_function_is_explained() -> None:
    for name in python_pages.names():
        if inspect.isfunction(thing := getattr(doxeval, name)):
            for parameter in [*parameters_of(name), *options_taken(thing)]:
                assert python_pages.described(name, parameter), f"dx.{name}: {parameter}"
    assert set(examples.told()["python"]) <= set(python_pages.names())


WRITTEN = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *PAGES]
WHOLE = {
    "tutorial-judging": "tests/judging/test_tutorial.py",
    "tutorial-rag": "tests/test_documentation.py",
    "tutorial-code": "tests/test_documentation.py",
    "tutorial-agents": "tests/test_documentation.py",
}
"""Pages that a test of their own runs from the first block to the last."""


RUN = {"shell", "python", "console", "pycon"}
SHOWN = {"", "text", "diff", "toml", "json", "yaml"}
"""Languages of blocks that are run, and of those that show what files hold or programs print."""


def test_every_block_is_run_or_says_why_not(record_property: Callable[[str, str], None]) -> None:
    found = [block for page in WRITTEN for block in blocks(page)]
    assert {language for _, language, _ in found} <= RUN | SHOWN
    told = [reason for reason, language, _ in found if reason and language in RUN]
    run = sum(language in RUN and not reason for reason, language, _ in found)
    written = sum(page.read_text(encoding="utf-8").count("<!-- not run: ") for page in WRITTEN)
    assert written == len(told), "a reason stands before no block that would be run"
    assert run > 150 and len(told) < run / 4
    record_property("summary", f"documentation: {run} blocks are run, {len(told)} say why they are not")


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.stem)
def test_commands_are_marked_as_such_so_that_they_are_run(page: Path) -> None:
    for reason, language, content in blocks(page):
        if language in ("", "text") and page.stem not in WHOLE:
            assert not COMMAND.match(content), f"{page.name}: a block of commands is ```shell or ```console"
        if reason:
            assert language in ("shell", "python") and len(reason) > 10, f"{page.name}: {reason}"
            for test in re.findall(r"tests/[\w/]+(?:\.py)?", reason):
                assert (PROJECT / test).exists(), test


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page.stem == "studies")) for page in WRITTEN],
    ids=lambda page: page.stem,
)
def test_commands_succeed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [content for reason, language, content in blocks(page) if language == "shell" and not reason]
    if not wanted or page.stem in WHOLE:
        return
    monkeypatch.chdir(tmp_path)
    prepare(page.stem)
    for command in (command for content in wanted for command in commands(content)):
        perform(command)


SCRIPTS = [page for page in PAGES if page.parent == DOCS and page.stem not in WHOLE]
"""Scripts in docs/integrations are run by tests/integrations/test_pages.py, others by test_packaging.py."""


@pytest.mark.parametrize("page", SCRIPTS, ids=lambda page: page.stem)
def test_scripts_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [content for reason, language, content in blocks(page) if language == "python" and not reason]
    if not wanted:
        return
    monkeypatch.chdir(tmp_path)
    prepare(page.stem)
    given = {"dx": doxeval, "ThreadPoolExecutor": ThreadPoolExecutor, "qrels": "answers.jsonl"}
    given["runs"] = sorted(map(str, Path("demo/runs").glob("*.jsonl")))
    for content in wanted:
        exec(compile(content, str(page), "exec"), given)


ELSEWHERE = {"--doxeval-update", "--write"}
"""Options of other programs: pytest with our plugin, and the tests' own table of large inputs."""


def options_of(command: click.Command) -> set[str]:
    found = {flag for one in command.params for flag in (*one.opts, *one.secondary_opts)}
    return found.union({"--help"}, *map(options_of, getattr(command, "commands", {}).values()))


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.stem)
def test_every_option_that_is_named_exists(page: Path) -> None:
    options = {name: options_of(group.get_command(click.Context(group), name)) for name in COMMANDS}
    every = options_of(group).union(ELSEWHERE, *options.values())
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for code in re.findall(r"`([^`\n]+)`", text):
        named = re.findall(r"(?:^|\s)(--[a-z][a-z-]*)", code)
        found = re.match(r"doxeval (\w+)", code)
        known = options[found[1]] if found and found[1] in options else every
        if code.startswith(("doxeval", "--")):
            assert set(named) <= known, f"{page.name}: {code}"


def test_every_class_has_a_name_of_its_own() -> None:
    places = defaultdict(list)
    for path in sorted((PROJECT / "src" / "doxeval").rglob("*.py")):
        for found in re.finditer(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            places[found[1]].append(path.name)
    assert len(places) > 300
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_extras_that_pages_name_exist() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = set(project["optional-dependencies"])
    for page in WRITTEN:
        text = page.read_text(encoding="utf-8")
        named = {
            extra for group in re.findall(r"(?:doxeval|\.)\[([\w,]+)\]", text) for extra in group.split(",")
        }
        named |= {extra for group in re.findall(r"[Ee]xtras? ((?:`\w+`(?:, | and )?)+)", text)
                  for extra in re.findall(r"`(\w+)`", group)}  # fmt: skip
        assert named <= known, f"{page.name} names extras that do not exist: {named - known}"
        if re.search(r"pip install '?doxeval\[", text):
            assert page.name == "install.md" or "install.md" in text, (
                f"{page.name}: say by a link to install.md what to type until doxeval is published"
            )


def test_misprints_are_counted() -> None:
    text = (DOCS / "errata.md").read_text(encoding="utf-8")
    listed = len(re.findall(r"^\| (?!where )", text, re.MULTILINE))
    pages = (DOCS / "errata.md", PROJECT / "README.md")
    claim = re.compile(r"(\d+|about \w+)\s+(?:places|\[misprints)")
    claims = {page.name: claim.findall(page.read_text(encoding="utf-8")) for page in pages}
    assert claims == {"errata.md": [str(listed)], "README.md": [str(listed)]}
