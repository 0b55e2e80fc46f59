"""The project file: what it sets, what wins over it, what is said of it, and what is wrong with it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import doxeval as dx
from doxeval.cli import group
from doxeval.cli.project_file import settings_of
from doxeval.core.options import OPTIONS, flags_of
from doxeval.core.project import ALSO, SUBJECTS, TOP, config, find_project
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from doxeval.judging.judge import Judging
from doxeval.judging.pool_file import Pool, PooledDocument, write_pool
from tests.judging.databases import database, mark
from tests.scoring.test_options import commands_of

GOLD = 'assessments = "gold.jsonl"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project: runs, gold and documents, and a folder within."""
    shutil.copytree(RUNS, tmp_path / "runs")
    shutil.copytree(DOCUMENTS, tmp_path / "documents")
    shutil.copy(ANSWERS, tmp_path / "gold.jsonl")
    (tmp_path / "chunks.jsonl").write_text('{"doc": "overlap", "start": 0, "end": 10}\n')
    (tmp_path / "inner" / "most").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(group, list(words))


def set_to(text: str, path: str = "doxeval.toml") -> None:
    Path(path).write_text(text, encoding="utf-8")


def first_measures(output: str) -> list[str]:
    return next(line for line in output.splitlines() if line.startswith("run ")).split()[1:]


# What it sets


def test_eval_alone_is_enough(folder: Path) -> None:
    typed = run("eval", "runs/sections.jsonl", "-q", "gold.jsonl", "-m", "AiP iR@5", "--quiet")
    set_to(GOLD + 'runs = "runs/sections.jsonl"\nmeasures = "AiP iR@5"\n')
    done = run("eval", "--quiet")
    assert done.exit_code == 0
    assert done.stdout == f"{typed.stdout}from doxeval.toml: runs, assessments, measures\n"


def right_value(name: str) -> Any:
    """A value that a key can have."""
    if name not in OPTIONS:
        return ["a", "b"] if SUBJECTS.get(name) else "a"
    option = OPTIONS[name]
    if option.several:
        return ["a", "b"]
    if name == "task":
        return "focused"
    if isinstance(option.choices, tuple) and option.choices:
        return option.choices[-1]
    return option.least + 1 if option.least else True if isinstance(option.default, bool) else "a"


def toml(value: Any) -> str:
    return json.dumps(value)


@pytest.mark.parametrize("key", [*TOP, *ALSO])
def test_every_key_is_taken_by_the_commands_that_have_it(folder: Path, key: str) -> None:
    name = ALSO.get(key, key)
    value = right_value(name)
    for spelling in {key, key.replace("_", "-")}:
        set_to(f"{spelling} = {toml(value)}\n")
        project = find_project()
        assert project is not None and list(project.settings) == [name]
        taken = {
            words: settings_of(project, command, words.split()).get(name)
            for words, command in commands_of(group).items()
        }
        having = {
            words
            for words, command in commands_of(group).items()
            if any(isinstance(one, click.Option) and one.name == name for one in command.params)
        }
        assert name == "runs" or having == {words for words, given in taken.items() if given is not None}
        assert taken["eval"] == value
    assert name != "runs" or taken["gate"] is None


@pytest.mark.parametrize("name", TOP)
def test_a_value_of_the_wrong_kind_is_an_error_with_file_and_key(folder: Path, name: str) -> None:
    wrong: list[Any] = [{}, 1.5] if name not in OPTIONS or not OPTIONS[name].least else ["x", 0, True]
    for value in wrong:
        set_to(f"{name} = {toml(value)}\n" if value != {} else f"{name} = [1]\n")
        done = run("eval", "x")
        assert str(done.exception).startswith("doxeval.toml: ") and name in str(done.exception)
        assert "expected" in str(done.exception) or "must be" in str(done.exception)


def sample(option: click.Option) -> Any:
    """A value that an option takes, as TOML has it."""
    kind = option.type
    if option.is_flag:
        value: Any = True
    elif isinstance(kind, click.types.IntParamType):
        value = max(getattr(kind, "min", None) or 0, 1)
    elif isinstance(kind, click.types.FloatParamType):
        value = 0.5
    else:
        value = kind.choices[0] if isinstance(kind, click.Choice) else "text"
    return [value] * option.nargs if option.nargs > 1 else [value, value] if option.multiple else value


@pytest.mark.parametrize("words", commands_of(group))
def test_every_option_of_a_command_can_be_set_in_its_table(folder: Path, words: str) -> None:
    command = commands_of(group)[words]
    own = [one for one in command.params if isinstance(one, click.Option) and one.expose_value]
    for option in own:
        value, table = sample(option), f"[{words.replace(' ', '.')}]"
        for key in (option.name, option.opts[0].removeprefix("--")):
            set_to(f"{table}\n{key} = {toml(value)}\n")
            project = find_project()
            assert project is not None
            assert settings_of(project, command, words.split()) == {option.name: value}
        set_to(f"{table}\n{option.name} = {toml('x' if option.is_flag else False)}\n")
        with pytest.raises(
            dx.InputError, match=rf"doxeval.toml: \[{words.replace(' ', '.')}\] {option.name}: "
        ):
            project = find_project()
            assert project is not None
            settings_of(project, command, words.split())
    assert any("--no-config" in one.opts for one in command.params)


def test_a_table_can_hold_options_of_a_command_within_a_command(folder: Path) -> None:
    set_to(f'{GOLD}runs = ["runs/sections.jsonl", "runs/documents.jsonl"]\n[study.stability]\nsplits = 3\n')
    done = run("study", "stability", "-m", "AiP", "--no-figures", "-o", "out")
    assert done.exit_code == 0 and "from doxeval.toml: inputs" not in done.output
    assert "note: from doxeval.toml: runs, assessments, splits" in done.stderr


# What wins


def test_what_is_typed_wins_over_the_table_and_the_table_over_the_rest(folder: Path) -> None:
    set_to(f'{GOLD}measures = "iP@1"\n[eval]\nmeasures = "iP@2"\nquiet = true\n')
    path = "runs/sections.jsonl"
    assert first_measures(run("eval", path).stdout) == ["iP@2"]
    assert first_measures(run("eval", path, "-m", "iP@3").stdout) == ["iP@3"]
    assert first_measures(run("compare", path, "runs/documents.jsonl", "--quiet").stdout) == ["iP@1"]
    assert run("eval", path, "-m", "iP@3").stderr == ""


def test_the_nearest_file_wins(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_to('measures = "iP@1"')
    set_to('measures = "iP@2"', "inner/doxeval.toml")
    set_to("[project]\nname = 'doxeval'\n", "inner/most/pyproject.toml")
    for place, expected in ((".", "iP@1"), ("inner", "iP@2"), ("inner/most", "iP@2")):
        monkeypatch.chdir(folder / place)
        assert config() == {"measures": [expected]}
    set_to("[tool.doxeval]\nmeasures = 'iP@3'\n", "pyproject.toml")
    assert config() == {"measures": ["iP@3"]}
    set_to("measures = 'iP@4'\n", "doxeval.toml")
    assert config() == {"measures": ["iP@4"]}


def test_paths_are_relative_to_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = f'{GOLD}documents = "documents"\nruns = "runs/s*.jsonl"\nstore = "kept"\nmeasures = "iR@5"\n'
    set_to(f'{keys}[report]\noutput = "made.html"\n')
    there = run("eval")
    monkeypatch.chdir("inner/most")
    here = run("eval")
    assert here.exit_code == 0 and "from ../../doxeval.toml: runs, assessments" in here.stdout
    assert here.stdout.replace("../../", "") == there.stdout
    assert run("report").exit_code == 0 and (folder / "made.html").is_file()
    assert (folder / "kept").is_dir() and not Path("kept").exists()
    set_to(f'assessments = "{folder / "gold.jsonl"}"\n')
    assert config()["assessments"] == str(folder / "gold.jsonl")


def test_a_tokenizer_is_a_path_if_there_is_such_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "tokenizer.json").write_text("{}")
    monkeypatch.chdir("inner")
    for name, expected in (("tokenizer.json", "../tokenizer.json"), ("o200k_base", "o200k_base")):
        set_to(f'tokenizer = "{name}"', "../doxeval.toml")
        assert config() == {"tokenizer": expected}


# What is said


def test_what_was_taken_is_said_below_a_table_and_beside_anything_else(folder: Path) -> None:
    set_to(GOLD + 'measures = "AiP"\n')
    note = "from doxeval.toml: assessments, measures"
    for form in ("table", "md", "latex"):
        done = run("eval", "runs/sections.jsonl", "-f", form)
        assert note in done.stdout.replace("\\_", "_") and done.stderr == "", form
    for form in ("csv", "jsonl", "json", "metrics"):
        done = run("eval", "runs/sections.jsonl", "-f", form)
        assert note not in done.stdout and done.stderr.count(f"note: {note}\n") == 1, form
        assert run("eval", "runs/sections.jsonl", "-f", form, "--quiet").stderr == ""


def test_commands_without_scores_say_it_too(folder: Path) -> None:
    set_to('documents = "documents"\n[measures]\nformat = "json"\n[synth]\ntopic_count = 1\n')
    assert run("convert", "runs/sections.jsonl", "s.fol").stderr == "note: from doxeval.toml: documents\n"
    assert run("measures").stderr == "note: from doxeval.toml: format\n"
    small = ["--document-count", "20", "--pool-size", "4", "--system-count", "1"]
    assert "note: from doxeval.toml: topic_count\n" in run("synth", "made", *small).stderr
    assert run("synth", "again", *small, "--quiet").stderr == ""


def test_nothing_is_said_where_nothing_is_taken(folder: Path) -> None:
    set_to('measures = "AiP"\n')
    done = run("eval", "runs/sections.jsonl", "-q", "gold.jsonl", "-m", "iP@1")
    assert done.exit_code == 0 and "doxeval.toml" not in done.output


# What would do nothing

IDLE = {
    "navigation": ('navigation = "readon(mean=500)"', ["--nav", "readon(mean=500)"]),
    "tokenizer": ('tokenizer = "o200k_base"', ["--tokenizer", "o200k_base"]),
    "chunks": ('chunks = "chunks.jsonl"', ["--chunks", "chunks.jsonl"]),
    "highlighted": ('highlighted = "strict"', ["--highlighted", "strict"]),
    "merge": ('merge = "majority"', ["--merge", "majority"]),
    "pool": ('pool = "pool.jsonl"', ["--pool", "pool.jsonl"]),
    "assessed": ('assessed = "highlights"', ["--assessed", "highlights"]),
    "fix": ("fix = true", ["--fix"]),
}


@pytest.mark.parametrize("name", IDLE)
def test_a_setting_that_would_do_nothing_is_not_used(folder: Path, name: str) -> None:
    words = ["eval", "runs/sections.jsonl", "-q", "gold.jsonl", "-m", "AiP"]
    plain, typed = run(*words), run(*words, *IDLE[name][1])
    assert plain.exit_code == 0 and typed.exit_code != 0
    set_to("[tool.doxeval]\n" + IDLE[name][0], "pyproject.toml")
    assert run(*words).output == plain.output
    assert run(*words, *IDLE[name][1]).exit_code != 0


POOLED = "pool.jsonl --docs documents --assessor ann --to j.db"
EXPORTED = "--to j.db --export out.json"


@pytest.mark.parametrize(
    ("words", "idle", "reason"),
    [
        (POOLED, "--format inex", "nothing is exported (--export)"),
        (POOLED, "--merge ann", "nothing is exported (--export), and there are no runs to compare (--runs)"),
        (POOLED, "--measure iP", "there are no runs to compare (--runs)"),
        ("--take back.json --to j.db", "--port 9", "no page is served"),
        ("--take back.json --to j.db", "--grades 2", "what --take adds has been judged already"),
        ("--backup copy.db --to j.db", "--need n", "the copy holds what has been judged already"),
        (EXPORTED, "--assessor ann", "what is exported has been judged already"),
        (EXPORTED, "--docs documents", "judgements are ranges of their documents already"),
        (f"{EXPORTED} --format rules", "--merge ann", "rules are those of all assessors"),
        (f"{EXPORTED} --format rules", "--docs documents", "rules are those of all assessors"),
        (
            f"{EXPORTED} --format label-studio --docs documents",
            "--merge ann",
            "an export to Label Studio keeps assessors apart",
        ),
        (
            "pool.jsonl --docs documents --assessor ann --offline out.html",
            "--to j.db",
            "an offline page saves its judgements to a file, which --take adds",
        ),
    ],
)
def test_what_would_do_nothing_for_judging_is_refused_as_typed(
    folder: Path, words: str, idle: str, reason: str
) -> None:
    done = run("judge", *words.split(), *idle.split())
    flag = idle.partition(" ")[0]
    assert done.exit_code != 0 and str(done.exception) == f"{flag} would do nothing here: {reason}"
    assert not Path("j.db").exists() and not Path("out.json").exists()


@pytest.mark.parametrize(
    "words",
    [
        POOLED,
        "pool.jsonl --docs documents --assessor ann --offline out.html",
        "--to j.db --backup copy.db",
        *(f"{EXPORTED} --format {form}" for form in ("native", "inex")),
        f"{EXPORTED} --format rules",
        f"{EXPORTED} --format label-studio --docs documents",
    ],
)
def test_settings_that_do_nothing_for_judging_are_given_up(
    folder: Path, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def serve(overview: Any, *_: Any) -> Judging:
        return Judging([f"served with {overview.standing}"])

    monkeypatch.setattr("doxeval.judging.judge._serve", serve)
    write_pool(Pool([PooledDocument("t1", "overlap", ((0, 20),), query="What?")]), Path("pool.jsonl"))
    if "--export" in words or "--backup" in words:
        acts = [("ann", "t1", "overlap", {"adds": [mark("a", 2, 6)], "done": True})]
        database(Path("j.db"), acts, {"overlap": 20})
    said = set()
    for settings in ("", 'measures = "AiP"\nmerge = "majority"\ndocuments = "documents"\n'):
        set_to(settings)
        done = run("judge", *words.split())
        assert done.exit_code == 0, done.output
        said.add("\n".join(line for line in done.output.splitlines() if "from doxeval.toml" not in line))
    assert len(said) == 1


def test_a_store_is_not_used_for_bounds(folder: Path) -> None:
    words = ["eval", "runs/sections.jsonl", "-q", "gold.jsonl", "-m", "AiP", "--bounds"]
    plain = run(*words)
    set_to('store = "kept"\n')
    assert run(*words).output == plain.output and plain.exit_code == 0


def test_score_files_are_not_scored_again(folder: Path) -> None:
    files = ["runs/sections.jsonl", "runs/documents.jsonl", "-q", "gold.jsonl"]
    run("eval", *files, "-m", "iR@5", "--per-topic", "-o", "scores.csv")
    plain = run("compare", "scores.csv", "--draws", "100")
    set_to(GOLD + 'measures = "AiP"\nnavigation = "none"\njobs = 2\n')
    assert run("compare", "scores.csv", "--draws", "100").output == plain.output


def test_one_of_several_measures_is_taken_where_one_is_shown(folder: Path) -> None:
    set_to(GOLD + 'measures = "iR@5 AiP"\n')
    explained = run("explain", "--run", "runs/sections.jsonl", "-t", "q01")
    typed = run(
        "explain",
        "--run",
        "runs/sections.jsonl",
        "-t",
        "q01",
        "-m",
        "iR@5",
        "--no-config",
        "-q",
        "gold.jsonl",
    )
    assert explained.exit_code == 0 and explained.stdout.startswith(typed.stdout.splitlines()[0])
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert run("plot", "runs/sections.jsonl", "--figure", "means", "-o", "means.svg").exit_code == 0


# What is wrong


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('asessments = "x"', "asessments: unknown key; did you mean 'assessments'"),
        ('assessments = "x"\nqrels = "y"', "qrels: assessments is given twice"),
        ('[evl]\nsort = "x"', "[evl]: unknown command; did you mean 'eval'"),
        ('[eval]\nsrt = "x"', "[eval] srt: unknown key; did you mean 'sort'"),
        ('[eval]\nmeasure = "x"\nmeasures = "y"', "[eval] measures: --measure is given twice"),
        ("[eval]\nstrict = 1", "[eval] strict: expected true or false, found 1"),
        ('[eval]\nformat = "xls"', "[eval] format: 'xls' is not one of"),
        ("[compare]\ndraws = 1", "[compare] draws: 1 is not in the range"),
        ('[compare]\nalpha = "x"', "[compare] alpha: expected a number, found 'x'"),
        ("[study]\nsplits = 1", "[study] splits: expected [study.discrimination]"),
        ('[study.stabilty]\nsplits = 1', "[study] stabilty: expected [study.discrimination]"),
        ('[pool]\nnext = ["a"]', "[pool] next: expected 2 texts, found ['a']"),
        ('unjudged = "skipp"', "unjudged must be 'irrelevant' or 'skip', not 'skipp'; did you mean 'skip'"),
        ("assessments = ", "expected TOML: "),
        ("no_color = true", "no_color: unknown key"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_the_file_and_the_nearest_name(folder: Path, text: str, says: str) -> None:
    for name, content in (("doxeval.toml", text), ("pyproject.toml", None)):
        for path in ("doxeval.toml", "pyproject.toml"):
            Path(path).unlink(missing_ok=True)
        if content is None:
            lines = [
                line.replace("[", "[tool.doxeval.", 1) if line.startswith("[") else line
                for line in text.splitlines()
            ]
            content = "\n".join(["[tool.doxeval]", *lines])
        set_to(content, name)
        done = run("eval", "runs/sections.jsonl", "-q", "gold.jsonl")
        assert isinstance(done.exception, dx.InputError), done.output
        assert name in str(done.exception) and says in str(done.exception)
        for words in (["eval", "--help"], ["eval", "runs/sections.jsonl", "-q", "gold.jsonl", "--no-config"]):
            assert run(*words).exit_code == 0


def test_a_file_that_cannot_be_read_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "doxeval.toml").write_bytes(b'assessments = "\xff"')
    assert "doxeval.toml: expected TOML: " in str(run("eval", "x").exception)

    def refused(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refused)
    assert "doxeval.toml: cannot be read: Permission denied" in str(run("eval", "x").exception)


def test_a_table_that_is_none_is_an_error(folder: Path) -> None:
    set_to("[tool]\ndoxeval = 3\n", "pyproject.toml")
    assert "expected a table, found 3" in str(run("eval", "x").exception)


# doxeval config


def test_config_prints_what_is_set_and_from_where(folder: Path) -> None:
    set_to(
        'qrels = "gold.jsonl"\nmeasure = ["AiP", "iR@5"]\n[eval]\nper-topic = true\n[study.null]\nseed = 3\n'
    )
    rows = [json.loads(line) for line in run("config", "-f", "jsonl").stdout.splitlines()]
    assert [tuple(row.values()) for row in rows] == [
        ("all that take it", "assessments", "gold.jsonl", "doxeval.toml"),
        ("all that take it", "measures", "AiP iR@5", "doxeval.toml"),
        ("eval", "per-topic", True, "doxeval.toml"),
        ("study null", "seed", 3, "doxeval.toml"),
    ]
    holds = [json.loads(line) for line in run("config", "-f", "jsonl", "eval").stdout.splitlines()]
    found = {row["option"]: (row["value"], row["from"]) for row in holds}
    assert found["per_topic"] == (True, "doxeval.toml") and found["strict"] == (False, "default")
    assert set(found) >= {*OPTIONS, "assessments", "measures", "sort", "output"}
    assert "seed" in run("config", "study", "null").stdout
    assert "splits" in run("config", "--no-config", "study", "stability").stdout
    for words in (["evl"], ["study"], ["eval", "x"]):
        assert run("config", *words).exit_code == 2


def test_config_says_that_there_is_no_file(folder: Path) -> None:
    assert "there is no doxeval.toml" in str(run("config").exception)


WRITTEN = [
    (["eval", "runs/*", "-q", "gold.jsonl", "-m", "AiP", "--sort", "AiP"],
     'runs = "runs/*"\nassessments = "gold.jsonl"\nmeasures = "AiP"\n\n[eval]\nsort = "AiP"\n'),
    (["eval", "runs/sections.jsonl", "-q", "gold.jsonl", "-m", "AiP", "-m", "iR@5", "--depth", "5", "--fix"],
     'runs = "runs/sections.jsonl"\nassessments = "gold.jsonl"\nmeasures = ["AiP", "iR@5"]\n'
     "fix = true\ndepth = 5\n"),
    (["index", "documents", "-o", "docs.dox", "--no-text"], '[index]\noutput = "docs.dox"\ntext = false\n'),
    (["study", "null", "--seed", "3", "-o", "out"], '[study.null]\nseed = 3\noutput = "out"\n'),
    (["compare", "runs/*.jsonl", "-q", 'a "quoted" ü.jsonl', "--alpha", "0.1"],
     'runs = "runs/*.jsonl"\nassessments = "a \\"quoted\\" ü.jsonl"\n\n[compare]\nalpha = 0.1\n'),
]  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), WRITTEN, ids=lambda given: given[0])
def test_config_writes_what_a_command_is_given(folder: Path, words: list[str], expected: str) -> None:
    (folder / "runs" / "notes.txt").write_text("not a run") if "*.jsonl" in words[1] else None
    spread = [str(path) for word in words for path in (sorted(Path().glob(word)) if "*" in word else [word])]
    done = run("config", "--write", *spread)
    assert done.exit_code == 0 and done.stderr.startswith("doxeval.toml: "), done.output
    assert (folder / "doxeval.toml").read_text(encoding="utf-8") == expected
    assert run("config").exit_code == 0
    again = run("config", "--write", *spread)
    assert "doxeval.toml exists; --force replaces it" in str(again.exception)
    assert run("config", "--write", "--force", *spread).exit_code == 0


def test_programs_are_told_what_config_wrote(folder: Path) -> None:
    done = run("--errors", "json", "config", "--write", "eval", "runs/sections.jsonl", "-q", "gold.jsonl")
    assert done.exit_code == 0 and done.stdout == ""
    told = json.loads(done.stderr)
    assert told["level"] == "note" and told["message"].startswith("doxeval.toml: ")


def test_what_config_writes_gives_what_the_command_gave(folder: Path) -> None:
    words = [
        "eval",
        *map(str, sorted(Path("runs").glob("*"))),
        "-q",
        "gold.jsonl",
        "-m",
        "AiP iR@5",
        "--sort",
        "AiP",
    ]
    typed = run(*words, "-f", "csv").stdout
    run("config", "--write", *words)
    assert run("eval", "-f", "csv").stdout == typed


@pytest.mark.parametrize(
    "words", [["--write"], ["--write", "evl"], ["--write", "measures"], ["--write", "eval", "-x"]]
)
def test_config_writes_nothing_that_makes_no_sense(folder: Path, words: list[str]) -> None:
    assert run("config", *words).exit_code != 0 and not Path("doxeval.toml").exists()


# Python


def test_python_takes_it_only_when_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = 'documents = "documents"\nruns = "runs/*"\ndepth = 5\n[eval]\nsort = "AiP"\n'
    set_to(f'{GOLD}measures = ["iR@5", "AiP"]\n{more}')
    assert dx.evaluate("runs/sections.jsonl", "gold.jsonl", "iP@1").measures == ["iP@1"]
    monkeypatch.chdir("inner")
    assert dx.config() == {
        "assessments": "../gold.jsonl", "measures": ["iR@5", "AiP"], "documents": "../documents", "depth": 5,
    }  # fmt: skip
    scores = dx.evaluate("../runs/sections.jsonl", **dx.config())
    typed = dx.evaluate("../runs/sections.jsonl", "../gold.jsonl", "iR@5 AiP", "../documents", depth=5)
    assert list(scores.rows(True)) == list(typed.rows(True))
    assert dx.config(folder=folder) == dx.config()


def test_python_says_that_there_is_none(folder: Path) -> None:
    with pytest.raises(dx.UsageError, match=r"there is no doxeval.toml, and no \[tool.doxeval\]"):
        dx.config()


def test_nothing_is_imported_where_there_is_no_file(folder: Path) -> None:
    code = "import sys; from doxeval.cli import group; group(['measures'], standalone_mode=False)\n"
    code += "assert 'tomllib' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_flags_of_options_are_keys_too() -> None:
    for name in OPTIONS:
        key = flags_of(name).split()[0].removeprefix("--").replace("-", "_")
        assert ALSO.get(key, key) == name
