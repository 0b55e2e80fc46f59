"""Figures: every kind can be drawn in every form, and shows the numbers of eval."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.cli.plot_command import FIGURES as OFFERED
from doxeval.cli.plot_command import OVER
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from doxeval.show.charts import PANEL, curves, points_with_intervals
from doxeval.show.curves import AXES
from doxeval.show.plot import FIGURE_KINDS
from doxeval.show.style import COLOURS, SETTINGS

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
FILES = [str(path) for path in sorted(RUNS.glob("*.jsonl"))[:3]]


def test_the_command_offers_every_kind_and_axis() -> None:
    assert OFFERED == FIGURE_KINDS
    assert tuple(AXES) == OVER


@pytest.mark.parametrize("kind", FIGURE_KINDS)
def test_every_kind_is_drawn(kind, tmp_path) -> None:
    for suffix, magic in MAGIC.items() if kind == FIGURE_KINDS[0] else [("svg", MAGIC["svg"])]:
        target = tmp_path / f"figure.{suffix}"
        files = FILES[:2] if kind == "differences" else FILES
        done = CliRunner().invoke(
            group,
            ["plot", *files, "-q", str(ANSWERS), "--figure", kind, "-o", str(target)],
            catch_exceptions=False,
        )
        assert done.exit_code == 0, done.output
        assert target.read_bytes().startswith(magic)


def test_a_curve_holds_the_values_of_eval() -> None:
    figure = dx.plot(FILES[0], ANSWERS, figure="gain-rank")
    (line,) = figure.axes[0].get_lines()
    expected = dx.evaluate(FILES[0], ANSWERS, "iR@3").mean["value"][0]
    assert line.get_ydata()[2] == pytest.approx(expected)


DRAWN: dict[str, tuple[str, list[tuple[float, str]]]] = {
    "effort-rank": ("NCE(screen=2000)@5", [(1, "NCE(screen=2000)@1"), (5, "NCE(screen=2000)@5")]),
    "gain-rank": ("SRiP2(nav=readon(mean=50))", [(3, "SRiP2(nav=readon(mean=50))@3")]),
    "gain-characters": ("F(beta=2)@800c", [(300, "F(beta=2)@300c"), (800, "F(beta=2)@800c")]),
    "effort-characters": ("ANCE(scale=1/2/9)@900c", [(900, "ANCE(scale=1/2/9)@900c")]),
    "precision-recall": ("PRUM(points=3)", [(0.5, "PRUM(points=3,recall=0.5)")]),
}


@pytest.mark.parametrize("kind", DRAWN)
def test_a_curve_is_of_the_measure_that_was_named_with_its_parameters(kind: str) -> None:
    """And up to the cut-off typed with it."""
    measure, points = DRAWN[kind]
    figure = dx.plot(FILES[0], ANSWERS, measure, DOCUMENTS, figure=kind)
    (line,) = figure.axes[0].get_lines()
    drawn = dict(zip(line.get_xdata(), line.get_ydata(), strict=True))
    scores = dx.evaluate(FILES[0], ANSWERS, [name for _, name in points], DOCUMENTS)
    for point, name in points:
        assert drawn[point] == pytest.approx(scores.value(scores.names[0], name))
    assert max(drawn) == (points[-1][0] if "@" in measure else max(drawn))
    assert measure.partition("@")[0] in figure.axes[0].get_ylabel()


def test_every_measure_has_a_panel_unless_those_of_one_run_have_the_same_unit() -> None:
    measures = "NCE(screen=2000) iP iR"
    figure = dx.plot(FILES, ANSWERS, measures, over="rank")
    assert [axes.get_ylabel() for axes in figure.axes] == measures.split()
    assert {len(axes.get_lines()) for axes in figure.axes} == {len(FILES)}
    assert len(dx.plot(FILES[0], ANSWERS, measures, over="rank").axes) == 3
    (axes,) = dx.plot(FILES[0], ANSWERS, "iP iR", over="rank", log_axis=True).axes
    assert len(axes.get_lines()) == 2 and axes.get_xscale() == "log"


def test_means_stand_in_order_with_the_best_on_top() -> None:
    figure = dx.plot(FILES, ANSWERS, "AiP", figure="means")
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    scores = dx.evaluate(FILES, ANSWERS, "AiP")
    assert names == sorted(scores.names, key=lambda run: -scores.value(run, "AiP"))


def test_figures_show_themselves_in_notebooks() -> None:
    figure = dx.plot(FILES, ANSWERS)
    picture = figure._repr_png_()
    assert picture.startswith(MAGIC["png"])
    assert int.from_bytes(picture[16:20], "big") == int(figure.get_figwidth() * SETTINGS["figure.dpi"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"figure": "gain-rang"}, "did you mean 'gain-rank'"),
        ({"figure": "differences", "runs": FILES[:1]}, "need two runs, not 1"),
        ({"figure": "differences"}, "need two runs, not 3"),
        ({"figure": "means", "measures": "iP@3 iR@3"}, "one measure, not iP@3, iR@3"),
        (
            {"figure": "gain-characters", "measures": "PRUM"},
            "PRUM has no curve over characters",
        ),
        ({"figure": "precision-recall", "measures": "iR@3"}, "iR has no curve over recall"),
        ({"figure": "means", "measures": "NumRet"}, "summed over topics"),
        ({"figure": "gain-rank", "measures": "NumRet"}, "summed over topics"),
        ({"figure": "effort-rank", "measures": "NCE@500c"}, "NCE@500 ends there"),
        ({"figure": "effort-rank", "navigation": "none"}, "would do nothing"),
        ({"figure": "gain-rank", "over": "rank"}, "either a figure or an axis"),
        ({"over": "ranks"}, "did you mean 'rank'"),
        ({"over": "recall", "measures": "Nonsense"}, "unknown measure 'Nonsense'"),
        ({"over": "ideals", "measures": "iP"}, "it takes no ideal elements wanted"),
        ({"over": "recall", "log_axis": True}, "recall begins at 0"),
        ({"over": "characters", "log_axis": True}, "that of characters always is"),
    ],
)
def test_what_cannot_be_drawn_is_told(arguments, told) -> None:
    with pytest.raises(dx.UsageError, match=told):
        dx.plot(**{"runs": FILES, "assessments": ANSWERS} | arguments)


def test_curves_have_a_line_for_every_name_with_a_marker_at_every_tenth_of_them() -> None:
    points = list(range(40))
    figure = curves({"a": (points, points), "b": (points, points[::-1])}, "rank", "iP", limit=(0, 50))
    (axes,) = figure.axes
    assert [line.get_ydata().tolist() for line in axes.lines] == [points, points[::-1]]
    assert [line.get_markevery() for line in axes.lines] == [(0, 4), (1, 4)]
    assert [line.get_color() for line in axes.lines] == [*COLOURS[:2]]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_ylim()) == ("rank", "iP", (0, 50))
    figure = curves({"a": ([0, 1], [3, 4])}, "run", "iP", ticks=["first", "second"])
    assert [one.get_text() for one in figure.axes[0].get_xticklabels()] == ["first", "second"]


def test_panels_are_lower_than_a_single_figure() -> None:
    part = ([1, 2], [0.3, 0.5], np.array([[0.1, 0.2], [0.4, 0.6]]), "rank")
    (alone,) = points_with_intervals([part], "iP").axes
    heights = [one.get_position().height * one.figure.get_figheight()
               for one in (alone, *points_with_intervals([part, part], "iP").axes)]  # fmt: skip
    assert heights[1] == pytest.approx(heights[2]) and heights[1] == pytest.approx(heights[0] * PANEL)


def test_points_with_intervals_have_the_first_colour_and_ends_where_they_are_known() -> None:
    ends = np.array([[0.1, np.nan], [0.4, np.nan]])
    figure = points_with_intervals([([1, 2], [0.3, 0.5], ends, "rank")], "iP", limit=(0, 1))
    (axes,) = figure.axes
    assert axes.lines[0].get_color() == COLOURS[0] and axes.get_ylim() == (0, 1)
    (bars,) = axes.collections
    assert [bar[:, 1].tolist() for bar in bars.get_segments()] == [
        pytest.approx([0.1, 0.4]),
        pytest.approx([0.5, 0.5]),
    ]
