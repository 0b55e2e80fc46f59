"""The unit in which a table, or an evaluation, counts text, time or area."""

CHARACTERS, LINES, SECONDS, AREA = "characters", "lines", "seconds", "area"
UNITS_OF_PLACES = (CHARACTERS, LINES, SECONDS, AREA)
"""The units in which places can be given; a range is ``[start, end)`` in each."""
GRAIN = {CHARACTERS: 1, LINES: 1, SECONDS: 10**6, AREA: 1}
"""Tables hold whole numbers of this part of a unit: moments are counted in millionths of a second."""


def amount_in(unit: str, grains: int) -> int | float:
    """An amount of grains in its unit, for people.

    >>> amount_in(SECONDS, 2_500_000), amount_in(SECONDS, 3_000_000), amount_in(LINES, 7)
    (2.5, 3, 7)
    """
    whole, rest = divmod(grains, GRAIN[unit])
    return grains / GRAIN[unit] if rest else whole
