"""One guard: whatever a reader raises is an error with its place, and costs one line or one document."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import warnings
from dataclasses import replace
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import doxeval as dx
from doxeval.comparison.compare import compare
from doxeval.comparison.gate import gate as gate_of
from doxeval.comparison.paired import randomisation_test
from doxeval.comparison.tests import TESTS
from doxeval.core.errors import Unforeseen
from doxeval.core.strings import natural_key
from doxeval.io.formats.format import TABLE_KINDS, Options, formats
from doxeval.io.source import Source
from doxeval.io.topics import topics_of
from doxeval.measurement.base import measure_named
from doxeval.reader.navigation.logs import read_sessions, read_steps
from doxeval.reader.quantisation import read_quantisation
from doxeval.reader.summaries.partition import partition_nodes
from doxeval.reader.summaries.structure import read_summary
from doxeval.scoring.read_scores import read_scores
from doxeval.scoring.scores import RunScores, Scores
from doxeval.scoring.write_scores import write_scores
from tests.robustness.readers import small_collection

DEEP = "[" * 100_000
ODD_NUMBERS = [
    "Infinity",
    "-Infinity",
    "NaN",
    "1e400",
    "9" * 5000,
    str(2**63),
    str(2**64),
    "-1",
    "true",
    '"x"',
]
FORMATS = [(kind, name) for kind in TABLE_KINDS for name in formats(kind)]


@pytest.mark.parametrize(("kind", "name"), FORMATS)
def test_what_any_format_raises_is_an_error_with_the_files_name(kind, name, tmp_path):
    path = tmp_path / "odd.file"
    path.write_bytes(b"x")

    def broken(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    format = replace(formats(kind)[name], read=broken)
    with pytest.raises(Unforeseen, match=r"odd\.file: not readable: ZeroDivisionError") as raised:
        format.table(Source(path), Options())
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("signal", [KeyboardInterrupt, SystemExit, MemoryError, dx.UsageError])
def test_the_guard_lets_through_what_is_not_about_the_content(signal):
    with pytest.raises(signal), Source(b"x"):
        raise signal


FILES = {
    "scores": ("scores.jsonl", '{{"run": "a", "topic": "1", "measure": "AiP", "value": {}}}', read_scores),
    "scores in a list": ("scores.json", '[{{"run": "a", "topic": {}}}]', read_scores),
    "summary": ("summary.json", '{{"classes": {}}}', read_summary),
    "map": ("map.json", '{{"sec": {}}}', lambda path: partition_nodes(small_collection(), str(path))),
    "queries": ("queries.jsonl", '{{"topic": "1", "query": {}}}', lambda path: topics_of(path).queries),
}


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("value", [DEEP, "9" * 5000, '"\\ud800"', '"\xff"', "{", "[]", "{}"])
def test_json_of_all_readers_is_refused_with_its_place(file, value, tmp_path):
    name, text, read = FILES[file]
    path = tmp_path / name
    path.write_bytes(text.format(value).encode("latin-1"))
    with pytest.raises(dx.DoxevalError, match=name) as raised:
        read(path)
    assert not isinstance(raised.value, Unforeseen)


@pytest.mark.parametrize(
    "line", ["{" + DEEP, '{"doc": "d1", "route": ' + DEEP, '{"doc": [], "route": ["a"]}', "\xff"]
)
def test_a_bad_session_costs_one_line(line, tmp_path):
    path = tmp_path / "routes.jsonl"
    path.write_bytes(line.encode("latin-1") + b'\n{"doc": "d1", "route": ["a", "b"]}\n')
    sessions = read_sessions(str(path), small_collection())
    assert len(sessions) == 1 and f"{path}:1" in str(sessions.notices.refusals[0])


@pytest.mark.parametrize("number", ODD_NUMBERS)
@pytest.mark.parametrize("key", ["length", "start", "end"])
def test_odd_numbers_cost_one_document(number, key, tmp_path):
    node = {"parent": None, "tag": "a", "start": 0, "end": 9}
    record = {"doc": "odd", "length": 9, "nodes": [node]}
    (record if key == "length" else node)[key] = "NUMBER"
    path = tmp_path / "documents.jsonl"
    path.write_text(json.dumps(record).replace('"NUMBER"', number) + '\n{"doc": "good", "length": 3}\n')
    documents = dx.read_documents(path)
    if (number, key) == ("NaN", "length"):
        assert len(documents) == 2, "frames say so that there is none"
        return
    told = str(documents.notices.refusals[0])
    assert list(documents.ids) == ["good"] and f"{path}:1" in told and "Error" not in told


@pytest.mark.parametrize("number", ODD_NUMBERS)
@pytest.mark.parametrize("key", ["rank", "score", "start", "end", "spans"])
def test_odd_numbers_cost_one_line(number, key):
    number = f"[[0, {number}]]" if key == "spans" else number
    row = {"topic": "1", "doc": "d1", "rank": 1, "score": 1, "start": 0, "end": 9} | {key: "NUMBER"}
    data = (
        json.dumps(row).replace('"NUMBER"', number) + '\n{"topic": "1", "doc": "d2", "rank": 2, "score": 1}\n'
    )
    fine = (key == "score" and number in (str(2**63), str(2**64), "-1")) or (key == "rank" and number == "-1")
    run = dx.read_run(data.encode())
    assert len(run) == 1 + fine
    assert fine or ":1" in str(run.notices.refusals[0])


ITEMS = [
    {"label": "text", "text": 7},
    {"label": "text", "text": ["a"]},
    {"label": 3, "text": "a"},
    {"label": "section_header", "text": "a", "level": "two"},
    {"label": "section_header", "text": "a", "level": True},
    {"label": "table", "data": {"grid": [["no cell"]]}},
    {"label": "table", "data": {"grid": 7}},
    {"label": "text", "text": "a", "children": 7},
    "no item",
]
ELEMENTS = [
    {"type": "Text", "text": 7, "metadata": {}},
    {"type": "Title", "text": "a", "metadata": {"category_depth": "one"}},
    {"type": "Title", "text": "a", "metadata": {"category_depth": 1e400}},
    {"type": "Title", "text": "a", "metadata": 7},
]


BODY = {"children": [{"$ref": "#/texts/0"}]}
BODIES: list[Any] = [7, [], None, {"children": {"a": 1}}]
FROM_OTHERS = [
    *({"schema_name": "DoclingDocument", "body": BODY, "texts": [item]} for item in ITEMS),
    *({"schema_name": "DoclingDocument", "body": body} for body in BODIES),
    *([element] for element in ELEMENTS),
]


@pytest.mark.parametrize("value", FROM_OTHERS, ids=str)
def test_documents_of_other_tools_with_wrong_types_cost_themselves(value, tmp_path):
    (tmp_path / "bad.json").write_text(json.dumps(value))
    (tmp_path / "good.txt").write_text("Some text.")
    documents = dx.index(tmp_path)
    assert list(documents.ids) == ["good"]
    assert "bad.json" in str(documents.notices.refusals[0])


def as_decimals(rows: list[dict[str, object]], places: int) -> pl.DataFrame:
    frame = pl.DataFrame(rows)
    return frame.cast({pl.selectors.numeric(): pl.Decimal(20, places)})


@pytest.mark.parametrize("places", [0, 3])
def test_decimals_are_numbers_in_runs_assessments_scores_and_documents(places, tmp_path):
    run = [{"topic": "1", "doc": "d", "rank": 1, "score": 2, "start": 0, "end": 3}]
    as_decimals(run, places).write_parquet(tmp_path / "run.parquet")
    found = dx.read_run(tmp_path / "run.parquet")
    assert (found.rank[0], found.score[0], found.start[0], found.end[0]) == (1, 2, 0, 3)
    as_decimals([{"topic": 7, "doc": "d", "start": 0, "end": 3, "rel": 2}], places).write_parquet(
        tmp_path / "qrels.parquet"
    )
    assessments = dx.read_assessments(tmp_path / "qrels.parquet")
    assert list(assessments.topics) == ["7"] and assessments.ranges.grade.tolist() == [2.0]
    as_decimals([{"run": "a", "topic": "1", "measure": "AiP", "value": 1}], places).write_parquet(
        tmp_path / "scores.parquet"
    )
    assert read_scores(tmp_path / "scores.parquet").runs[0].values.tolist() == [[1.0]]
    nodes = [{"parent": None, "tag": "a", "start": Decimal(0), "end": Decimal(5)}]
    pl.DataFrame([{"doc": "d", "length": Decimal(5), "nodes": nodes}]).write_parquet(
        tmp_path / "docs.parquet"
    )
    assert dx.read_documents(tmp_path / "docs.parquet").end.tolist() == [5]


def test_integers_of_128_bits_are_read_or_refused_with_their_row():
    frame = pl.DataFrame(
        {"topic": ["1", "1"], "doc": ["a", "b"], "rank": [1, 2**100]}, schema_overrides={"rank": pl.Int128}
    )
    run = dx.read_run(frame)
    assert run.rank.tolist() == [1] and "row 2" in str(run.notices.refusals[0])
    assert dx.read_run(frame.head(1)).rank.tolist() == [1]


@pytest.mark.parametrize(
    "extent", [{"start": 0.5}, {"end": 2.5}, {"start": 2**62, "end": 2**63 - 1}, {"parent": 2**32}]
)
def test_extents_in_parquet_that_are_none_are_refused(extent, tmp_path):
    nodes = [
        {"parent": None, "tag": "a", "start": 0, "end": 9},
        {"parent": 0, "tag": "b", "start": 0, "end": 3} | extent,
    ]
    rows = [{"doc": "bad", "length": 9, "nodes": nodes}, {"doc": "good", "length": 3, "nodes": []}]
    pl.DataFrame(rows, strict=False).write_parquet(tmp_path / "docs.parquet")
    documents = dx.read_documents(tmp_path / "docs.parquet")
    assert list(documents.ids) == ["good"] and "document 1" in str(documents.notices.refusals[0])


def test_long_fields_of_csv_are_read(tmp_path):
    long = "x" * 200_000
    (tmp_path / "scores.csv").write_text(f"run,topic,measure,value\n{long},1,AiP,0.5\n")
    assert read_scores(tmp_path / "scores.csv").names == [long]
    (tmp_path / "steps.csv").write_text(f"doc,from,to,p\nd1,a,b,0.5\nd1,{long},b,0.5\n")
    assert len(read_steps(str(tmp_path / "steps.csv"), small_collection()).chance) == 1


ODD_NAMES = [
    "a\u2028b",
    "a\rb",
    "a\x0bb",
    "a\x85b",
    'a"b',
    "a,b",
    "a\nb",
    "\ufeffa",
    "9" * 5000,
    "\u0663",
    " a ",
    "a\x1cb",
]


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet"])
def test_scores_of_topics_with_odd_names_are_read_back(name, suffix, tmp_path):
    scores = Scores(["AiP"], [name, "t2"], [RunScores("a", np.array([[0.5, 1.0]]), np.ones(2, bool), 0, 0)])
    write_scores(scores, tmp_path / f"scores.{suffix}")
    again = read_scores(tmp_path / f"scores.{suffix}")
    assert dict(zip(again.topics, again.runs[0].values[0], strict=True)) == {name: 0.5, "t2": 1.0}


def test_queries_in_other_encodings_are_read_or_refused_with_their_line(tmp_path):
    path = tmp_path / "queries.txt"
    path.write_bytes("q1\tcafé\u2028au lait\r\n".encode())
    assert topics_of(path).queries == {"q1": "café\u2028au lait"}
    path.write_bytes("q1\tcafé\n".encode("latin-1"))
    assert topics_of(path).queries == {"q1": "café"}
    path.write_bytes("q1\tcafé\nq2\t".encode() + b"caf\xe9\n")
    with pytest.raises(dx.InputError, match=r"queries\.txt:2: expected a topic and its query"):
        topics_of(path)


def test_quantisations_in_other_encodings_are_refused_with_their_line(tmp_path):
    path = tmp_path / "values.csv"
    path.write_bytes(b"E3S3,1\n\xe9,1\n")
    with pytest.raises(dx.InputError, match=r"values\.csv:2"):
        read_quantisation(str(path))


BAD_NUMBERS = [
    "CE@99999999999999999999",
    "CE@" + "9" * 5000,
    "F(beta=1e999)@5",
    "F(beta=" + "1" * 5000 + ")@5",
]
BAD_NUMBERS += ["iP[1e-999]", "CE@\u0663", "iP[\u0660.\u0661]", "F(beta=\u0661)@5"]


@pytest.mark.parametrize("text", BAD_NUMBERS)
def test_numbers_in_measures_are_refused_not_clamped(text):
    with pytest.raises(dx.UsageError):
        measure_named(text)
    assert measure_named("CE@1000000000000").rank == 10**12


IR_MEASURES = [
    f"{name}{parameters}{cutoff}"
    for name in ("SetF", "P", "RBP", "Accuracy", "nDCG", "IPrec", "alpha_nDCG", "INST", "Compat", "NoSuch")
    for parameters, cutoff in itertools.product(
        ("", "(g=1)", "(p=2)", "(rel=x)", "(rel=-1)", "(rel=1.5)", "(gains={)", "(1)", "(p=0.5,p=0.6)"),
        ("", "@5", "@0.1", "@5c"),
    )
]


def test_a_slip_in_a_measure_of_ir_measures_is_told():
    pytest.importorskip("ir_measures")
    for text in IR_MEASURES:
        try:
            measure_named(text)
        except dx.DoxevalError as problem:
            assert "Traceback" not in str(problem) and str(problem)


def test_topics_are_ordered_by_numbers_of_any_length():
    names = ["t10", "t9", "t" + "9" * 5000, "t09", "t\u0663", "t"]
    assert sorted(names, key=natural_key)[:4] == ["t", "t09", "t9", "t10"]


def test_names_with_dollars_and_control_codes_are_drawn_as_they_are(tmp_path):
    pytest.importorskip("matplotlib")
    from doxeval.show.charts import bars_with_intervals, curves, heat_map
    from doxeval.show.style import Sheet, save_figure

    names = ["$a_b$ $", r"$\frac{$", "_hidden", "a\x01b", "a\\$"]
    line = ([1.0, 2.0], [1.0, 2.0])
    values, low, high = np.ones((3, len(names)))
    figures = [
        curves(dict.fromkeys(names, line), "$x", "y$", Sheet(title="$t$$")),
        heat_map(names, names, np.eye(len(names)), Sheet(title="$")),
        bars_with_intervals(names, values, low, high, "$"),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for at, figure in enumerate(figures):
            save_figure(figure, tmp_path / f"{at}.svg")
            drawn = "".join(ElementTree.parse(tmp_path / f"{at}.svg").getroot().itertext())
            assert "$a_b$ $" in drawn and "_hidden" in drawn and "a\ufffdb" in drawn


def two_runs(first: list[float], second: list[float], names: tuple[str, str] = ("a", "b")) -> Scores:
    topics = [str(topic) for topic in range(len(first))]
    counted = np.ones(len(first), dtype=bool)
    runs = [
        RunScores(name, np.array([values]), counted, 0, 0)
        for name, values in zip(names, (first, second), strict=True)
    ]
    return Scores(["Reach"], topics, runs)


def test_junit_of_runs_with_control_codes_is_xml():
    found = gate_of(
        two_runs([1.0] * 6, [9.0] * 6, ("a\x00", "b\x01\ud800")),
        baseline="a\x00",
        max_drop=0.1,
        lower_is_better=["Reach"],
    )
    assert "b\ufffd\ufffd" in ElementTree.fromstring(found.junit())[0].get("classname", "")


INFINITE = [
    ([np.inf] * 5, [1.0] * 5),
    ([np.inf] * 5, [np.inf] * 5),
    ([np.inf, 1, 2, 3, 4], [1, np.inf, 2, 3, 5]),
    ([np.inf, np.inf, 2, 3, 4], [np.inf, 1, 1, 2, 3]),
]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("before", "after"), INFINITE)
def test_infinite_scores_are_ties_and_signs_and_never_too_certain(test, before, after):
    (found,) = compare(
        two_runs(before, after), baseline="a", test=test, draws=5000, lower_is_better=["Reach"]
    ).differences
    assert found.topics == 5
    least = 2.0**-5 if test == "tukey" else 2.0**-4
    assert np.isnan(found.p) or found.p >= 0.9 * least
    assert found.ties == sum(x == y for x, y in zip(before, after, strict=True))


def test_infinite_differences_have_the_exact_p_of_their_signs():
    differences = np.array([[np.inf] * 5, [np.inf, -np.inf, 0, 0, 0], [-np.inf, -1, -1, -1, -1]])
    assert randomisation_test(differences).tolist() == [0.0625, 1.0, 0.0625]


def test_scores_beyond_all_measures_are_refused(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("run,topic,measure,value\na,1,AiP,1e300\n")
    with pytest.raises(dx.InputError, match=r"scores\.csv:2: expected a value of at most"):
        read_scores(path)


def test_submissions_hold_what_xml_can_hold(tmp_path):
    run = dx.read_run([{"topic": "a\nb\tc", "doc": "d\r1", "rank": 1, "start": 0, "end": 3}])
    dx.write_run(run, tmp_path / "run.xml")
    again = dx.read_run(tmp_path / "run.xml")
    assert (list(again.topics), list(again.docs)) == (["a\nb\tc"], ["d\r1"])
    with pytest.raises(dx.UsageError, match="cannot be written as XML"):
        dx.write_run(dx.read_run([{"topic": "a\x01", "doc": "d", "rank": 1}]), tmp_path / "odd.xml")
    assert not (tmp_path / "odd.xml").exists()


def test_results_in_a_submission_with_another_root_are_read():
    data = (
        b'<set><inex-submission run-id="r"><topic topic-id="1"><result><file>d1</file><rank>1</rank></result>'
        b'</topic></inex-submission><topic topic-id="2"><result><file>d2</file><rank>1</rank></result>'
        b"</topic></set>"
    )
    assert list(dx.read_run(data, input_format="inex-submission").docs) == ["d1", "d2"]


BREAKING = """
import doxeval.cli as cli
class Broken(Exception): pass
def broken(*_):
    raise {raised}
settings = {{"ignore_unknown_options": True, "allow_extra_args": True}}
command = cli.click.Command("x", callback=broken, context_settings=settings)
cli.LazyGroup.get_command = lambda *_: command
cli.main()
"""


def broken_command(raised: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = BREAKING.format(raised=raised)
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize(
    "raised", ["KeyError('x')", "RecursionError()", "AssertionError", "Broken('two\\\\nlines')"]
)
def test_a_defect_is_told_on_one_line_with_what_was_asked(raised):
    done = broken_command(raised, "eval", "my run.jsonl")
    (line,) = done.stderr.splitlines()
    assert done.returncode == 70
    assert line.startswith("error: this is a bug in doxeval") and "eval 'my run.jsonl'" in line


def test_debug_shows_where_a_defect_is():
    done = broken_command("KeyError('x')", "--debug", "eval", "my run.jsonl")
    assert done.returncode == 70 and "Traceback" in done.stderr and "in broken" in done.stderr


def test_a_title_in_other_bytes_is_written(tmp_path):
    from tests.scoring.commands import write_collection

    write_collection(tmp_path)
    start = [
        sys.executable,
        "-c",
        "import doxeval.cli as cli; cli.main()",
        "report",
        "a.fol",
        "-q",
        "qrels.txt",
    ]
    done = subprocess.run(
        [*start, "-m", "iP@3", "-o", "out.html", "--title", b"caf\xe9 \x01"],
        capture_output=True, text=True, check=False, timeout=100, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "caf\ufffd \ufffd" in (tmp_path / "out.html").read_text()
