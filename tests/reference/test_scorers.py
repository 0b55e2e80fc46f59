"""Official scorers written anew: equal to what they printed, and to ours on random files."""

from __future__ import annotations

import csv
import gzip
import json
import warnings
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from tests.reference.scorers import chunk_evaluation, genomics, locagent

GENOMICS = {"PASSAGE2": "CharAP", "PASSAGE": "PsgAP", "ASPECT": "AspectAP", "DOCUMENT": "AP"}
CHUNKS = {"recall": "iR@5", "precision": "iP@5", "iou": "IoU@5", "precision_omega": "IoUomega"}
LOCAGENT = {"Acc": "Acc", "NDCG": "nDCG", "P": "P", "Recall": "R", "MAP": "LocAP"}
LEVELS = {
    "file": ("found_files", (1, 3, 5)),
    "module": ("found_modules", (5, 10)),
    "function": ("found_entities", (5, 10)),
}


def passages(most: int, length: int = 12) -> st.SearchStrategy:
    starts = st.tuples(st.sampled_from("abc"), st.integers(0, 40), st.integers(1, length))
    return st.lists(starts.map(lambda one: (one[0], one[1], one[1] + one[2])), min_size=1, max_size=most)


def values(run: object, gold: object, measures: list[str], **options: object) -> list[float | None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate(run, gold, measures, **options)
    (name,) = scores.names
    return [scores.value(name, measure) for measure in measures]


def genomics_results(lines: list[str]) -> dict[str, list]:
    found = defaultdict(list)
    for line in lines:
        topic, doc, rank, _, offset, length, *_ = line.split()
        found[topic].append((int(rank), doc, int(offset), int(offset) + int(length)))
    return {
        topic: [(doc, start, end) for _, doc, start, end in sorted(rows)] for topic, rows in found.items()
    }


def genomics_gold(lines: list[str]) -> dict[str, list]:
    gold = defaultdict(list)
    for line in lines:
        topic, doc, offset, length, aspects = line.split("\t")
        place = doc, int(offset), int(offset) + int(length)
        gold[topic].append((place, frozenset(aspects.strip().split("|"))))
    return gold


def test_the_scorer_of_genomics_gives_what_was_printed(reference: Path) -> None:
    data = reference / "data" / "genomics07"
    results = genomics_results((data / "york07-ga-01.txt").read_text().splitlines())
    gold = genomics_gold((data / "gold.txt").read_text(encoding="utf-8").splitlines())
    printed = [line.split() for line in (data / "official" / "york07-ga-01.txt").read_text().splitlines()[1:]]
    topics = sorted({topic for _, _, topic, _ in printed})[::18]
    ours = {topic: genomics(results.get(topic, []), gold[topic]) for topic in topics}
    compared = [(ours[topic][name], float(value)) for _, name, topic, value in printed if topic in ours]
    assert len(compared) == 4 * len(topics) == 8
    for found, value in compared:
        assert found == pytest.approx(value, abs=1e-8)


ASPECTS = st.sets(st.sampled_from(["HEAT", "COLD", "DUST", "RAIN"]), min_size=1, max_size=3)


@given(passages(8), passages(6), st.lists(ASPECTS, min_size=6, max_size=6))
def test_genomics_on_random_files(results: list, places: list, aspects: list[set[str]]) -> None:
    pytest.importorskip("ir_measures")
    gold = [(place, frozenset(named)) for place, named in zip(places, aspects, strict=False)]
    run = [
        f"200 {doc} {rank} {50 - rank} {start} {end - start} made\n"
        for rank, (doc, start, end) in enumerate(results, start=1)
    ]
    lines = [
        f"200\t{doc}\t{start}\t{end - start}\t{'|'.join(sorted(names))}\n"
        for (doc, start, end), names in gold
    ]
    given_run = dx.read_run("".join(run).encode(), input_format="genomics-run")
    given_gold = dx.read_assessments("".join(lines).encode(), input_format="genomics-gold")
    expected = genomics(results, gold)
    found = values({"made": given_run}, given_gold, list(GENOMICS.values()))
    assert found == pytest.approx([expected[name] for name in GENOMICS], abs=1e-12)


def test_the_evaluation_of_chunks_gives_what_was_printed(reference: Path) -> None:
    data = reference / "data" / "chunking"
    results: defaultdict[str, list] = defaultdict(list)
    gold: defaultdict[str, list] = defaultdict(list)
    for path, found in (
        (data / "runs" / "fixed-800-overlap-400.jsonl", results),
        (data / "qrels.jsonl", gold),
    ):
        for row in map(json.loads, path.read_text().splitlines()):
            found[row["topic"]].append((row.get("rank", 0), row["doc"], row["start"], row["end"]))
    with (data / "official" / "fixed-800-overlap-400.chunks.csv").open() as stream:
        chunks = [(row["doc"], int(row["start"]), int(row["end"])) for row in csv.DictReader(stream)]
    with (data / "official" / "fixed-800-overlap-400.csv").open() as stream:
        rows = list(csv.DictReader(stream))[::20]
    assert len(rows) > 10
    for row in rows:
        top = [place for _, *place in sorted(results[row["topic"]])[:5]]
        ours = chunk_evaluation(top, [place for _, *place in gold[row["topic"]]], chunks)
        assert ours == pytest.approx({name: float(row[name]) for name in ours}, abs=1e-12)


def row(place: tuple[str, int, int]) -> dict[str, object]:
    return dict(zip(("doc", "start", "end"), place, strict=True))


@given(st.data(), passages(5), st.integers(3, 15), st.integers(0, 2))
def test_chunks_on_random_files(data: st.DataObject, gold: list, size: int, overlap: int) -> None:
    step = size - overlap
    chunks = [(doc, start, start + size) for doc in "abc" for start in range(0, 60, step)]
    results = data.draw(st.lists(st.sampled_from(chunks), min_size=1, max_size=5, unique=True))
    run = [{"topic": "q", "rank": rank} | row(one) for rank, one in enumerate(results, start=1)]
    qrels = [{"topic": "q"} | row(one) for one in gold]
    expected = chunk_evaluation(results, gold, chunks)
    collection = [row(one) for one in chunks]
    found = values({"made": run}, qrels, list(CHUNKS.values()), chunks=collection)
    assert found == pytest.approx([expected[name] for name in CHUNKS], abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_the_scorer_of_locagent_gives_what_was_printed(reference: Path, level: str) -> None:
    folder = reference / "data" / "code" / "locations"
    found = {
        row["instance_id"]: row
        for row in map(
            json.loads,
            gzip.decompress((folder / "locagent_claude-3-5.loc_outputs.jsonl.gz").read_bytes()).splitlines(),
        )
    }
    gold = {
        row["instance_id"]: named(row, level)
        for row in map(json.loads, (folder / "gold_entities.jsonl").read_text().splitlines())
    }
    column, cutoffs = LEVELS[level]
    compared = 0
    for row in map(
        json.loads, (folder / "official" / "locagent_per_instance.jsonl").read_text().splitlines()
    ):
        topic = row["instance_id"]
        names = list(dict.fromkeys(found[topic][column])) if topic in found else []
        if row["filtered"] or any(name.endswith(".__init__") for name in (*names, *gold[topic])):
            continue
        for k in cutoffs:
            for name, value in locagent(names, gold[topic], k).items():
                assert value == pytest.approx(row[level][f"{name}@{k}"], abs=6e-5), (topic, name, k)
                compared += 1
    assert compared > 1000


def named(row: dict, level: str) -> set[str]:
    """What was changed, by the names of a level."""
    key = {"module": "edited_modules", "function": "edited_entities"}
    if level == "file":
        return {change["file"] for change in row["file_changes"]}
    return {name for change in row["file_changes"] for name in change["changes"].get(key[level], [])}


NAMES = [
    f"{folder}/{file}.py:{name}" for folder in ("shop", "core") for file in ("cart", "bill") for name in "fgh"
]


@pytest.mark.parametrize("level", LEVELS)
@given(
    found=st.lists(st.sampled_from(NAMES), min_size=1, max_size=9, unique=True),
    gold=st.sets(st.sampled_from(NAMES), min_size=1, max_size=5),
)
def test_locagent_on_random_files(level: str, found: list[str], gold: set[str]) -> None:
    column, cutoffs = LEVELS[level]
    files = {name: name.partition(":")[0] for name in NAMES}
    answer = {
        "instance_id": "shop-1", "found_files": list(dict.fromkeys(files[name] for name in found)),
        "found_modules": found, "found_entities": found, "raw_output_loc": [""],
    }  # fmt: skip
    changes = [
        {"file": file, "changes": {"edited_entities": mine, "edited_modules": mine}}
        for file in sorted({files[name] for name in gold})
        if (mine := sorted(name for name in gold if files[name] == file))
    ]
    truth = {"instance_id": "shop-1", "file_changes": changes}
    measures = [f"{name}@{k}" for name in LOCAGENT.values() for k in cutoffs]
    expected = {
        f"{LOCAGENT[name]}@{k}": value
        for k in cutoffs
        for name, value in locagent(answer[column], named(truth, level), k).items()
    }
    run = dx.read_run(f"{json.dumps(answer)}\n".encode())
    qrels = dx.read_assessments(f"{json.dumps(truth)}\n".encode())
    found_values = values(
        {"made": run}, qrels, measures, task="locagent", as_scored=True, level=level, topics="qrels"
    )
    assert found_values == pytest.approx([expected[measure] for measure in measures], abs=1e-12)
