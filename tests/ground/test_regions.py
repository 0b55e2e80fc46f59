"""Regions: pages measured in area. A twin marks every cell of a small grid by exact fractions."""

from __future__ import annotations

import json
import random
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.tables.page_cells import boxes_of_cells, cells_of_boxes, documents_in_area
from doxeval.tables.places import GRID
from tests.io.documents.pdf_files import pdf_of


def values(run, gold, names, documents=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate({"run": run}, gold, names, documents, **options)
    return [scores.value("run", name) for name in names]


GOLD = [
    {
        "topic": "t",
        "doc": "d",
        "page": 2,
        "region": [0, 0, 306, 396],
        "page_size": [612, 792],
        "page_count": 4,
    }
]


def result(rank=1, **place):
    return {"topic": "t", "doc": "d", "rank": rank} | place


def test_worked_example():
    half = result(page=2, region=[0, 0, 0.5, 0.25])
    assert values([half], GOLD, ["iP@1", "iR@1", "IoU@1", "Hit(iou=0.5)@1"]) == [1, 0.5, 0.5, 1]
    assert values([result(page=2)], GOLD, ["iP@1", "iR@1"]) == [0.25, 1]
    assert values([result(page=1)], GOLD, ["iP@1", "iR@1"]) == [0, 0]
    assert values([result()], GOLD, ["iP@1", "iR@1"]) == [1 / 16, 1]
    patches = result(page=2, patches=[0, 1, 4, 5], patch_grid=[4, 4])
    assert values([patches], GOLD, ["iP@1", "iR@1", "IoU@1"]) == [1, 1, 1]
    two = result(page=2, regions=[[0, 0, 0.25, 0.5], [0.5, 0, 0.75, 0.5]])
    assert values([two], GOLD, ["iP@1", "iR@1"]) == [0.5, 0.5]
    assert "in cells of 1/1000 of their width and height" in repr(dx.evaluate({"run": [half]}, GOLD, "iP@1"))


def test_a_box_smaller_than_a_cell_is_the_cell_of_its_centre():
    table = dx.read_run([result(page=1, region=[0.00051, 0.00251, 0.00052, 0.00252])])
    assert (table.start.tolist(), table.end.tolist()) == ([2 * GRID], [2 * GRID + 1])


@pytest.mark.parametrize("region", [[0.00051, 0.2, 0.00052, 0.301], [0.0, 0.25051, 0.0012, 0.25052]])
def test_a_box_thinner_than_a_cell_is_one_cell_too(region):
    table = dx.read_run([result(page=1, region=region)])
    assert (table.start.tolist(), table.end.tolist()) == ([250 * GRID], [250 * GRID + 1])


@given(st.integers(0, 10**9))
def test_cells_are_those_whose_centres_a_box_contains(seed):
    rng = random.Random(seed)
    size = rng.choice([7, 612, 1000, 333])
    left, right = sorted(rng.sample(range(size + 1), 2))
    top, bottom = sorted(rng.sample(range(size + 1), 2))
    edges = [np.array([edge / size]) for edge in (left, top, right, bottom)]
    _, start, end = cells_of_boxes(np.array([3]), *edges)

    def inside(low, high):
        centre = [Fraction(2 * cell + 1, 2 * GRID) for cell in range(GRID)]
        return [cell for cell in range(GRID) if Fraction(low, size) <= centre[cell] < Fraction(high, size)]

    columns, rows = inside(left, right), inside(top, bottom)
    total = int((end - start).sum())
    assert total == (len(columns) * len(rows) or 1)
    if columns and rows:
        assert start[0] == 2 * GRID**2 + rows[0] * GRID + columns[0]
        assert end[-1] == 2 * GRID**2 + rows[-1] * GRID + columns[-1] + 1
        assert boxes_of_cells(start, end) == [(3, columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)]


@settings(max_examples=20)
@given(st.integers(0, 10**9))
def test_the_values_are_those_of_every_cell(seed):
    """Boxes on a grid of 10 x 10, so that sets of its cells are the whole truth."""
    rng = random.Random(seed)

    def box():
        (left, right), (top, bottom) = (sorted(rng.sample(range(11), 2)) for _ in range(2))
        return rng.randint(1, 2), left, top, right, bottom

    def row(place):
        page, *edges = place
        return {"page": page, "region": [edge / 10 for edge in edges]}

    def cells(place):
        page, left, top, right, bottom = place
        return {(page, x, y) for x in range(left, right) for y in range(top, bottom)}

    gold, run = [box() for _ in range(rng.randint(1, 3))], [box() for _ in range(rng.randint(1, 4))]
    found = values(
        [result(rank, **row(one)) for rank, one in enumerate(run, 1)],
        [{"topic": "t", "doc": "d"} | row(one) for one in gold],
        ["iP@9", "iR@9", "Hit(iou=0.3)@9"],
    )
    wanted, shown = set().union(*map(cells, gold)), set().union(*map(cells, run))
    size = sum(len(cells(one)) for one in run)
    hit = 1.0 * any(
        10 * len(cells(one) & cells(place)) >= 3 * len(cells(one) | cells(place))
        for one in run
        for place in gold
    )
    assert found == pytest.approx([len(wanted & shown) / size, len(wanted & shown) / len(wanted), hit])


def test_what_is_written_is_read_back(tmp_path):
    gold = [
        {"topic": "t", "doc": "d", "page": 2, "region": [0.25, 0.0, 0.5, 1.0]},
        {"topic": "t", "doc": "d", "page": 3, "regions": [[0.0, 0.0, 0.1, 0.1], [0.5, 0.5, 0.75, 0.8]]},
        {"topic": "t", "doc": "d", "page_count": 4},
    ]
    path = tmp_path / "gold.jsonl"
    dx.write_assessments(dx.read_assessments(gold), path)
    assert [json.loads(line) for line in path.read_text().splitlines()] == gold
    dx.write_assessments(dx.read_assessments(gold), tmp_path / "gold.parquet")
    assert len(dx.read_assessments(tmp_path / "gold.parquet").ranges) == len(dx.read_assessments(gold).ranges)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ({"page": 0, "region": [0, 0, 1, 1]}, "a 'page' from 1"),
        ({"region": [0, 0, 1, 1]}, "a 'page' with a region"),
        ({"page": 1, "region": [0, 0, 1]}, "regions as [left, top, right, bottom]"),
        ({"page": 1, "region": [1, 0, 0, 1]}, "left and top come first"),
        ({"page": 1, "region": [0, 0, 1, 1], "page_size": [0, 1]}, "a page of size"),
        ({"page": 1, "patches": [16], "patch_grid": [4, 4]}, "patches"),
        ({"page": 1, "patches": [1]}, "patch_grid"),
        ({"cells": [[2, 1]]}, "cells"),
    ],
)
def test_impossible_regions_are_refused(place, told):
    table = dx.read_run([result(page=1, region=[0, 0, 1, 1]), result(2, **place)])
    assert len(table) == 1 and told in "; ".join(map(str, table.notices))


def test_boxes_beyond_their_page_are_cut_and_that_is_told():
    table = dx.read_run([result(page=1, region=[-5, 0, 50, 100], page_size=[100, 100])])
    assert int((table.end - table.start).sum()) == GRID**2 // 2
    assert "1 box reaches beyond its page" in "; ".join(map(str, table.notices))


def test_models_on_distances_are_refused():
    for name in ("SRiP(nav=readon(mean=5))@1", "SRiP(nav=mix(0.5*t2i(tolerance=3)+0.5*none))@1"):
        with pytest.raises(dx.UsageError, match="goes by distances"):
            dx.evaluate({"run": [result(page=2)]}, GOLD, name)


def test_text_and_regions_of_a_topic_are_reported_apart():
    gold = [*GOLD, {"topic": "t", "doc": "d", "start": 0, "end": 10}]
    run = [result(page=2, region=[0, 0, 1, 1]), result(2, start=5, end=25)]
    assert values(run, gold, ["iP@2", "iR@2"]) == [5 / 20, 5 / 10]
    assert values(run, gold, ["iP@2", "iR@2", "iP@1"], unit="area") == [1 / 4, 1, 1 / 4]
    told = repr(dx.evaluate({"run": run}, gold, "iP@2"))
    assert "1 place is a region, scored apart from text (--unit area)" in told


def test_both_are_written_and_read_back(tmp_path):
    run = [result(page=2, region=[0.0, 0.0, 0.5, 0.5]), result(2, start=5, end=25)]
    gold = [GOLD[0], {"topic": "t", "doc": "d", "start": 0, "end": 10}]
    dx.write_run(dx.read_run(run), tmp_path / "run.jsonl")
    assert [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()] == run
    dx.write_assessments(dx.read_assessments(gold), tmp_path / "gold.jsonl")
    again = dx.read_assessments(tmp_path / "gold.jsonl")
    assert len(again.ranges) == 1 and again.apart is not None and again.apart.unit == "area"


def test_pictures_are_documents_with_pages(tmp_path):
    pytest.importorskip("pypdfium2")
    (tmp_path / "scan.pdf").write_bytes(pdf_of([[], [], []]))
    documents = dx.read_documents(tmp_path)
    assert list(documents.ids) == ["scan"]
    assert "1 PDF file has no text, only pages of pictures" in "; ".join(map(str, documents.notices))
    gold = [{"topic": "t", "doc": "scan.pdf", "page": 2, "region": [0, 0, 1, 0.5]}]
    run = [{"topic": "t", "doc": "scan", "rank": 1, "page": 2}, {"topic": "t", "doc": "scan", "rank": 2}]
    assert values(run, gold, ["iP@1", "iR@1", "iP@2"], documents) == [0.5, 1, 0.5 / 4]
    beyond = [{"topic": "t", "doc": "scan", "rank": 1, "page": 7}]
    assert values(beyond, gold, ["iR@1"], documents) == [0]

    area = documents_in_area(documents, grid=10)
    assert (area.length.tolist(), area.unit, area.node_offset.tolist()) == ([300], "area", [0, 4])
    assert [area.tags[tag] for tag in area.tag.tolist()] == ["document", "page", "page", "page"]
    assert list(zip(area.start.tolist(), area.end.tolist(), strict=True)) == [
        (0, 300), (0, 100), (100, 200), (200, 300)
    ]  # fmt: skip


def test_an_explanation_tells_pages_and_boxes():
    told = dx.explain(
        [result(page=2), result(2, page=1, region=[0.1, 0, 0.5, 0.25])], GOLD, "iR@2", topic="t"
    )
    assert [rank.place for rank in told.ranks] == ["page 2", "page 1 (0.1, 0)-(0.5, 0.25)"]
    assert "250,000 of 250,000 relevant cells were shown" in repr(told)


def test_regions_are_not_pooled_as_text():
    with pytest.raises(dx.UsageError, match="a pool holds text"):
        dx.pool([result(page=2, region=[0, 0, 1, 1])])


@pytest.mark.parametrize("grid", [3, 10, 64])
def test_another_grid_counts_its_own_cells_and_says_so(grid, tmp_path):
    """Boxes drawn on the grid itself are exact on it, whatever its size."""
    rng = random.Random(grid)

    def box():
        (left, right), (top, bottom) = (sorted(rng.sample(range(grid + 1), 2)) for _ in range(2))
        return [left / grid, top / grid, right / grid, bottom / grid]

    def cells(region):
        left, top, right, bottom = (round(edge * grid) for edge in region)
        return {(x, y) for x in range(left, right) for y in range(top, bottom)}

    gold = [{"topic": "t", "doc": "d", "page": 2, "region": box(), "page_count": 3}]
    run = [{"topic": "t", "doc": "d", "rank": 1, "page": 2, "region": box()}]
    scores = dx.evaluate({"run": run}, gold, "iR iP@1", grid=grid)
    wanted, shown = (cells(rows[0]["region"]) for rows in (gold, run))
    assert scores.value("run", "iR") == pytest.approx(len(wanted & shown) / len(wanted))
    assert scores.value("run", "iP@1") == pytest.approx(len(wanted & shown) / len(shown))
    assert f"in cells of 1/{grid} of their width and height" in str(scores)
    told = dx.explain(run, gold, "iR", topic="t", grid=grid)
    assert told.total_relevant == len(wanted) and f"1/{grid}" in repr(told)
    dx.write_report({"run": run}, gold, "iR", path=tmp_path / "page.html", grid=grid)
    assert f"1/{grid} of their" in (tmp_path / "page.html").read_text()
    written = dx.read_run(run, grid=grid)
    dx.write_run(written, tmp_path / "run.jsonl")
    again = dx.read_run(tmp_path / "run.jsonl", grid=grid)
    assert (again.start.tolist(), again.grid) == (written.start.tolist(), grid)
    whole = dx.evaluate({"run": [{"topic": "t", "doc": "d", "page": 2}]}, gold, "iR iP", grid=grid)
    assert whole.value("run", "iR") == 1 and whole.value("run", "iP") == pytest.approx(len(wanted) / grid**2)


def test_a_grid_that_cannot_be_is_refused():
    gold = [{"topic": "t", "doc": "d", "page": 1, "region": [0, 0, 1, 1]}]
    text = [{"topic": "t", "doc": "d", "start": 0, "end": 1}]
    for grid, rows, told in (
        (0, gold, "at least 1"), (10**6, gold, "at most 10,000"), (50, text, "would do nothing"),
        (50, dx.read_assessments(gold), "already read, on a grid of 1,000"),
    ):  # fmt: skip
        with pytest.raises(dx.UsageError, match=told):
            dx.evaluate({"run": gold}, rows, "iR", grid=grid)
    with pytest.raises(dx.UsageError, match="read both with the same grid"):
        dx.evaluate({"run": dx.read_run(gold)}, gold, "iR", grid=50)
    refused = dx.read_assessments([*gold, {"topic": "t", "doc": "d", "cells": [[0, 4]]}], grid=50).notices
    assert "cells, which are those of a grid of 1,000" in str(refused.refusals[0])
