"""Citations: planted faults are found, what was cited is a run, and the command line agrees with Python."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import doxeval as dx
from doxeval.cli import group
from doxeval.io.placing.text_index import APPROXIMATES
from doxeval.rag.citations import _together, citations_in
from tests.rag.planted import confusion, planted

LEASE = "The deposit is two months of rent. It is returned within thirty days after the keys are handed over."
LAW = "A landlord may keep the deposit only for damage that goes beyond ordinary wear and tear."
DOCUMENTS = {"lease": LEASE, "law": LAW}
RUN = [
    {"topic": "q", "doc": "lease", "rank": 1, "start": 0, "end": 34},
    {"topic": "q", "doc": "law", "rank": 2},
]
GOLD = [{"topic": "q", "doc": "lease", "start": 0, "end": 34}]
PAGE = Path(__file__).parents[2] / "docs" / "integrations" / "citations.md"


@pytest.mark.skipif(not APPROXIMATES, reason="rapidfuzz is not installed (extra anchor)")
def test_planted_faults_are_found_and_the_table_in_the_documentation_is_true() -> None:
    assert confusion() in PAGE.read_text(encoding="utf-8"), "python -m tests.rag.planted prints the table"


@pytest.mark.skipif(not APPROXIMATES, reason="rapidfuzz is not installed (extra anchor)")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_plants_are_found_too(seed: int) -> None:
    from doxeval.demo import DOCUMENTS as pages

    answers, run, truth = planted(seed)
    found = [one.kind for one in dx.cite(answers, run, documents=pages).cited]
    assert sum(one == other for one, other in zip(found, truth, strict=True)) >= 48, list(
        zip(truth, found, strict=True)
    )


def kinds(answer: str, **more) -> list[str]:
    found = dx.cite([{"topic": "q", "answer": answer}], RUN, documents=DOCUMENTS, **more)
    return [one.kind for one in found.cited]


def test_a_quote_belongs_to_the_marks_behind_it_in_its_sentence() -> None:
    answer = 'A "one two three words" and \u201cfour five six words\u201d [1][3]. '
    answer += 'Then "two". See [2-4]; "so it is all over".'
    found = [(one.quote, one.numbers) for one in citations_in("q", answer)]
    assert found == [
        ("one two three words", (1, 3)), ("four five six words", (1, 3)), ("", (2,)), ("", (3,)), ("", (4,)),
        ("so it is all over", ()),
    ]  # fmt: skip


def test_what_is_attributed_to_a_result_must_stand_in_what_was_shown_of_it() -> None:
    beyond = "returned within thirty days"
    assert kinds(f'"two months of rent" [1]. "{beyond}" [1]. "{beyond}".') == [
        "real",
        "misattributed",
        "real",
    ]
    assert kinds('"the deposit is ... of rent" [1]. So [2]. And [9].') == ["real", "real", "made up"]
    assert kinds("Nothing is cited here.") == []


@pytest.mark.skipif(not APPROXIMATES, reason="rapidfuzz is not installed (extra anchor)")
@pytest.mark.parametrize(("mark", "kind"), [(" [1]", "misattributed"), ("", "altered")])
def test_a_quote_like_text_that_was_not_retrieved_is_told_from_one_that_nothing_has(
    mark: str, kind: str
) -> None:
    other = "Every tenant must announce a change of address to the caretaker before the end of the month."
    answer = f'"{other.replace("caretaker", "caretakers")}"{mark}.'
    (found,) = dx.cite([{"topic": "q", "answer": answer}], RUN, documents=DOCUMENTS | {"rules": other}).cited
    assert (found.kind, [doc for doc, _ in found.places]) == (kind, ["rules"])
    assert found.level == "approximate"


def test_documents_can_be_named_and_citations_given() -> None:
    quote = "beyond ordinary wear"
    given = [{"quote": quote, "doc": "law.txt"}, {"quote": quote, "doc": "lease"}, {"result": 2}, LEASE[4:20]]
    found = dx.cite([{"topic": "q", "citations": given}], RUN, documents=DOCUMENTS)
    assert [one.kind for one in found.cited] == ["real", "misattributed", "real", "real"]
    for wrong in ({"topic": "q"}, {"topic": "q", "citations": [{}]}, {"answer": "x"}):
        with pytest.raises(dx.UsageError, match="answer 1: "):
            dx.cite([wrong], RUN, documents=DOCUMENTS)


def test_what_was_cited_is_scored_as_the_run_it_is() -> None:
    answers = [{"topic": "q", "answer": f'"{LEASE[:20]}" [1]. "keep the deposit only" [2].'}]
    found = dx.cite(answers, RUN, GOLD, "iP iR", DOCUMENTS)
    assert found.scores is not None
    expected = dx.evaluate({"cited": found.run}, GOLD, "iP iR")
    assert [found.scores[name] for name in ("iP", "iR")] == [expected[name] for name in ("iP", "iR")]
    assert found.scores["iR"] == pytest.approx(20 / 34) == found.evidence
    assert found.used == pytest.approx((20 + 21) / (34 + len(LAW)))
    assert "relevant retrieved text that was cited" in repr(found)


def test_the_command_tells_and_writes_what_python_does(tmp_path: Path) -> None:
    answers = [{"topic": "q", "answer": '"two months of rent" [1], and "payable in gold coins" [1].'}]
    for name, rows in (("answers", answers), ("run", RUN), ("gold", GOLD)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "docs.jsonl").write_text(
        "".join(json.dumps({"doc": doc, "text": text}) + "\n" for doc, text in DOCUMENTS.items())
    )

    def run(*more: str) -> Result:
        files = ["--run", str(tmp_path / "run.jsonl"), "--docs", str(tmp_path / "docs.jsonl")]
        return CliRunner().invoke(group, ["cite", str(tmp_path / "answers.jsonl"), *files, *more])

    found = dx.cite(answers, RUN, GOLD, documents=DOCUMENTS)
    result = run("--qrels", str(tmp_path / "gold.jsonl"), "--cited", str(tmp_path / "cited.jsonl"))
    assert result.stdout == repr(found) + "\n" and result.exit_code == 0
    assert len(dx.read_run(tmp_path / "cited.jsonl")) == 1
    rows = list(csv.DictReader(io.StringIO(run("-f", "csv").stdout)))
    assert [(row["kind"], row["doc"], row["start"]) for row in rows] == [
        ("real", "lease", "15"),
        ("made up", "", ""),
    ]
    assert [json.loads(line)["kind"] for line in run("-f", "jsonl").stdout.splitlines()] == [
        "real",
        "made up",
    ]
    assert run("--strict").exit_code == 1
    with (tmp_path / "run.jsonl").open("a") as stream:
        stream.write("no line of a run\n")
    assert "run.jsonl:3: " in run("-f", "csv").stderr and run("-f", "csv", "--quiet").stderr == ""
    assert "would do nothing here: nothing is scored" in str(run("-m", "iP").exception)
    (tmp_path / "answers.jsonl").write_text("no\n")
    assert "answers.jsonl:1: is not JSON" in str(run().exception)


@pytest.mark.parametrize(
    ("found", "length", "together"),
    [
        ([(0, (0, 10)), (0, (20, 30))], 20, True),
        ([(0, (0, 10)), (0, (20, 31))], 20, False),
        ([(0, (20, 30)), (0, (0, 10))], 20, False),
        ([(0, (0, 10)), (1, (20, 30))], 20, False),
    ],
)
def test_pieces_close_to_each_other_in_order_are_one_place(found: Any, length: int, together: bool) -> None:
    assert _together(found, length) == together
