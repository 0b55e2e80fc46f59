"""Every kind of figure at the size it is printed: legible, nothing covered, nothing cut off."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import doxeval as dx
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from doxeval.show.charts import bars_by_topic, bars_with_intervals, curves, heat_map, panels
from doxeval.show.plot import DIFFERENCES, FIGURE_KINDS, MEANS, PARETO, asked_figure
from doxeval.show.style import NOTE, WIDTHS, Sheet, save_figure

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
PICTURES = Path(__file__).parents[3] / "build" / "figures"
SIZES = (2, 6, 25)
SLACK = 1.0
"""Pixels that letters may come closer by than the boxes around them say."""


@pytest.fixture(scope="module")
def runs() -> list[dx.Run]:
    """Twenty-five: those of the demo, and such that lost results; some have names as long as people give."""
    found, chance = [], random.Random(1)
    files = sorted(RUNS.glob("*.jsonl"))
    for at in range(max(SIZES)):
        file = files[at % len(files)]
        rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        kept = [row for row in rows if chance.random() > at / 40]
        added = ("", "-reranked", "-with-query-expansion-and-reranking", "-k10", "-fused")[at // len(files)]
        found.append(dx.read_run(kept, name=f"{file.stem}{added}"))
    return found


@pytest.fixture(scope="module")
def figure(runs):
    """Draws a kind of figure of so many runs; each kind is scored once."""
    scored = {}

    def drawn(kind: str, count: int, paper: Sheet):
        asked = asked_figure(kind)
        if kind not in scored:
            documents = DOCUMENTS if kind == "gain-lines" else None
            scored[kind] = dx.Evaluation(ANSWERS, asked.measures, documents).scores(runs, asked.look)
        scores = scored[kind]
        return replace(asked, paper=paper).drawn(replace(scores, runs=scores.runs[:count]))

    return drawn


def printed_texts(figure) -> list:
    """Whatever can be read, with the box around it; ticks beyond an axis exist, and are not drawn."""
    from matplotlib.text import Text

    renderer = figure.canvas.get_renderer()
    figure.draw(renderer)
    every = [axes for outer in figure.axes for axes in (outer, *outer.child_axes)]
    axis = [axis for axes in every for axis in (axes.xaxis, axes.yaxis)]
    ticks = [tick for one in axis for tick in (*one.majorTicks, *one.minorTicks)]
    drawn = [tick for one in axis for tick in one._update_ticks()]
    hidden = {id(label) for tick in ticks if tick not in drawn for label in (tick.label1, tick.label2)}
    found = [
        (text, text.get_window_extent(renderer))
        for text in figure.findobj(Text)
        if text.get_text().strip() and text.get_visible() and id(text) not in hidden
    ]
    return [(text, box) for text, box in found if box.width > 0]


def check(figure, paper: Sheet) -> None:
    """Nothing is cut off, covered or too small, and the figure is as wide as asked."""
    renderer = figure.canvas.get_renderer()
    texts = printed_texts(figure)
    assert figure.get_figwidth() == pytest.approx(paper.width)
    page = figure.bbox.padded(0.5)
    for text, box in texts:
        assert text.get_fontsize() >= NOTE, text
        assert page.containsx(box.x0) and page.containsx(box.x1), text
        assert page.containsy(box.y0) and page.containsy(box.y1), text
    for (one, box), (other, another) in combinations(texts, 2):
        assert not box.padded(-SLACK).overlaps(another.padded(-SLACK)), (one, other)
    for legend in figure.legends:
        box = legend.get_window_extent(renderer)
        assert page.containsx(box.x0) and page.containsx(box.x1) and page.containsy(box.y0)
        for axes in figure.axes:
            assert not box.overlaps(axes.get_tightbbox(renderer)), "the legend covers the axes"


def keep(figure, name: str) -> None:
    """A picture for people to look at."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    (PICTURES / f"{name}.png").write_bytes(figure._repr_png_())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", FIGURE_KINDS)
def test_every_kind_is_legible_at_the_size_it_is_printed(kind, width, figure) -> None:
    paper = Sheet(WIDTHS[width], "serif" if width == "column" else "sans")
    for count in SIZES if kind != DIFFERENCES else SIZES[:1]:
        drawn = figure(kind, count, paper)
        check(drawn, paper)
        lines = [line for line in drawn.axes[0].get_lines() if not line.get_label().startswith("_")]
        looks = {(line.get_color(), line._unscaled_dash_pattern, line.get_marker()) for line in lines}
        named = {MEANS: 0, DIFFERENCES: 0, PARETO: len(lines)}.get(kind, count)
        assert len(looks) == len(lines) == named
        keep(drawn, f"{kind}-{width}-{count}")


@pytest.mark.parametrize("kind", FIGURE_KINDS)
@pytest.mark.parametrize("font", ["serif", "sans"])
def test_fonts_are_embedded_as_publishers_want_them(kind, font, figure, tmp_path) -> None:
    target = tmp_path / "figure.pdf"
    save_figure(figure(kind, 2, Sheet(WIDTHS["column"], font)), target)
    assert b"/CIDFontType2" in (found := target.read_bytes()) or b"/Subtype /TrueType" in found
    assert b"/Type3" not in found
    assert (b"STIXGeneral" in found) == (font == "serif")


LONG = [
    "a run whose name is a sentence, as files of experiments are sometimes called, and goes on and on",
    *(f"inex/2009/focused/element-retrieval/variant-{at}-of-many/final-submission.run" for at in range(7)),
    "$x_1$ & <b>{%}</b>",
    "W" * 60,
]
NOTES = ["3 of 40 topics have no results in run " + "W" * 50 + "; they count as 0", "2 lines refused"]
VALUES = np.linspace(0.9, -0.9, len(LONG))
WAVES = {name: (range(101), np.cos(np.arange(101) / 30 + at)) for at, name in enumerate(LONG)}
CHARTS = {
    "curves": lambda paper: curves(WAVES, LONG[0], LONG[0], paper),
    "panels": lambda paper: panels([(WAVES, LONG[0]), (WAVES, "y"), (WAVES, LONG[1])], LONG[0], paper, True),
    "ticks": lambda paper: curves({"one": ([0, 1, 2], VALUES[:3])}, "", "y", paper, ticks=LONG[1:4]),
    "means": lambda paper: bars_with_intervals(LONG, VALUES, VALUES - 0.1, VALUES + 0.1, LONG[0], paper),
    "topics": lambda paper: bars_by_topic(LONG, VALUES, f"AiP: {LONG[1]} - {LONG[2]}", paper),
    "matrix": lambda paper: heat_map(LONG, LONG[:6], np.outer(VALUES, VALUES[:6]), paper),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", CHARTS)
def test_long_names_titles_and_notes_find_room(name, width) -> None:
    paper = Sheet(WIDTHS[width], "sans", LONG[0], NOTES)
    figure = CHARTS[name](paper)
    check(figure, paper)
    said = [" ".join(text.get_text().split()) for text, _ in printed_texts(figure)]
    assert LONG[0] in said
    assert any("2 lines refused" in text for text in said)
    keep(figure, f"long-{name}-{width}")


def test_letters_that_no_font_has_are_told_once(tmp_path, monkeypatch) -> None:
    from click.testing import CliRunner

    from doxeval.cli import group

    monkeypatch.chdir(tmp_path)
    for name, run in (("日本.jsonl", "sections"), ("latin.jsonl", "documents")):
        Path(name).write_bytes((RUNS / f"{run}.jsonl").read_bytes())
    files = ["日本.jsonl", "latin.jsonl"]
    done = CliRunner().invoke(group, ["plot", *files, "-q", str(ANSWERS), "-o", "a.pdf"])
    assert done.stderr.count("2 letters of names are not in the font") == 1 and done.exit_code == 0
    with pytest.warns(dx.DoxevalWarning, match="2 letters of names") as told:
        dx.plot(files, ANSWERS, font="serif").savefig("b.svg")
    assert len(told) == 1 and "日本" in Path("b.svg").read_text(encoding="utf-8")


def test_a_curve_of_101_points_has_about_ten_markers_that_neighbours_do_not_share(figure) -> None:
    drawn = figure("precision-recall", 6, Sheet())
    lines = drawn.axes[0].get_lines()
    assert {len(line.get_xdata()) for line in lines} == {101}
    marked = [set(range(101)[first::step]) for first, step in (line.get_markevery() for line in lines)]
    assert all(10 <= len(points) <= 11 for points in marked)
    assert not any(one & other for one, other in combinations(marked, 2))


def test_saving_as_people_do_gives_the_same_fonts_and_size(figure, tmp_path) -> None:
    figure("gain-rank", 2, Sheet(WIDTHS["column"])).savefig(target := tmp_path / "figure.pdf")
    content = target.read_bytes()
    assert b"/Type3" not in content
    assert f"/MediaBox [ 0 0 {72 * WIDTHS['column']:.2f}".encode() in content


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"width": "colum"}, "did you mean 'column'"),
        ({"width": 0.5}, "2 to 20 inches wide, not 0.5"),
        ({"width": "nan"}, "not nan"),
        ({"font": "serf"}, "did you mean 'serif'"),
    ],
)
def test_a_paper_that_does_not_exist_is_told(asked, told) -> None:
    with pytest.raises(dx.UsageError, match=told):
        dx.plot([], ANSWERS, **asked)
