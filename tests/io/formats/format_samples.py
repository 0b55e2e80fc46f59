"""Every format with the sample it declares."""

from __future__ import annotations

from doxeval.io.formats.format import TABLE_KINDS, Format, formats


def sample_of(format: Format) -> bytes:
    return format.sample() if callable(format.sample) else format.sample


EVERY = [format for kind in TABLE_KINDS for format in formats(kind).values()]
SAMPLES = {(format.kind, format.name): sample_of(format) for format in EVERY}
