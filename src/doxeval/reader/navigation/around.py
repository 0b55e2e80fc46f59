"""Readers whose chances depend on the list: they go where another model leads them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter, share
from doxeval.core.ragged import Ragged, quotient
from doxeval.reader.navigation.logs import Sessions
from doxeval.reader.navigation.model import NAVIGATIONS, Array, Navigation, navigation_named
from doxeval.reader.summaries.steps import Steps
from doxeval.tables.documents import Documents

OF = Parameter("of", "call", Call("hierarchical"), "the model of where the reader goes", choices=NAVIGATIONS)


class AroundNavigation(Navigation):
    """A model around another, `of`, whose chances it changes along the list.

    Every measure that follows the list result by result can use it: what it needs is only that the chances
    for different targets are independent. The chances of :meth:`chance` are those of the first result.
    """

    minds_list = True

    def __init__(self, call: Call, documents: Documents | None) -> None:
        super().__init__(call, documents)
        self.of = of = navigation_named(self.given.of, documents)
        if of.minds_list or any(part.minds_list for _, part in of.parts):
            raise UsageError(f"{str(call)!r}: {of.call} already depends on the list")
        self.crosses, self.minds_coverage = of.crosses, of.minds_coverage
        self.leads, self.learns = of.leads, of.learns
        self.parts = tuple((weight, type(self)(self._around(part), documents)) for weight, part in of.parts)
        self.reads_on = of.by_distance or any(part.by_distance for _, part in of.parts)
        self.notices.extend(of.notices)

    def _around(self, part: Navigation) -> Call:
        kept = tuple(argument for argument in self.call.arguments if argument[0] != OF.name)
        return Call(self.name, ((OF.name, part.call), *kept))

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return self.of.chance(doc, source, target, coverage)

    def chance_between(
        self,
        source_doc: Array,
        source: Array,
        target_doc: Array,
        target: Array,
        coverage: Array | None = None,
    ) -> Array:
        return self.of.chance_between(source_doc, source, target_doc, target, coverage)

    def is_start(self, doc: Array, node: Array) -> Array:
        return self.of.is_start(doc, node)

    def is_goal(self, doc: Array, node: Array) -> Array:
        return self.of.is_goal(doc, node)

    def staying(self, doc: Array, node: Array) -> Array:
        return self.of.staying(doc, node)

    def steps(self) -> Steps | None:
        return self.of.steps()

    def learn(self, sessions: Sessions) -> None:
        self.of.learn(sessions)


class Deciding(AroundNavigation):
    """e is seen after the results f with the largest of their p(e; f), not with 1 - prod (1 - p(e; f)).

    Readers differ in how much they want to see e: who did not go there from one result goes from a later one
    only if it leads there better. Given that the results before i did not lead to e, the chance at i is
    1 - u_i / u_{i-1}, u_i being the least of 1 - p(e; f) so far.
    """

    name = "deciding"
    reader = (
        "Decides once about each place how good an entry it takes, and goes there from the first such one."
    )
    paper = "ours, instead of PRUM Hypothesis 2.2"
    parameters = (OF,)
    example = "deciding(of=hierarchical)"

    def along(self, by_target: Ragged, rank: Array, chance: Array) -> Array:
        after = by_target.cumulate(1.0 - chance, np.minimum)
        return 1.0 - quotient(after, by_target.previous(after, 1.0))


class Tiring(AroundNavigation):
    """p_i(e; f) = patience^(i - 1) times the model's p(e; f) from the result at rank i.

    The chance to leave a result falls with its rank; results themselves are read as ever.
    """

    name = "tiring"
    reader = "Looks around from the first results, and less and less from those further down."
    paper = "ours"
    parameters = (OF, share("patience", Fraction(9, 10), "the factor from each rank to the next"))
    example = "tiring(of=hierarchical,patience=0.9)"

    def along(self, by_target: Ragged, rank: Array, chance: Array) -> Array:
        return chance * float(self.given.patience) ** (rank - 1)
