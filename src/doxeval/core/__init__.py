"""Foundations of all rooms, which know nothing of runs, documents or measures.

Everything enters and leaves as plain values. Read :mod:`~doxeval.core.errors` and
:mod:`~doxeval.core.notices` first: nothing here or above prints, and whatever goes wrong is an error or a
notice. Then, as needed:

- names and parameters: `registry` (named things, plug-ins), `grammar` (``iP(alpha=0.5)@10``), `parameters`;
- columns: `ragged` (rows of several items), `strings` (tables of names), `keys` (places in groups),
  `document_names` (one identity for each document), `facts` (values computed once);
- results for people and programs: `table`, `records`, `screen`, `output` (files that are never half written);
- processes: `workers` and `worker_tasks` (many at once), `sandbox` (one that may die), `settings`, `exit`,
  `temporary` (files).
"""
