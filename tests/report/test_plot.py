"""Figures: every kind can be drawn in every form, and shows the numbers of eval."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.cli.plot_command import KINDS as OFFERED
from doxeval.demo import ANSWERS, RUNS
from doxeval.show.plot import KINDS

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
FILES = [str(path) for path in sorted(RUNS.glob("*.jsonl"))[:3]]


def test_the_command_offers_every_kind() -> None:
    assert OFFERED == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn(kind, tmp_path) -> None:
    for suffix, magic in MAGIC.items() if kind == KINDS[0] else [("svg", MAGIC["svg"])]:
        target = tmp_path / f"figure.{suffix}"
        done = CliRunner().invoke(
            group, ["plot", *FILES, "-q", str(ANSWERS), "-k", kind, "-o", str(target)], catch_exceptions=False
        )
        assert done.exit_code == 0, done.output
        assert target.read_bytes().startswith(magic)


def test_a_curve_holds_the_values_of_eval() -> None:
    figure = dx.plot(FILES[0], ANSWERS, "gain-rank")
    (line,) = figure.axes[0].get_lines()
    expected = dx.evaluate(FILES[0], ANSWERS, "iR@3").mean["value"][0]
    assert line.get_ydata()[2] == pytest.approx(expected)


def test_means_stand_in_order_with_the_best_on_top() -> None:
    figure = dx.plot(FILES, ANSWERS, "means", "AiP")
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    scores = dx.evaluate(FILES, ANSWERS, "AiP")
    assert names == sorted(scores.names, key=lambda run: -scores.value(run, "AiP"))


def test_figures_show_themselves_in_notebooks() -> None:
    assert dx.plot(FILES, ANSWERS)._repr_png_().startswith(MAGIC["png"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"kind": "gain-rang"}, "did you mean 'gain-rank'"),
        ({"kind": "differences", "runs": FILES[:1]}, "need two runs"),
    ],
)
def test_what_cannot_be_drawn_is_told(arguments, told) -> None:
    with pytest.raises(dx.UsageError, match=told):
        dx.plot(**({"runs": FILES, "assessments": ANSWERS} | arguments))
