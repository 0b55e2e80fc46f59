"""The report's file: what is in it, what is not, how large it is, and that its data cannot break out."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import zlib
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.comparison.rankings import kendall_tau_b
from doxeval.demo import ANSWERS, DOCUMENTS, QUESTIONS, RUNS
from doxeval.io.topics import topics_of
from doxeval.show.page import data_block
from doxeval.show.report.assemble import NOTES
from doxeval.show.report.board import RUNS_TO_RANK
from doxeval.show.report.embedded import AROUND, LINES_AROUND

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
THREE_MEGABYTES = 3_000_000
ANSWER = [{"topic": "t", "doc": "d", "start": 50, "end": 60}]
RESULT = [{"topic": "t", "doc": "d", "rank": 1, "start": 40, "end": 55}]


def data_of(path: Path) -> dict:
    """What a page holds, unpacked as its script does it."""
    data = json.loads(DATA.search(path.read_text(encoding="utf-8"))[1])
    lines = zlib.decompress(base64.b64decode(data["packed"]), -zlib.MAX_WBITS).decode().splitlines()
    data["views"], data["pages"] = [[] for _ in data["topics"]], []
    for kind, rows in (item for line in lines for item in json.loads(line).items()):
        if kind == "views":
            for topic, *row in rows:
                data["views"][topic].append(row)
        elif kind == "trajectory":
            data["pages"].append(rows)
        elif kind == "docs":
            data["docs"] = [{"name": name, "length": size, "text": [], "tree": None} for name, size in rows]
        else:
            data["docs"][rows[0]] |= {"text": rows[1], "tree": rows[2], "look": rows[3]}
    return data


def report(tmp_path: Path, *arguments, **options) -> dict:
    target = tmp_path / "report.html"
    dx.write_report(*arguments, **options | {"path": target})
    return data_of(target)


@given(
    st.recursive(
        st.text() | st.floats(allow_nan=False, allow_infinity=False) | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_data_survive_and_never_end_their_block(value) -> None:
    text = data_block(value)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value


def test_of_many_topics_some_are_shown_one_by_one_and_all_count(tmp_path, monkeypatch) -> None:
    topics = [f"t{at}" for at in range(9)]
    answers = [{"topic": topic, "doc": "d", "start": 0, "end": 10 + at} for at, topic in enumerate(topics)]
    runs = {
        name: [
            {"topic": topic, "doc": "d", "rank": 1, "start": 0, "end": 9 + shift + at}
            for at, topic in enumerate(topics)
        ]
        for name, shift in (("a", 0), ("b", 3))
    }
    whole = report(tmp_path, runs, answers, "iP@1 iR@1")
    monkeypatch.setattr("doxeval.show.report.topics_shown.MOST_ANSWERS", 6)
    some = report(tmp_path, runs, answers, "iP@1 iR@1")
    assert [topic for topic, _ in some["topics"]] == ["t0", "t4", "t8"] and some["all"] == 9
    for part in ("means", "intervals", "differences", "curves", "correlation", "answer"):
        assert some[part] == whole[part], part
    for run in range(2):
        for measure in range(2):
            for part in ("values", "added"):
                assert some[part][run][measure] == whole[part][run][measure][::4], part
        for part in ("listed", "first", "fetched"):
            assert some[part][run] == whole[part][run][::4], part
    assert some["relevant"] == whole["relevant"][::4] and some["found"] == whole["found"][::4]
    assert some["views"] == whole["views"][::4] and some["about"] == whole["about"]
    told = [note for note in some["notes"] if "shown one by one" in note]
    assert told and told[0].startswith("3 of 9 topics") and not any("one by one" in n for n in whole["notes"])


def test_nothing_is_loaded_from_outside(tmp_path) -> None:
    target = tmp_path / "r.html"
    dx.write_report({"run": RESULT}, ANSWER, "iR", path=target)
    html = target.read_text(encoding="utf-8")
    assert "default-src 'none'" in html and "unsafe" not in html
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", DATA.sub("", html))


def test_only_assessed_or_retrieved_text_is_embedded(tmp_path) -> None:
    long = "".join(f"[{at:07}]" for at in range(20_000))
    documents = {"d": long, "never": "nobody asked for this text", "retrieved": "found by rank"}
    results = [*RESULT, {"topic": "t", "doc": "retrieved", "rank": 2, "start": 0, "end": 5}]
    data = report(tmp_path, {"run": results}, ANSWER, "iR", documents)
    by_name = {doc["name"]: doc for doc in data["docs"]}
    assert set(by_name) == {"d", "retrieved"}
    assert by_name["d"]["text"] == [[0, long[: 60 + AROUND]]]
    assert by_name["retrieved"]["text"] == [[0, "found by rank"]]


def test_of_long_documents_only_the_look_of_embedded_text_is_in_the_report(tmp_path) -> None:
    size, wide = 50_000, 10
    nodes: list[dict] = [{"id": "all", "parent": None, "tag": "article", "start": 0, "end": size}]
    nodes += [
        {"id": f"n{at}", "parent": "all", "tag": ("h1", "p", "li")[at % 3], "start": at, "end": at + wide}
        for at in range(0, size, wide)
    ]
    documents = [{"doc": "d", "text": "one two. \n" * (size // wide), "nodes": nodes}]
    answers = [{"topic": "t", "doc": "d", "start": at, "end": at + wide} for at in (20_000, 40_005)]
    results = [answers[0] | {"rank": 1}]
    (doc,) = report(tmp_path, {"run": results}, answers, "iR", documents)["docs"]
    assert [[start, len(text)] for start, text in doc["text"]] == [
        [at - AROUND, wide + 2 * AROUND] for at in (20_000, 40_005)
    ]
    reached = [range(at - AROUND, at + wide + AROUND, wide) for at in (20_000, 40_000)]
    assert [leaf[0] for leaf in doc["look"]["leaves"]] == [*reached[0], *reached[1], 40_000 + wide + AROUND]


def test_documents_beyond_the_first_results_are_left_out(tmp_path) -> None:
    results = [{"topic": "t", "doc": f"d{rank}", "rank": rank, "start": 0, "end": 3} for rank in range(1, 20)]
    documents = {f"d{rank}": "some text" for rank in range(1, 20)}
    data = report(
        tmp_path,
        {"run": results},
        [{"topic": "t", "doc": "d15", "start": 0, "end": 4}],
        "iR",
        documents,
        show_results=3,
    )
    assert {doc["name"] for doc in data["docs"]} == {"d1", "d2", "d3", "d15"}
    (results,) = [row[3] for row in data["views"][0] if data["docs"][row[0]]["name"] == "d15"]
    assert [row[1] for row in results] == [15]


def test_text_beyond_the_limit_is_told(tmp_path) -> None:
    runs, target = sorted(RUNS.glob("*.jsonl")), tmp_path / "r.html"
    whole = dx.write_report(runs, ANSWERS, "AiP", DOCUMENTS, path=target)
    assert whole.left_out == [] and all(doc["text"] for doc in data_of(target)["docs"])
    limit = round((whole.size - whole.text / 2) / 1e6, 3)
    command = ["report", *map(str, runs), "-q", str(ANSWERS), "-d", str(DOCUMENTS), "-m", "AiP"]
    done = CliRunner().invoke(
        group, [*command, "--max-megabytes", str(limit), "-o", str(target)], catch_exceptions=False
    )
    assert done.exit_code == 0 and "MB of it the documents' text" in done.output
    data = data_of(target)
    without = sum(not doc["text"] for doc in data["docs"])
    assert 0 < without < len(data["docs"])
    assert limit * 0.8e6 < target.stat().st_size <= limit * 1e6
    room = f"the report may take {limit:g} MB (--max-megabytes)"
    told = f"{without} documents are shown without their text: {room}"
    assert told in data["notes"] and told in done.output


def test_scipy_is_not_imported_for_a_report(tmp_path) -> None:
    words = [*map(str, sorted(RUNS.glob("*.jsonl"))), "-q", str(ANSWERS), "-m", "AiP iP@5", "-o", "r.html"]
    code = f"import sys; from doxeval.cli import group; group({['report', *words]!r}, standalone_mode=False)"
    code += "; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "False\n", done.stderr
    assert data_of(tmp_path / "r.html")["intervals"] and data_of(tmp_path / "r.html")["correlation"]


def test_it_says_what_takes_the_room(tmp_path) -> None:
    runs = sorted(RUNS.glob("*.jsonl"))
    written = dx.write_report(
        runs, ANSWERS, "AiP iP@5", DOCUMENTS, path=tmp_path / "r.html", topics_file=QUESTIONS
    )
    assert written.size == (tmp_path / "r.html").stat().st_size
    assert written.size - written.text < THREE_MEGABYTES / 10
    assert re.search(
        r"[\d.]+ MB, [\d.]+ MB of it the documents' text; of the rest, .+ take most", written.told()
    )


def test_real_chunkers_stay_below_three_megabytes(reference, tmp_path) -> None:
    data = reference / "data" / "chunking"
    written = dx.write_report(
        sorted((data / "runs").glob("*.jsonl")),
        data / "qrels.jsonl",
        "iR@5 iP@5 IoU@5 AiP",
        data / "corpora",
        path=tmp_path / "r.html",
    )
    assert written.size - written.text < THREE_MEGABYTES


def test_long_runs_stay_below_the_size_asked_for(tmp_path) -> None:
    qrels = [{"topic": f"t{t}", "doc": f"d{d}", "start": 10, "end": 30} for t in range(10) for d in range(20)]
    results = [row | {"rank": at % 20 + 1, "start": 0, "end": 20} for at, row in enumerate(qrels)]
    whole = dx.write_report({"run": results}, qrels, "iR", path=tmp_path / "whole.html")
    packed = len(data_of(tmp_path / "whole.html")["packed"])
    limit = (whole.size + NOTES - packed / 2) / 1e6
    data = report(tmp_path, {"run": results}, qrels, "iR", max_megabytes=limit)
    assert (tmp_path / "report.html").stat().st_size <= limit * 1e6
    shown = [len(rows) for rows in data["views"]]
    assert min(shown) >= 1 and max(shown) - min(shown) <= 1
    assert {doc["name"] for doc in data["docs"]} == {
        data["docs"][row[0]]["name"] for rows in data["views"] for row in rows
    }
    assert any("cannot be opened" in note and "--max-megabytes" in note for note in data["notes"])
    assert data["found"] == [[20, 20]] * 10 and data["fetched"] == [[20] * 10]
    assert data["relevant"] == [400] * 10, "totals are those of all documents, shown or not"


def test_every_result_in_a_document_is_in_the_data(tmp_path) -> None:
    results = [{"topic": "t", "doc": "d", "rank": rank, "start": rank, "end": 99} for rank in range(1, 81)]
    data = report(tmp_path, {"run": results}, ANSWER, "iR")
    (view,) = data["views"][0]
    assert [result[1] for result in view[3]] == list(range(1, 81))


def test_real_inex_runs_stay_below_three_megabytes(reference, tmp_path) -> None:
    data = reference / "data" / "inex0910"
    runs = [data / f"{name}.fol" for name in ("bert", "passages", "overlap")]
    written = dx.write_report(runs, data / "qrels.txt", "AiP iP[0.01]", path=tmp_path / "r.html")
    assert written.size - written.text < THREE_MEGABYTES


def test_means_and_values_are_those_of_eval(tmp_path) -> None:
    runs = sorted(RUNS.glob("*.jsonl"))
    measures = "AiP iP@5 nDCG@10 CE@5"
    scores = dx.evaluate(runs, ANSWERS, measures, DOCUMENTS)
    data = report(tmp_path, runs, ANSWERS, measures, DOCUMENTS)
    for at, run in enumerate(scores.names):
        assert data["means"][at] == [scores.value(run, measure) for measure in scores.measures]
        for number, measure in enumerate(scores.measures):
            for topic, value in zip(scores.topics, data["values"][at][number], strict=True):
                assert value == pytest.approx(scores.value(run, measure, topic), abs=1e-9)
    assert [measure["better"] for measure in data["measures"]] == [1, 1, 1, -1]


def test_curves_are_means_of_measures(tmp_path) -> None:
    runs = sorted(RUNS.glob("*.jsonl"))[:2]
    data = report(tmp_path, runs, ANSWERS, "AiP", DOCUMENTS)
    by_name = {curve["name"]: curve for curve in data["curves"]}
    names = {
        "precision-recall": "iP[{:g}]",
        "gain-rank": "iR@{:g}",
        "gain-characters": "iR@{:.0f}c",
        "effort-rank": "CE@{:g}",
        "effort-characters": "CE@{:.0f}c",
    }
    assert set(by_name) == set(names)
    for curve, form in names.items():
        for at, series in enumerate(by_name[curve]["series"]):
            x, y = series["x"][3], series["y"][3]
            measure = form.format(x)
            expected = dx.evaluate(runs[at], ANSWERS, measure, DOCUMENTS).value(runs[at].stem, measure)
            assert y == pytest.approx(expected, abs=1e-6), (curve, measure)


def test_paths_follow_the_reading_order(tmp_path) -> None:
    text = "x" * 100
    results = [
        {"topic": "t", "doc": "d", "rank": 1, "start": 70, "end": 80},
        {"topic": "t", "doc": "d", "rank": 2, "start": 20, "end": 30},
    ]
    expected = {
        "natural": [20, 30, 70, 80, 0, 20, 30, 70, 80, 100],
        "rank": [70, 80, 20, 30, 0, 20, 30, 70, 80, 100],
        "sequential": [0, 100],
    }
    for order, path in expected.items():
        data = report(tmp_path, {"run": results}, ANSWER, "iR", {"d": text}, reading_order=order)
        assert data["views"][0][0][5] == [[0, *path]], order


def test_chances_come_from_the_navigation_model(tmp_path) -> None:
    data = report(tmp_path, {"run": RESULT}, ANSWER, "iR", {"d": "x" * 100}, "readon(mean=10)")
    ((run, start, end, chance),) = data["views"][0][0][4]
    assert (run, start, end) == (0, 55, 60) and 0.5 < chance < 1
    alone = dx.evaluate(
        {"run": RESULT}, ANSWER, "NearMisses(nav=readon(mean=10))", [{"doc": "d", "text": "x" * 100}]
    )
    assert chance * 5 == pytest.approx(alone.value("run", "NearMisses(nav=readon(mean=10))"), abs=1e-3)


def test_one_run_and_one_topic_without_documents_are_enough(tmp_path) -> None:
    data = report(tmp_path, {"run": RESULT}, ANSWER, "iR@1")
    assert data["means"] == [[0.5]] and data["correlation"] is None
    assert any("no text" in note for note in data["notes"])


def test_queries_may_be_json_lines_or_tabs(tmp_path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"topic": "q1", "question": "Why?"}\n\n{"topic": 2, "query": "How?"}\n'
    )
    (tmp_path / "b.tsv").write_text("q1\tWhy?\n2\tHow?\n")
    wording = {"q1": "Why?", "2": "How?"}
    assert topics_of(tmp_path / "a.jsonl").queries == topics_of(tmp_path / "b.tsv").queries == wording
    (tmp_path / "c.tsv").write_text("q1\tWhy?\nq2\n")
    with pytest.raises(dx.InputError, match=r"c\.tsv:2: expected a topic and its query"):
        topics_of(tmp_path / "c.tsv")
    (tmp_path / "d.jsonl").write_text('{"topic": "q1", "query": "Why?"}\n{"topic": "q2"}\n')
    with pytest.raises(dx.InputError, match=r"d\.jsonl:2"):
        topics_of(tmp_path / "d.jsonl")
    (tmp_path / "e.tsv").write_bytes(b"q1\t\xff\n")
    with pytest.raises(dx.InputError, match="UTF-8"):
        topics_of(tmp_path / "e.tsv")


def test_the_board_has_the_slices_of_topics(tmp_path) -> None:
    gold = [{"topic": f"q{at}", "doc": "d", "start": 0, "end": 9} for at in range(4)]
    run = [{"topic": f"q{at}", "doc": "d", "rank": 1, "start": 0, "end": 3 * at} for at in range(4)]
    topics = {f"q{at}": {"query": "Why?", "kind": "<b>odd" if at % 2 else "even"} for at in range(4)}
    target = tmp_path / "r.html"
    dx.write_report({"run": run}, gold, "iR@1", path=target, topics_file=topics, by="kind")
    slices = data_of(target)["slices"]
    assert [row[0] for row in slices["body"]] == ["all", "<b>odd", "even"] and slices["title"] == "By kind"
    assert slices["body"][2][3].startswith("0.3333 [")
    assert report(tmp_path, {"run": run}, gold, "iR@1")["slices"] is None


def test_few_runs_rank_alike_by_chance() -> None:
    """With fewer runs no tau but 1 and -1 has p < 5%, enumerated; with as many, one has."""

    def least_agreement(runs: int) -> float:
        order = np.arange(runs)
        taus = [float(kendall_tau_b(order, np.array(other))) for other in permutations(range(runs))]
        told = [tau for tau in taus if np.mean(np.abs(taus) >= abs(tau) - 1e-9) < 0.05]
        return min(map(abs, told), default=1.0)

    assert least_agreement(RUNS_TO_RANK - 1) == pytest.approx(1.0)
    assert least_agreement(RUNS_TO_RANK) < 0.9


def test_what_is_known_of_runs_stands_in_the_report(tmp_path) -> None:
    runs = sorted(RUNS.glob("*.jsonl"))[:2]
    data = report(tmp_path, [*runs], ANSWERS, "iP(.5)@5", DOCUMENTS)
    scores = dx.evaluate(runs, ANSWERS, "iP@5", DOCUMENTS)
    assert [about["results"] for about in data["about"]] == [run.results for run in scores.runs]
    assert data["measures"][0]["parameters"][0][:2] == ["alpha", "0.5"]


def test_the_report_says_what_a_run_lacks_and_what_was_told_of_it(tmp_path) -> None:
    gold = [*ANSWER, *(row | {"topic": "u"} for row in ANSWER)]
    rows = [*RESULT, RESULT[0] | {"rank": 2, "doc": "other"}]
    more = [*rows, RESULT[0] | {"topic": "u"}, RESULT[0] | {"topic": "u", "rank": 2, "start": 41}]
    data = report(tmp_path, {"some": rows, "all": more}, gold, "iP@5")
    assert [(about["results"], about["topics"], about["unjudged"]) for about in data["about"]] == [
        (2, 1, 1),
        (4, 2, 1),
    ]
    assert [about["notices"] for about in data["about"]] == [["some: 1 of 2 topics has no results (u)"], []]


@pytest.mark.parametrize("name", ["pages.txt", "shop.py"])
def test_of_long_source_whole_lines_around_results_are_embedded(name: str, tmp_path) -> None:
    lines = [f"value_{at:06} = {at:06}\n" for at in range(20_000)]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / name).write_text("".join(lines))
    documents = dx.read_documents(tmp_path / "docs", input_format="source")
    wide = len(lines[0])
    answers = [{"topic": "t", "doc": name, "start": 10_000 * wide + 3, "end": 10_001 * wide + 3}]
    results = [answers[0] | {"rank": 1}]
    (doc,) = report(tmp_path, {"run": results}, answers, "iR", documents)["docs"]
    ((start, text, number, shades),) = doc["text"]
    first = 10_000 - LINES_AROUND
    assert (start, number) == (first * wide, first + 1)
    assert text == "".join(lines[first : 10_002 + LINES_AROUND])
    assert bool(shades) == (name == "shop.py")
