"""Shared by readers whose chances depend on the list: they go where another model leads them."""

from __future__ import annotations

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter
from doxeval.reader.navigation.base import NAVIGATIONS, Array, Navigation, navigation_named
from doxeval.reader.navigation.files import Sessions
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
