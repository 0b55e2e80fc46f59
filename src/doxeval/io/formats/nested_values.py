"""Values of records by their names, however nested: in objects, in lists, and in JSON within texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from doxeval.io.json_text import NotJson, parsed_json


def nested(attributes: Any) -> Any:
    """Attributes with their names taken apart at the points; lists of objects have numbers for names.

    >>> nested({"a.b": 1, "a.c.0.d": 2, "x": [{"y.z": 3}]})
    {'a': {'b': 1, 'c': {'0': {'d': 2}}}, 'x': {'0': {'y': {'z': 3}}}}
    """
    if isinstance(attributes, list | tuple):
        return [nested(one) for one in attributes]
    if not isinstance(attributes, Mapping):
        return attributes
    found: dict[str, Any] = {}
    for name, value in attributes.items():
        _put(found, str(name), value)
    return found


def _put(found: dict[str, Any], name: str, value: Any) -> None:
    """Put an attribute where its name says; under its whole name if another value is in the way."""
    *above, last = name.split(".")
    place = found
    for part in above:
        inner = place.setdefault(part, {})
        if not isinstance(inner, dict):
            found[name] = nested(value)
            return
        place = inner
    if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        value = {str(at): one for at, one in enumerate(value)}
    if isinstance(value, Mapping) and value and isinstance(place.setdefault(last, {}), dict):
        for key, inside in value.items():
            _put(place[last], str(key), inside)
    else:
        place[last] = nested(value)


def value_at(value: Any, path: list[str]) -> Any:
    """The value at a path through objects, lists, and JSON texts of either; None if there is none."""
    if not path:
        return value
    value = json_inside(value)
    if isinstance(value, list):
        at = int(path[0]) if path[0].isdecimal() else len(value)
        return value_at(value[at], path[1:]) if at < len(value) else None
    if not isinstance(value, Mapping):
        return None
    for size in range(1, len(path) + 1):
        name = ".".join(path[:size])
        if name in value and (found := value_at(value[name], path[size:])) is not None:
            return found
    return None


def json_inside(value: Any) -> Any:
    """The object or list that a text holds as JSON; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return parsed_json(value)
    except NotJson:
        return value


def as_list(value: Any) -> list[Any]:
    """A list of any form: JSON, or an object with numbers for names; empty for anything else."""
    value = json_inside(value)
    if isinstance(value, Mapping) and value and all(str(name).isdecimal() for name in value):
        return [value[name] for name in sorted(value, key=int)]
    return list(value) if isinstance(value, list) else []
