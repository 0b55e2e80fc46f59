"""The tests by name."""

from __future__ import annotations

from doxeval.comparison.methods import SignificanceTest
from doxeval.comparison.paired import (
    bootstrap_test,
    randomisation_test,
    sign_test,
    t_test,
    wilcoxon_test,
)
from doxeval.comparison.tukey import tukey_hsd
from doxeval.core.registry import Registry

TUKEY = SignificanceTest("tukey", "randomised Tukey HSD", tukey_hsd, drawn=True, joint=True)
TESTS = Registry(
    "test",
    SignificanceTest("randomisation", "randomisation test", randomisation_test, drawn=True),
    SignificanceTest("t", "paired t-test", t_test),
    SignificanceTest("wilcoxon", "Wilcoxon's signed rank test", wilcoxon_test),
    SignificanceTest("sign", "sign test", sign_test),
    SignificanceTest("bootstrap", "paired bootstrap test", bootstrap_test, drawn=True),
    TUKEY,
)
