"""Metadata of native documents, by which topics can be grouped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from doxeval.core.values import is_number, is_text, shown
from doxeval.io.documents.tree import Refused
from doxeval.io.json_text import NotJson, json_value

BAD_METADATA = "native documents whose metadata is not an object"
FIELDS = ("doc", "text", "length", "nodes", "metadata")
LONGEST = 80
"""Longer texts are not kept as metadata."""


def metadata_of(record: Mapping[str, Any]) -> str:
    """The short texts, numbers and flags of a document's `metadata` and of unknown keys.

    They are returned as one JSON object, as text; empty if there are none.

    >>> metadata_of({"doc": "d", "text": "...", "year": 2020, "metadata": {"doc_type": "lease", "tags": []}})
    '{"year": 2020, "doc_type": "lease"}'
    """
    further = {str(name): value for name, value in record.items() if name not in FIELDS}
    told = {name: _scalar(value) for name, value in (further | _object(record.get("metadata"))).items()}
    kept = {name: value for name, value in told.items() if value is not None and is_text(name)}
    return json.dumps(kept, ensure_ascii=False) if kept else ""


def _object(value: Any) -> dict[str, Any]:
    """The metadata as an object; foreign tables hold it as text."""
    try:
        found = json_value(value) if isinstance(value, str) and value else value
    except NotJson:
        found = value
    if found is None or found == "" or (isinstance(found, float) and np.isnan(found)):
        return {}
    if not isinstance(found, Mapping):
        raise Refused(BAD_METADATA, f'expected an object as "metadata", found {shown(value)}')
    return {str(name): one for name, one in found.items()}


def _scalar(value: Any) -> str | int | float | None:
    """The value if it is short, else None."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str):
        return value if 0 < len(value) <= LONGEST and is_text(value) else None
    plain = isinstance(value, bool) or (is_number(value) and isinstance(value, int | float))
    return value if plain and np.isfinite(float(value)) else None
