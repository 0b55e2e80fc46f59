"""What readers and writers once lost, or took for something else, without a word."""

from __future__ import annotations

import json
import warnings

import numpy as np
import polars as pl
import pytest

import doxeval as dx
from doxeval.comparison.paired import bootstrap_test, randomisation_test, sign_test, t_test, wilcoxon_test
from doxeval.io.documents.parsing import holds_documents
from doxeval.io.read import read_assessments, read_run, read_table

NOT_NUMBERS = ["1_0", "\u0661\u0660", "0x10", "true"]


def submission(
    file: str = "d1", rank: str = "1", rsv: str = "2.5", path: str = "/a[1]", head: str = ""
) -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{head}<inex-submission run-id="r"><topic topic-id="1">'
        f"<result><file>{file}</file><path>{path}</path><rank>{rank}</rank><rsv>{rsv}</rsv></result>"
        "<result><file>other</file><path>/a[1]</path><rank>20</rank><rsv>0.1</rsv></result>"
        "</topic></inex-submission>"
    ).encode()


@pytest.mark.parametrize("inside", ["<!-- c -->", "<?pi c?>", "<![CDATA[]]>"])
def test_text_behind_a_comment_is_read(inside):
    run = read_run(submission(f"d{inside}1", f"1{inside}0", f"2{inside}.5", f"/a{inside}[1]"))
    assert run.docs[run.doc[0]] == "d1" and run.rank[0] == 10 and run.score[0] == 2.5
    assert run.nodes.of(0) == ["/a[1]"]


@pytest.mark.parametrize("field", ["file", "rank", "rsv", "path"])
def test_entities_are_refused_not_dropped(field):
    head = '<!DOCTYPE inex-submission [<!ENTITY x "1">]>'
    with pytest.raises(dx.InputError, match=r":1: &x; in"):
        read_run(submission(**{field: "1&x;"}, head=head))
    assert read_run(submission(file="a&amp;b")).docs[0] == "a&b"


@pytest.mark.parametrize("text", NOT_NUMBERS)
@pytest.mark.parametrize("field", ["rank", "rsv"])
def test_what_is_no_number_is_refused_in_submissions(text, field):
    run = read_run(submission(**{field: text}))
    assert len(run) == 1 and run.notices.refusals


LINES = {
    "trec-run": "1 Q0 d1 {} 2.5 s\n1 Q0 d2 3 1.5 s\n",
    "trec-run score": "1 Q0 d1 1 {} s\n1 Q0 d2 3 1.5 s\n",
    "inex-fol": "1 Q0 d1 1 2.5 s {} 10\n1 Q0 d2 3 1.5 s 0 10\n",
    "genomics-run": "1 d1 1 2.5 {} 10 s\n1 d2 3 1.5 0 10 s\n",
    "native-run": '{{"topic":"1","doc":"d1","rank":"{}"}}\n{{"topic":"1","doc":"d2","rank":3}}\n',
}


@pytest.mark.parametrize("text", NOT_NUMBERS)
@pytest.mark.parametrize("name", LINES)
def test_what_is_no_number_is_refused_in_every_run(name, text):
    run = read_run(LINES[name].format(text).encode(), input_format=name.split()[0])
    assert list(run.docs)[-1] == "d2" and len(run) == 1 and run.notices.refusals


@pytest.mark.parametrize("text", NOT_NUMBERS)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_what_is_no_number_is_no_score(tmp_path, text, form):
    path = tmp_path / f"scores.{form}"
    if form == "csv":
        path.write_text(f"run,topic,measure,value\na,1,iP,{text}\n")
    else:
        value = text if text == "true" else f'"{text}"'
        path.write_text(f'{{"run":"a","topic":"1","measure":"iP","value":{value}}}\n')
    with pytest.raises(dx.InputError, match="expected a number"):
        dx.read_scores(path)


@pytest.mark.parametrize("key", ["rank", "score", "start"])
def test_true_is_not_one(key):
    rows = [
        {"topic": "1", "doc": f"d{at}", "rank": at, "score": 1, "start": at, "end": 9} for at in (1, 2, 3)
    ]
    rows[1][key] = True
    lines = b"".join(pl.DataFrame([row], strict=False).write_ndjson().encode() for row in rows)
    for given in (rows, lines):
        run = read_run(given)
        assert len(run) == 2 and run.notices.refusals


@pytest.mark.parametrize("shape", ["d[1].parquet", "d*.parquet", "d?.parquet"])
def test_parquet_paths_are_no_patterns(tmp_path, shape):
    place = {"rank": [1], "start": [0], "end": [3]}
    for name, doc in (("d1.parquet", "wrong"), (shape, "right")):
        for before, frame in (
            ("run-", pl.DataFrame({"topic": ["1"], "doc": [doc], **place})),
            ("docs-", pl.DataFrame({"doc": [doc], "text": ["t"]})),
        ):
            with (tmp_path / f"{before}{name}").open("wb") as stream:
                frame.write_parquet(stream)
    kind, _, table = read_table(tmp_path / f"run-{shape}")
    assert kind == "run" and list(table.docs) == ["right"]
    assert holds_documents(str(tmp_path / f"docs-{shape}"))
    assert list(dx.read_documents(tmp_path / f"docs-{shape}").ids) == ["right"]


def test_a_topic_called_all_is_told(tmp_path):
    gold = [{"topic": topic, "doc": "d1", "start": 0, "end": 10} for topic in ("all", "t2")]
    scores = dx.evaluate([{"topic": "all", "doc": "d1", "rank": 1, "start": 0, "end": 5}], gold, "iP@1")
    for form in ("csv", "jsonl", "json", "parquet"):
        with pytest.raises(dx.UsageError, match="a topic is named 'all'"):
            dx.write_scores(scores, tmp_path / f"scores.{form}")
        dx.write_scores(scores, tmp_path / f"means.{form}", per_topic=False)
    twice = tmp_path / "twice.csv"
    twice.write_text("run,topic,measure,value\na,1,iP,0.5\na,all,iP,0.5\na,all,iP,0.25\n")
    with pytest.raises(dx.InputError, match="'all' has more than one value"):
        dx.read_scores(twice)


@pytest.mark.parametrize("order", [1, -1])
def test_two_best_entry_points_are_told_and_the_first_is_used(order):
    rows = [{"topic": "1", "doc": "d1", "start": 0, "end": 90}, {"topic": "1", "doc": "d1", "bep": 70}]
    rows = [*rows, {"topic": "1", "doc": "d1", "bep": 20}][::order]
    gold = read_assessments(rows)
    assert gold.bep.tolist() == [20] and "different best entry points" in str(list(gold.notices)[-1])


@pytest.mark.parametrize("order", [1, -1])
def test_ties_with_other_ranges_inside_do_not_fall_to_the_order_of_lines(order):
    gold = [{"topic": "1", "doc": "d1", "start": 20, "end": 30}]
    spans = ([[0, 5], [20, 30], [90, 95]], [[0, 5], [60, 70], [90, 95]])
    rows = [{"topic": "1", "doc": "d1", "score": 1.0, "spans": inner} for inner in spans]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        assert dx.evaluate([rows[::order]], gold, "iP@1").value("run", "iP@1") == 0.5


def test_aspects_stay_with_their_ranges(tmp_path):
    rows = [
        {"topic": "2", "doc": "d2", "node": "e", "rel": 1, "need": "all"},
        {"topic": "3", "doc": "d1", "quote": "One", "need": "found"},
        {"topic": "2", "doc": "d1", "start": 30, "end": 40, "aspects": ["late"]},
        {"topic": "1", "doc": "d1", "start": 0, "end": 10, "aspects": ["early"]},
    ]
    nodes = [{"id": "e", "parent": None, "tag": "a", "start": 0, "end": 50}]
    documents = [{"doc": name, "text": "One".ljust(50, "."), "nodes": nodes} for name in ("d1", "d2")]
    source, target = tmp_path / "gold.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(pl.DataFrame([row]).write_ndjson() for row in rows))
    dx.convert(source, target, kind="assessments", documents=documents)
    written = [json.loads(line) for line in target.read_text().splitlines()]
    ends = {line["need"]: line["end"] for line in written if "need" in line}
    assert ends == {"all": 50, "late": 40, "early": 10, "found": 3}


def test_infinite_differences_have_the_p_values_of_their_signs():
    infinite = np.array([[np.inf] * 5, [np.inf, 1.0, 2.0, 3.0, 4.0], [np.inf, -np.inf, 1.0, 2.0, 3.0]])
    found = randomisation_test(infinite)
    assert found[0] == found[1] == 0.0625 and found[2] > 0.0625
    assert sign_test(infinite)[0] == 0.0625 and wilcoxon_test(infinite[:1])[0] >= 0.0625
    for test in (t_test, bootstrap_test):
        assert np.isnan(test(infinite)).all()
    many = np.full((1, 40), np.inf)
    assert 0 < randomisation_test(many, draws=200)[0] <= 0.05
