"""Nothing outside the folder of the server is read, by whatever name."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from doxeval.cli.agents.folder import Folder
from doxeval.cli.agents.report_facts import report_facts
from doxeval.cli.agents.tool_server import called
from doxeval.cli.agents.tools import Tool
from doxeval.core.errors import DoxevalError


@pytest.fixture
def places(tmp_path: Path) -> tuple[Folder, Path]:
    """A folder with files and links in it, and a file outside."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "runs").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.jsonl").write_text("{}\n", encoding="utf-8")
    (inside / "runs" / "a.jsonl").write_text("{}\n", encoding="utf-8")
    (inside / "a b.csv").write_text("x\n", encoding="utf-8")
    (inside / "link.jsonl").symlink_to(outside / "secret.jsonl")
    (inside / "away").symlink_to(outside)
    (inside / "near.jsonl").symlink_to(inside / "runs" / "a.jsonl")
    return Folder(inside), outside


OUTSIDE = (
    "../outside/secret.jsonl", "runs/../../outside/secret.jsonl", "link.jsonl", "away/secret.jsonl", "away",
    "..", "/", "/etc/passwd", "../*/secret.jsonl", "*/../../outside/*", "link.json*", "away/*", "../inside-x",
    "/no/such/file", "runs/../../no-such-file",
)  # fmt: skip


@pytest.mark.parametrize("named", OUTSIDE)
def test_what_leads_out_is_refused(named: str, places: tuple[Folder, Path]) -> None:
    folder, _ = places
    with pytest.raises(DoxevalError) as refused:
        folder.paths(named)
    assert "secret" not in str(refused.value).replace(named, "")


def test_whether_a_file_outside_exists_is_not_told(places: tuple[Folder, Path]) -> None:
    folder, outside = places
    told = []
    for name in ("secret.jsonl", "nothing.jsonl"):
        with pytest.raises(DoxevalError) as refused:
            folder.path(str(outside / name))
        told.append(str(refused.value).replace(name, ""))
    assert told[0] == told[1]


def test_what_is_inside_is_found_by_every_name(places: tuple[Folder, Path]) -> None:
    folder, _ = places
    inside = (
        "runs/a.jsonl",
        "./runs/a.jsonl",
        "runs/../runs/a.jsonl",
        "near.jsonl",
        str(folder.root / "runs/a.jsonl"),
    )
    for named in inside:
        assert folder.paths(named) == ["runs/a.jsonl"]
    assert folder.paths("runs/*.jsonl") == folder.paths("**/a.json?") == ["runs/a.jsonl"]
    assert folder.paths("runs") == ["runs"]


@pytest.mark.parametrize("named", ["-", "", "\0", "run/a.jsonl", "*.nothing"])
def test_what_is_no_file_is_refused(named: str, places: tuple[Folder, Path]) -> None:
    folder, _ = places
    (folder.root / "link.jsonl").unlink()
    (folder.root / "away").unlink()
    if named == "":
        assert folder.paths(named) == ["."]
        return
    with pytest.raises(DoxevalError):
        folder.paths(named)


@pytest.mark.parametrize("place", [".", "inner", "inner/pipe"])
def test_pipes_are_refused_also_in_folders(place: str, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    os.mkfifo(tmp_path / "inner" / "pipe")
    with pytest.raises(DoxevalError, match="neither a file nor a folder"):
        Folder(tmp_path).path(place)


def test_links_in_folders_that_lead_out_are_refused(places: tuple[Folder, Path]) -> None:
    folder, outside = places
    (folder.root / "runs" / "b.jsonl").symlink_to(outside / "secret.jsonl")
    with pytest.raises(DoxevalError, match="outside"):
        folder.path("runs")


CALLS_OUTSIDE = (
    "matrix(file=../outside/secret.jsonl)", "matrix(file='../outside/secret.jsonl')", "matrix(link.jsonl)",
    "ESRP(nav=routes(file=/etc/passwd))@5", 'routes(file="away/secret.jsonl",partition=tag)',
    "summary(partition=away/secret.jsonl)", "iP@5 matrix( file = link.jsonl )", "matrix(file=../no/such.csv)",
)  # fmt: skip


@pytest.mark.parametrize("text", CALLS_OUTSIDE)
def test_files_in_calls_stay_inside(text: str, places: tuple[Folder, Path]) -> None:
    with pytest.raises(DoxevalError, match="outside"):
        places[0].check_call(text)


@pytest.mark.parametrize(
    "text", ["iP(alpha=0.5)@5 AiP", "matrix(file='a b.csv')", "readon(mean=500)", "nDCG@10"]
)
def test_calls_without_files_or_with_files_inside_pass(text: str, places: tuple[Folder, Path]) -> None:
    places[0].check_call(text)


def test_only_what_can_be_read_is_listed(places: tuple[Folder, Path]) -> None:
    folder, _ = places
    assert folder.listed("runs") == ([{"file": "runs/a.jsonl", "bytes": 3}], 0)
    rows, left_out = folder.listed()
    assert [row["file"] for row in rows] == ["a b.csv", "near.jsonl", "runs/a.jsonl"] and left_out == 2
    with pytest.raises(DoxevalError, match="outside"):
        folder.listed("away")
    for named in ("run", "a b.csv"):
        with pytest.raises(DoxevalError, match=f"{named}: is no folder"):
            folder.listed(named)


@pytest.mark.parametrize(
    ("part", "rows"),
    [("runs", ["a", "b"]), ("runs.1", "b"), ("means.iP.low", 0.25), ("means.iP", {"low": 0.25})],
)
def test_a_part_of_a_report_is_found_by_its_dotted_name(part: str, rows: object, tmp_path: Path) -> None:
    data = {"runs": ["a", "b"], "means": {"iP": {"low": 0.25}}}
    page = f'<script type="application/json" id="data">{json.dumps(data)}</script>'
    (tmp_path / "report.html").write_text(page, encoding="utf-8")
    assert report_facts(tmp_path / "report.html", part) == {"part": part, "rows": rows}
    for wrong in (f"{part}.x", f"{part}.7"):
        with pytest.raises(DoxevalError, match=f"the report has no part '{wrong}'"):
            report_facts(tmp_path / "report.html", wrong)


def test_a_tool_that_cannot_read_a_file_names_it_inside_the_folder(places: tuple[Folder, Path]) -> None:
    folder, _ = places

    def reading(given: dict[str, Any]) -> dict[str, Any]:
        raise PermissionError(13, "Permission denied", f"{folder.root}/runs/a.jsonl" if given else None)

    known = {"files": Tool("files", "Lists files.", {"properties": {"folder": {"type": "string"}}}, reading)}
    assert called(known, "files", {"folder": "runs"}, folder) == (
        '{"error": "runs/a.jsonl: Permission denied"}',
        True,
    )
    assert called(known, "files", {}, folder) == ('{"error": "files: Permission denied"}', True)


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for path in (tmp_path / "file", tmp_path / "nothing"):
        with pytest.raises(DoxevalError, match="folder"):
            Folder(path)


@pytest.mark.parametrize("most", [2, 3])
def test_a_folder_with_too_many_entries_is_neither_listed_nor_read(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("doxeval.cli.agents.folder.MOST_ENTRIES", most)
    for name in "abc":
        (tmp_path / name).write_text("x", encoding="utf-8")
    folder = Folder(tmp_path)
    if most == 3:
        assert len(folder.listed()[0]) == 3 and folder.path(".") == "."
        return
    for ask, named in ((folder.listed, "the folder"), (lambda: folder.path("."), r"\.")):
        with pytest.raises(DoxevalError, match=f"^{named}: has more than 2 entries"):
            ask()
