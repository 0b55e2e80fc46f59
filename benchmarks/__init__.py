"""Benchmarks: ``python -m benchmarks [NAME...]``. Each ``bench_*.py`` is one, with a function `report`."""
