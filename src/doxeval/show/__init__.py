"""Output for people: tables of reading budgets, curves, figures, explanations and reports.

In come scores, or an evaluation that looks at each run while it is scored. Out come tables
(:mod:`doxeval.core.table`), points of curves (`points.py`), figures (`plot.py`), the origin of one score
(`explanation/`), and one HTML file (`report/`), in which everything from documents is text, never markup.

Read `curves.py` first, then `report/assemble.py`; docs/figures.md shows what they draw.
"""
