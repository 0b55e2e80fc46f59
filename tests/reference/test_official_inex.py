"""Equal to the INEX scorer: per topic and in the mean, on real runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import doxeval as dx

MEASURES = "AiP iP[0.00] iP[0.01] iP[0.05] iP[0.10]"


def official(path: Path) -> dict[tuple[str, str], float]:
    """What the scorer printed: (topic, measure) -> value."""
    found = {}
    for line in path.read_text().splitlines():
        fields = line.split()
        if len(fields) == 3 and not line.startswith("<"):
            found[fields[1], fields[0]] = float(fields[2])
    return found


@pytest.mark.parametrize(
    ("run", "output", "topics"),
    [
        ("passages", "focused-passages", "run"),
        ("passages", "thorough-passages", "run"),
        ("bert", "focused-bert", "run"),
        ("bert", "thorough-bert", "run"),
        ("passages", "focused-complete-passages", "qrels"),
        ("bert", "focused-complete-bert", "qrels"),
    ],
)
def test_interpolated_precision_is_the_official_one(
    reference: Path, run: str, output: str, topics: str
) -> None:
    data = reference / "data" / "inex0910"
    expected = official(data / "official" / f"{output}.txt")
    scores = dx.evaluate(data / f"{run}.fol", data / "qrels.txt", f"{MEASURES} iP iR F", topics=topics)
    names = {"iP": "char_prec", "iR": "char_rec", "F": "char_f1"}
    compared = 0
    for _, topic, measure, value in scores.rows(per_topic=True):
        name = names.get(measure, measure)
        if topic == "all" and measure == "AiP":
            name = "MAiP"
        if (topic, name) in expected:
            assert value == pytest.approx(expected[topic, name], abs=1e-12), (topic, measure)
            compared += 1
    queries = int(expected["all", "num_q"])
    assert compared >= 8 * queries + 5
    assert len(scores.per_topic["topic"].unique()) == queries


def test_recall_curve_of_the_mean_is_the_official_one(reference: Path) -> None:
    data = reference / "data" / "inex0910"
    expected = official(data / "official" / "focused-passages.txt")
    points = [f"{step / 100:.2f}" for step in range(101)]
    scores = dx.evaluate(
        data / "passages.fol", data / "qrels.txt", [f"iP[{point}]" for point in points], topics="run"
    )
    for point in points:
        assert scores.value("passages", f"iP[{point}]") == pytest.approx(
            expected["all", f"ircl_prn.{point}"], abs=1e-12
        )


def test_two_thirds_of_the_lines_are_unjudged(reference: Path) -> None:
    data = reference / "data" / "inex0910"
    scores = dx.evaluate(data / "passages.fol", data / "qrels.txt", "AiP")
    assert "not judged for the topic, which count as irrelevant (passages 64.6%)" in repr(scores)
