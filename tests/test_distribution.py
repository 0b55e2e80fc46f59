"""Where people install from: recipe, container, hooks and release say the same as the package."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from docs.release import prepared

from doxeval.core.version import __version__
from doxeval.demo import ANSWERS, RUNS

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
PROJECT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
STATED, BUILT = PYPROJECT["project"], PYPROJECT["build-system"]
FOR_DEVELOPERS = {"test", "lint", "bench", "fuzz"}


def text_of(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def names(page: str, title: str) -> list[str]:
    """The first column of the table on a page whose header begins with a title."""
    table = page.partition(f"| {title} |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)


def test_every_package_and_extra_says_what_needs_it() -> None:
    page = text_of("docs/install.md")
    required = [re.split(r"[>=<]", one)[0] for one in STATED["dependencies"]]
    assert sorted(names(page, "package")) == sorted(required)
    assert sorted(names(page, "extra")) == sorted(set(STATED["optional-dependencies"]) - FOR_DEVELOPERS)


def test_every_extra_that_an_error_names_exists() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (PROJECT / "src").rglob("*.py"))
    named = set(re.findall(r'MissingExtra\(\s*"(\w+)"', source))
    assert {"stats", "frames", "mcp"} <= named <= set(STATED["optional-dependencies"])


def as_in_conda(requirements: list[str]) -> list[str]:
    """Requirements of pip as a recipe writes them."""
    return sorted(one.lower().replace(">=", " >=") for one in requirements)


def test_the_recipe_for_conda_requires_what_the_package_does() -> None:
    """As far as it can be checked without conda: it renders, and repeats what pyproject.toml says."""
    jinja2 = pytest.importorskip("jinja2", reason="Jinja is not installed")
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text_of("conda/meta.yaml"))
    found = yaml.safe_load(template.render(PYTHON="python", compiler=lambda name: f"compiler of {name}"))
    python, build = f"python {STATED['requires-python']}", as_in_conda(BUILT["requires"])
    requirements = {place: sorted(needed) for place, needed in found["requirements"].items()}
    assert requirements["run"] == sorted([python, *as_in_conda(STATED["dependencies"])])
    assert requirements["host"] == sorted([python, "pip", *build])
    extras = {need for extra in STATED["optional-dependencies"].values() for need in as_in_conda(extra)}
    assert set(requirements["run_constrained"]) <= extras
    assert found["package"] == {"name": STATED["name"], "version": __version__}
    assert found["build"]["entry_points"] == [f"{name} = {to}" for name, to in STATED["scripts"].items()]
    assert (PROJECT / "conda" / found["source"]["path"] / "pyproject.toml").exists()
    assert (
        found["about"]["license"] == STATED["license"] and (PROJECT / found["about"]["license_file"]).exists()
    )


def stages(dockerfile: str) -> list[list[tuple[str, str]]]:
    """The instructions of each stage, each with what follows it."""
    lines = [line for line in dockerfile.splitlines() if line and not line.startswith("#")]
    told = [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]
    begins = [at for at, (word, _) in enumerate(told) if word == "FROM"]
    return [told[begin:end] for begin, end in zip(begins, [*begins[1:], None], strict=True)]


def test_the_container_runs_the_command_as_nobody_special() -> None:
    build, last = stages(text_of("Dockerfile"))
    base, again = (stage[0][1].split()[0] for stage in (build, last))
    version = re.fullmatch(r"python:(\d+\.\d+)-slim", base)
    assert base == again and version, "the environment is copied from one to the other"
    assert f"Programming Language :: Python :: {version[1]}" in STATED["classifiers"]
    told = dict(last)
    user = [word for word, _ in last].index("USER")
    assert told["USER"].isdigit() and int(told["USER"]) and f"--uid {told['USER']} " in told["RUN"]
    assert {word for word, _ in last[user:]} == {"USER", "WORKDIR", "ENTRYPOINT", "CMD"}
    _, made, to = told["COPY"].split()
    (entry,) = json.loads(told["ENTRYPOINT"])
    assert made == to and entry == f"{to}/bin/doxeval" and json.loads(told["CMD"]) == ["--help"]
    assert any(rest.startswith(f"python -m venv {to} && {to}/bin/pip install ") for _, rest in build)
    copied = [name for word, rest in build if word == "COPY" for name in rest.split()[:-1]]
    allowed = {line[1:] for line in text_of(".dockerignore").splitlines() if line.startswith("!")}
    assert set(copied) == allowed and all((PROJECT / name).exists() for name in copied)


def test_the_development_container_is_json() -> None:
    assert json.loads(text_of(".devcontainer/devcontainer.json"))["postCreateCommand"] == "make browser"


def test_the_hooks_run(tmp_path: Path) -> None:
    hooks = {hook["id"]: hook for hook in yaml.safe_load(text_of(".pre-commit-hooks.yaml"))}
    runs = [str(RUNS / f"{name}.jsonl") for name in ("sections", "paragraphs")]
    given = {
        "doxeval-validate": ["--qrels", str(ANSWERS), *runs],
        "doxeval-gate": [runs[0], "--baseline", runs[0], "--qrels", str(ANSWERS), "-m", "iR@5"],
    }
    assert set(given) == set(hooks)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for name, words in given.items():
        command = [sys.executable, "-m", *shlex.split(hooks[name]["entry"]), *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    assert re.search(hooks["doxeval-validate"]["files"], "runs/a.jsonl")


def test_a_release_is_stated_everywhere_at_once() -> None:
    files = prepared("7.8.9", "2030-01-02", text_of)
    assert all("7.8.9" in text for text in files.values())
    citation = yaml.safe_load(files["CITATION.cff"])
    assert (citation["version"], str(citation["date-released"])) == ("7.8.9", "2030-01-02")
    assert "## [7.8.9] - 2030-01-02" in files["CHANGELOG.md"] and "Unreleased" not in files["CHANGELOG.md"]
    with pytest.raises(SystemExit, match="nothing to release"):
        prepared("7.9.0", "2030-01-02", lambda name: files.get(name, text_of(name)))
    with pytest.raises(SystemExit, match="not a version"):
        prepared("next", "2030-01-02", text_of)


def test_what_needs_neither_polars_nor_scipy_does_without_them(tmp_path: Path) -> None:
    """And the others say which extra they need."""
    script = (
        "import sys; sys.modules['polars'] = sys.modules['scipy'] = None; sys.argv[0] = 'doxeval'; "
        "from doxeval.cli import main; main()"
    )
    runs = [str(RUNS / f"{name}.jsonl") for name in ("sections", "paragraphs", "sentences")]
    scored = [*runs, "-q", str(ANSWERS), "-m", "AiP"]
    wanted = {
        ("demo", "--no-open", "--report", "demo.html"): "",
        ("compare", *scored, "-f", "json"): "",
        ("report", *scored, "-o", "report.html"): "",
        ("compare", *scored, "--test", "t"): "doxeval[stats]",
        ("eval", *scored, "-o", "scores.parquet"): "doxeval[frames]",
    }
    for words, extra in wanted.items():
        done = subprocess.run(
            [sys.executable, "-c", script, *words], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == (2 if extra else 0), done.stderr
        assert extra in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(("locked", "refused"), [("True", False), ("False", True)])
def test_a_python_without_its_lock_is_refused_by_name(locked: str, refused: bool) -> None:
    program = f"import sys; sys._is_gil_enabled = lambda: {locked}; import doxeval"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == refused == ("free-threaded Python" in done.stderr)
