"""Explanations of results in source code: numbered lines, colours, the class or function above them."""

from __future__ import annotations

import pytest

import doxeval as dx
from doxeval.io.documents.code import has_grammars
from doxeval.show.colours import colours
from doxeval.show.explanation.shown_code import CodeLine, Excerpt, _coloured

pytestmark = pytest.mark.skipif(not has_grammars(), reason="needs the extra code")

CART = 'class Cart:\n    def add(self, item):\n        self.items.append("🛒" and item)  # <b>\n\n\nx = 1\n'


@pytest.fixture
def told(tmp_path):
    (tmp_path / "cart.py").write_text(CART)
    gold = [{"topic": "t", "doc": "cart.py:3"}]
    results = [{"topic": "t", "doc": "cart.py:2-3"}, {"topic": "t", "doc": "cart.py:6"}]
    return dx.explain(results, gold, "iR", tmp_path, topic="t")


def test_lines_have_numbers_and_the_name_of_their_function(told):
    text = told.part("code").plain()
    lines = [line.rstrip() for line in CART.split("\n")]
    assert (
        f"1  cart.py::Cart.add\n     2   {lines[1]}\n     3 + {lines[2]}\n2  cart.py\n     6   x = 1" in text
    )
    assert [rank.place for rank in told.ranks] == ["Cart.add L2-L3", "L6-L6"]
    assert [(row["line"], row["relevant"]) for row in told.rows["code"]] == [
        (2, False),
        (3, True),
        (6, False),
    ]


def test_notebooks_show_it_in_a_fixed_width_and_escaped(told):
    html = told.part("code").html()
    assert "<pre>" in html and "&lt;b&gt;" in html and "<b>" not in html
    assert ">def</span>" in html


def test_long_results_end_with_how_many_lines_are_left_out(tmp_path):
    (tmp_path / "long.py").write_text("".join(f"x{at} = {at}\n" for at in range(20)))
    gold = [{"topic": "t", "doc": "long.py:3"}]
    results = [{"topic": "t", "doc": "long.py:2-16"}]
    part = dx.explain(results, gold, "iR", tmp_path, topic="t").part("code")
    assert "    13   x12 = 12\n         ... 3 more lines" in part.plain() and "x13" not in part.plain()
    assert part.footer == ["+: lines with relevant text", "the first 12 lines of each result are shown"]


def test_results_in_files_without_relevant_text_are_shown_unmarked(tmp_path):
    (tmp_path / "cart.py").write_text(CART)
    (tmp_path / "other.py").write_text("y = 2\n")
    gold = [{"topic": "t", "doc": "cart.py:3"}]
    results = [{"topic": "t", "doc": "other.py:1"}]
    told = dx.explain(results, gold, "iR", tmp_path, topic="t")
    assert [(row["line"], row["relevant"]) for row in told.rows["code"]] == [(1, False)]


def test_colours_cover_the_text_as_browsers_count_it():
    assert sum(colours(CART, "cart.py")[::2]) == len(CART.encode("utf-16-le")) // 2
    assert colours(CART, "cart.unknown-suffix") == []


def test_words_keep_their_colour_on_every_line():
    lines = ["def add(self):", "    return None", "class Cart: pass"]
    shown = Excerpt(1, "cart.py", "", [CodeLine(at, text, False) for at, text in enumerate(lines, start=1)])
    kinds = [{part.strip(): kind for kind, part in parts} for _, parts in _coloured(shown)]
    assert kinds[0]["def"] == kinds[1]["return"] == kinds[2]["class"] != ""
