"""Quotes in documents: what decides between places, and that nothing is placed silently."""

from __future__ import annotations

import random
import re
import warnings

import pytest

import doxeval as dx
from doxeval.ground.placed_quotes import anchored, resolve_quotes
from doxeval.ground.quote_report import level_counts
from doxeval.io.placing.library import library_of
from doxeval.io.placing.place_quotes import place_quote
from doxeval.tables.quotes import Hint

TWICE = (
    "# Returns\n\nGoods may be sent back. The fee is five euros.\n\n"
    "# Orders\n\nGoods are sent within a week. The fee is five euros.\fThe fee is five euros. Thanks."
)
FEE = "The fee is five euros"
FEES = [at for at in range(len(TWICE)) if TWICE.startswith(FEE, at)]
LIBRARY = dx.read_documents([{"doc": "shop", "text": TWICE}])


def place(text, **hint):
    return place_quote(library_of(LIBRARY), 0, text, Hint(**hint))


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        ({"prefix": "may be sent back."}, [[0]]),
        ({"suffix": ". # Orders"}, [[0]]),
        ({"page": 2}, [[2]]),
        ({"page": 1}, None),
        ({"page": 1, "occurrence": "2"}, [[1]]),
        ({"occurrence": "first"}, [[0]]),
        ({"occurrence": "3"}, [[2]]),
        ({"occurrence": "4"}, None),
        ({"occurrence": "all"}, [[0, 1, 2]]),
        ({"occurrence": "any"}, [[0], [1], [2]]),
        ({"prefix": "of quite another text, which stands nowhere"}, None),
        ({}, None),
    ],
)
def test_what_is_told_decides_between_places(hint, expected):
    found = place(FEE, **hint)
    if expected is None:
        assert found.outcome == "ambiguous" and not found.placed and len(found.places) > 1
    else:
        starts = [[FEES.index(start) for start, _ in pieces] for pieces in found.places]
        assert found.outcome == "exact" and starts == expected
    assert found.any_of == (hint.get("occurrence") == "any")


@pytest.mark.parametrize("suffix", ["md", "html"])
def test_a_section_decides(tmp_path, suffix):
    text = TWICE.replace("\f", "\n\n# End\n\n")
    if suffix == "html":
        text = re.sub("# (.*)", r"<h2>\1</h2>", text)
    (tmp_path / f"guide.{suffix}").write_text(text)
    documents = dx.read_documents(tmp_path)
    texts = {
        title: place_quote(library_of(documents), 0, FEE, Hint(section=title)).places[0][0][0]
        for title in ("Returns", "orders", "End")
    }
    assert list(texts.values()) == sorted(texts.values()) and len(set(texts.values())) == 3


def test_pieces_around_ellipses_stand_in_order():
    for marks in ("...", "[...]", "…", " (...) "):
        found = place(f"Goods are sent{marks}five euros")
        assert [TWICE[start:end] for start, end in found.places[0]] == ["Goods are sent", "five euros"]
        assert found.outcome == "exact" and found.places[0][0][0] == TWICE.index("Goods are")
    assert place("Thanks ... Thanks ... Goods may be").outcome == "lost"


def test_offsets_are_used_only_if_the_text_stands_there():
    start = FEES[1]
    assert place(FEE, told=((start, start + len(FEE)),)).outcome == "in place"
    assert place("Goods may be sent back", told=((0, 10),)).places[0][0][0] == TWICE.index("Goods may")
    assert place(FEE, told=((0, 10),)).outcome == "ambiguous"
    assert place("No such thing as that was ever said", told=((0, 10),)).outcome == "lost"


def test_a_page_without_a_quote_is_the_page():
    found = place("", page=2)
    assert found.outcome == "page" and TWICE[slice(*found.places[0][0])] == "The fee is five euros. Thanks."
    assert place("", page=7).outcome == "lost"


WORDS = (
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "frost",
    "grove",
    "haven",
    "inlet",
    "jetty",
    "karst",
    "ledge",
)


def _long_text(seed, size=4000):
    draw = random.Random(seed)
    return " ".join(
        f"{' '.join(draw.choice(WORDS) + str(draw.randrange(100)) for _ in range(12))}."
        for _ in range(size // 90)
    )


def _typos(quote, step=11):
    return "".join("#" if at % step == 5 else part for at, part in enumerate(quote))


CORRUPTIONS = {
    "none": (lambda quote: quote, "exact"),
    "line breaks": (lambda quote: quote.replace(" ", "\n  "), "white space"),
    "capitals": (str.upper, "letters"),
    "hyphens": (lambda quote: quote.replace("ar", "a-\nr"), "letters"),
    "soft hyphens": (lambda quote: quote.replace("e", "\u00ade"), "letters"),
    "marks": (lambda quote: "• " + quote.replace(" ", " | "), "letters"),
    "full width": (lambda quote: quote.replace("1", "\uff11").replace("a", "\uff41"), "letters"),
    "markup": (lambda quote: "<b>" + quote.replace(" ", "</b> ", 1), "letters"),
    "typos": (_typos, "approximate"),
    "words left out": (lambda quote: " ".join(quote.split()[:8] + quote.split()[9:]), "approximate"),
    "words put in": (
        lambda quote: " ".join([*quote.split()[:8], "zebra77", *quote.split()[8:]]),
        "approximate",
    ),
    "another text": (lambda quote: _long_text(99)[: len(quote)].replace("a", "x").replace("e", "q"), "lost"),
    "twice": (lambda quote: "twice told tales", "ambiguous"),
}


def test_every_corruption_is_found_in_the_report_of_levels():
    text = _long_text(1) + " twice told tales and twice told tales"
    at = text.index(".", 500) + 2
    quote = text[at : at + 180]
    rows = [
        {"topic": name, "doc": "d", "quote": corrupt(quote)} for name, (corrupt, _) in CORRUPTIONS.items()
    ]
    documents = dx.read_documents([{"doc": "d", "text": text}])
    found = anchored(dx.read_assessments(rows), documents, margins=True)
    by_topic = dict(
        zip(
            map(found.topics.__getitem__, found.pair_topic[found.quotes.pair]),
            found.quotes.placed,
            strict=True,
        )
    )
    assert {name: place.outcome for name, place in by_topic.items()} == {
        name: level for name, (_, level) in CORRUPTIONS.items()
    }
    for name, place in by_topic.items():
        if place.placed:
            ((start, end),) = place.places[0]
            assert abs(start - at) <= 12 and abs(end - at - len(quote)) <= 12, name
            assert place.margin > 0.2 and (place.similarity < 1) == (place.outcome == "approximate")
    assert level_counts(by_topic.values()) == {
        "exact": 1, "white space": 1, "letters": 6, "approximate": 3, "ambiguous": 1, "lost": 1,
    }  # fmt: skip
    told = [str(notice) for notice in resolve_quotes(dx.read_assessments(rows), documents).notices.lasting]
    assert "11 of 13 quotes found: 1 exactly, 1 but for white space, 6 by letters, 3 approximately" in told
    assert any("did you mean" in notice or "not found" in notice for notice in told)


def test_quotes_without_a_document_are_found_in_theirs():
    texts = {f"d{number}": _long_text(number) for number in range(30)}
    documents = dx.read_documents([{"doc": doc, "text": text} for doc, text in texts.items()])
    rows = [
        {"topic": doc, "quote": text[400:600].upper() if number % 2 else _typos(text[400:600], 23)}
        for number, (doc, text) in enumerate(texts.items())
    ]
    rows += [
        {"topic": "none", "quote": "Nothing of the kind was ever said here"},
        {"topic": "d3", "doc": "d7"},
    ]
    found = resolve_quotes(dx.read_assessments(rows), documents)
    docs = {
        found.topics[found.pair_topic[pair]]: found.docs[found.pair_doc[pair]] for pair in found.ranges.pair
    }
    assert docs == {doc: doc for doc in texts}
    assert abs(found.ranges.start - 400).max() <= 8 and "" not in found.docs and "none" in found.topics
    assert "1 quote was not found" in " ".join(map(str, found.notices))


def test_a_quote_in_two_documents_is_ambiguous():
    documents = dx.read_documents(
        {"a": "One thing and the same thing said.", "b": "The same thing said twice."}
    )
    found = anchored(dx.read_assessments([{"topic": "t", "quote": "the same thing said"}]), documents)
    assert found.quotes.placed[0].outcome == "exact" and found.quotes.placed[0].margin == 0
    found = anchored(dx.read_assessments([{"topic": "t", "quote": "same thing said"}]), documents)
    assert found.quotes.placed[0].outcome == "ambiguous" and found.quotes.placed[0].also == (0, 1)


def test_a_quote_that_counts_anywhere_is_one_need_with_several_places():
    documents = {"d": "Red button. Blue. Red button. Green."}
    gold = [
        {"topic": "t", "doc": "d", "quote": "Red button.", "occurrence": "any"},
        {"topic": "t", "doc": "d", "quote": "Blue."},
    ]
    run = [
        {"topic": "t", "doc": "d", "rank": rank, "start": start, "end": end}
        for rank, (start, end) in enumerate(((18, 29), (12, 17)), 1)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate({"run": run}, gold, "NeedRecall@1 NeedRecall@2 Complete@2 iR@2", documents)
    assert [scores.value("run", name) for name in scores.measures] == [0.5, 1.0, 1.0, 16 / 27]
    told = "2 places are alternatives of 1 quote (occurrence: any); measures of text count each of them"
    assert told in map(str, scores.notices.lasting)
