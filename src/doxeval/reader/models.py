"""The navigation models of an evaluation: each made once, with its notices reported once per run."""

from __future__ import annotations

from doxeval.core.facts import once
from doxeval.core.grammar import Call
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.reader.navigation.base import Navigation, navigation_named


@once
def navigation_of(ground: Ground, call: Call) -> Navigation:
    """The navigation model named by a call, for the documents of the ground truth."""
    return navigation_named(call, ground.documents)


@once
def navigation_for(aligned: Aligned, call: Call) -> Navigation:
    """The navigation model, with the notices about its files added to the run's."""
    model = navigation_of(aligned.ground, call)
    aligned.notices.extend(model.notices, origin=str(call))
    return model
