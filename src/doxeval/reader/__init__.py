"""Readers: what they consult, and what they have seen.

In comes an aligned run. Out come columns of what a reader of its list gets to see: hits, near misses and
misses (`exposure/`), the chances to get from results to what is looked for (`search.py`, under a model of
`navigation/`), or the text of opened documents in the order in which it is read (`effort/`). Measures only
add these up.

Read `exposure/meetings.py` first: it explains the one idea behind near misses, with an example in numbers.
"""
