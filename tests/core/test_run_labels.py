"""Labels of runs: unique, short, the same every time, and nothing but what the names say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.core.errors import UsageError
from doxeval.core.run_labels import LONGEST_LABEL, run_labels, set_apart

words = st.text("abcde019.=", min_size=1, max_size=12)
names = st.lists(
    st.lists(words, min_size=1, max_size=7).map("-".join) | st.text(min_size=1, max_size=70),
    min_size=1, max_size=12, unique=True,
)  # fmt: skip


@given(names, st.sampled_from(["", "text-embedding-3-large_hybrid-bm25-"]))
def test_labels_are_unique_short_and_the_same_each_time(told: list[str], before: str) -> None:
    told = [before + name for name in told]
    found = run_labels(told)
    assert len(set(found.labels)) == len(told)
    assert all(len(label) <= LONGEST_LABEL for label in found.labels)
    assert found.labels == run_labels(told).labels
    assert (found.labels == told) == (not found.note)
    assert all(found.find(label) == name for name, label in zip(told, found.labels, strict=True))
    assert [found.number(name) for name in told] == list(range(1, len(told) + 1))


def test_short_names_are_labels_as_they_are() -> None:
    assert run_labels(["bm25-a", "bm25-b"]).labels == ["bm25-a", "bm25-b"]


def test_what_all_share_is_left_out_wherever_it_stands() -> None:
    sweep = [f"text-embedding-3-large_hybrid-bm25-k1={k}-b=0.75-size={size}-v2"
             for k in (0.9, 1.2) for size in (200, 400)]  # fmt: skip
    labels = ["k1=0.9-size=200", "k1=0.9-size=400", "k1=1.2-size=200", "k1=1.2-size=400"]
    assert run_labels(sweep).labels == labels
    other = run_labels(["a-very-long-common-beginning_x", "a-very-long-common-beginning_x-and-more_y"])
    assert other.labels == ["x", "x-and-more_y"]


def test_parameters_make_labels_where_names_are_long() -> None:
    long = [f"{letter * 40}" for letter in "abcd"]
    varying = {"chunker": ["fixed", "fixed", "tree", "tree"], "size": ["200", "400", "200", "400"]}
    found = run_labels(long, varying)
    assert found.labels == ["fixed size=200", "fixed size=400", "tree size=200", "tree size=400"]
    assert found.columns == ["run", "chunker", "size"] and found.cells(long[2]) == ["3", "tree", "200"]
    assert run_labels(["a", "b", "c", "d"], varying).cells("c") == ["c", "tree", "200"]


def test_a_run_is_found_by_name_label_and_number_and_missed_with_the_nearest() -> None:
    found = run_labels([f"{'long-' * 8}{n}" for n in range(3)])
    assert found.find("2") == found.names[2] and found.find("3") == found.names[2]
    with pytest.raises(UsageError, match="there is no run 'x'"):
        found.find("x")
    assert set_apart("a`b") == "`a'b`"
