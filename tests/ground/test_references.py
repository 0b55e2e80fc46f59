"""Contexts compared with references: worked examples, and a twin that marks every letter."""

from __future__ import annotations

import random
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.ground.retrieved_references import shared_text
from doxeval.io.placing.text_index import TextIndex

FACT = "The warranty lasts two years from the day of purchase."
LONG = f"Introduction to our shop. {FACT} Returns are accepted within a month of delivery."


def values(run, gold, names, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate({"run": run}, gold, names, "retrieved", **options)
    return [scores.value("run", name) for name in names], scores


def contexts(*texts):
    return [{"topic": "t", "rank": rank, "text": text} for rank, text in enumerate(texts, 1)]


def references(*texts):
    return [{"topic": "t", "quote": text} for text in texts]


def test_a_context_that_holds_the_answer_has_all_of_it():
    found, _ = values(contexts(LONG), references(FACT), ["iR@1", "iP@1", "NeedRecall@1"])
    assert found == pytest.approx([1, len(FACT) / len(LONG), 1])


def test_the_same_text_in_two_contexts_counts_once():
    found, _ = values(contexts(LONG, FACT), references(FACT, FACT), ["iR@2", "iP@2"])
    assert found == pytest.approx([1, len(FACT) / (len(LONG) + len(FACT))])


def test_a_context_within_a_reference_shows_a_part_of_it():
    found, _ = values(contexts(FACT), references(LONG), ["iR@1", "iP@1"])
    assert found == pytest.approx([len(FACT) / len(LONG), 1])


def test_a_reference_within_another_counts_once():
    found, _ = values(contexts(LONG), references(FACT, LONG), ["iR@1", "iP@1"])
    assert found == [1, 1]


def test_chunks_that_cut_a_reference_show_their_parts():
    found, _ = values(contexts(LONG[:75], LONG[60:]), references(LONG), ["iR@1", "iR@2"])
    assert found == pytest.approx([75 / len(LONG), 1], abs=0.02)
    cut = LONG.index(FACT) + 45
    first, _ = values(contexts(LONG[:cut]), references(FACT), ["iR@1"])
    assert first == [0]  # fewer than 40 letters: no sign
    found, _ = values(contexts(LONG[:cut]), references(f"{FACT} And no more."), ["iR@1"])
    assert found == [0]


def test_what_is_in_no_context_is_missed_and_told():
    found, scores = values(contexts(LONG), references(FACT, "Nobody says this."), ["iR@1"])
    assert found == pytest.approx([len(FACT) / (len(FACT) + len("Nobody says this."))])
    assert "1 of 2 references is in no context of run: its text counts as missed" in "; ".join(
        map(str, scores.notices)
    )


def test_white_space_and_marks_do_not_matter():
    spaced = LONG.replace(" ", "\n  ")
    found, _ = values(contexts(spaced), references(FACT.upper()), ["iR@1"])
    assert found == [1]


def test_topics_may_be_named_by_their_wording_and_words_are_counted():
    gold = [{"topic": "7", "query": "How long?", "quote": FACT}]
    run = [{"topic": "How  long?", "rank": 1, "text": LONG}]
    found, _ = values(run, gold, ["iR@1", "iR@1000w", "iR@1w"])
    assert found[:2] == [1, 1] and found[2] < 1


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(dx.UsageError, match="results are contexts given as text; none of 1 result has one"):
        values([{"topic": "t", "doc": "a", "rank": 1}], references(FACT), ["iR@1"])
    with pytest.raises(dx.UsageError, match="references, which are given as text; there are none"):
        values(contexts(LONG), [{"topic": "t", "doc": "a", "rel": 1}], ["iR@1"])
    for name in ("AP", "gP@2"):
        with pytest.raises(dx.UsageError, match="counts documents"):
            values(contexts(LONG), references(FACT), [name])


def test_names_are_compared_where_nothing_else_is_given():
    run = [{"topic": "t", "doc": doc, "rank": rank, "text": LONG} for rank, doc in enumerate("ab", 1)]
    gold = [{"topic": "t", "doc": "b", "quote": FACT}]
    pytest.importorskip("ir_measures")
    assert dx.evaluate({"run": run}, gold, "RR").value("run", "RR") == 0.5
    with pytest.raises(dx.UsageError, match="length of 1 relevant document is unknown"):
        dx.evaluate({"run": run}, gold, "iR@1")


def test_names_are_never_taken_for_all_of_their_text():
    run = [{"topic": "t", "doc": "b", "rank": 1, "text": FACT}]
    length = {"topic": "t", "doc": "b", "length": 1000}
    with pytest.raises(dx.UsageError, match="length of 1 relevant document is unknown"):
        dx.evaluate({"run": run}, [{"topic": "t", "doc": "b", "quote": FACT}, length], "iR@1")
    with pytest.raises(dx.UsageError, match="length of 1 document retrieved whole is unknown"):
        dx.evaluate({"run": run}, [{"topic": "t", "doc": "b", "start": 0, "end": 9}, length], "iR@1")


WORDS = [f"word{number:03d}x{'abcdefgh'[number % 8] * 3}" for number in range(200)]


@settings(max_examples=25)
@given(st.integers(0, 10**9))
def test_the_values_are_those_of_every_word(seed):
    """A text of distinct words, so that what two pieces share is certain; pieces share many words or none."""
    rng = random.Random(seed)
    cuts = sorted(rng.sample(range(0, 200, 8), rng.randint(3, 8)))

    def piece():
        start, end = sorted(rng.sample(cuts, 2))
        return set(range(start, end))

    def text(words):
        return " ".join(WORDS[at] for at in sorted(words))

    gold, run = [piece() for _ in range(rng.randint(1, 2))], [piece() for _ in range(rng.randint(1, 4))]
    if len(gold) == 2 and gold[0] & gold[1] and not (gold[0] <= gold[1] or gold[1] <= gold[0]):
        gold = gold[:1]
    found, _ = values(contexts(*map(text, run)), references(*map(text, gold)), ["iR@9"])
    wanted = set().union(*gold)
    shown = {at for at in wanted if any(at in words for words in run)}
    length = sum(len(WORDS[at]) + 1 for at in wanted)
    # Blanks between words belong to neither: each piece may lose one at either end.
    slack = (2 * len(run) + len(gold)) / length
    assert found[0] == pytest.approx(sum(len(WORDS[at]) + 1 for at in shown) / length, abs=slack)


@given(st.text("ab c", min_size=1, max_size=60), st.text("ab c", min_size=1, max_size=60))
def test_ranges_are_within_their_texts(reference, context):
    for shared in shared_text(TextIndex(reference), TextIndex(context)):
        assert 0 <= shared.reference[0] <= shared.reference[1] <= len(reference)
        assert 0 <= shared.context[0] <= shared.context[1] <= len(context)


def test_a_text_that_ends_as_it_began_overlaps_where_the_next_begins():
    part = "the quick brown fox jumps over the lazy dog again and again"
    found, _ = values(contexts(f"{part} until night"), references(f"{part}; then {part}"), ["iR@1", "iP@1"])
    size = len(part)
    assert found == pytest.approx([size / (2 * size + 7), size / (size + 12)], abs=0.01)
