"""Options whose value is one of the names in a registry; help lists them without opening it.

To import a registry is to import numpy, which takes longer than all of help. So the names that doxeval itself
registers stand here as well; a test holds them against the registries.
"""

from __future__ import annotations

import importlib
import sys

import click

from doxeval.core.plugins import any_announced

OWN_NAMES = {
    "comparison.agreement.coefficients.AGREEMENTS": "overlap F1 kappa alpha alphaU gamma",
    "comparison.corrections.CORRECTIONS": "holm bonferroni bh none",
    "comparison.intervals.INTERVALS": "bootstrap t",
    "comparison.rankings.COEFFICIENTS": "tau tauap spearman pearson rbo",
    "comparison.tests.TESTS": "randomisation t wilcoxon sign bootstrap tukey",
    "ground.tasks.presets.TASKS":
        "thorough focused ric bic t2i bioasq bioasq-documents contextbench locagent",
    "judging.growing.GROWTHS": "sentence node none",
    "judging.orders.ORDERS": "depth document deciding",
    "lab.studies.study.PAPERS": "esr sr effort prum err",
    "reader.effort.reading_orders.ORDERS": "natural sequential rank worst best bep",
}  # fmt: skip
"""The names in each registry that options choose from, as they are before anything is added."""


class Registered(click.Choice):  # type: ignore[type-arg]
    """One of the names in a registry, which is opened only if something may have been added to it."""

    def __init__(self, home: str, *more: str) -> None:
        self.home, self.more = home, more
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names registered now, and `more`."""
        module, _, registry = self.home.rpartition(".")
        module = f"doxeval.{module}"
        if module in sys.modules or any_announced():
            return *getattr(importlib.import_module(module), registry), *self.more
        return *OWN_NAMES[self.home].split(), *self.more
