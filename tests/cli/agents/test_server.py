"""The server of `doxeval mcp`, asked by the protocol's own client."""

from __future__ import annotations

import json
import re
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.cli.agents.folder import Folder
from doxeval.cli.agents.tool_answers import LONGEST_TEXT, MOST_CHARACTERS, _with_short_texts, answer
from doxeval.cli.agents.tools import FLAG, OFFERED, tools
from doxeval.cli.files import Output

mcp = pytest.importorskip("mcp", reason="mcp is not installed (extra mcp)")
anyio = pytest.importorskip("anyio")

TRUTH = {"assessments": "answers.jsonl"}
SCORING = {"runs": ["runs/*.jsonl"], **TRUTH}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's files, and a report on them."""
    place = tmp_path_factory.mktemp("mcp") / "demo"
    assert CliRunner().invoke(group, ["demo", "--copy", str(place)]).exit_code == 0
    runs = sorted((place / "runs").glob("*.jsonl"))
    dx.write_report(runs, place / "answers.jsonl", "iR@5", place / "documents", path=place / "report.html")
    return place


def ask(folder: Path, *calls: tuple[str, dict[str, Any]], process: bool = False) -> list[tuple[Any, bool]]:
    """The answers to calls, and whether each is an error."""
    from doxeval.cli.agents.tool_server import server

    words = ["-m", "doxeval", "mcp", str(folder)]
    reached = (
        mcp.StdioServerParameters(command=sys.executable, args=words)
        if process
        else server(Folder(folder), 60)
    )

    async def asking() -> list[tuple[Any, bool]]:
        async with mcp.Client(reached) as client:
            known = {tool.name for tool in (await client.list_tools()).tools}
            assert {"files", "validate", "measures", "eval", "compare", "explain", "report"} <= known
            found = []
            for name, given in calls:
                told = await client.call_tool(name, given)
                (part,) = told.content
                assert len(part.text) <= MOST_CHARACTERS
                found.append((json.loads(part.text), bool(told.is_error)))
            return found

    # The browser of other tests keeps an event loop running in this thread.
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(anyio.run, asking).result()


def test_scores_are_those_of_python(demo: Path) -> None:
    ((found, failed),) = ask(demo, ("eval", {**SCORING, "measures": ["iR@5 AiP"], "depth": 7}), process=True)
    scores = dx.evaluate(sorted((demo / "runs").glob("*.jsonl")), demo / "answers.jsonl", "iR@5 AiP", depth=7)
    assert not failed
    assert {(row["run"], row["measure"]): row["value"] for row in found["rows"]} == {
        (run, measure): scores.value(run, measure) for run in scores.names for measure in scores.measures
    }
    assert found["verdict"] == list(scores.verdict())
    assert {"level": "note", "message": "mean over 15 topics"} in found["notices"]


def test_every_tool_answers(demo: Path) -> None:
    calls = {
        "files": {},
        "formats": {},
        "validate": {"files": ["runs/*.jsonl", "documents"], **TRUTH, "documents": "documents"},
        "measures": {"name": "iR"},
        "eval": {**SCORING, "measures": ["iR@5"], "per_topic": True, "rows_from": 3},
        "compare": {**SCORING, "measures": ["iR@5"], "baseline": "sections"},
        "diagnose": {**SCORING, "measures": ["iR@5"], "documents": "documents"},
        "explain": {"run": "runs/sections.jsonl", **TRUTH, "topic": "q01", "measures": ["iR@5"]},
        "report": {"report": "report.html"},
    }  # fmt: skip
    known = tools(Folder(demo), 60)
    answers = ask(demo, *((name, given) for name, given in calls.items() if name in known))
    assert set(known) <= set(calls)
    by_name = dict(zip((name for name in calls if name in known), answers, strict=True))
    assert [name for name, (_, failed) in by_name.items() if failed] == []
    assert {row["status"] for row in by_name["validate"][0]["rows"]} == {"ok"}
    assert by_name["eval"][0]["left_out"] == ["rows: 2 before those shown, of 96"]
    assert len(by_name["compare"][0]["rows"]) == 5
    assert by_name["report"][0]["title"] == "doxeval report"


def test_mistakes_are_answered_with_help(demo: Path) -> None:
    mistakes = {
        "did you mean 'iR'": ("measures", {"name": "iRR"}),
        "did you mean 'answers.jsonl'": ("eval", {"runs": ["runs/*"], "assessments": "answer.jsonl"}),
        "there is no argument 'run'; did you mean 'runs'": ("eval", {"run": ["runs/*"]}),
        "there is no argument 'qrels'; it is called 'assessments' here": ("eval", {"qrels": "answers.jsonl"}),
        "(documents FILE)": ("eval", {**SCORING, "measures": ["iR@100w"]}),
        "there is no tool 'evaluate'": ("evaluate", {}),
        "report needs report": ("report", {}),
        "rows_from must be of the type integer": ("files", {"rows_from": "x"}),
        "outside the folder": ("eval", {**SCORING, "assessments": "/etc/passwd"}),
        "is not a report": ("report", {"report": "answers.jsonl"}),
        "has no part 'rums'; did you mean 'runs'": ("report", {"report": "report.html", "part": "rums"}),
    }
    for (found, failed), hint in zip(ask(demo, *mistakes.values()), mistakes, strict=True):
        assert failed and hint in found["error"], (hint, found)


def test_tools_are_described_in_their_own_words(demo: Path) -> None:
    for tool in tools(Folder(demo), 60).values():
        described = [one.get("description", "") for one in tool.schema["properties"].values()]
        assert tool.told and not FLAG.findall(" ".join([tool.told, *described])), tool.name


def test_nothing_can_be_written_and_no_work_is_sent_away(demo: Path) -> None:
    for tool in tools(Folder(demo), 60).values():
        assert not {"output", "store", "executor", "plot", "cited", "jobs"} & set(tool.schema["properties"])
    for name in OFFERED:
        command = group.commands.get(name) or group.get_command(None, name)
        outputs = {one.name for one in command.params if isinstance(one.type, Output)} if command else set()
        tool = tools(Folder(demo), 60).get(name)
        assert tool is None or not outputs & set(tool.schema["properties"])


def test_the_folder_is_left_as_it_was_and_its_code_is_not_run(tmp_path: Path) -> None:
    place = tmp_path / "demo"
    assert CliRunner().invoke(group, ["demo", "--copy", str(place)]).exit_code == 0
    for name in ("json.py", "click.py", "doxeval.py", "numpy.py"):
        (place / name).write_text("open('ran', 'w')\n", encoding="utf-8")
    (place / "doxeval.toml").write_text('[eval]\noutput = "written.txt"\n', encoding="utf-8")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    ((_, failed),) = ask(place, ("eval", {**SCORING, "measures": ["iR@5"]}))
    assert not failed
    assert before == {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_archives_do_not_lead_out(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret\n\nThe word is marmalade.\n", encoding="utf-8")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "fine.md").write_text("# Fine\n\nNothing here.\n", encoding="utf-8")
    with tarfile.open(inside / "docs.tar", "w") as archive:
        archive.add(inside / "fine.md", "fine.md")
        for name, target in (("link.md", str(secret)), ("up.md", "../secret.md")):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            archive.addfile(member)
    run = [{"topic": "t", "doc": doc, "rank": at} for at, doc in enumerate(("fine", "link", "up"), 1)]
    gold = [{"topic": "t", "quote": "The word is marmalade."}]
    for name, rows in (("run.jsonl", run), ("gold.jsonl", gold)):
        (inside / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    calls = [
        ("validate", {"files": ["docs.tar"], "kind": "documents"}),
        ("validate", {"files": ["gold.jsonl"], "documents": "docs.tar"}),
    ]
    (documents, _), (gold_found, _) = ask(inside, *calls)
    assert "1 document" in documents["rows"][0]["content"]
    assert gold_found["rows"][0]["status"] != "ok"


def test_a_long_answer_says_what_it_lacks() -> None:
    rows = [{"topic": f"t{number}", "value": number} for number in range(5000)]
    told = answer({"rows": rows, "text": "x" * 9000})
    found = json.loads(told)
    assert len(told) <= MOST_CHARACTERS
    assert found["left_out"] == [f"rows: the first {len(found['rows']):,} of 5,000 are shown"]
    assert found["text"].endswith("(7,000 more characters)")


def test_work_that_takes_too_long_is_ended(demo: Path) -> None:
    from doxeval.cli.agents.tool_server import called

    text, failed = called(tools(Folder(demo), 0.01), "eval", SCORING, Folder(demo))
    assert failed and "0.01 seconds" in text


def test_without_the_extra_an_error_names_it(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    found = CliRunner().invoke(group, ["mcp", str(demo)])
    assert isinstance(found.exception, dx.MissingExtra) and "doxeval[mcp]" in str(found.exception)


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        ([], {"rows": []}),
        ({"score": 0.0, "ranks": [], "missed": [], "total_relevant": 5}, {"score": 0.0, "total_relevant": 5}),
        ({"score": None, "unit": "characters"}, {"score": None, "unit": "characters"}),
    ],
)
def test_a_score_of_0_and_a_table_without_rows_are_answers(
    printed: Any, found: dict[str, Any], demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = SimpleNamespace(stdout=json.dumps(printed), stderr="")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: done)
    told = tools(Folder(demo), 60)["eval"].answer({**SCORING, "measures": ["iR@5"]})
    assert told.pop("command").startswith("doxeval eval ") and told == found


def test_nothing_is_said_twice_and_means_come_first(demo: Path) -> None:
    runs = sorted(str(path.relative_to(demo)) for path in (demo / "runs").glob("*.jsonl"))
    explained, scored = ask(
        demo,
        ("explain", {"run": runs[0], **TRUTH, "topic": "q03", "measures": ["iR@5"], "unjudged": "skip"}),
        ("eval", {**SCORING, "measures": ["iR@5"], "per_topic": True}),
    )
    said = [one if isinstance(one, str) else one["message"] for one in explained[0].get("notices", [])]
    assert len(said) == len(set(said))
    assert [row["topic"] for row in scored[0]["rows"][: len(runs)]] == ["all"] * len(runs)
    assert scored[0]["rows"][len(runs)]["topic"] != "all"


def test_descriptions_call_arguments_by_their_names(demo: Path) -> None:
    for tool in tools(Folder(demo), 60).values():
        texts = [tool.told, *(one.get("description", "") for one in tool.schema["properties"].values())]
        flags = {f"--{word.replace('_', '-')}" for word in tool.schema["properties"]}
        for text in texts:
            assert not flags & set(re.findall(r"--[a-z-]+", text)), text


def test_arguments_that_are_paths_say_so(demo: Path) -> None:
    described = tools(Folder(demo), 60)["eval"].schema["properties"]
    told = {name for name, one in described.items() if "Paths in the folder" in one.get("description", "")}
    assert {"runs", "assessments", "documents", "pool"} <= told and "measures" not in told
    assert described["runs"]["description"].endswith(", or patterns.")


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_texts_are_cut_only_where_they_are_too_long(more: int) -> None:
    text = "x" * (LONGEST_TEXT + more)
    (found,) = _with_short_texts([text])
    assert found == (text if more < 1 else f"{text[:-1]}\u2026 (1 more characters)")
