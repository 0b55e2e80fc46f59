"""The test bench of the measures: perturbed and synthetic runs, simulated readers, and studies.

In come runs and assessments, or nothing but a seed. Out come runs that are better or worse in a known way
(`perturbation/`), whole collections (`synthesis/`), values that simulated readers reach, to compare with the
formulas (`simulation/`), and the experiments of the papers, repeated (`studies/`).

Read `perturbation/perturbations.py` first, and docs/studies.md beside it.
"""
