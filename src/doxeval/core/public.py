"""Public modules: their names are stated once, in the module's stub, and imported when first used.

`doxeval/__init__.pyi` and `doxeval/extend.pyi` have a line for each name: `from HOME import NAME as NAME`.
Type checkers and editors read them as they are; :func:`lazy_names` reads the same lines when the module is
imported.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing typing, or importlib, would take longer than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable


def lazy_names(module: str, checked: bool = False) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a public module, by the stub beside it.

    A name is imported from its home when it is first used, and kept in the module. Functions are `checked`:
    calls with wrong names or kinds of arguments are errors with a hint, see :mod:`doxeval.core.calls`.
    """
    names = vars(sys.modules[module])
    homes = _homes(names["__spec__"].loader.get_data(names["__file__"].rpartition(".")[0] + ".pyi").decode())
    names["__all__"] = sorted(homes)

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, name_there = homes[name]
        __import__(home)
        thing = getattr(sys.modules[home], name_there)
        if checked and type(thing) is type(attribute):
            from doxeval.core.calls import checked_call

            thing = checked_call(thing, name, module)
        names[name] = thing
        return thing

    return attribute, lambda: names["__all__"]


def _homes(stub: str) -> dict[str, tuple[str, str]]:
    """Each public name with the module it is from, and its name there.

    >>> _homes("from doxeval.measurement.base import measure_named as measure")
    {'measure': ('doxeval.measurement.base', 'measure_named')}
    """
    statements = [line.split() for line in stub.splitlines() if line.startswith("from ")]
    return {public: (home, name) for _, home, _, name, _, public in statements}
