"""The styles in which answers cite, and what is said about others."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.io.placing.text_index import TextIndex
from doxeval.rag.citation_marks import MARK, defined_footnotes, read_mark
from doxeval.rag.citations import FEWEST_WORDS, _patchwork, citations_in, citations_of

DOCUMENTS = {"lease.md": "The deposit is two months of rent.", "law.txt": "Wear and tear is ordinary."}
RUN = [
    {"topic": "q", "doc": "lease.md", "rank": 1},
    {"topic": "q", "doc": "law.txt", "rank": 2},
]


@pytest.mark.parametrize(
    ("text", "numbers", "sources"),
    [
        ("It is so [1].", [1], []),
        ("It is so [1, 3].", [1, 3], []),
        ("It is so [^2].", [2], []),
        ("It is so.[^a]\n\n[^a]: lease.md\n", [], ["lease.md"]),
        ("It is so.[^1]\n\n[^1]: [The lease](lease.md)\n", [], ["lease.md"]),
        ("It is so (Source 2).", [2], []),
        ("It is so (Sources: 1, 2).", [1, 2], []),
        ("It is so [Document 2].", [2], []),
        ("It is so 【2†source】.", [2], []),
        ("It is so 【4:0†law.txt】.", [], ["law.txt"]),
        ("It is so [lease.md].", [], ["lease.md"]),
        ("It is so [my lease.md, p. 3].", [], ["my lease.md"]),
        ("It is so<cite>1</cite>.", [1], []),
        ("It is so<cite>[1][2]</cite>.", [], []),
        ("It is so<cite>law.txt</cite>.", [], ["law.txt"]),
        ('It is so<cite doc="law.txt">two months</cite>.', [], ["law.txt"]),
        ("It is so<cite></cite>.", [], []),
        ("A [link](http://example.org) and [...] are none.", [], []),
    ],
)
def test_every_style(text, numbers, sources):
    found = list(citations_in("q", text))
    assert [number for one in found for number in one.numbers] == numbers
    assert [one.source for one in found if one.source] == sources


@pytest.mark.parametrize(
    "mark", ["【4:0†source】", "[see above]", "<cite>the second one</cite>", "[^nobody]"]
)
def test_what_is_not_understood_is_told(mark):
    told = dx.cite([{"topic": "q", "answer": f"It is so {mark}."}], RUN, documents=DOCUMENTS)
    assert any(
        "1 mark in the answers is no citation of a style that is known" in str(one) for one in told.notices
    )
    assert mark in "; ".join(map(str, told.notices))
    assert not told.cited


@pytest.mark.parametrize(
    ("quote", "counts"), [("abcd efgh ijkl", True), ("abcd efgh ijk", False), ("abcdefgh ijklmnop", False)]
)
def test_a_quote_has_at_least_three_words_and_twelve_letters(quote, counts):
    found = [(one.quote, one.numbers) for one in citations_in("q", f'It says "{quote}" [1].')]
    assert found == [(quote if counts else "", (1,))]


def test_a_mark_ends_the_quotes_it_belongs_to():
    answer = '"the first few words" [lease.md] and "some more words follow" [2].'
    found = [(one.quote, one.numbers, one.source) for one in citations_in("q", answer)]
    assert found == [("the first few words", (), "lease.md"), ("some more words follow", (2,), "")]


PROVIDED = [
    ({"type": "char_location", "cited_text": "two months of rent", "document_index": 0,
      "document_title": "lease.md", "start_char_index": 15, "end_char_index": 33}, "real"),
    ({"type": "page_location", "cited_text": "two months of rent", "document_index": 1}, "misattributed"),
    ({"type": "search_result_location", "cited_text": "three years of sun", "search_result_index": 0},
     "made up"),
    ({"type": "file_citation", "file_id": "file-1", "filename": "law.txt", "index": 7}, "real"),
    ({"type": "file_citation", "text": "x", "file_citation": {"file_id": "lease.md"}}, "real"),
    ({"type": "url_citation", "url": "http://example.org", "title": "x"}, "made up"),
    ({"start": 0, "end": 4, "text": "It is", "document_ids": ["doc_1"]}, "real"),
    ({"start": 0, "end": 4, "text": "It is", "sources": [{"type": "document", "id": "law.txt"}]}, "real"),
    ({"segment": {"text": "It is"}, "groundingChunkIndices": [1]}, "real"),
    ({"doc": "lease.md"}, "real"),
]  # fmt: skip


@pytest.mark.parametrize(("citation", "kind"), PROVIDED)
def test_objects_of_the_citation_interfaces_of_model_providers(citation, kind):
    told = dx.cite([{"topic": "q", "answer": "It is so.", "citations": [citation]}], RUN, documents=DOCUMENTS)
    assert [one.kind for one in told.cited] == [kind]


def test_a_document_that_was_not_retrieved_is_misattributed():
    told = dx.cite([{"topic": "q", "answer": "So [law.txt]."}], RUN[:1], documents=DOCUMENTS)
    assert told.counts["misattributed"] == 1 and not told.cited[0].places


def test_other_objects_are_refused():
    with pytest.raises(dx.UsageError, match="citation interface"):
        citations_of({"topic": "q", "citations": [{"x": 1}]}, "here")


@given(st.text('[]()^<>/cite 12†【】.:"source file.txt', max_size=80))
def test_no_text_is_a_traceback(text):
    for one in citations_in("q", text, []):
        assert one.quote or one.numbers or one.source


@given(st.integers(0, 10**9))
def test_a_stitched_quote_is_cut_into_the_longest_pieces_there_are(seed: int) -> None:
    dice = Random(seed)
    words = [f"{letter}{letter}{number}" for letter in "abc" for number in range(4)]
    texts = [" ".join(dice.choices(words, k=dice.randint(3, 30))) for _ in range(2)]
    given = [text.split() for text in dice.choices(texts, k=3)]
    quoted = [word for text in given for word in text[dice.randrange(3) :][: dice.randint(1, 12)]]
    indexes = [TextIndex(text) for text in texts]
    wanted, first = [], 0
    while first <= len(quoted) - FEWEST_WORDS:
        pieces = [
            (last, number)
            for last in range(first + FEWEST_WORDS, len(quoted) + 1)
            for number, index in enumerate(indexes)
            if index.places(" ".join(quoted[first:last]))[1]
        ]
        if not pieces:
            first += 1
            continue
        last, number = max(pieces, key=lambda piece: (piece[0], -piece[1]))
        wanted.append((number, indexes[number].places(" ".join(quoted[first:last]))[1][0]))
        first = last
    assert _patchwork(indexes, " ".join(quoted))[0] == wanted


def test_a_footnote_that_is_defined_by_numbers_names_these_results() -> None:
    """The number of a footnote is then a name like any other."""
    answer, footnotes = defined_footnotes("So it is.[^1] And so.[^9]\n[^1]: [2, 4]\n[^9]: lease.md\n")
    marks = [read_mark(match, footnotes) for match in re.finditer(MARK, answer)]
    assert [(mark.numbers, mark.sources) for mark in marks] == [((2, 4), ()), ((), ("lease.md",))]
