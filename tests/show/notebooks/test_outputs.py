"""Results show themselves in notebooks: sentences, tables, what they are worth; errors in one line."""

from __future__ import annotations

import warnings
from html import escape
from pathlib import Path
from typing import Any, cast

import pytest

import doxeval as dx
from doxeval.core.table import Readable
from doxeval.demo import ANSWERS, RUNS
from tests.show.notebooks.outputs import HOSTILE, scored, shown

KINDS = ("scores", "comparison", "correlation", "outcomes", "explanation", "budget", "diagnosis", "report")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory) -> dict[str, object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return shown(scored(), tmp_path_factory.mktemp("notebook"))


def test_every_kind_is_looked_at(outputs) -> None:
    assert tuple(outputs) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_text_and_no_mathematics(kind, outputs) -> None:
    html = outputs[kind]._repr_html_()
    assert "<img" not in html
    assert kind == "report" or html.startswith('<div class="doxeval tex2jax_ignore mathjax_ignore">')


@pytest.mark.parametrize("kind", KINDS[:5])
def test_what_bears_on_the_numbers_stands_beside_them(kind, outputs) -> None:
    """In a notebook as in a terminal."""
    told = "14 of 15 topics have no results"
    assert told in outputs[kind]._repr_html_()
    assert told in repr(outputs[kind])


def test_a_verdict_opens_scores_and_comparisons(outputs) -> None:
    for output in (outputs["scores"], outputs["comparison"]):
        html = output._repr_html_()
        first = escape(output.sentences[0])
        assert "by AiP" in first
        assert html.index(f"<li>{first}</li>") < html.index("<table>")
    assert outputs["scores"].sentences == outputs["scores"].verdict()


def test_whatever_has_tables_shows_itself() -> None:
    """A class of results that people read need not say how."""
    public = [getattr(dx, name) for name in cast(Any, dx).__all__ if name[0].isupper()]
    readable = {one.__name__ for one in public if isinstance(getattr(one, "tables", None), property)}
    assert readable > {"Agreement", "Citations", "Comparison", "Correlation", "Explanation", "Scores"}
    for one in readable:
        assert issubclass(getattr(dx, one), Readable)
        assert getattr(dx, one).__repr__ is Readable.__repr__


def test_a_terminal_shows_tables(outputs) -> None:
    assert repr(outputs["correlation"]).splitlines()[1].startswith("AiP")
    heads = repr(outputs["budget"]).splitlines()[0].split()
    assert heads == [
        "run",
        "recall",
        "reached",
        "results",
        "characters",
    ]
    assert "report.html: " in repr(outputs["report"])
    assert "<" not in repr(outputs["budget"])


def test_a_report_that_is_too_large_or_gone_becomes_a_link(outputs, monkeypatch) -> None:
    assert "<iframe" in outputs["report"]._repr_html_()
    monkeypatch.setattr("doxeval.show.page.MOST_FRAMED", 1000)
    html = outputs["report"]._repr_html_()
    assert html.startswith("<p><a href=") and "report.html" in html


MISTAKES = {
    "dx.evaluate(RUN, ANSWERS, 'AiPP')": "did you mean 'AiP'",
    "dx.read_run(str(RUN) + 'x')": "sections.jsonlx",
    "dx.plot(RUN, ANSWERS, figure='gain-rang')": "did you mean 'gain-rank'",
    "dx.evaluate(RUN, ANSWERS, 'AiP').explain('q3')": "q03",
}


@pytest.fixture
def shell(tmp_path):
    """A real IPython that keeps no history."""
    interactive = pytest.importorskip(
        "IPython.core.interactiveshell", reason="IPython is not installed (make browser)"
    ).InteractiveShell
    from traitlets.config import Config

    config = Config({"HistoryManager": {"enabled": False}})
    yield interactive.instance(config=config, ipython_dir=str(tmp_path))
    interactive.clear_instance()


@pytest.mark.parametrize("cell", MISTAKES)
def test_an_error_is_one_line_with_what_to_do(cell, shell, capsys) -> None:
    """In a real IPython, whose tracebacks are otherwise pages long."""
    shell.push({"dx": dx, "RUN": RUNS / "sections.jsonl", "ANSWERS": ANSWERS})
    result = shell.run_cell(cell)
    printed = capsys.readouterr().out.strip()
    assert isinstance(result.error_in_exec, dx.DoxevalError)
    assert MISTAKES[cell] in printed
    assert len(printed.splitlines()) == 1


CELLS = [
    "from tests.show.notebooks.outputs import *; import warnings; warnings.simplefilter('ignore')",
    "scores = scored(3)\nscores",
    "scores.compare()",
    "scores.correlate()",
    "scores.explain('q01', 'AiP', 'documents')",
    "scores.report({path!r})",
    "dx.plot(scores, measures='AiP', figure='means')",
    "dx.evaluate(RUNS / 'sections.jsonl', ANSWERS, 'AiPP')",
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_notebook_is_executed(tmp_path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (make browser)")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed (make browser)")
    from nbformat.v4 import new_code_cell, new_notebook

    here = {"metadata": {"path": str(Path(__file__).parents[3])}}
    path = str(tmp_path / "report.html")
    book = new_notebook(cells=[new_code_cell(cell.replace("{path!r}", repr(path))) for cell in CELLS])
    nbclient.NotebookClient(
        book, timeout=300, kernel_name="python3", allow_errors=True, resources=here
    ).execute()
    *shown, failed = [cell["outputs"] for cell in book.cells[1:]]
    for output in shown[:-1]:
        assert HOSTILE not in output[0]["data"]["text/html"]
        assert output[0]["data"]["text/plain"]
    assert "<iframe" in shown[4][0]["data"]["text/html"]
    assert "image/png" in shown[5][0]["data"]
    assert failed[0]["traceback"] == [f"UsageError: {failed[0]['evalue']}"]
