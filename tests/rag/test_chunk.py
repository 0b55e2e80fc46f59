"""Cutting documents: nothing is lost, sizes are kept, structure is followed."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.demo import DOCUMENTS

TEXT = "# One\n\nFirst words. More of them!\n\n## Two\n\n- a point\n- another\n\nThe end."


def extents(text: str, **cutting) -> list[tuple[int, int]]:
    chunks = dx.chunk({"d": text}, **cutting)
    return list(zip(chunks.start.tolist(), chunks.end.tolist(), strict=True))


@given(
    st.text(alphabet="ab. \n#", max_size=200),
    st.sampled_from(["size", "paragraph", "sentence", "document"]),
    st.integers(1, 50),
    st.integers(0, 20),
)
def test_nothing_but_white_space_is_lost(text: str, by: str, size: int, overlap: int) -> None:
    if not text:
        return
    pieces = extents(text, cut=by, size=size, overlap=min(overlap, size - 1))
    covered = {at for start, end in pieces for at in range(start, end)}
    assert all(text[at].isspace() for at in range(len(text)) if at not in covered)
    assert all(0 < end - start <= size for start, end in pieces)
    assert [start for start, _ in pieces] == sorted(start for start, _ in pieces)


def test_sections_begin_with_their_headings(tmp_path) -> None:
    (tmp_path / "d.md").write_text(TEXT)
    chunks = dx.chunk(tmp_path, cut="section")
    pieces = [TEXT[a:b] for a, b in zip(chunks.start.tolist(), chunks.end.tolist(), strict=True)]
    assert [piece.split("\n")[0] for piece in pieces] == ["# One", "## Two"]
    assert "".join(pieces) == TEXT


def test_a_section_begins_with_the_marks_before_it_in_its_line_but_with_no_other_words() -> None:
    text = "> One two\n## Three four, and five six"
    nodes = [{"id": "r", "parent": None, "tag": "article", "start": 0, "end": len(text)}]
    for words in ("One two", "Three four", "five six"):
        start = text.index(words)
        place = {"start": start, "end": start + len(words)}
        nodes += [{"id": words, "parent": "r", "tag": "sec", **place}]
        nodes += [{"id": f"{words}.title", "parent": words, "tag": "title", **place}]
    chunks = dx.chunk([{"doc": "d", "text": text, "nodes": nodes}], cut="section")
    pieces = [text[a:b] for a, b in zip(chunks.start.tolist(), chunks.end.tolist(), strict=True)]
    assert pieces == ["> One two\n", "## Three four, and ", "five six"]


def test_nodes_with_a_tag_are_chunks() -> None:
    documents = dx.read_documents(DOCUMENTS)
    chunks = dx.chunk(documents, cut="<p>")
    assert len(chunks) > 50
    with pytest.raises(dx.UsageError, match="no node has the tag"):
        dx.chunk(documents, cut="<paragraph>")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One two three. Four five six seven.", "One two three. "),
        ("a b c. dddd eeee ffff gggg hhhh", "a b c. dddd eeee "),
        ("One two three\nfour. five six seven.", "One two three\n"),
        ("One two thr.\n\nfou\nfive six seven.", "One two thr.\n\n"),
        ("x" * 30, "x" * 20),
    ],
)
def test_a_unit_that_is_too_long_is_cut_at_the_best_place_of_its_second_half(text: str, first: str) -> None:
    assert extents(text, cut="document", size=20)[0] == (0, len(first))


def test_windows_overlap() -> None:
    assert extents("x" * 10, size=4, overlap=2) == [(0, 4), (2, 6), (4, 8), (6, 10), (8, 10)]


@pytest.mark.parametrize(
    ("cutting", "told"),
    [({"cut": "sise"}, "did you mean 'size'"), ({"cut": "size"}, "needs a size"), ({"size": 0}, "at least 1"),
     ({"size": 5, "overlap": 5}, "overlap lies between")],
)  # fmt: skip
def test_requests_that_make_no_sense_are_refused(cutting, told) -> None:
    with pytest.raises(dx.UsageError, match=told):
        dx.chunk({"d": "text"}, **cutting)


def test_the_command_writes_chunks_that_score(tmp_path) -> None:
    target = tmp_path / "chunks.jsonl"
    done = CliRunner().invoke(
        group, ["chunk", str(DOCUMENTS), "--cut", "paragraph", "-o", str(target)], catch_exceptions=False
    )
    assert done.exit_code == 0
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    for row in rows[:20]:
        text = (DOCUMENTS / f"{row['doc']}.md").read_text(encoding="utf-8")
        assert text[row["start"] : row["end"]] == row["text"]
    run = dx.retrieve(lambda question: rows[:5], ["any?"], DOCUMENTS)
    assert len(run) == 5 and not list(run.notices)
    assert dx.validate(target).kind == "chunks" and len(dx.read_chunks(target)) == len(rows)


def test_nodes_without_text_are_no_chunks_and_those_inside_others_are_part_of_them() -> None:
    nodes = [
        {"id": "1", "parent": None, "tag": "a", "start": 0, "end": 9},
        {"id": "2", "parent": "1", "tag": "p", "start": 0, "end": 0},
        {"id": "3", "parent": "1", "tag": "p", "start": 0, "end": 4},
        {"id": "4", "parent": "3", "tag": "p", "start": 1, "end": 2},
        {"id": "5", "parent": "1", "tag": "p", "start": 4, "end": 9},
    ]
    chunks = dx.chunk([{"doc": "d", "text": "Tea. Hot.", "nodes": nodes}], cut="<p>")
    assert (chunks.start.tolist(), chunks.end.tolist()) == ([0, 4], [4, 9])
