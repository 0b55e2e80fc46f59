"""Whatever is written can be read again; what a format cannot hold is told."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.io.formats.format import Options, format_named, formats
from doxeval.io.formats.rows_out import assessment_rows, rank_column, result_rows
from doxeval.io.formats.trec import RANGE_FORMS
from doxeval.io.read import read_chunks
from doxeval.io.source import Source
from doxeval.io.write import write_table
from tests.io.formats.format_samples import EVERY

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=6).filter(
    lambda name: name.split() == [name]
)
TAG = st.sampled_from(["", "sys"])
SCORES = st.floats(allow_nan=False, allow_infinity=False)
OFFSETS = st.integers(0, 1 << 36)
EITHER = st.booleans()


@st.composite
def spans(draw):
    bounds = sorted(draw(st.sets(OFFSETS, min_size=2, max_size=6)))
    pairs = list(zip(bounds[::2], bounds[1::2], strict=False))
    return [[start, end] for start, end in pairs]


def place(kinds):
    options = {
        "range": spans().map(lambda found: {"start": found[0][0], "end": found[0][1]}),
        "spans": spans().map(lambda found: {"spans": found}),
        "node": NAMES.map(lambda name: {"node": name}),
        "nodes": st.lists(NAMES, min_size=2, max_size=3).map(lambda names: {"nodes": names}),
        "whole": st.just({}),
    }
    return st.one_of([options[kind] for kind in kinds])


@st.composite
def run_rows(draw, kinds, ranked=EITHER, scored=EITHER):
    size = draw(st.integers(1, 8))
    with_rank, with_score, tag = draw(ranked), draw(scored), draw(TAG)
    rows = []
    for at in range(size):
        row = {"topic": draw(NAMES), "doc": draw(NAMES)} | draw(place(kinds))
        row |= {"rank": at + 1} if with_rank else {}
        row |= {"score": draw(SCORES)} if with_score else {}
        rows.append(row | ({"run": tag} if tag else {}))
    return rows


def written(format, table, options=Options()):  # noqa: B008
    binary = io.BytesIO()
    stream = binary if format.binary else io.TextIOWrapper(binary, encoding="utf-8", newline="\n")
    format.write(table, stream, options)
    stream.flush()
    return binary.getvalue()


def again(format, table, options=Options()):  # noqa: B008
    return format.read(Source(written(format, table, options)), options)


def cases(kind):
    """Every format of a kind that can be written, with every option that changes what it holds.

    Ranked results are no trajectory: `test_trajectories.py` tries the format that holds only steps.
    """
    return [
        pytest.param(format, Options(ranges=ranges), id=f"{format.name}{ranges}")
        for format in EVERY
        if format.kind == kind and format.write is not None and "steps" not in format.holds(Options())
        for ranges in ("", *RANGE_FORMS)
        if not ranges or format.holds(Options(ranges=ranges)) != format.holds(Options())
    ]


KEYS = ("topic", "doc", "rank", "score", "node", "nodes", "start", "end", "spans")
RUN_FEATURES = {"range": "ranges", "spans": "spans", "node": "nodes", "nodes": "trees", "whole": "whole"}


def results(run):
    """The results topic by topic, as some formats write them."""
    rows = list(result_rows(run))
    order = list(dict.fromkeys(row["topic"] for row in rows))
    return [[row.get(key) for key in KEYS] for row in sorted(rows, key=lambda row: order.index(row["topic"]))]


@pytest.mark.parametrize(("format", "options"), cases("run"))
def test_runs_come_back_from_every_format(format, options):
    kinds = [kind for kind, feature in RUN_FEATURES.items() if feature in format.holds(options)]

    @given(run_rows(kinds, st.just(True), st.just(True)))
    def check(rows):
        run = dx.read_run([row | {"run": "sys"} for row in rows])
        found = again(format, run, options)
        assert results(found) == results(run)
        assert not found.notices.failures or options == Options()

    check()


@given(run_rows(list(RUN_FEATURES)))
@pytest.mark.parametrize("name", ["native-run", "parquet"])
def test_native_runs_come_back_as_they_were(name, rows):
    run = dx.read_run(rows)
    found = again(format_named("run", name), run)
    assert list(result_rows(found)) == list(result_rows(run)) and not len(found.notices)


def brute_ranks(rows):
    """Ranks by definition: one more than the results of the topic that score higher."""
    if "score" in rows[0]:
        return [
            1 + sum(other["topic"] == row["topic"] and other["score"] > row["score"] for other in rows)
            for row in rows
        ]
    return [1 + sum(other["topic"] == row["topic"] for other in rows[:at]) for at, row in enumerate(rows)]


FAR_APART = [{"topic": "t", "doc": "d", "start": 0, "end": 1, "score": score} for score in (1.7e308, -1e308)]


@given(run_rows(["range"], st.just(False)))
@example(FAR_APART)
def test_ranks_follow_from_scores_or_order(rows):
    assert rank_column(dx.read_run(rows)).tolist() == brute_ranks(rows)


@st.composite
def assessment_lists(draw, kinds):
    rows = []
    for _ in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from(kinds))
        row = {"topic": draw(NAMES), "doc": draw(NAMES)}
        if kind == "range":
            row |= draw(place(["range"]))
        elif kind == "graded":
            row |= draw(place(["range"])) | {"rel": draw(st.integers(1, 5))}
        elif kind == "aspects":
            row |= draw(place(["range"])) | {
                "aspects": draw(st.lists(st.sampled_from("ABC"), min_size=1, unique=True))
            }
        elif kind == "need":
            row |= draw(place(["range", "spans", "node"])) | {"need": draw(st.sampled_from("ABC"))}
        elif kind == "attributes":
            row = {"topic": draw(NAMES), "hops": str(draw(st.integers(1, 3))), "kind": draw(NAMES)}
        elif kind == "node":
            row |= draw(place(["node", "nodes"])) | {"rel": draw(st.floats(0, 9))}
        elif kind == "code":
            row |= {"path": draw(NAMES), "code": draw(st.sampled_from(["E2S3", "3E", "0N"]))}
        elif kind == "quote":
            row |= {"quote": draw(NAMES), "rel": draw(st.integers(1, 3))}
        elif kind == "whole":
            row |= {"rel": draw(st.integers(1, 3))}
        elif kind == "bep":
            row |= {"bep": draw(OFFSETS), "length": 1 << 36}
        rows.append(row)
    return rows


def content(assessments):
    """Everything assessed, in an order that does not depend on that of the documents."""
    return sorted(repr(sorted(row.items())) for row in assessment_rows(assessments))


ASSESSMENT_FEATURES = {
    "range": {"ranges"}, "graded": {"ranges", "grades"}, "aspects": {"ranges", "aspects"}, "node": {"nodes"},
    "code": {"nodes"}, "quote": {"quotes"}, "whole": {"whole", "grades"}, "bep": {"beps"},
    "nothing": {"irrelevant"}, "attributes": {"attributes"},
    "need": {"ranges", "spans", "nodes", "aspects"},
}  # fmt: skip


@given(assessment_lists(list(ASSESSMENT_FEATURES)))
@pytest.mark.parametrize("name", ["native-assessments", "parquet"])
def test_native_assessments_come_back_as_they_were(name, rows):
    table = dx.read_assessments(rows)
    found = again(format_named("assessments", name), table)
    assert content(found) == content(table) and not len(found.notices)


def facts(assessments):
    ranges, topics = assessments.ranges, assessments.pair_topic
    found = []
    for row, pair in enumerate(ranges.pair):
        aspects = ranges.aspects.of(row) if ranges.aspects is not None else []
        where = (assessments.topics[topics[pair]], assessments.docs[assessments.pair_doc[pair]])
        found.append(
            (*where, int(ranges.start[row]), int(ranges.end[row]), float(ranges.grade[row]), aspects)
        )
    return sorted(found)


def pairs(assessments):
    topics = assessments.pair_topic
    return {
        (assessments.topics[t], assessments.docs[d])
        for t, d in zip(topics, assessments.pair_doc, strict=True)
    }


@pytest.mark.parametrize(("format", "options"), cases("assessments"))
def test_ranges_grades_and_aspects_come_back_from_every_format(format, options):
    holds = format.holds(options)
    kinds = [kind for kind, features in ASSESSMENT_FEATURES.items() if features <= holds]

    @given(assessment_lists(kinds))
    def check(rows):
        if "ranges" not in holds:
            rows = list({(row["topic"], row["doc"]): row for row in rows}.values())
        table = dx.read_assessments(rows)
        found = again(format, table, options)
        assert facts(found) == facts(table) and pairs(found) == pairs(table)

    check()


@given(st.lists(st.tuples(NAMES, OFFSETS, OFFSETS), min_size=1))
@pytest.mark.parametrize(("format", "options"), cases("chunks"))
def test_chunks_come_back_from_every_format(format, options, rows):
    dicts = [{"doc": doc, "start": min(a, b), "end": max(a, b)} for doc, a, b in rows]
    lines = "".join(json.dumps(row) + "\n" for row in dicts).encode()
    table = read_chunks(lines, input_format="chunks-jsonl")
    found = again(format, table, options)
    assert list(found.docs) == list(table.docs)
    for column in ("doc", "start", "end"):
        assert getattr(found, column).tolist() == getattr(table, column).tolist()


MIXED = [
    {"topic": "t", "doc": "d", "rank": 1, "start": 1, "end": 5},
    {"topic": "t", "doc": "d", "rank": 2, "node": "e"},
    {"topic": "t", "doc": "d", "rank": 3},
    {"topic": "t", "doc": "d", "rank": 4, "spans": [[7, 8], [10, 12]]},
]


@pytest.mark.parametrize(
    ("name", "ranges", "lost", "lines"),
    [
        ("inex-fol", "", ["1 result is a node", "1 result is a whole", "1 result has several ranges"], 3),
        (
            "genomics-run",
            "",
            ["1 result is a node", "1 result is a whole", "1 result has several ranges"],
            3,
        ),
        (
            "trec-run",
            "doc#start-end",
            ["1 result is a node", "1 result is a whole", "1 result has several"],
            3,
        ),
        ("trec-run", "", ["3 results are parts of documents"], 4),
        ("native-run", "", [], 4),
    ],
)
def test_what_a_run_format_cannot_hold_is_told(tmp_path, name, ranges, lost, lines):
    target = tmp_path / "out"
    notices = write_table(
        dx.read_run(MIXED, name="r"), target, format_named("run", name), Options(ranges=ranges)
    )
    told = [str(notice) for notice in notices]
    assert len(told) == len(lost)
    assert all(any(text in notice for notice in told) for text in lost)
    assert len(target.read_text().splitlines()) == lines


@pytest.mark.parametrize(
    ("name", "row", "lost"),
    [
        ("inex-assessments", {"rel": 2, "start": 1, "end": 2}, "1 grade other than 1"),
        ("inex-assessments", {"start": 1, "end": 2}, "1 document of unknown length"),
        ("inex-assessments", {"aspects": ["A"], "start": 1, "end": 2}, "1 aspect"),
        ("trec-qrels", {"start": 1, "end": 2}, "1 relevant range"),
        ("trec-qrels", {"bep": 3}, "1 best entry point"),
        ("genomics-gold", {}, "1 document in which nothing is relevant"),
    ],
)
def test_what_an_assessment_format_cannot_hold_is_told(tmp_path, name, row, lost):
    table = dx.read_assessments([{"topic": "t", "doc": "d", **row}])
    notices = write_table(table, tmp_path / "out", format_named("assessments", name), Options())
    assert [str(notice) for notice in notices if lost in str(notice)]


def test_grades_of_junk_come_back_from_qrels(tmp_path):
    text = "1 0 a -2\n1 0 b -1\n1 0 c 0\n1 0 d 2\n"
    (tmp_path / "in.qrels").write_text(text)
    dx.convert(tmp_path / "in.qrels", tmp_path / "out.qrels")
    assert (tmp_path / "out.qrels").read_text() == text


@pytest.mark.parametrize("row", [{"node": "e"}, {"quote": "so"}, {"rel": 2}])
def test_assessments_that_would_mislead_are_not_written(tmp_path, row):
    table = dx.read_assessments([{"topic": "t", "doc": "d", **row}])
    with pytest.raises(dx.InputError, match="--docs"):
        write_table(table, tmp_path / "out", format_named("assessments", "inex-assessments"), Options())
    assert not list(tmp_path.iterdir())


def test_names_with_blanks_do_not_go_into_fields(tmp_path):
    run = dx.read_run([{"topic": "t", "doc": "a b", "start": 0, "end": 1}])
    with pytest.raises(dx.InputError, match="'a b' has a blank"):
        write_table(run, tmp_path / "out", format_named("run", "inex-fol"), Options())


def test_formats_that_are_written_say_what_they_hold():
    for kind in ("run", "assessments"):
        for format in formats(kind).values():
            assert bool(format.holds(Options())) == (format.write is not None), format.name


def test_scores_keep_every_bit(tmp_path):
    score = np.nextafter(0.1, 1)
    run = dx.read_run(
        [{"topic": "t", "doc": "d", "rank": 1, "score": score, "start": 0, "end": 1, "run": "r"}]
    )
    for name in ("native-run", "parquet", "inex-fol", "inex-submission", "genomics-run"):
        assert again(format_named("run", name), run).score[0] == score


def test_scores_that_are_far_apart_order_topics_that_lack_ranks():
    rows = [*FAR_APART, {"topic": "u", "doc": "d", "rank": 1, "start": 0, "end": 1}]
    assert dx.read_run(rows).rank.tolist() == [1, 2, 1]
