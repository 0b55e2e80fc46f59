"""The units of cut-offs, each declared once: how it is typed, what it needs, and who counts it."""

from __future__ import annotations

from typing import NamedTuple


class Unit(NamedTuple):
    """A unit of cut-offs: `suffix` follows the number, as in ``iR@1000c``; `name` is its plural.

    `counter` is the class that counts it (see :class:`doxeval.ground.budget.Counter`), by its place in the
    package. A unit of text is counted within results, any other by whole results. It may need the `"text"` of
    documents, or a `"tokenizer"`. `usual` is an amount that readers have patience for: examples show it, and
    curves are drawn around it. Amounts are `whole` numbers, or any numbers. `stated` is the class
    that counts it in a run with steps, as these state it.
    """

    name: str
    suffix: str
    counter: str
    of_text: bool = False
    needs: str = ""
    usual: int = 10
    whole: bool = True
    stated: str = ""

    def told(self, amount: str) -> str:
        """An amount in words.

        >>> UNITS["documents"].told("1"), UNITS["words"].told("2000"), UNITS["cost"].told("0.5")
        ('1 document', '2,000 words', 'a cost of 0.5')
        """
        if not self.name.endswith("s"):
            return f"a {self.name} of {amount}"
        return f"{float(amount):,.6g} {self.name}" if amount != "1" else f"1 {self.name.removesuffix('s')}"


STATED = "ground.step_counters.AmountCounter"
UNITS = {
    unit.name: unit
    for unit in (
        Unit("ranks", "", "ground.budget.RankCounter"),
        Unit("characters", "c", "ground.budget.CharacterCounter", of_text=True, usual=1000),
        Unit("lines", "l", "ground.budget.LineCounter", of_text=True, needs="text", usual=50),
        Unit("words", "w", "ground.budget.WordCounter", of_text=True, needs="text", usual=200),
        Unit("tokens", "t", "ground.budget.TokenCounter", of_text=True, needs="tokenizer", usual=1000,
             stated=STATED),
        Unit("documents", "d", "ground.budget.DocumentCounter"),
        Unit("steps", "steps", "ground.step_counters.StepCounter"),
        Unit("seconds", "s", "ground.step_counters.WatchedCounter", usual=30, whole=False, stated=STATED),
        Unit("cost", "cost", STATED, usual=1, whole=False, stated=STATED),
    )
}  # fmt: skip
OF_TEXT = tuple(unit.name for unit in UNITS.values() if unit.of_text)
OF_STEPS = tuple(name for name, unit in UNITS.items() if unit.counter.startswith("ground.step_counters"))
BY_SUFFIX = {unit.suffix: unit for unit in UNITS.values()}
SUFFIX = "|".join(sorted(BY_SUFFIX, key=len, reverse=True))
"""What can follow the number of a cut-off, as a regular expression; longer ones are tried first."""
