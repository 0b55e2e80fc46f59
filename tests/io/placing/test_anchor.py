"""Gold that follows its documents: the command, carrying over, and documents that have changed."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.ground.quote_report import unplaced
from tests.io.placing.test_quotes_placed import _long_text, _typos

OLD = {"a": _long_text(1), "b": _long_text(2), "c": _long_text(3)}
GOLD = [
    {"topic": "1", "doc": "a", "quote": OLD["a"][300:420]},
    {"topic": "2", "doc": "b", "quote": OLD["b"][500:640].upper(), "rel": 2, "need": "n"},
    {"topic": "3", "quote": _typos(OLD["c"][900:1100], 19)},
    {"topic": "4", "doc": "a", "quote": "amber"},
    {"topic": "5", "doc": "a", "quote": "This was never in any of the documents at all"},
    {"topic": "5", "quote": "Nor was this sentence ever written down anywhere"},
    {"topic": "6", "doc": "c", "start": 100, "end": 250},
    {"topic": "6", "doc": "b"},
    {"topic": "1", "query": "what?"},
]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def folder(tmp_path):
    for version, change in {"old": lambda text: text, "new": _edited}.items():
        (tmp_path / version).mkdir()
        for name, text in OLD.items():
            (tmp_path / version / f"{name}.txt").write_text(change(text))
    write(tmp_path / "gold.jsonl", GOLD)
    return tmp_path


def _edited(text):
    """Another parse: a preface, other line breaks, and a sentence less."""
    cut = text.index(".", 700) + 1
    return "PREFACE, put before all.\n\n" + (text[:600] + text[cut:]).replace(". ", ".\n")


def run(*arguments, status=0):
    found = CliRunner().invoke(group, [str(one) for one in arguments])
    assert found.exit_code == status, found.output + repr(found.exception)
    return found


def test_quotes_become_offsets_and_what_failed_has_none(folder):
    told = run("anchor", folder / "gold.jsonl", "--docs", folder / "old", "-o", folder / "out.jsonl").stderr
    rows = lines(folder / "out.jsonl")
    quotes = {(row["topic"], row["quote"]): row for row in rows if "quote" in row}
    assert quotes["1", GOLD[0]["quote"]].items() >= {"start": 300, "end": 420, "level": "exact"}.items()
    assert quotes["2", GOLD[1]["quote"]].items() >= {"rel": 2, "need": "n", "level": "letters"}.items()
    third = quotes["3", GOLD[2]["quote"]]
    assert third["doc"] == "c" and third["level"] == "approximate" and abs(third["start"] - 900) < 8
    assert 0.8 < third["similarity"] < 1 and third["margin"] > 0.2
    assert quotes["6", OLD["c"][100:250]]["start"] == 100
    for row in rows:
        if row.get("level") in ("ambiguous", "lost"):
            assert not {"start", "end", "spans", "similarity"} & set(row)
    assert sum(row.get("level") in ("ambiguous", "lost") for row in rows) == 3
    assert {row["doc"]: row["fingerprint"] for row in rows if "fingerprint" in row}.keys() == set("abc")
    for part in (
        "4 of 7 quotes",
        "approximate          1",
        "lost: topic 5, a: 'This was",
        "ambiguous: topic 4, a: 'amber'",
    ):
        assert part in told
    run("anchor", folder / "gold.jsonl", "--docs", folder / "old", "--strict", status=1)


def test_of_many_quotes_that_are_not_found_the_first_are_listed(folder):
    gold = folder / "many.jsonl"
    doc = next((folder / "old").iterdir()).name
    gold.write_text(
        "".join(f'{{"topic": "t", "doc": "{doc}", "quote": "nowhere {at}"}}\n' for at in range(23))
    )
    told = run("anchor", gold, "--docs", folder / "old", "-o", folder / "out.jsonl").stderr
    assert told.count("nowhere") >= 20 and "  ... and 3 more: those without start in the output" in told
    gold.write_text("".join(gold.read_text().splitlines(keepends=True)[:20]))
    assert (
        "more: those" not in run("anchor", gold, "--docs", folder / "old", "-o", folder / "out.jsonl").stderr
    )


def test_what_was_anchored_scores_as_it_did_and_anchors_to_itself(folder):
    out = folder / "out.jsonl"
    run("anchor", folder / "gold.jsonl", "--docs", folder / "old", "-o", out)
    result = [{"topic": str(topic), "doc": "c", "rank": 1, "start": 0, "end": 1500} for topic in (3, 6)]
    with pytest.warns(dx.DoxevalWarning):
        before = dx.evaluate(result, folder / "gold.jsonl", "iR@1 iP@1", folder / "old")
    with pytest.warns(dx.DoxevalWarning):
        after = dx.evaluate(result, out, "iR@1 iP@1", folder / "old")
    np.testing.assert_array_equal(before.runs[0].values, after.runs[0].values)
    run("anchor", out, "--docs", folder / "old", "-o", folder / "again.jsonl")
    again = {row["quote"]: row.get("start") for row in lines(folder / "again.jsonl") if "quote" in row}
    assert again == {row["quote"]: row.get("start") for row in lines(out) if "quote" in row}


def test_offsets_are_carried_to_another_parse(folder):
    spans = [(at, at + 90) for at in (0, 50, 300, 480, 900, 1400, 2000)]
    rows = [{"topic": str(at), "doc": "a", "start": at, "end": end} for at, end in spans]
    rows += [{"topic": "twice", "doc": "b", "start": at, "end": at + 5} for at in (10, 1500)]
    rows += [{"topic": "pieces", "doc": "b", "spans": [[10, 60], [200, 260]]}]
    rows += [{"topic": "gone", "doc": "a", "start": 610, "end": OLD["a"].index(".", 700) + 1}]
    gold, out = write(folder / "offsets.jsonl", rows), folder / "out.jsonl"
    run("anchor", gold, "--from", folder / "old", "--docs", folder / "new", "-o", out)
    new = {name: _edited(text) for name, text in OLD.items()}
    found = [row for row in lines(out) if "quote" in row]
    assert [row["topic"] for row in found if row["level"] == "lost"] == ["gone"]
    for row in found:
        for start, end in row.get("spans", [[row["start"], row["end"]]] if "start" in row else []):
            assert " ".join(new[row["doc"]][start:end].split()) in " ".join(row["quote"].split())
    wanted = {row["topic"]: OLD["a"][row["start"] : row["end"]] for row in rows[: len(spans)]}
    assert {row["topic"]: row["quote"] for row in found if row["topic"] in wanted} == wanted
    assert sum(row["topic"] == "twice" and "start" in row for row in found) == 2
    assert len(next(row["spans"] for row in found if row["topic"] == "pieces")) == 2


def test_a_quote_that_may_be_in_any_of_its_places_is_carried_to_all_of_them(folder):
    words = "The same words stand twice in it."
    old = f"First comes a sentence. {words} In the middle something is said. {words} Then the end."
    texts = {"old": old, "new": f"A preface. {old.replace('something', 'nothing new')}"}
    for version, text in texts.items():
        (folder / version / "d.txt").write_text(text)
    row = {"topic": "1", "doc": "d", "quote": words, "occurrence": "any"}
    gold, out = write(folder / "any.jsonl", [row]), folder / "out.jsonl"
    run("anchor", gold, "--from", folder / "old", "--docs", folder / "new", "-o", out)
    (found,) = [row for row in lines(out) if "quote" in row]
    first = texts["new"].index(words)
    second = texts["new"].index(words, first + 1)
    assert found["spans"] == [[at, at + len(words)] for at in (first, second)]


def test_documents_that_changed_are_told_and_offsets_are_never_used_blindly(folder):
    out = folder / "out.jsonl"
    run("anchor", folder / "gold.jsonl", "--docs", folder / "old", "-o", out)
    result = [{"topic": "1", "doc": "a", "rank": 1, "start": 0, "end": 1000}]
    with pytest.warns(dx.DoxevalWarning):
        scores = dx.evaluate(result, out, "iR@1", folder / "new")
    assert scores.runs[0].values[0, 0] == 1.0
    told = " | ".join(map(str, scores.notices))
    assert "3 documents have changed since places in them were marked" in told
    bare = [{key: value for key, value in row.items() if key != "quote"} for row in lines(out)]
    with pytest.raises(
        dx.UsageError, match=r"ranges are places in documents that have changed since.*--from OLD_DOCS"
    ):
        dx.evaluate(result, bare, "iR@1", folder / "new")
    moved = [GOLD[0] | {"start": 0, "end": 9}]
    with pytest.warns(dx.DoxevalWarning, match="1 quote is not where stated"):
        assert dx.evaluate(result, moved, "iR@1", folder / "old").runs[0].values[0, 0] == 1.0


def test_validate_says_the_good_news(folder):
    gold = write(folder / "good.jsonl", GOLD[:3])
    told = run("validate", gold, "--docs", folder / "old").output
    assert "note: 3 of 3 quotes found: 1 exactly, 1 by letters, 1 approximately" in told


def test_pages_are_gold_and_quotes_off_their_page_are_told(folder):
    (folder / "paged").mkdir()
    (folder / "paged" / "a.txt").write_text("First page, one.\fSecond page, two.\fThird page, three.")
    rows = [
        {"topic": "1", "doc": "a", "page": 2},
        {"topic": "2", "doc": "a", "page": 1, "quote": "Third page, three."},
    ]
    found = dx.anchor(rows, folder / "paged")
    assert [place.outcome for place in found.quotes.placed] == ["page", "exact"]
    assert found.quotes.placed[0].places == (((17, 34),),)
    with pytest.warns(dx.DoxevalWarning, match="1 quote is on another page than stated"):
        dx.evaluate([{"topic": "1", "doc": "a", "rank": 1}], rows, "iR@1", folder / "paged")


def test_a_gate_fails_on_gold_that_is_stale_lost_or_out_of_reach(folder):
    good, out = write(folder / "good.jsonl", GOLD[:2]), folder / "out.jsonl"
    run("anchor", good, "--docs", folder / "old", "-o", out)
    result = write(folder / "run.jsonl", [{"topic": "1", "doc": "a", "rank": 1, "start": 0, "end": 1000}])
    chunks = {
        "all": [{"doc": name, "start": at, "end": at + 70} for name in OLD for at in range(0, 4000, 70)],
        "gaps": [{"doc": name, "start": at, "end": at + 60} for name in OLD for at in range(0, 4000, 70)],
    }
    files = {name: write(folder / f"{name}.jsonl", rows) for name, rows in chunks.items()}

    def gate(gold, documents, *more, status):
        common = ("--baseline", result, "-m", "iR@1", "--max-drop", "0.1", "--strict-gold")
        return run(
            "gate", result, *common, "--qrels", gold, "--docs", folder / documents, *more, status=status
        )

    gate(out, "old", status=0)
    gate(out, "old", "--chunks", files["all"], status=0)
    assert (
        "2 of 2 relevant texts are out of reach"
        in gate(out, "old", "--chunks", files["gaps"], status=1).output
    )
    assert "documents have changed since" in gate(out, "new", status=1).output
    assert "quotes were not found" in gate(folder / "gold.jsonl", "old", status=1).output


def test_a_quote_in_a_document_that_is_not_there_says_so():
    documents = dx.read_documents({"report_2022": "Sales rose."})
    found = dx.anchor([{"topic": "t", "doc": "report_2023", "quote": "Sales rose."}], documents)
    (told,) = unplaced(found, documents)
    assert "there is no such document; did you mean 'report_2022'?" in told


def test_best_entry_points_do_not_move_with_the_text():
    old = {"d": "One two three. Red button here."}
    gold = [{"topic": topic, "doc": "d", "start": 0, "end": 5, "bep": 3} for topic in "tu"]
    for rows, told in (
        (gold, "2 best entry points are left out: they are places in the old text"),
        (gold[:1], "1 best entry point is left out: it is a place in the old text"),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dx.DoxevalWarning)
            found = dx.anchor(rows, {"d": f"Preface. {old['d']}"}, old_documents=old)
        assert set(found.bep.tolist()) == {-1} and told in map(str, found.notices)
        assert found.quotes.placed[0].places == (((9, 14),),)


def test_judged_nodes_keep_their_names(tmp_path):
    for version, text in (("old", "one"), ("new", "another one")):
        (tmp_path / version).mkdir()
        (tmp_path / version / "d.xml").write_text(f"<a><p>{text}</p><p>two</p></a>")
    rows = [{"topic": "t", "doc": "d.xml", "node": f"/a[1]/p[{at}]", "rel": 1} for at in (1, 2)]
    found = dx.anchor(rows, tmp_path / "new", old_documents=tmp_path / "old")
    assert [found.nodes.nodes.of(row) for row in range(2)] == [["/a[1]/p[1]"], ["/a[1]/p[2]"]]
    told = "2 judged nodes are kept unchanged: nodes are identified by their names"
    assert told in map(str, found.notices)
