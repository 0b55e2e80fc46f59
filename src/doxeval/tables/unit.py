"""The unit in which a table, or an evaluation, counts text."""

CHARACTERS, LINES = "characters", "lines"
UNITS_OF_PLACES = (CHARACTERS, LINES)
"""The units in which places can be given; a range is ``[start, end)`` in either."""
