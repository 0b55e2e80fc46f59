"""Stores: what is there is not computed again, what differs is, and the files are plain Parquet."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.io.read import read_documents
from doxeval.measurement.base import measure_named
from doxeval.reader.quantisation import quantise
from doxeval.scoring.evaluation import Evaluation
from doxeval.scoring.loader import RunLoader
from doxeval.scoring.store.identity import digest, index_digest
from doxeval.scoring.store.parts import PART_COLUMNS, Mark
from doxeval.scoring.store.query import COUNTED
from tests.robustness.sweeps import MEASURES, PYTHON, evaluated, same_bits, write_sweep


@pytest.fixture
def sweep(tmp_path):
    paths, qrels = write_sweep(tmp_path, runs=4)
    return paths, qrels, tmp_path / "store"


@pytest.fixture
def computed(monkeypatch):
    """The runs and measures that are really scored."""
    seen: list[tuple[str, tuple[str, ...]]] = []
    honest = Evaluation.score_loaded

    def noting(self, load, labels, look):
        seen.append((load.run_name, tuple(labels)))
        return honest(self, load, labels, look)

    monkeypatch.setattr(Evaluation, "score_loaded", noting)
    return seen


def parts(store: Path) -> list[Path]:
    return sorted(store.glob("*/*.parquet"))


def test_what_is_there_is_not_computed_again(sweep, computed):
    paths, qrels, store = sweep
    expected = evaluated(paths, qrels)
    computed.clear()
    same_bits(evaluated(paths[:2], qrels, store=store), evaluated(paths[:2], qrels))
    computed.clear()
    same_bits(evaluated(paths, qrels, store=store), expected)
    assert [name for name, _ in computed] == ["run2", "run3"]
    computed.clear()
    same_bits(evaluated(paths, qrels, store=store), expected)
    assert computed == []


def test_new_measures_are_added_and_only_they_computed(sweep, computed):
    paths, qrels, store = sweep
    evaluated(paths, qrels, "AiP iR@5", store=store)
    computed.clear()
    found = evaluated(paths, qrels, "iP[0.01] AiP IoU@3", store=store)
    assert {measures for _, measures in computed} == {("iP[0.01]", "IoU@3")}
    same_bits(found, evaluated(paths, qrels, "iP[0.01] AiP IoU@3"))


@pytest.mark.parametrize(
    "change",
    [
        {"depth": 3},
        {"topics": "run"},
        {"unjudged": "skip"},
    ],
)
def test_other_conventions_are_other_scores(sweep, computed, change):
    paths, qrels, store = sweep
    evaluated(paths[:1], qrels, store=store)
    computed.clear()
    found = evaluated(paths[:1], qrels, store=store, **change)
    assert len(computed) == 1
    same_bits(found, evaluated(paths[:1], qrels, **change))


def test_the_content_makes_the_key(sweep, computed):
    paths, qrels, store = sweep
    evaluated(paths[:1], qrels, store=store)
    computed.clear()
    with paths[0].open("a") as stream:
        stream.write("6 Q0 d1 99 0.001 s0 5 50\n")
    evaluated(paths[:1], qrels, store=store)
    with qrels.open("a") as stream:
        stream.write("6 Q0 d19 30 1000 10 10:30\n")
    evaluated(paths[:1], qrels, store=store)
    assert len(computed) == 2
    qrels.rename(qrels.with_name("other-name.txt"))
    evaluated(paths[:1], qrels.with_name("other-name.txt"), store=store)
    assert len(computed) == 2, "a file's name is not its content"


def test_equal_files_under_two_names_are_two_runs(sweep):
    paths, qrels, store = sweep
    twin = paths[0].with_name("twin.fol")
    shutil.copy(paths[0], twin)
    scores = evaluated([paths[0], twin], qrels, store=store)
    assert scores.names == ["run0", "twin"] and len(parts(store)) == 2
    assert set(pl.read_parquet(store / "*/*.parquet")["run"]) == {"run0", "twin"}


def test_documents_make_the_key_by_the_checksums_of_their_index(tmp_path):
    digests: list[str] = []
    for text in ("some text", "some text", "other text"):
        folder = tmp_path / f"docs{len(digests)}"
        folder.mkdir()
        (folder / "d1.txt").write_text(text)
        dx.index(folder, tmp_path / "collection.dox")
        digests.append(index_digest(tmp_path / "collection.dox"))
        shutil.rmtree(folder)
    plain = [digest(read_documents([{"doc": "d", "length": n}])) for n in (4, 4, 5)]
    assert plain[0] == plain[1] != plain[2]
    assert digests[0] != digests[2]


def test_files_that_measures_name_make_the_key(tmp_path):
    table = tmp_path / "chances.csv"
    marks = []
    for chance in ("0.5", "0.25"):
        table.write_text(f"doc,from,to,p\nd1,a,b,{chance}\n")
        marks.append(Mark.of(measure_named(f'ESRR(nav=matrix(file="{table}"))')))
    assert marks[0] != marks[1] and marks[0].canonical == marks[1].canonical


def test_a_damaged_part_is_computed_again(sweep, computed):
    paths, qrels, store = sweep
    expected = evaluated(paths, qrels, store=store)
    parts(store)[0].write_bytes(b"PAR1 no more")
    computed.clear()
    same_bits(evaluated(paths, qrels, store=store), expected)
    assert len(computed) == 1


def test_files_named_in_a_mixture_make_the_key(tmp_path):
    table = tmp_path / "chances.csv"
    marks = []
    for chance in ("0.5", "0.25"):
        table.write_text(f"doc,from,to,p\nd1,a,b,{chance}\n")
        inner = f'0.4*matrix(file="{table}")+0.2*hierarchical'
        for model in (f"mix({inner})", f"mix(0.5*mix({inner})+0.5*hierarchical)"):
            marks.append(Mark.of(measure_named(f"ESRR(nav={model})")))
    assert marks[0] != marks[2] and marks[1] != marks[3]
    assert marks[0].canonical == marks[2].canonical


def test_a_quantisation_that_changes_is_read_again(tmp_path):
    table = tmp_path / "worth.csv"
    found = []
    for value in ("1", "0.5"):
        table.write_text(f"E3S3,{value}\n")
        found.append(quantise(["E3S3"], str(table)).tolist())
    assert found == [[1.0], [0.5]]


def test_no_flipped_bit_in_a_part_becomes_a_score(tmp_path):
    paths, qrels = write_sweep(tmp_path, runs=1)
    store = tmp_path / "st[a]"
    expected = evaluated(paths, qrels, store=store)
    (part,) = parts(store)
    whole = part.read_bytes()
    dice = random.Random(3)
    for _ in range(40):
        broken = bytearray(whole)
        broken[dice.randrange(len(whole))] ^= 1 << dice.randrange(8)
        part.write_bytes(broken)
        asked = CliRunner().invoke(group, ["scores", str(store)])
        assert isinstance(asked.exception, dx.InputError) and "damaged" in str(asked.exception)
        found = evaluated(paths, qrels, store=store)
        same_bits(found, expected)
        assert "1 part of the store was damaged" in "; ".join(map(str, found.notices))
        assert parts(store) == [part] and part.read_bytes() == whole
    assert "damaged" not in "; ".join(map(str, evaluated(paths, qrels, store=store).notices))


def test_a_run_that_changes_while_it_is_scored_is_not_stored(sweep, monkeypatch):
    paths, qrels, store = sweep
    honest = Evaluation.score_loaded

    def meddling(self, load, labels, look):
        scores = honest(self, load, labels, look)
        with Path(load.path).open("a") as stream:
            stream.write("1 Q0 d1 99 0.001 s0 5 50\n")
        return scores

    monkeypatch.setattr(Evaluation, "score_loaded", meddling)
    scores = evaluated(paths[:1], qrels, store=store)
    assert parts(store) == [] and "1 run changed while it was scored" in str(scores.notices.failures[-1])


def test_a_run_that_changes_while_another_is_scored_is_stored_as_it_is_scored(sweep, monkeypatch):
    paths, qrels, store = sweep
    honest = Evaluation.score_loaded

    def meddling(self, load, labels, look):
        if load.path == str(paths[0]):
            paths[1].write_text("1 Q0 d1 1 0.5 s0 5 50\n")
        return honest(self, load, labels, look)

    with monkeypatch.context() as patched:
        patched.setattr(Evaluation, "score_loaded", meddling)
        evaluated(paths, qrels, store=store)
    assert len(parts(store)) == len(paths)
    same_bits(evaluated(paths, qrels, store=store), evaluated(paths, qrels))
    assert len(parts(store)) == len(paths)


def test_warnings_are_told_again_when_scores_come_from_the_store(sweep):
    paths, qrels, store = sweep
    with paths[0].open("a") as stream:
        stream.write("broken line\n")
    for _ in range(2):
        with pytest.warns(dx.DoxevalWarning, match=r"1 line refused"):
            dx.evaluate(paths[:1], qrels, MEASURES, store=store)


def test_in_memory_runs_are_kept_by_their_content(sweep, computed):
    _, qrels, store = sweep
    rows = [{"topic": "1", "doc": "d1", "rank": 1, "start": 0, "end": 300}]
    evaluated({"mine": rows}, qrels, store=store)
    computed.clear()
    evaluated({"mine": [dict(rows[0])]}, qrels, store=store)
    assert computed == []
    evaluated({"mine": pl.DataFrame([rows[0] | {"end": 301}])}, qrels, store=store)
    assert len(computed) == 1


def test_the_columns_are_what_was_promised(sweep):
    paths, qrels, store = sweep
    scores = evaluated(paths, qrels, store=store)
    frame = pl.read_parquet(store / "*/*.parquet")
    assert tuple(frame.columns) == PART_COLUMNS and frame.columns[:4] == ["run", "topic", "measure", "value"]
    assert len(frame) == len(paths) * 6 * 4
    means = frame.filter(pl.col("measure") == "AiP").group_by("run").agg(pl.col("value").mean())
    for run, value in means.iter_rows():
        assert value == pytest.approx(scores.value(run, "AiP"), abs=1e-15)


def test_duckdb_reads_it(sweep):
    duckdb = pytest.importorskip("duckdb")
    paths, qrels, store = sweep
    scores = evaluated(paths, qrels, store=store)
    query = (
        f"SELECT run, avg(value) FROM '{store}/*/*.parquet' WHERE measure = 'AiP' GROUP BY run ORDER BY run"
    )
    for run, value in duckdb.sql(query).fetchall():
        assert value == pytest.approx(scores.value(run, "AiP"), abs=1e-12)


def run_scores(*arguments: object) -> str:
    result = CliRunner().invoke(group, ["scores", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_queries(sweep):
    paths, qrels, store = sweep
    scores = evaluated(paths, qrels, store=store)
    lines = run_scores(store, "-m", "iP[0.01]", "-r", "run1", "-f", "csv", "--per-topic").splitlines()
    assert lines[0] == "run,topic,measure,value" and len(lines) == 1 + 6 + 1
    assert lines[-1] == f"run1,all,iP[0.01],{scores.value('run1', 'iP[0.01]')!r}"
    assert "4 runs, 4 measures, 96 values" in run_scores(store, "--list")
    assert run_scores(store, "-m", "iP*").splitlines()[0].split() == ["run", "iP[0.01]"]
    assert (
        len(run_scores(store, "-t", "1", "-t", "2", "-f", "csv", "--per-topic").splitlines()) == 1 + 4 * 3 * 4
    )


def test_ambiguity_is_told_with_the_way_out(sweep):
    paths, qrels, store = sweep
    evaluated(paths[:1], qrels, "AiP", store=store)
    evaluated(paths[:1], qrels, "AiP", store=store, depth=2)
    with pytest.raises(
        dx.UsageError, match=r"2 values of AiP, which differ in options; choose: --where options="
    ):
        run_scores(store)
    assert "run0" in run_scores(store, "--where", "options=added=shown depth=2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "AIP"], "did you mean 'AiP'"),
        (["-r", "rum0"], "did you mean 'run0'"),
        (["--where", "colour=blue"], "expected COLUMN=TEXT"),
        (["--where", "version=9"], "no scores match"),
    ],
)
def test_questions_without_an_answer(sweep, arguments, message):
    paths, qrels, store = sweep
    evaluated(paths[:1], qrels, store=store)
    with pytest.raises(dx.UsageError, match=message):
        run_scores(store, *arguments)


def test_no_store(tmp_path):
    with pytest.raises(dx.InputError, match="no such folder"):
        run_scores(tmp_path / "nowhere")
    with pytest.raises(dx.InputError, match="or an empty one"):
        run_scores(tmp_path)


def test_compare_takes_the_parts_of_a_store(sweep):
    paths, qrels, store = sweep
    evaluated(paths[:2], qrels, "AiP", store=store)
    command = [PYTHON, "-m", "doxeval", "compare", *map(str, parts(store))]
    assert "run1" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_two_processes_share_a_store(sweep):
    paths, qrels, store = sweep
    command = [
        PYTHON,
        "-m",
        "doxeval",
        "eval",
        *map(str, paths),
        "-q",
        str(qrels),
        "-m",
        MEASURES,
        "--store",
        str(store),
    ]
    both = [subprocess.Popen([*command, "-f", "csv"], stdout=subprocess.PIPE) for _ in range(2)]
    outputs = [process.communicate()[0] for process in both]
    assert outputs[0] == outputs[1] and all(process.returncode == 0 for process in both)
    assert len(parts(store)) == len(paths)
    assert not [path for path in store.rglob("*") if path.is_file() and path.suffix != ".parquet"]


def test_a_store_that_cannot_be_written(sweep, tmp_path):
    paths, qrels, _ = sweep
    (tmp_path / "file").write_text("")
    with pytest.raises(dx.UsageError, match="cannot be used as a store"):
        evaluated(paths, qrels, store=tmp_path / "file")


def test_loaders_know_their_files(tmp_path):
    (tmp_path / "a.fol").write_text("")
    os.mkfifo(tmp_path / "pipe")
    assert RunLoader(tmp_path / "a.fol").run_name == "a" and RunLoader(tmp_path / "pipe").path is None


def test_a_run_that_is_removed_while_it_is_scored_is_not_stored(sweep, monkeypatch):
    paths, qrels, store = sweep
    honest = Evaluation.score_loaded

    def removing(self, load, labels, look):
        scores = honest(self, load, labels, look)
        Path(load.path).unlink()
        return scores

    monkeypatch.setattr(Evaluation, "score_loaded", removing)
    scores = evaluated(paths[:1], qrels, store=store)
    assert parts(store) == [] and "1 run changed while it was scored" in str(scores.notices.failures[-1])


def test_an_index_of_documents_makes_the_key_of_scores(tmp_path, computed):
    gold = [{"topic": "t", "doc": "d1.txt", "start": 0, "end": 4}]
    for text in ("some text", "some text", "other text"):
        folder = tmp_path / "docs"
        folder.mkdir()
        (folder / "d1.txt").write_text(text)
        dx.index(folder, tmp_path / "collection.dox")
        shutil.rmtree(folder)
        dx.evaluate({"mine": gold}, gold, "iR@1", tmp_path / "collection.dox", store=tmp_path / "store")
    assert [name for name, _ in computed] == ["mine", "mine"]
    origins = dx.origins(tmp_path / "store")
    assert len({row["documents"] for row in origins.rows}) == 2
    assert origins.table.header == list(origins.rows[0])
    assert [row[: len(COUNTED)] for row in origins.table.body] == [["1", "1", "1"]] * 2


def test_metrics_have_no_topics(sweep):
    paths, qrels, store = sweep
    evaluated(paths[:1], qrels, "AiP", store=store)
    done = CliRunner().invoke(group, ["scores", str(store), "--format", "metrics", "--per-topic"])
    assert done.exit_code and isinstance(done.exception, SystemExit | dx.UsageError)
    assert "--per-topic would do nothing here" in done.output + str(done.exception)
