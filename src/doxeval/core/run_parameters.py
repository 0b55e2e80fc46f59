"""The parameters of runs: those given with them, and those in names of one pattern.

A parameter is a name and a value, both text: ``{"chunker": "fixed", "size": "200"}``. What a run took, under
the names of :data:`~doxeval.core.run_labels.AMOUNTS`, is given in the same places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.run_labels import LONGEST_LABEL, UNNAMED, words_of_name
from doxeval.core.values import NUMBER_TEXT, quoted

NAMED = re.compile(r"([^\W\d]\w*)=(.+)")
LETTERS_AND_NUMBER = re.compile(r"([^\W\d_]+)([0-9]+(?:\.[0-9]+)?)")

Parameters = dict[str, str]


def plain_parameters(told: object, place: str) -> Parameters:
    """Parameters with values as text; an error if they are not words or numbers.

    >>> plain_parameters({"size": 200, "overlap": 0.5, "rerank": True, "model": None}, "a.jsonl:1")
    {'size': '200', 'overlap': '0.5', 'rerank': 'true'}
    """
    if not isinstance(told, Mapping) or not all(isinstance(name, str) and name for name in told):
        raise InputError(f"{place}: expected parameters by name, found {quoted(told)}")
    for name, value in told.items():
        if not isinstance(value, str | int | float | None):
            found = quoted(value)
            raise InputError(f"{place}: the parameter {name!r} must be a word or a number, not {found}")
    return {name: _plain(value) for name, value in told.items() if value is not None and value != ""}


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value).strip()


def parameters_in_names(names: Sequence[str]) -> list[Parameters]:
    """Parameters of each run from names of one pattern; none unless all have it.

    Words such as ``k1=0.9`` count if all names have the same ones. In names of one shape, words at one place
    are a parameter, too: under the letters that they share (``k10``, ``k20``), else as ``part 2``; but only
    if two places or more vary, and no place has another word in every name.

    >>> parameters_in_names(["fixed-k10", "fixed-k20", "tree-k10", "tree-k20"])[1]
    {'part 1': 'fixed', 'k': '20'}
    >>> parameters_in_names(["bm25-size=200", "dense-model-size=400"])[1]
    {'size': '400'}
    >>> parameters_in_names(["a-1", "b-2"])[1]
    {}
    """
    words = [words_of_name(name)[::2] for name in names]
    shapes = {(len(row), *words_of_name(name)[1::2]) for row, name in zip(words, names, strict=True)}
    named: list[Parameters] = [
        {match[1]: match[2] for word in row if (match := NAMED.fullmatch(word))} for row in words
    ]
    if len({tuple(sorted(row)) for row in named}) != 1:
        named = [{} for _ in names]
    if len(shapes) != 1 or len(names) < 2:
        return named
    places: dict[str, Sequence[str]] = {}
    for at, column in enumerate(zip(*words, strict=True), start=1):
        if not all(map(NAMED.fullmatch, column)) and len(set(column)) > 1:
            places.update([_column(column, at)])
    varying = [*places.values(), *(values for values in _columns(named).values() if len(set(values)) > 1)]
    if len(varying) < 2 or any(len(set(values)) == len(names) for values in places.values()):
        return named
    return [{name: values[run] for name, values in places.items()} | told for run, told in enumerate(named)]


def _column(words: Sequence[str], place: int) -> tuple[str, Sequence[str]]:
    """The name and the values of a parameter from the words at one place of the names."""
    parts = [LETTERS_AND_NUMBER.fullmatch(word) for word in words]
    letters = {part[1] for part in parts if part}
    if all(parts) and len(letters) == 1:
        return letters.pop(), [part[2] for part in parts if part]
    return f"{UNNAMED}{place}", words


def _columns(rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """The values of each parameter, empty where a run has none."""
    return {name: [row.get(name, "") for row in rows] for name in dict.fromkeys(chain(*rows))}


def parameters_of_runs(
    names: Sequence[str], told: Sequence[Mapping[str, str]], notices: Notices | None = None
) -> list[Parameters]:
    """Parameters given with runs, and further ones in their names; where both differ, it is noted."""
    said = parameters_in_names(names)
    if not any(told):
        return said
    notices = Notices() if notices is None else notices
    notices.add_names(
        "{count} {parameter in a name differs|parameters in names differ} from what the run states, which "
        "counts",
        [
            f"{run}: {name}={row[name]}, given {told[at][name]}"
            for at, (run, row) in enumerate(zip(names, said, strict=True))
            for name in row
            if name in told[at] and not same_value(row[name], told[at][name])
        ],
    )
    notices.add_names(
        "{count} {run has|runs have} no parameters, but others do",
        [run for run, row in zip(names, told, strict=True) if not row],
        harmless=True,
    )
    return [
        {name: value for name, value in row.items() if not name.startswith(UNNAMED)} | dict(known)
        for row, known in zip(said, told, strict=True)
    ]


def same_value(one: str, other: str) -> bool:
    """Whether two texts are the same value, as 0.9 and 0.90 are."""
    numbers = [float(text) if NUMBER_TEXT.fullmatch(text) else None for text in (one, other)]
    return one == other or (None not in numbers and numbers[0] == numbers[1])


def varying(rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """The parameters that are not the same for all runs, each with its values."""
    return {name: values for name, values in _columns(rows).items() if len(set(values)) > 1}


def shown_parameters(names: Sequence[str], told: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """The varying parameters that tables show: those given; those in names only where names are long."""
    long = any(len(name) > LONGEST_LABEL for name in names)
    return varying(parameters_of_runs(names, told) if long else told)


def numbers_of(values: Sequence[str]) -> Iterator[float]:
    """Values as numbers, NaN where they are none."""
    return (float(value) if NUMBER_TEXT.fullmatch(value) else float("nan") for value in values)
