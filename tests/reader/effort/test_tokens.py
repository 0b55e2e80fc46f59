"""Budgets in tokens: by an encoding of tiktoken made from a file of ranks, by a function, or by none."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.ground.tokens import STATED, token_cutter
from tests.cases import Case, cases, scores

TEXT = "Mieträume: 早い résumé 🎉 ok"
QRELS = [{"topic": "t", "doc": "d", "start": 0, "end": len(TEXT)}]
RUN = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": len(TEXT)}]
DOCUMENTS = [{"doc": "d", "text": TEXT}]


@pytest.fixture
def encoding(tmp_path: Path):
    """Bytes, and a few pairs of them, as the rank files of tiktoken hold them."""
    tiktoken = pytest.importorskip("tiktoken")
    from tiktoken.load import load_tiktoken_bpe

    tokens = [bytes([byte]) for byte in range(256)] + [b"ie", b"tr", b"Mi", b" r", b"su"]
    lines = (b"%s %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens))
    path = tmp_path / "own.tiktoken"
    path.write_bytes(b"".join(lines))
    ranks = load_tiktoken_bpe(str(path))
    return tiktoken.Encoding("own", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})


def recalls(names: str, **options) -> list[float]:
    found = dx.evaluate({"r": RUN}, QRELS, names, documents=DOCUMENTS, **options)
    return [found.value("r", name) for name in found.measures]


def test_an_encoding_of_tiktoken_counts_its_tokens(encoding) -> None:
    tokens = encoding.encode_ordinary(TEXT)
    names = " ".join(f"iR@{count}t" for count in range(1, len(tokens) + 1))
    for count, recall in enumerate(recalls(names, tokenizer=encoding), 1):
        shown = encoding.decode_bytes(tokens[:count]).decode(errors="replace")
        assert recall == len(shown) / len(TEXT), count
    assert recalls("Reach(recall=1,unit=tokens)", tokenizer=encoding) == [len(tokens)]


def test_what_a_function_gives_is_found_in_the_text() -> None:
    assert recalls("iR@1t iR@2t", tokenizer=str.split) == [10 / len(TEXT), 13 / len(TEXT)]
    assert recalls("iR@1t", tokenizer=lambda text: [(0, 4), (4, len(text))]) == [4 / len(TEXT)]
    for wrong, told in (
        (lambda text: ["nowhere"], "is not in the text"),
        (lambda text: [17], "expected texts or pairs"),
        (17, "expected as tokenizer a tokenizer.json"),
    ):
        with pytest.raises(dx.UsageError, match=told):
            recalls("iR@1t", tokenizer=wrong)


def test_names_that_stand_for_nothing_are_refused() -> None:
    pytest.importorskip("tiktoken")
    with pytest.raises(dx.UsageError, match=r"neither a file .* did you mean 'o200k_base'"):
        token_cutter("o200k_bas")


def test_a_store_keeps_no_scores_of_a_tokenizer_without_a_name(tmp_path: Path) -> None:
    with pytest.raises(dx.UsageError, match="a store identifies tokenizers by file or name"):
        dx.evaluate({"r": RUN}, QRELS, "iR@1t", DOCUMENTS, tokenizer=str.split, store=tmp_path / "store")


@pytest.mark.filterwarnings("ignore:run. no document of the run was assessed")
@given(cases(), st.integers(1, 30))
def test_without_a_tokenizer_a_token_is_four_characters_and_that_is_stated(case: Case, count: int) -> None:
    found = dx.evaluate({"run": case.run()}, case.qrels(), f"iR@{count}t iP@{count}t Reach(unit=tokens)")
    assert STATED in repr(found)
    values = scores(case, f"iR@{4 * count}c iP@{4 * count}c Reach")
    *shares, reach = (found.value("run", name) for name in found.measures)
    assert shares == list(values.values())[:2]
    assert reach == values["Reach"] or reach == -(-values["Reach"] // 4)
