"""How far a trajectory got with each thing that was asked for: found, opened, read, used, or never seen.

The unit is a need or, if ranges name none, a merged highlight. The first stage that holds is its stage:

- used: an edit, cite or answer step names it;
- read: an open or read step showed it, or a search step in a run without such steps;
- opened: an open or read step showed other text of its document;
- found: a search step showed or named it or its document;
- never.

A place is shown, or named, if any of its text is, or `part` of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import amount_within, key_width, keys
from doxeval.core.ragged import Ragged
from doxeval.ground.align import align
from doxeval.ground.aligned import Aligned, Conventions
from doxeval.ground.needs import Needs, needs_of
from doxeval.ground.step_counters import steps_of
from doxeval.tables.places import LINES, amount_in
from doxeval.tables.runs import Run
from doxeval.tables.steps import OPENING, SEARCH

STAGES = ("used", "read", "opened", "found", "never")
WHAT = "the stage of what was asked for"


@once
def used_by(aligned: Aligned) -> Aligned:
    """The places that edit, cite and answer steps name, aligned like results."""
    steps, _ = steps_of(aligned.run, "what was used")
    found = _part_of_run(steps.used, aligned)
    aligned.notices.extend(found.notices)
    return found


@once
def named_by(aligned: Aligned) -> Aligned:
    """The documents that search steps name without showing text of them, aligned like results."""
    steps, _ = steps_of(aligned.run, "what was named")
    return _part_of_run(steps.named, aligned)


def _part_of_run(part: Run, aligned: Aligned) -> Aligned:
    """Other places of a run, aligned like its results; what is said of whole runs is not said again."""
    if part.texts is None:
        part = replace(part, reach=np.zeros(len(part.docs), dtype=np.int64))
    return align(part, aligned.ground, Conventions())


@once
def stages_of(aligned: Aligned, part: Fraction) -> np.ndarray:
    """The stage of each need, a code of :data:`STAGES`."""
    steps, step = steps_of(aligned.run, WHAT)
    needs = needs_of(aligned.ground)
    action = steps.action[step[aligned.row]]
    searching = action == SEARCH
    opening = np.isin(action, OPENING)
    reading = opening if np.isin(steps.action, OPENING).any() else searching
    used, named = used_by(aligned), named_by(aligned)
    everything = np.ones(len(used), dtype=bool)
    holds = [
        _needs_at(needs, _places_shown(needs, used, everything, part)),
        _needs_at(needs, _places_shown(needs, aligned, reading, part)),
        _needs_at(needs, _pairs_of(aligned, opening & (aligned.size > 0))[needs.pair]),
        _needs_at(
            needs,
            (_pairs_of(aligned, searching) | _pairs_of(named, np.ones(len(named), dtype=bool)))[needs.pair],
        ),
        np.ones(len(needs.topic), dtype=bool),
    ]
    return np.argmax(holds, axis=0)


def _places_shown(needs: Needs, aligned: Aligned, chosen: np.ndarray, part: Fraction) -> np.ndarray:
    """Whether some results together show enough of each place: `part` of it, and at least something."""
    amount = amount_within(*_shown_keys(needs, aligned, chosen)[:4])
    return needs.pieces.sum(amount) >= np.maximum(1, needs.enough(part))


def _shown_keys(
    needs: Needs, aligned: Aligned, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """Starts and ends of all pieces of needs and of the text that some results show, as keys; their width."""
    spans = chosen[aligned.result] & (aligned.pair[aligned.result] >= 0)
    pair, start, end = aligned.pair[aligned.result][spans], aligned.start[spans], aligned.end[spans]
    shown, start, end = Ragged.gathered(pair, int(pair.max(initial=-1)) + 1, start, end)
    shown, start, end = shown.merge(start, end)
    width = key_width(end, needs.end)
    of_piece = needs.pair[needs.pieces.row]
    first, after = (keys(of_piece, place, width) for place in (needs.start, needs.end))
    return first, after, keys(shown.row, start, width), keys(shown.row, end, width), width


def away_from_shown(aligned: Aligned) -> np.ndarray:
    """How far each need is from the nearest text that was shown of its documents, in the unit of the text.

    Positive if the need lies further on, negative if it lies before that text, 0 if some of it was shown, NaN
    if no text of its documents was. From line 120 to line 301 it is 181 lines.
    """
    needs = needs_of(aligned.ground)
    first, after, start, end, width = _shown_keys(needs, aligned, np.ones(len(aligned), dtype=bool))
    at = np.searchsorted(start, after)
    shown = np.pad(start, 1, constant_values=-1), np.pad(end, 1, constant_values=-1)
    before, behind = (shown[0][place] // width == first // width for place in (at, at + 1))
    ahead = np.where(before, np.maximum(0, first - shown[1][at] + 1), np.inf)
    back = np.where(behind, shown[0][at + 1] - after + 1, np.inf)
    ahead[before & (shown[1][at] > first)] = 0
    away = np.full(len(needs.topic), np.nan)
    gaps = np.where(ahead <= back, ahead, -back)
    for need, place in zip(needs.need.tolist(), needs.answers.row.tolist(), strict=True):
        for gap in gaps[needs.pieces.slice(place)].tolist():
            if abs(gap) < np.inf and not abs(away[need]) <= abs(gap):
                away[need] = gap
    return away


def _pairs_of(aligned: Aligned, chosen: np.ndarray) -> np.ndarray:
    """Whether some of the results are in the document of each assessed pair."""
    found = np.zeros(len(aligned.ground.assessments.pair_doc), dtype=bool)
    found[aligned.pair[chosen & (aligned.pair >= 0)]] = True
    return found


def _needs_at(needs: Needs, places: np.ndarray) -> np.ndarray:
    """Whether each need has one of these places."""
    found = np.zeros(len(needs.topic), dtype=bool)
    found[needs.need[needs.answers.expand(places)]] = True
    return found


@dataclass(frozen=True)
class NeedStage:
    """A need of a topic, by its name or its first place, with its stage and all its places.

    `away` is how far it is from the nearest text that was shown of its documents: positive if it lies further
    on, negative if before, 0 if some of it was shown, None if no text of its documents was.
    """

    topic: str
    need: str
    stage: str
    places: str
    away: float | None


def stages_told(aligned: Aligned, part: Fraction) -> Iterator[NeedStage]:
    """The stage of each need, for people; places are `document:first-last`, in the unit of the text."""
    ground, needs = aligned.ground, needs_of(aligned.ground)
    told = partial(amount_in, ground.unit)
    stage, names, away = stages_of(aligned, part), ground.unit_aspects, away_from_shown(aligned).tolist()
    places: dict[int, list[str]] = {}
    for place, need in zip(needs.answers.row.tolist(), needs.need.tolist(), strict=True):
        at = needs.pieces.slice(place)
        doc = ground.docs[ground.assessments.pair_doc[needs.pair[place]]]
        first = needs.start[at] + (ground.unit == LINES)
        ranges = zip(map(told, first.tolist()), map(told, needs.end[at].tolist()), strict=True)
        places.setdefault(need, []).append(f"{doc}:{','.join(f'{start}-{end}' for start, end in ranges)}")
    for need, listed in sorted(places.items()):
        aspect = int(needs.aspect[need])
        name = listed[0] if names is None or aspect < 0 else names.table[aspect]
        topic = ground.topics[int(needs.topic[need])]
        far = None if away[need] != away[need] else told(int(away[need]))
        yield NeedStage(topic, name, STAGES[stage[need]], " or ".join(listed), far)
