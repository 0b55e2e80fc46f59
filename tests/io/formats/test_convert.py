"""`doxeval convert` and `doxeval validate`."""

from __future__ import annotations

import gzip
import json
import shutil

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from tests.io.formats.format_samples import SAMPLES


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments, input=None):
    return CliRunner().invoke(group, [str(argument) for argument in arguments], input=input)


def test_suffixes_tell_the_format(folder):
    (folder / "in.fol").write_bytes(SAMPLES["run", "inex-fol"])
    for name in ("a.jsonl", "a.parquet", "a.xml", "a.jsonl.gz", "a.jsonl.zst"):
        result = call("convert", "in.fol", name)
        assert result.exit_code == 0 and not result.stderr, result.output
        assert call("convert", name, "back.fol").exit_code == 0
        assert (folder / "back.fol").read_text() == "1 Q0 d1 1 9.5 sys 10 30\n1 Q0 d2 2 8.0 sys 0 5\n"
    assert gzip.decompress((folder / "a.jsonl.gz").read_bytes()) == (folder / "a.jsonl").read_bytes()


def test_standard_input_and_output(folder):
    result = call(
        "convert",
        "-",
        "-",
        "--format",
        "trec-run",
        "--ranges",
        "doc#start-end",
        input=SAMPLES["run", "inex-fol"],
    )
    assert result.stdout == "1 Q0 d1#10-40 1 9.5 sys\n1 Q0 d2#0-5 2 8.0 sys\n"


def test_losses_are_told_and_fail_a_strict_call(folder):
    (folder / "in.fol").write_bytes(SAMPLES["run", "inex-fol"])
    result = call("convert", "in.fol", "out.run")
    assert result.exit_code == 0 and "2 results are parts of documents" in result.stderr
    assert call("convert", "in.fol", "out.run", "--strict").exit_code == 1


def test_nodes_become_ranges_with_documents(folder):
    documents = {"doc": "d1", "length": 50, "nodes": [
        {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 50},
        {"id": "s", "parent": "r", "tag": "b", "start": 5, "end": 20},
        {"id": "t", "parent": "r", "tag": "b", "start": 20, "end": 30},
    ]}  # fmt: skip
    (folder / "docs.jsonl").write_text(json.dumps(documents) + "\n")
    rows = [
        {"topic": "1", "doc": "d1", "rank": 1, "path": "/a[1]/b[2]"},
        {"topic": "1", "doc": "d1", "rank": 2, "nodes": ["s", "t"]},
        {"topic": "1", "doc": "d1", "rank": 3},
        {"topic": "1", "doc": "d1", "rank": 4, "node": "passage:/a[1]/b[1]../a[1]/b[2]"},
        {"topic": "1", "doc": "d1", "rank": 5, "node": "nowhere"},
        {"topic": "1", "doc": "d9", "rank": 6},
    ]
    (folder / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = call("convert", "in.jsonl", "out.fol", "--docs", "docs.jsonl")
    places = [line.split()[6:] for line in (folder / "out.fol").read_text().splitlines()]
    assert places == [["20", "10"], ["5", "25"], ["0", "50"], ["5", "25"]]
    assert "1 node was not found" in result.stderr and "1 result is a whole document" in result.stderr


def test_quotes_become_ranges_with_documents(folder):
    (folder / "d1.txt").write_text("One two three four.")
    rows = [{"topic": "1", "doc": "d1", "quote": "two three"}]
    (folder / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = call("convert", "in.jsonl", "out.txt", "--format", "inex-assessments", "--docs", "d1.txt")
    assert result.exit_code == 0, result.output
    assert (folder / "out.txt").read_text() == "1 Q0 d1 9 19 -1 4:9\n"


def test_documents_are_converted_too(folder):
    (folder / "docs").mkdir()
    (folder / "docs" / "a.txt").write_text("Some text.\n\nMore of it.")
    assert call("convert", "docs", "docs.jsonl").exit_code == 0
    assert call("convert", "docs.jsonl", "docs.parquet").exit_code == 0
    assert call("convert", "docs.parquet", "again.jsonl", "--kind", "documents").exit_code == 0
    assert (folder / "again.jsonl").read_bytes() == (folder / "docs.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("in.fol", "out.txt"), "unknown suffix for a run"),
        (("in.fol", "out.fol", "--input-format", "inexfol"), "did you mean 'inex-fol'"),
        (("in.fol", "out.fol", "--format", "trecrun"), "did you mean 'trec-run'"),
        (("in.fol", "out.fol", "--input-format", "parquet"), "choose with --kind"),
        (("in.fol", "no/such/folder.fol"), "cannot be written"),
        (("missing.fol", "out.fol"), "no such file"),
        (("in.fol", "out.run", "--ranges", "doc-start"), "either doc_offset_length or doc#start-end"),
    ],
)
def test_what_cannot_be_done_is_explained_and_nothing_is_left(folder, arguments, message):
    (folder / "in.fol").write_bytes(SAMPLES["run", "inex-fol"])
    result = call("convert", *arguments)
    assert isinstance(result.exception, dx.DoxevalError) and message in str(result.exception)
    assert [path.name for path in folder.iterdir()] == ["in.fol"]


def test_every_format_is_listed():
    text = call("formats").output
    assert all(name in text for _, name in SAMPLES)


SAME = ("diff", "kilt", "longmemeval-log")
"""Formats in which runs and assessments look the same."""


def test_validate_tells_what_files_hold(folder):
    for (kind, name), data in SAMPLES.items():
        (folder / f"{kind}.{name}").write_bytes(data)
    for kind, name in SAMPLES:
        result = call("validate", f"{kind}.{name}", *(["--kind", kind] if name in SAME else []))
        assert f"{kind}.{name}: {kind}, {name}: " in result.output
        assert result.exit_code == 0, result.output


def test_validate_fails_on_refused_lines_and_unreadable_files(folder):
    (folder / "good.fol").write_bytes(SAMPLES["run", "inex-fol"])
    (folder / "bad.fol").write_bytes(SAMPLES["run", "inex-fol"] + b"1 Q0 d1\n")
    (folder / "prose.txt").write_text("Dear reader,\nhow are you?\n")
    result = call("validate", "bad.fol", "good.fol")
    assert (
        result.exit_code == 1 and "bad.fol:3" in result.output and "good.fol: run, inex-fol" in result.output
    )
    result = call("validate", "prose.txt", "good.fol")
    assert (
        result.exit_code == 1 and "prose.txt: refused" in result.output and "good.fol: run" in result.output
    )


def test_validate_is_strict_when_asked(folder):
    (folder / "ids.run").write_bytes(b"1 Q0 a_0_400 1 9.5 sys\n")
    assert call("validate", "ids.run").exit_code == 0
    assert call("validate", "ids.run", "--strict").exit_code == 1


def test_validate_looks_at_documents_too(folder):
    (folder / "docs.jsonl").write_text('{"doc": "d1", "length": 50}\n')
    (folder / "a.jsonl").write_bytes(
        SAMPLES["run", "native-run"]
        + b'{"topic": "1", "doc": "d1", "rank": 3, "score": 1, "path": "/x[1]"}\n'
    )
    result = call("validate", "a.jsonl", "--docs", "docs.jsonl")
    assert "1 retrieved document is not among the documents given, which are named 'd1' (d2)" in result.output
    assert "2 nodes were not found" in result.output


def test_validate_looks_at_assessments_too(folder):
    (folder / "a.fol").write_bytes(b"1 Q0 d1 1 9.5 sys 10 30\n7 Q0 d1 1 9.5 sys 90 30\n")
    (folder / "q.txt").write_bytes(SAMPLES["assessments", "inex-assessments"])
    result = call("validate", "a.fol", "--qrels", "q.txt")
    assert "warning" in result.output


def test_validate_knows_documents_in_every_form(folder):
    texts = folder / "texts"
    texts.mkdir()
    (texts / "a.xml").write_text("<article><p>One</p></article>")
    (texts / "b.md").write_text("# Two\n\nText.\n")
    (folder / "docs.jsonl").write_text('{"doc": "d1", "length": 50}\n')
    call("index", "texts", "-o", "texts.dox")
    call("index", "texts", "-o", "texts.parquet")
    shutil.make_archive("packed", "zip", texts)
    paths = ["texts", "texts.dox", "texts.parquet", "packed.zip", "docs.jsonl", "texts/a.xml", "texts/b.md"]
    for path in paths:
        result = call("validate", path)
        assert (result.exit_code, result.output.startswith(f"{path}: documents: ")) == (0, True), (
            result.output
        )
    (texts / "c.xml").write_text("<article><p>")
    result = call("validate", "texts")
    assert result.exit_code == 1 and "c.xml" in result.output and "2 documents" in result.output


def test_validate_takes_plain_text_for_documents_only_when_told(folder):
    (folder / "prose.txt").write_text("Dear reader,\nhow are you?\n")
    assert call("validate", "prose.txt").exit_code == 1
    assert call("validate", "prose.txt", "--kind", "documents").exit_code == 0


EFFICIENCY = b"""<?xml version="1.0"?>
<efficiency-submission participant-id="7" run-id="fast" task="adhoc" type="element" query="automatic">
<topic-fields title="yes"/><general_description>x</general_description>
<topic topic-id="1" total_time_ms="12">
<result><file>d1</file><path>/a[1]/b[2]</path><rank>1</rank><rsv>0.5</rsv></result>
<result><file>d2</file><path>/a[1]</path><rank>2</rank><rsv>0.25</rsv></result>
</topic>
</efficiency-submission>
"""


def test_a_submission_of_the_efficiency_track_is_a_run(tmp_path):
    (tmp_path / "run.xml").write_bytes(EFFICIENCY)
    run = dx.read_run(tmp_path / "run.xml")
    assert run.tag == "fast" and list(run.docs) == ["d1", "d2"] and run.nodes.of(1) == ["/a[1]"]
    dx.convert(tmp_path / "run.xml", tmp_path / "run.jsonl")
    assert list(dx.read_run(tmp_path / "run.jsonl").docs) == ["d1", "d2"]


@pytest.mark.parametrize("root", ["speed-submission", "run", "results", "inex-topics", "qrels", "TREC_run"])
def test_a_run_that_is_not_known_does_not_become_a_document(root, tmp_path):
    data = EFFICIENCY.replace(b"efficiency-submission", root.encode())
    (tmp_path / "run.xml").write_bytes(data)
    with pytest.raises(dx.InputError, match="not recognised as run or assessments or chunks"):
        dx.convert(tmp_path / "run.xml", tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_what_becomes_documents_is_told(tmp_path):
    (tmp_path / "a.xml").write_text("<article><p>Words.</p></article>")
    done = CliRunner().invoke(group, ["convert", str(tmp_path / "a.xml"), str(tmp_path / "out.jsonl")])
    assert done.exit_code == 0 and "converted as documents" in done.output


def test_lines_become_characters_where_all_documents_are_given(tmp_path):
    run = tmp_path / "run.jsonl"
    run.write_text('{"topic": "t", "doc": "d1", "rank": 1, "start_line": 2, "end_line": 2}\n')
    dx.convert(run, tmp_path / "run.fol", documents={"d1": "Tea is hot.\nMilk is not.\nWater may be.\n"})
    assert (tmp_path / "run.fol").read_text() == "t Q0 d1 1 -1.0 run 12 13\n"


def test_places_that_steps_used_become_ranges_too(folder):
    node = {"topic": "t", "doc": "d", "node": "b"}
    steps = [node | {"step": 1, "action": "read"}, node | {"step": 2, "action": "edit"}]
    nodes = [
        {"id": "a", "parent": None, "start": 0, "end": 100},
        {"id": "b", "parent": "a", "start": 0, "end": 60},
    ]
    (folder / "steps.jsonl").write_text("".join(json.dumps(row) + "\n" for row in steps))
    (folder / "docs.jsonl").write_text(json.dumps({"doc": "d", "length": 100, "nodes": nodes}) + "\n")
    assert call("convert", "steps.jsonl", "ranges.jsonl", "--docs", "docs.jsonl").exit_code == 0
    written = [json.loads(line) for line in (folder / "ranges.jsonl").read_text().splitlines()]
    place = {"topic": "t", "doc": "d", "start": 0, "end": 60}
    assert written == [place | {"step": 1, "action": "read"}, place | {"step": 2, "action": "edit"}]


def test_codes_of_nodes_that_become_ranges_are_told_as_lost(folder):
    documents = {"doc": "d1", "length": 50, "nodes": [
        {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 50},
        {"id": "s", "parent": "r", "tag": "b", "start": 5, "end": 20},
    ]}  # fmt: skip
    (folder / "docs.jsonl").write_text(json.dumps(documents) + "\n")
    rows = [{"topic": "1", "doc": "d1", "path": path, "code": "E3S2"} for path in ("/a[1]/b[1]", "/a[1]")]
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:1]))
    words = ["convert", "gold.jsonl", "out.txt", "--format", "inex-assessments", "--docs", "docs.jsonl"]
    assert "1 INEX code is lost: its node becomes a range" in call(*words).stderr
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "2 INEX codes are lost: their nodes become ranges" in call(*words).stderr
