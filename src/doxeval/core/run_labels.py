"""Runs as people see them: short labels that leave out what all names share, numbers, and what varies.

A label is made from the names of all runs, so it is the same in every table, sentence and figure. What
programs read (CSV, JSON, Parquet) has names, whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property

from doxeval.core.errors import UsageError, nearest
from doxeval.core.quick_class import dataclass

LONGEST_LABEL = 24
"""Letters of a label; names of up to as many are labels as they are."""
BETWEEN_WORDS = re.compile(r"((?<![0-9]e)[-_,;/+ ]+)")
"""What stands between the words of a name; the sign in 1e-5 does not."""
TAKEN_AMOUNTS = ("characters", "tokens", "seconds", "cost")
"""What a run took, as opposed to how it was set up: quality is weighed against these."""
UNNAMED = "part "
"""Begins the name of a parameter that only the place of a word in the names of runs tells."""
WORDS_ONLY = re.compile(r"[^\W\d]")


@dataclass(frozen=True, eq=False)
class RunLabels:
    """The labels of runs in the order given; `varying` has the values of the parameters that vary.

    `note` says what labels leave out of names; it is empty if they are the names.
    """

    names: Sequence[str]
    labels: Sequence[str]
    varying: Mapping[str, Sequence[str]] = field(default_factory=dict)
    note: str = ""

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: at for at, name in reversed(list(enumerate(self.names)))}

    def knows(self, names: Sequence[str]) -> bool:
        """Whether all these runs have a label."""
        return all(name in self._place for name in names)

    def of(self, name: str) -> str:
        """The label of a run."""
        return self.labels[self._place[name]] if name in self._place else name

    def number(self, name: str) -> int:
        """The number of a run, from 1, in the order in which runs were given."""
        return self._place[name] + 1

    def said(self, name: str) -> str:
        """The label of a run, set apart from the words of a sentence."""
        return set_apart(self.of(name))

    def values(self, name: str) -> list[str]:
        """The values that a run has of the parameters that vary."""
        return [values[self._place[name]] for values in self.varying.values()]

    @property
    def columns(self) -> list[str]:
        """The headings that tell the run of a row in a table: `run`, and the parameters that vary."""
        return ["run", *self.varying]

    def cells(self, name: str) -> list[str]:
        """The cells under those headings: the label or, where parameters stand for long names, the number."""
        numbered = self.varying and any(len(one) > LONGEST_LABEL for one in self.names)
        return [str(self.number(name)) if numbered else self.of(name), *self.values(name)]

    def find(self, told: str) -> str:
        """The name of the run that has this name, label or number; an error if there is none."""
        if told in self._place:
            return told
        if told in self.labels:
            return self.names[self.labels.index(told)]
        if told.isdecimal() and 0 < int(told) <= len(self.names):
            return self.names[int(told) - 1]
        known = nearest(told, [*self.names, *self.labels])
        raise UsageError(f"there is no run {told!r}{known} (there are {some_names(self.names)})")


def set_apart(label: str) -> str:
    """A label as it stands in a sentence.

    >>> print(set_apart("sections"))
    `sections`
    """
    return "`" + label.replace("`", "'") + "`"


def some_names(names: Sequence[str], most: int = 8) -> str:
    """Names, of many only the first."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def run_labels(names: Sequence[str], varying: Mapping[str, Sequence[str]] | None = None) -> RunLabels:
    """Labels for the names of all runs, unique if the names are; `varying` are parameters and their values.

    Names that are short are labels. Others leave out the words that all share, and then their middle.

    >>> print(*run_labels([f"text-embedding-3-large_hybrid-k1=0.{n}_top10" for n in (4, 9)]).labels)
    k1=0.4 k1=0.9
    """
    varying = dict(varying or {})
    if all(len(name) <= LONGEST_LABEL for name in names):
        return RunLabels(names, list(names), varying)
    settings = {name: values for name, values in varying.items() if name not in TAKEN_AMOUNTS}
    told = _by_values(settings) if settings else []
    if not told or len(set(told)) < len(set(names)) or max(map(len, told)) > LONGEST_LABEL:
        told = _without_shared(names)
        left_out = "labels leave out what the names of all runs share"
    else:
        left_out = "labels are what varies among the runs"
    short = shortened(told, LONGEST_LABEL)
    if short != told:
        left_out = f"{left_out}, and the middle of long names" if told != list(names) else "labels are cut"
    return RunLabels(names, short, varying, f"{left_out}; csv and json have names")


def _by_values(varying: Mapping[str, Sequence[str]]) -> list[str]:
    """The values of the parameters of each run; numbers, and words that two share, after their name."""
    words = Counter(value for values in varying.values() for value in set(values))

    def told(name: str, value: str) -> str:
        alone = name.startswith(UNNAMED) or (WORDS_ONLY.search(value) and words[value] == 1)
        return value if alone else f"{name}={value}"

    columns = [[told(name, value) if value else "" for value in values] for name, values in varying.items()]
    rows = zip(*columns, strict=True)
    return [" ".join(filter(None, row)) for row in rows]


def words_of_name(name: str) -> list[str]:
    """The words of a name, with what stands between them at the odd places.

    >>> words_of_name("bm25-k1=0.9_lr=1e-5")
    ['bm25', '-', 'k1=0.9', '_', 'lr=1e-5']
    """
    return BETWEEN_WORDS.split(name)


def _without_shared(names: Sequence[str]) -> list[str]:
    """Names without the words that all share at the ends or, in names of one shape, anywhere."""
    rows = [words_of_name(name) for name in names]
    if len(set(names)) < 2:
        return list(names)
    if len({(len(row), *row[1::2]) for row in rows}) == 1:
        varies = [len(set(words)) > 1 for words in zip(*(row[::2] for row in rows), strict=True)]
        first = varies.index(True)
        kept = [at for at, some in enumerate(varies) if some]
        return ["".join((row[2 * at - 1] if at > first else "") + row[2 * at] for at in kept) for row in rows]
    least = min(map(len, rows)) - 1
    start = next((at for at in range(0, least, 2) if len({tuple(row[: at + 2]) for row in rows}) > 1), least)
    end = 0
    while end + 2 <= least - start and len({tuple(row[len(row) - end - 2 :]) for row in rows}) == 1:
        end += 2
    return ["".join(row[start : len(row) - end]) for row in rows]


def shortened(names: Sequence[str], most: int) -> list[str]:
    """Names of at most this many letters, without their middle; numbered if they would become equal.

    >>> shortened(["bm25", "bm25-with-feedback-k10", "bm25-with-feedback-k20"], 12)
    ['bm25', 'bm25-wi…-k10', 'bm25-wi…-k20']
    >>> shortened(["a-long-name-1-of-us", "a-long-name-2-of-us", "me"], 8)
    ['1 a-l…us', '2 a-l…us', 'me']
    """
    short = [without_middle(name, most) for name in names]
    shared = Counter(short)
    for at, name in enumerate(names):
        if shared[short[at]] > 1 and short[at] != name:
            number = f"{at + 1} "
            short[at] = number + without_middle(name, most - len(number))
    return short


def without_middle(name: str, most: int) -> str:
    """A name of at most this many letters, its middle left out."""
    tail = (most - 1) * 2 // 5
    return name if len(name) <= most else f"{name[: most - 1 - tail]}…{name[len(name) - tail :]}"
