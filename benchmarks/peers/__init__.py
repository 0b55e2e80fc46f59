"""The same task done with other scorers, each a script: ``python -m benchmarks.peers.NAME QRELS RUN...``."""
