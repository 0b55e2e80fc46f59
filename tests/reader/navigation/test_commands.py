"""navigate, navigations, summary and simulate on the command line."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.ground.ground import prepare_ground
from doxeval.reader.navigation.fit import FittedParameter
from doxeval.reader.summaries.structure import steady_state
from doxeval.reader.units_sought import coverage_for_topic
from tests.reader.navigation.test_models import DOCS, ROUTES


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, DOCS)))
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps({"doc": "d", "route": route}) + "\n" for route in ROUTES))
    return path


def told(*arguments: object) -> str:
    result = CliRunner().invoke(group, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_models_are_listed_and_explained() -> None:
    listed = told("navigations")
    assert all(name in listed for name in ("hierarchical", "readon", "summary", "links"))
    assert "PRUM Eq. 9" in told("navigations", "hierarchical")


def test_what_navigate_prints_can_be_read_back(docs: Path, tmp_path: Path) -> None:
    told("navigate", docs, "--nav", "hierarchical", "-f", "csv", "-o", tmp_path / "nav.csv")
    again = told("navigate", docs, "--nav", f"matrix(file={tmp_path / 'nav.csv'})", "-f", "jsonl")
    assert again == told("navigate", docs, "--nav", "hierarchical", "-f", "jsonl")
    assert len(told("navigate", docs, "--doc", "d", "--node", "p").splitlines()) == 1 + 2


def rows(*arguments: object) -> list[dict]:
    return [json.loads(line) for line in told(*arguments, "-f", "jsonl").splitlines()]


@pytest.mark.parametrize(
    ("model", "itself"),
    [("hierarchical", 1), ("summary", 1), ("err", 1), ("hierarchical(normalise=source)", 0), ("routes", 0)],
)
def test_the_whole_matrix(docs: Path, log: Path, model: str, itself: int) -> None:
    model = model.replace("routes", f"routes(file={log})")
    every = {(row["from"], row["to"]): row["p"] for row in rows("navigate", docs, "-n", model, "--matrix")}
    some = {(row["from"], row["to"]): row["p"] for row in rows("navigate", docs, "-n", model)}
    assert len(every) == 6 * 6
    assert {pair: p for pair, p in every.items() if p and pair[0] != pair[1]} == some
    assert {p for pair, p in every.items() if pair[0] == pair[1]} == {itself}
    title, header, *lines = told("navigate", docs, "-n", model, "--matrix").splitlines()[:8]
    assert title == "d" and header.split() == ["from", *"rspqto"]
    for line in lines:
        start, *cells = line.split()
        assert [float(cell) for cell in cells] == pytest.approx(
            [every[start, end] for end in "rspqto"], abs=5e-5
        )


def test_steps_of_a_log_are_counted(docs: Path, log: Path) -> None:
    pairs = Counter(pair for route in ROUTES for pair in pairwise(route))
    leaving = Counter(start for start, _ in pairs.elements())
    by_node = {
        tuple(name.removeprefix("d: ") for name in (row["from"], row["to"])): (row["weight"], row["p"])
        for row in rows("navigate", docs, "-n", f"routes(file={log})", "--steps")
    }
    assert by_node == {pair: (count, count / leaving[pair[0]]) for pair, count in pairs.items()}
    printed = told("navigate", docs, "-n", f"routes(file={log},partition=tag)", "--steps").splitlines()
    assert [line.split("  ")[-1].strip() for line in printed[1:4]] == ["0", "2 (1)", "1 (1)"]
    assert printed[4:] == ["S1 = article", "S2 = sec", "S3 = p"]
    assert "0.5" in told("navigate", docs, "-n", f"routes(file={log},partition=tag,smoothing=1)", "--steps")

    by_smoothing = rows("navigate", docs, "-n", f"routes(file={log},smoothing=1)", "--steps")
    every = {name.removeprefix("d: ") for row in by_smoothing for name in (row["from"], row["to"])}
    assert len(by_smoothing) == len(every) ** 2 and every == {name for pair in pairs for name in pair}


@pytest.mark.parametrize("weight", ["extent", "length", "depth"])
@pytest.mark.parametrize("partition", ["node", "tag", "p*", "c", "p*|c", "depth"])
def test_pi_is_what_the_steps_of_a_summary_leave_as_it_is(docs: Path, partition: str, weight: str) -> None:
    classes = rows("summary", docs, "-p", partition, "--weight", weight, "--extents")
    pi = {row["class"]: row["pi"] for row in classes}
    after = dict.fromkeys(pi, 0.0)
    steps = rows("summary", docs, "-p", partition, "--weight", weight, "--steps")
    for step in steps:
        after[step["to"]] += pi[step["from"]] * step["p"]
    assert after == pytest.approx(pi) and sum(pi.values()) == pytest.approx(1)
    assert sorted(node for row in classes for node in row["extent"].split()) == sorted("rspqto")
    assert [row["nodes"] for row in classes] == [len(row["extent"].split()) for row in classes]
    model = f"summary(partition={partition},weight={weight})"
    assert rows("navigate", docs, "-n", model, "--steps") == steps
    for chance in rows("navigate", docs, "-n", model):
        (of_target,) = (row["pi"] for row in classes if chance["to"] in row["extent"].split())
        assert chance["p"] == pytest.approx(1 - of_target)


def test_steps_of_many_classes_and_of_none(docs: Path, tmp_path: Path) -> None:
    printed = told("summary", docs, "-p", "node", "--steps", "--most", 2).splitlines()
    assert printed[0].split() == ["from", "S1", "S2", "pi"]
    assert printed[-1] == "... and 4 more, which csv and jsonl have too"
    alone = tmp_path / "alone.jsonl"
    alone.write_text('{"doc": "d", "text": "one node"}\n')
    assert told("summary", alone, "--steps", "-f", "csv") == "from,to,weight,p\n"
    assert told("summary", alone, "--steps", "-f", "jsonl") == ""
    assert told("navigate", alone, "--matrix").split() == [
        "d",
        "from",
        "e1",
        "e1",
        "1",
        "e1",
        "=",
        "/article[1]",
    ]


def test_a_summary_weighted_by_routes(docs: Path, log: Path, tmp_path: Path) -> None:
    words = ("-p", "tag", "--weight", "routes", "--log", log)
    model = f"summary(partition=tag,weight=routes,file={log})"
    steps = rows("summary", docs, *words, "--steps")
    assert steps == rows("navigate", docs, "-n", model, "--steps")
    assert steps == rows("navigate", docs, "-n", f"routes(file={log},partition=tag)", "--steps")
    told("summary", docs, *words, "-o", tmp_path / "saved.json")
    saved = f"summary(file={tmp_path / 'saved.json'})"
    assert rows("navigate", docs, "-n", saved) == rows("navigate", docs, "-n", model)
    refused = CliRunner().invoke(group, ["summary", str(docs), "--weight", "routes"])
    assert refused.exit_code == 2 and "--log FILE" in refused.output


def test_summary_is_saved_and_drawn(docs: Path, tmp_path: Path) -> None:
    saved, dot, svg = (tmp_path / name for name in ("s.json", "s.dot", "s.svg"))
    table = told("summary", docs, "-p", "path", "-o", saved, "--dot", dot, "--svg", svg, "--extents")
    assert "/article/sec/p" in table and "{p, q, o}" in table
    classes = {one["name"]: one for one in json.loads(saved.read_text())["classes"]}
    assert classes["/article/sec"]["extent"] == 2 and classes["/article/sec"]["length"] == 80
    assert classes["/article/sec"]["steady"] == pytest.approx(5 / 10)
    assert "->" in dot.read_text()
    picture = ElementTree.fromstring(svg.read_text())
    assert sum(part.tag.endswith("rect") for part in picture.iter()) == 3
    words = [part.text for part in picture.iter() if part.tag.endswith("text")]
    assert words[:2] == ["2", "3"] and "S2 /article/sec" in words and "{s, t}, pi 0.500" in words


def test_models_are_compared_on_a_log(docs: Path, log: Path) -> None:
    log.write_text(log.read_text() * 4)
    lines = told(
        "navigations",
        "--log",
        log,
        "--docs",
        docs,
        "none",
        "hierarchical",
        f"routes(file={log},partition=node)",
    ).splitlines()
    found = [float(line.split()[1]) for line in lines[1:4]]
    assert found[0] < found[1] < found[2] < 0 and lines[4].startswith("the next step is chosen among")


def test_readers_meet_the_formula(docs: Path, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.jsonl", tmp_path / "run.jsonl"
    qrels.write_text('{"topic": "t", "doc": "d", "start": 5, "end": 50}\n')
    run.write_text('{"topic": "t", "doc": "d", "rank": 1, "start": 20, "end": 35}\n')
    printed = told(
        "simulate",
        run,
        "-q",
        qrels,
        "-d",
        docs,
        "--nav",
        "hierarchical",
        "-m",
        "NearMisses@1 ESRR@1",
        "--readers",
        400,
    )
    for line in printed.splitlines()[1:-1]:
        assert float(line.split()[-2]) < 4


def test_a_model_to_fit_says_which_parameters_are_to_be_found(docs: Path, log: Path) -> None:
    words = ["navigations", "--log", str(log), "--docs", str(docs), "--fit", "readon(mean=500)"]
    done = CliRunner().invoke(group, words)
    assert done.exit_code == 2
    told = "'readon(mean=500)': write the parameters to fit as ?, as in readon(mean=?)"
    assert told in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("low", "high", "interval", "told"),
    [
        (None, None, True, "mean 1.5 (the log cannot tell)"),
        (None, None, False, "mean 1.5"),
        (1.0, None, True, "mean 1.5 (1 or more)"),
        (None, 2.0, True, "mean 1.5 (up to 2)"),
        (1.0, 2.0, True, "mean 1.5 (1 to 2)"),
    ],
)
def test_a_fitted_parameter_says_how_well_the_log_tells_it(
    low: float | None, high: float | None, interval: bool, told: str
) -> None:
    assert str(FittedParameter("mean", 1.5, low, high, interval)) == told


def test_a_summary_shows_itself_in_notebooks_and_is_written_as_it_is_drawn(tmp_path: Path) -> None:
    nodes = [{"id": "a", "parent": None, "tag": "a", "start": 0, "end": 9},
             {"id": "b", "parent": "a", "tag": "b", "start": 0, "end": 4}]  # fmt: skip
    documents = [{"doc": "d", "length": 9, "nodes": nodes}]
    found = dx.summary(documents, partition="tag")
    assert found._repr_svg_() == found.svg and found.svg.startswith("<svg")
    for name, content in (("a.svg", found.svg), ("a.DOT", found.dot), ("a.json", found.json)):
        dx.summary(documents, tmp_path / name, partition="tag")
        assert (tmp_path / name).read_text() == content


def test_one_class_has_all_of_the_steady_state() -> None:
    one, weight = np.array([1]), np.array([1.0])
    assert steady_state(one, one, weight, 3).tolist() == [0.0, 1.0, 0.0]
    two = steady_state(np.array([0, 2]), np.array([2, 0]), np.array([1.0, 3.0]), 3)
    assert two == pytest.approx([0.5, 0.0, 0.5])


def test_of_several_topics_one_is_chosen_for_the_coverage() -> None:
    gold = [{"topic": topic, "doc": "d", "node": "b", "code": "E3S3"} for topic in ("s", "t")]
    nodes = [{"id": "a", "parent": None, "tag": "a", "start": 0, "end": 9},
             {"id": "b", "parent": "a", "tag": "b", "start": 0, "end": 4}]  # fmt: skip
    ground = prepare_ground(
        dx.read_assessments(gold), dx.read_documents([{"doc": "d", "length": 9, "nodes": nodes}])
    )
    with pytest.raises(dx.UsageError, match="the assessments have 2 topics; choose one, as in --topic s"):
        coverage_for_topic(ground, None)
    with pytest.raises(dx.UsageError, match="there is no topic 'x' in the assessments"):
        coverage_for_topic(ground, "x")
    assert coverage_for_topic(ground, "t").tolist() == ["N", "E"]


@pytest.mark.parametrize("count", [1, 2])
def test_highlighted_ranges_beside_judged_nodes_are_left_out_in_trees(count: int) -> None:
    nodes = [{"id": "a", "parent": None, "tag": "a", "start": 0, "end": 9},
             {"id": "b", "parent": "a", "tag": "b", "start": 0, "end": 4}]  # fmt: skip
    documents = [{"doc": "d", "length": 9, "nodes": nodes}]
    gold: list[dict[str, object]] = [{"topic": "t", "doc": "d", "node": "b", "rel": 1}]
    gold += [{"topic": "t", "doc": "d", "start": 5 + 2 * at, "end": 6 + 2 * at} for at in range(count)]
    run = [{"topic": "t", "doc": "d", "rank": 1, "node": "b"}]
    with pytest.warns(dx.DoxevalWarning) as told:
        scores = dx.evaluate({"run": run}, gold, "ESRP(mode=trees)@1", documents)
    ranges = "1 highlighted range is" if count == 1 else "2 highlighted ranges are"
    assert f"{ranges} left out: mode=trees uses judged nodes if there are any" in str(told[0].message)
    assert scores.value("run", "ESRP(mode=trees)@1") == 1
