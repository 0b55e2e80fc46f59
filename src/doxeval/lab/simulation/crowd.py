"""A crowd of simulated readers: each draws where to go from what they consult."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from doxeval import UsageError
from doxeval.extend import Navigation
from doxeval.reader.navigation.model import Array

GROUPS = 16
"""A power of 2, for which there is a balanced set of half-samples."""
NEVER = np.iinfo(np.int64).max


@dataclass(eq=False)
class Crowd:
    """Readers in groups of about equal size, whose differences show how exact the mean over all of them is.

    `group` is the group of each reader, `size` that of each whole group. `persistent` readers
    decide once about each place, and go there from the first result that leads there well enough; the others
    decide anew at every result (ESR Eq. 5).
    """

    group: Array
    size: Array
    random: np.random.Generator
    persistent: bool = False

    @classmethod
    def of(cls, readers: int, seed: int, persistent: bool = False) -> Crowd:
        """That many readers."""
        group = np.arange(readers) % GROUPS
        return cls(group, np.bincount(group, minlength=GROUPS), np.random.default_rng(seed), persistent)

    def __len__(self) -> int:
        return len(self.group)

    def mean(self, amounts: Array | float) -> Array:
        """The mean of an amount over each group; those of a whole group who are not here add nothing."""
        weights = np.broadcast_to(amounts, len(self))
        return np.bincount(self.group, weights=weights, minlength=GROUPS) / self.size

    def there_after(self, reached: Array, ranks: int) -> Array:
        """The share of each group that has reached a place after each of the ranks."""
        arrived = np.zeros((GROUPS, ranks + 1), dtype=np.int64)
        np.add.at(arrived, (self.group, np.minimum(reached, ranks)), 1)
        return np.cumsum(arrived[:, :ranks], axis=1) / self.size[:, None]

    def first_reached(self, model: Navigation, chances: Array, place: Array) -> Array:
        """The place from which each reader first gets somewhere, NEVER if from none.

        `chances[kind, step]` is that of each kind of reader in `kinds_of(model)`, the last being those who go
        nowhere, and `place` that of each step, for all or for each reader.
        """
        if not chances.any():
            return np.full(len(self), NEVER)
        shape = (len(self), 1 if self.persistent else chances.shape[1])
        goes = self.random.random(shape) < chances[self._kinds(model, shape), np.arange(chances.shape[1])]
        return np.where(goes, place, NEVER).min(axis=1, initial=NEVER)

    def split(self, model: Navigation) -> Iterator[tuple[Navigation | None, Crowd]]:
        """The readers of each kind in a mixture; None is the model of those who go nowhere."""
        kinds: list[Navigation | None] = [kind for _, kind in kinds_of(model)]
        of_each = self._kinds(model, (len(self),))
        for number, kind in enumerate([*kinds, None]):
            if (of_each == number).any():
                yield kind, replace(self, group=self.group[of_each == number])

    def _kinds(self, model: Navigation, shape: tuple[int, ...]) -> Array:
        shares = np.cumsum([weight for weight, _ in kinds_of(model)])
        if len(shares) == 1 and shares[0] == 1:
            return np.zeros(shape, dtype=np.int64)
        return np.searchsorted(shares, self.random.random(shape), side="right")


def half_samples() -> Array:
    """Halves of the groups, as masks, balanced: any two groups are together in half of those that have one.

    The mean square by which half-samples differ from the whole is then, for a mean, its squared standard
    error; for other statistics an estimate of it (McCarthy 1969).
    """
    signs = np.ones((1, 1), dtype=np.int64)
    while len(signs) < GROUPS:
        signs = np.block([[signs, signs], [signs, -signs]])
    return signs[1:] > 0


def kinds_of(model: Navigation) -> list[tuple[float, Navigation]]:
    """The kinds of readers in a mixture, with their shares; a plain model is the only kind."""
    if model.minds_list:
        raise UsageError(
            f"readers of {model.call} cannot be simulated: their chances change along the list, those of "
            "simulated readers do not (--visits persistent lets them decide once about each place)"
        )
    if not model.parts:
        return [(1.0, model)]
    return [(weight * share, kind) for weight, part in model.parts for share, kind in kinds_of(part)]


def go_there(model: Navigation, chances: Array) -> Array:
    """The share of all readers, whatever their kind, who take each step."""
    shares = [weight for weight, _ in kinds_of(model)]
    return np.array([*shares, 1 - sum(shares)]) @ chances


def chances_of(
    model: Navigation, source_doc: Array, source: Array, target_doc: Array, target: Array,
    letters: Array | None = None,
) -> Array:  # fmt: skip
    """p(target; source) for every kind of reader, and 0 for those who go nowhere; 0 for equal nodes."""
    kinds = kinds_of(model)
    chances = np.zeros((len(kinds) + 1, len(source)))
    known = (source_doc >= 0) & (target_doc >= 0)
    known &= (source_doc != target_doc) | (source != target)
    inside, everywhere = np.flatnonzero(known & (source_doc == target_doc)), np.flatnonzero(known)
    for row, (_, kind) in zip(chances, kinds, strict=False):
        if kind.crosses:
            at = everywhere
            row[at] = kind.chance_between(source_doc[at], source[at], target_doc[at], target[at])
        else:
            coverage = letters[inside] if letters is not None and kind.minds_coverage else None
            row[inside] = kind.chance(source_doc[inside], source[inside], target[inside], coverage)
    return chances
