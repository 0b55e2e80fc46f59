"""Trajectories of SWE-agent: windows, refused and accepted edits, files and lines of the agent's own."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.core.errors import InputError
from doxeval.io.formats.changed_files import OWN, UNTRACED, ChangedFile, Window, line_ranges
from doxeval.io.formats.trajectories import step_rows

CODE = [f"line {number}" for number in range(1, 13)]


def window(lines, first=1, last=None, path="/tea__tea/src/tea.py"):
    last = min(last or len(lines), len(lines))
    above = f"({first - 1} more lines above)\n" if first > 1 else ""
    below = f"({len(lines) - last} more lines below)\n" if last < len(lines) else ""
    numbered = "".join(f"{at}:{lines[at - 1]}\n" for at in range(first, last + 1))
    return f"[File: {path} ({len(lines)} lines total)]\n{above}{numbered}{below}"


def trajectory(*turns, **more):
    listed = [{"action": action, "observation": seen, "state": "{}"} for action, seen in turns]
    return json.dumps({"environment": "tea__tea-1", "trajectory": listed, "info": {}} | more).encode()


def lines_of(*turns, **options):
    return list(step_rows(dx.read_run(trajectory(*turns), **options)))


def step(number, action, **more):
    return {"topic": "tea__tea-1", "step": number, "action": action} | more


def test_windows_are_shown_and_listings_named():
    found = lines_of(
        ("find_file tea.py\n", "Found 1 matches for \"tea.py\" in /tea__tea:\n/tea__tea/src/tea.py\n"),
        ("search_dir \"boil\"", "Found 2 matches for \"boil\" in /x:\n/tea__tea/src/tea.py (2 matches)"),
        ("search_file boil", "Found 1 matches for \"boil\" in /tea__tea/src/tea.py:\nLine 3: boil()\n"),
        ("open src/tea.py", window(CODE, 3, 8)),
        ("scroll_down", window(CODE, 9)),
        ("python x.py", "5:not a window\n"),
        ("submit", "diff --git a/x b/x"),
    )  # fmt: skip
    file = {"doc": "src/tea.py"}
    assert found == [
        step(1, "search", query="tea.py", named=["src/tea.py"]),
        step(2, "search", query="boil", named=["src/tea.py"]),
        step(3, "search", query="boil", named=["src/tea.py"]),
        step(4, "open", **file, start_line=3, end_line=8),
        step(5, "read", **file, start_line=9, end_line=12),
        step(6, "other"),
        step(7, "answer"),
    ]


def test_only_lines_numbered_one_after_the_other_are_a_window():
    seen = "[File: /r/a.py (9 lines total)]\n3:x\n4:y\n9:z\n"
    assert lines_of(("open a.py", seen))[0] | {"end_line": 4} == step(
        1, "open", doc="a.py", start_line=3, end_line=4
    )


def test_a_refused_edit_shows_the_file_as_it_is_and_uses_nothing():
    seen = (
        "Your proposed edit has introduced new syntax error(s).\nThis is how your edit would have looked\n"
        + window([*CODE, "more"], 2, 4)
        + "This is the original code before your edit\n"
        + window(CODE, 5, 7)
    )
    assert lines_of(("edit 5:5\nx\nend_of_edit", seen)) == [
        step(1, "edit", printed=[{"doc": "src/tea.py", "start_line": 5, "end_line": 7}])
    ]


def test_lines_after_an_edit_are_those_before_it_and_new_ones_are_own():
    """Lines 3 to 5 become four lines, of which the second is line 4 as it was."""
    new = [*CODE[:2], "new a", "line 4", "new b", "new c", *CODE[5:]]
    found = lines_of(
        ("open src/tea.py", window(CODE, 1, 6)),
        ("edit 3:5\nnew a\nline 4\nnew b\nnew c\nend_of_edit", window(new, 2, 8)),
        ("goto 7", window(new, 7, 13)),
        ("edit 5:7\nlast\nend_of_edit", window([*new[:4], "last", *new[7:]], 4, 6)),
    )
    doc = {"doc": "src/tea.py"}
    assert found[1] == step(
        2, "edit", **doc, start_line=3, end_line=5,
        printed=[doc | {"lines": [[2, 2], [4, 4], [6, 7]], "own": "new a\nnew b\nnew c\n"}],
    )  # fmt: skip
    assert found[2] == step(3, "read", **doc, start_line=6, end_line=12)
    assert found[3]["start_line"] == found[3]["end_line"] == 6
    assert found[3]["printed"] == [doc | {"lines": [[4, 4], [7, 7]], "own": "last\n"}]


def test_as_shown_for_the_official_scorer():
    new = ["new", *CODE]
    turns = (
        ("open src/tea.py", window(CODE, 1, 6)),
        ("edit 1:1\nnew\nline 1\nend_of_edit", window(new, 1, 4)),
        ("create own.py", window([""], path="/tea__tea/own.py")),
    )
    found = lines_of(*turns, verbatim=True)
    assert found[1]["printed"] == [{"doc": "src/tea.py", "start_line": 1, "end_line": 4}]
    assert found[2] == step(3, "other")
    assert lines_of(*turns)[2] == step(3, "other", doc="own.py", own="\n")


def test_a_file_changed_in_an_unknown_way_is_left_out_and_told():
    run = dx.read_run(
        trajectory(
            ("open src/tea.py", window(CODE, 1, 6)),
            ("python change.py", ""),
            ("goto 3", window([*CODE, "more"], 3, 5)),
        )
    )
    assert len(run) == 1 and "3 lines shown of files that were changed in an unknown way are left out" in str(
        next(iter(run.notices.failures))
    )


def test_the_topic_is_the_instance_or_the_file(tmp_path):
    plain = trajectory(("open a", window(CODE)), environment="swe_main")
    (tmp_path / "cup__cup-7.traj").write_bytes(plain)
    assert dx.read_run(tmp_path / "cup__cup-7.traj").topics == ["cup__cup-7"]
    told = trajectory(("open a", window(CODE)), environment="swe_main", info={"instance_id": "a__b-2"})
    assert dx.read_run(told).topics == ["a__b-2"]


def test_a_folder_is_one_run_with_a_topic_for_each_file(tmp_path):
    folder = tmp_path / "agent"
    (folder / "deeper").mkdir(parents=True)
    for name in ("a__a-1", "b__b-2"):
        content = trajectory(("open x", window(CODE)), environment=name)
        (folder / "deeper" / f"{name}.traj.gz").write_bytes(gzip.compress(content))
    (folder / "c__c-3.traj").write_bytes(trajectory(environment="c__c-3"))
    (folder / "a__a-1.patch").write_text("")
    run = dx.read_run(folder)
    assert run.name == "agent" and sorted(run.topics) == ["a__a-1", "b__b-2", "c__c-3"] and len(run) == 2
    assert "1 file that is no swe-agent is not read" in "".join(map(str, run.notices))
    dx.convert(folder, tmp_path / "steps.jsonl")
    assert len(dx.read_run(tmp_path / "steps.jsonl").steps) == 2
    (folder / "again.traj").write_bytes(trajectory(environment="c__c-3"))
    with pytest.raises(InputError, match="has the topic 'c__c-3'"):
        dx.read_run(folder)


def test_turns_that_are_none_are_refused_and_keep_their_number():
    turns = [7, {"action": 3}, {"action": "open x", "observation": window(CODE)}]
    run = dx.read_run(
        json.dumps({"environment": "a__a-1", "trajectory": turns}).encode(), input_format="swe-agent"
    )
    assert run.steps.number.tolist() == [3] and "2 turns refused" in str(next(iter(run.notices.failures)))


def brute_origin(old, edits):
    """The origin of every line after some edits, each line carried along as (words, origin)."""
    lines = [(text, at) for at, text in enumerate(old, start=1)]
    for first, last, new in edits:
        lines[first - 1 : last] = [(text, OWN) for text in new]
    return [at for _, at in lines]


@given(st.data())
def test_lines_are_followed_through_any_edits(data):
    """Without windows no line of an edit is known to be kept: all new lines are own."""
    file, size, edits = ChangedFile(12), 12, []
    for _ in range(data.draw(st.integers(1, 4))):
        first = data.draw(st.integers(1, size))
        last = data.draw(st.integers(first, size))
        new = ["x"] * data.draw(st.integers(0, 4))
        size += len(new) - (last - first + 1)
        file.edit(first, last, new, size)
        edits.append((first, last, new))
        if not size:
            return
    assert file.origin == brute_origin(CODE, edits)
    shown = file.show(Window("f", size, 1, size, ""))
    assert shown == file.origin and line_ranges(shown) == line_ranges(sorted(shown))
    assert set(file.show(Window("f", size + 1, 1, 1, ""))) == {UNTRACED}
