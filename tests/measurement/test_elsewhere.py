"""Names that other tools give to measures are answered with what to type here."""

from __future__ import annotations

import json
import re

import pytest

import doxeval as dx
from doxeval.core.errors import nearest
from doxeval.measurement.describe import describe, list_measures
from doxeval.measurement.families.elsewhere import CALLED, called_here


@pytest.mark.parametrize(
    ("typed", "here"),
    [
        ("recall@5", "iR@5 (of text) or R@5 (of documents)"),
        ("recall_100", "iR@100 (of text) or R@100 (of documents)"),
        ("hit_rate", "Success@5 (of documents)"),
        ("hit_rate@3", "Success@3 (of documents)"),
        ("context_precision", "iP@5"),
        ("context_recall", "iR@5"),
        ("mrr", "RR"),
        ("mrr@10", "RR@10"),
        ("map", "AP (of documents) or AiP (of text)"),
        ("ndcg_cut_10", "nDCG@10"),
        ("P_10", "P@10 (of documents) or iP@10 (of text)"),
        ("iprec_at_recall_0.10", "IPrec@0.10 (of documents) or iP[0.10] (of text)"),
        ("f1@5", "F(beta=1)@5 (of text)"),
    ],
)
def test_what_to_type_here_is_said(typed: str, here: str) -> None:
    for ask in (dx.measure, describe):
        with pytest.raises(dx.UsageError, match=re.escape(f"; here that is {here}")):
            ask(typed)


@pytest.mark.parametrize("name", CALLED)
def test_what_is_said_can_be_typed(name: str) -> None:
    pytest.importorskip("ir_measures", reason="ir_measures is not installed (extra ir)")
    hint = called_here(f"{name}_0.1" if name == "iprec_at_recall" else f"{name}@3")
    for typed in hint.removeprefix("; here that is ").split(" or "):
        if not typed.startswith("'doxeval"):
            assert dx.measure(typed.split()[0]).label == typed.split()[0]


def test_own_names_and_nonsense_are_not_called_otherwise() -> None:
    assert [called_here(name) for name in ("AiP", "iP@5", "zzz", "", "a b")] == [""] * 5


@pytest.mark.parametrize(("typed", "meant"), [("3", "'q03'"), ("12", "'q12'"), ("q3", "'q03'")])
def test_a_number_alone_finds_the_topic_that_has_it(typed: str, meant: str) -> None:
    assert meant in nearest(typed, ["q01", "q03", "q12", "q13"])


def test_a_number_finds_nothing_where_no_name_has_it() -> None:
    assert nearest("7", ["q01", "2-7", "q77"]) == ""


def test_names_of_tracks_and_their_figures_lead_to_measures() -> None:
    with pytest.raises(dx.UsageError, match="it is in the origin of CharAP"):
        describe("PASSAGE2")
    with pytest.raises(dx.UsageError, match=r"AspectAP .*, CharAP .*, PsgAP"):
        describe("genomics")


@pytest.mark.parametrize("typed", ["AP", "nDCG@10", "iP@5"])
def test_whatever_is_scored_is_explained(typed: str) -> None:
    measure = dx.measure(typed)
    assert f"User: {measure.user}" in describe(typed)
    (entry,) = json.loads(list_measures("json", name=typed))
    assert entry["explained"] == describe(typed) and entry["name"] == measure.expression.call.name
