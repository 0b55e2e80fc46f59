"""The definition of a navigation model, and the registry of all models.

A model is a class in a module of this folder, or one decorated with :func:`register`, as in a package that
announces itself under the entry point group ``doxeval.navigation``. It gives p(e; f), the chance that a
reader at node f gets to see node e.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Call, parse_call
from doxeval.core.notices import Notices
from doxeval.core.parameters import Parameter, bind, canonical_call, choice
from doxeval.core.ragged import Ragged
from doxeval.core.registry import Registry, subclasses_of

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.ground.ground import Ground
    from doxeval.reader.navigation.logs import Sessions
    from doxeval.reader.summaries.steps import Steps
    from doxeval.tables.documents import Documents

Array = np.ndarray
CERTAIN_FROM = 1.0 - 1e-12
"""The chance from which on something is seen with certainty; chances are sums of floating-point numbers."""
NORMALISE = choice("normalise", "none source", "source: as shares of the steps leaving a node (ESR Table 5)")


class Navigation(ABC):
    """One navigation model with its parameters bound, for one collection of documents.

    `name` is the name users type; `reader` says in one sentence what this reader does; `paper` where it is
    defined. A model defines p(e; f) in :meth:`pairs`; callers use :meth:`chance` (within documents) or
    :meth:`chance_between` (a model that `crosses` follows links from one document to another).

    Models with `by_distance` use gaps between characters and need no tree in text mode; they are
    :class:`doxeval.reader.navigation.distance.DistanceNavigation`. Those with `minds_coverage` depend on the
    reader's judgement of the node they are on. A mixture has `parts`, weights and models. If the chance
    depends on the target alone, :meth:`chance_of_target` returns it, and a product over many sources becomes
    a power. `leads` says how far chances above 0 reach: `"nowhere"` but the node itself, along the `"branch"`
    of its ancestors and descendants, or `"anywhere"`; other pairs need not be computed. One that `learns`
    from readers' sessions can be trained on some of them and tested on others. In one that `minds_list` the
    chance also depends on the result's rank or on the results before it: :meth:`along` says how.
    """

    name: ClassVar[str]
    reader: ClassVar[str]
    paper: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    by_distance: bool = False
    crosses: bool = False
    minds_coverage: bool = False
    learns: bool = False
    minds_list: bool = False
    leads: Literal["nowhere", "branch", "anywhere"] = "anywhere"
    parts: tuple[tuple[float, Navigation], ...] = ()
    example: ClassVar[str] = ""

    def __init__(self, call: Call, documents: Documents | None) -> None:
        self.call = call
        self.documents = documents
        self.notices = Notices()
        self.given = bind(self.parameters, call, str(call))
        self._last_leaving: tuple[tuple[bytes, bytes] | None, Array] = None, np.zeros(0)

    @abstractmethod
    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        """The model's own p(target; source), like :meth:`chance`, before `normalise`."""

    def chance(self, doc: Array, source: Array, target: Array, coverage: Array | None = None) -> Array:
        """p(target; source) for columns of pairs of different nodes within documents `doc`.

        Nodes are indices within their document; a pair of equal nodes may get any value. `coverage` is for
        models that depend on how the reader judges the node they are on (`err`): the INEX letter of each
        pair's *source* node, E, L, S or N, as a numpy column of one-letter strings; None means N everywhere.
        """
        chances = self.pairs(doc, source, target, coverage)
        if getattr(self.given, "normalise", "none") == "none" or not len(chances):
            return chances
        return chances / self._leaving(doc, source, coverage)

    def chance_between(
        self,
        source_doc: Array,
        source: Array,
        target_doc: Array,
        target: Array,
        coverage: Array | None = None,
    ) -> Array:
        """p(target; source) where the two may be in different documents; 0 then, unless it `crosses`."""
        chances = np.zeros(len(source))
        same = source_doc == target_doc
        letters = None if coverage is None else coverage[same]
        chances[same] = self.chance(source_doc[same], source[same], target[same], letters)
        return chances

    def is_start(self, doc: Array, node: Array) -> Array:
        """Whether links leave each node, for a model that `crosses`."""
        return np.zeros(len(node), dtype=bool)

    def is_goal(self, doc: Array, node: Array) -> Array:
        """Whether links lead to each node, for a model that `crosses`."""
        return np.zeros(len(node), dtype=bool)

    def chance_of_target(self, doc: Array, target: Array) -> Array | None:
        """p(target; f) if it is the same for every other node f of the document, else None."""
        return None

    def along(self, by_target: Ragged, rank: Array, chance: Array) -> Array:
        """Chances to get to targets from the results at `rank`, given that those before did not lead there.

        Each target has the results that may lead to it, in the order of the list, with the model's chances.
        """
        return chance

    def learn(self, sessions: Sessions) -> None:
        """Train a model that `learns` on sessions, replacing what it learned before."""
        raise UsageError(f"the navigation model {self.call} does not learn from sessions of readers")

    def staying(self, doc: Array, node: Array) -> Array:
        """p(e; e): 1, as what is consulted is seen (SR Definition 4.1); 0 among shares of steps (ESR 4.2)."""
        return np.full(len(node), float(getattr(self.given, "normalise", "none") == "none"))

    def steps(self) -> Steps | None:
        """The single steps between classes or nodes that the model is made of, if there are any."""
        return None

    def tree(self) -> Documents:
        """The documents, or an error that names the model that needs them."""
        if self.documents is None:
            raise UsageError(f"the navigation model {self.call} needs the documents' trees (--docs FILE)")
        return self.documents

    def _leaving(self, doc: Array, source: Array, coverage: Array | None) -> Array:
        """For each pair the sum of p(e; source) over all other nodes e of the document (1 if it is 0)."""
        rows, first, group = np.unique(self.tree().rows(doc, source), return_index=True, return_inverse=True)
        letters = None if coverage is None else coverage[first]
        asked = rows.tobytes(), b"" if letters is None else letters.tobytes()
        if self._last_leaving[0] != asked:
            self._last_leaving = asked, self._sums_leaving(doc[first], source[first], letters)
        return self._last_leaving[1][group]

    def _sums_leaving(self, doc: Array, source: Array, coverage: Array | None) -> Array:
        steps = Ragged.of_counts(self.tree().nodes.counts[doc])
        letters = None if coverage is None else steps.expand(coverage)
        here, every = steps.expand(source), steps.place
        chances = np.where(every == here, 0.0, self.pairs(steps.expand(doc), here, every, letters))
        sums = steps.add(chances)
        return np.where(sums > 0, sums, 1.0)

    def __repr__(self) -> str:
        return f"<navigation {self.call}>"


NAVIGATIONS: Registry[type[Navigation]] = Registry(
    "navigation model",
    takes=subclasses_of(Navigation),
    package="doxeval.reader.navigation",
    homes={
        "around": "deciding tiring",
        "distance": "proximity readon t2i",
        "hierarchical": "hierarchical err",
        "links": "links matrix",
        "model": "none",
        "summary": "summary depthweighted",
    },
    group="doxeval.navigation",
    listing="'doxeval navigations' lists them",
    needs={
        "name": "the name typed",
        "reader": "a sentence about what this reader does",
        "paper": "where it is defined",
    },
)
register = NAVIGATIONS.register


def navigations() -> dict[str, type[Navigation]]:
    """Every registered navigation model by its name, in alphabetical order."""
    return NAVIGATIONS.all()


def navigation_named(model: str | Call, documents: Documents | None) -> Navigation:
    """The model as typed, bound to a collection; `readon(500)` and `readon(mean=500)` are equal.

    >>> navigation_named("readon(mean=500.0)", None), navigation_named("readon(.5)", None)
    (<navigation readon>, <navigation readon(mean=0.5)>)
    """
    call = parse_call(model.strip()) if isinstance(model, str) else model
    meant = canonical_call(NAVIGATIONS, call, str(call))
    return NAVIGATIONS[meant.name](meant, documents)


class NoNavigation(Navigation):
    """p(e; f) = 0 for e != f: the classical reader of PRUM section 2.2."""

    name = "none"
    reader = "Sees what was retrieved and goes nowhere from there."
    paper = "PRUM section 2.2, 'classical'"
    leads = "nowhere"
    example = "none"

    def pairs(self, doc: Array, source: Array, target: Array, coverage: Array | None) -> Array:
        return np.zeros(len(doc))


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
