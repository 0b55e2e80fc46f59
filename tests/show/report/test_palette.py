"""Series are told apart by whoever looks at them: in colour, colour-blind, in print, on light and dark."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from doxeval.show.style import COLOURS, DASHES, MARKERS, stroke

SIGHTS = {
    "all colours": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
"""Machado, Oliveira and Fernandes (2009), Table 1, severity 1.0, on linear RGB."""
CONES = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
         [0.0883024619, 0.2817188376, 0.6299787005]]  # fmt: skip
OKLAB = [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
         [0.0259040371, 0.7827717662, -0.808675766]]  # fmt: skip
CLOSEST = 0.07
"""In OKLab; the palette of Okabe and Ito, the yardstick, has pairs at 0.076."""


def linear(colour: str) -> np.ndarray:
    share = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def seen(colour: str, sight) -> np.ndarray:
    return np.array(OKLAB) @ np.cbrt(np.array(CONES) @ np.clip(np.array(sight) @ linear(colour), 0, None))


def luminance(colour: str) -> float:
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("sight", SIGHTS)
def test_every_two_colours_are_told_apart(sight) -> None:
    for one, other in combinations(COLOURS, 2):
        distance = np.linalg.norm(seen(one, SIGHTS[sight]) - seen(other, SIGHTS[sight]))
        assert distance > CLOSEST, (one, other)


@pytest.mark.parametrize("paper", ["#ffffff", "#171c23"])
def test_every_colour_stands_out_from_the_paper(paper) -> None:
    """With the contrast of 3:1 that WCAG 2.1 (1.4.11) asks of graphics, on the report's two papers."""
    for colour in COLOURS:
        low, high = sorted([luminance(colour), luminance(paper)])
        assert (high + 0.05) / (low + 0.05) >= 3, colour


def test_series_differ_in_two_of_three_ways_and_neighbours_in_all() -> None:
    strokes = [stroke(at) for at in range(len(COLOURS) * len(DASHES))]
    assert len({one.marker for one in strokes}) == len(MARKERS)
    for (at, one), (later, other) in combinations(enumerate(strokes), 2):
        same = sum(a == b for a, b in zip(one, other, strict=True))
        assert same <= (0 if later == at + 1 else 1), (at, later)
