"""One document: every level against trying everywhere."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.io.placing.folding import fold_letters, fold_spaces
from doxeval.io.placing.text_index import TextIndex

TEXTS = st.text("ab \n-Bﬁ½", max_size=25)


def letters(text):
    """Letters and digits, one character after the other, with the place of each."""
    return [
        (part, at)
        for at, character in enumerate(text)
        for part in unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
        if part.isalnum()
    ]


def cuts_a_word(text, start, end):
    return text[start - 1 : start + 1].isalnum() * (start > 0) or text[end - 1 : end + 1].isalnum() * (
        end < len(text)
    )


def with_marks(text, quote, start, end, first, last):
    """A place with as much as is the same before and behind its letters."""
    before = max(n for n in range(first + 1) if text[max(0, start - n) : start] == quote[first - n : first])
    after = max(n for n in range(len(quote) - last + 1) if text[end : end + n] == quote[last : last + n])
    return start - before, end + after


def brute(text, quote):
    """Places where the text is the quote; else where their words, else where their letters are the same."""
    found: tuple[str, list[tuple[int, int]]] = "", []
    if quote.strip():
        pieces = [(start, end) for start in range(len(text)) for end in range(start + 1, len(text) + 1)]
        exact = [piece for piece in pieces if text[slice(*piece)] == quote]
        words = [
            (start, end)
            for start, end in pieces
            if text[start:end].strip() == text[start:end] and text[start:end].split() == quote.split()
        ]
        wanted = [part for part, _ in letters(quote)]
        stand = letters(text)
        same = [
            (stand[at][1], stand[at + len(wanted) - 1][1] + 1)
            for at in range(len(stand) - len(wanted) + 1)
            if wanted and [part for part, _ in stand[at : at + len(wanted)]] == wanted
        ]
        levels = {"exact": exact, "white space": words, "letters": same}
        found = next(((level, places) for level, places in levels.items() if places), found)
    level, places = found
    if level == "letters":
        stand = [at for _, at in letters(quote)]
        places = [with_marks(text, quote, *place, stand[0], stand[-1] + 1) for place in places]
    whole = [place for place in places if not cuts_a_word(text, *place)]
    return level, whole if len(places) > 1 and whole else places


@given(TEXTS, st.text("ab \n-Bﬁ", min_size=1, max_size=5))
def test_places_are_those_found_by_trying_everywhere(text, quote):
    assert TextIndex(text).places(quote) == brute(text, quote)


@given(st.text(min_size=1), st.text(), st.text())
def test_a_quote_taken_from_a_text_is_found_there(quote, before, after):
    level, found = TextIndex(before + quote + after).places(quote)
    if quote.strip():
        assert level == "exact" and all((before + quote + after)[start:end] == quote for start, end in found)
    else:
        assert not found


@given(st.text())
def test_foldings_lead_back_to_where_they_are_from(text):
    spaced = fold_spaces(text)
    assert spaced.text.strip() == " ".join(text.split())
    assert all(
        text[at] == part or text[at].isspace() for part, at in zip(spaced.text, spaced.origin, strict=True)
    )
    if not set("<&]") & set(text):
        folded = fold_letters(text)
        assert list(zip(folded.text, folded.origin.tolist(), strict=True)) == letters(text)


@pytest.mark.parametrize(
    ("text", "quote", "level", "found"),
    [
        ("𝔘ñ x", "x", "exact", "x"),
        ("a.*b\n(c)", "a.*b (c)", "white space", "a.*b\n(c)"),
        ("The exam-\nple is here.", "example is here", "letters", "exam-\nple is here"),
        ("An eﬃcient plan", "AN EFFICIENT PLAN", "letters", "An eﬃcient plan"),
        ("soft\u00adly “quoted”", 'softly "quoted"', "letters", "soft\u00adly “quoted"),
        ("cloud\ufffebased", "cloud-based", "letters", "cloud\ufffebased"),
        ("Cafe\u0301 noir", "Caf\u00e9 noir", "letters", "Cafe\u0301 noir"),
        (
            "See [the guide](https://a.b/c) now.",
            "See the guide now.",
            "letters",
            "See [the guide](https://a.b/c) now.",
        ),
        ("See the guide now.", "See **[the guide](https://a.b/c)** now.", "letters", "See the guide now."),
        ("| A | B |\n|---|---|\n| 1 | 2 |", "A B 1 2", "letters", "A | B |\n|---|---|\n| 1 | 2"),
        ("Tom &amp; Ann <b>won</b>", "Tom & Ann won", "letters", "Tom &amp; Ann <b>won"),
    ],
)
def test_copies_of_every_kind_are_found(text, quote, level, found):
    found_at, places = TextIndex(text).places(quote)
    assert (found_at, [text[slice(*place)] for place in places]) == (level, [found])


def test_whole_words_come_before_parts_of_words():
    assert TextIndex("start of art").places("art") == ("exact", [(9, 12)])
    assert TextIndex("start").places("art") == ("exact", [(2, 5)])


def test_large_documents_take_no_time():
    text = "the cat sat on the mat. " * 100_000 + "the end\nof it"
    begin = time.process_time()
    index = TextIndex(text)
    assert len(index.places("the end of it")[1]) == 1
    assert index.places("the end of that")[1] == []
    assert time.process_time() - begin < 5
