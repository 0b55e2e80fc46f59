"""The experiments of the five papers, on synthetic collections and on users' own runs: one module a paper."""
