"""Measures, a module for each or for a family; a measure is registered by being in this folder.

In comes an aligned run, out comes one number per assessed topic. `base.py` says what a measure is; most state
their terms (`families/terms.py`), from which their value, their curve over the ranks and their explanation
follow. `families/` holds what several of them share.

Read `ip.py` first, and beside it docs/life-of-a-score.md, which follows one number through all rooms.
"""
