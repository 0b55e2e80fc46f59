"""Extended cumulated gain."""

from __future__ import annotations

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.cumulated_gain import PARAMETERS, GainMeasure, gained_by_results
from doxeval.measurement.families.terms import SumOfTerms, Terms


class ExtendedCumulatedGain(GainMeasure, SumOfTerms):
    """Total worth of the first k results to a reader who has seen those before each (PRUM C.3).

    Judged nodes: the value q; (1 - alpha) q if an ancestor was shown; alpha times the worth of the children,
    weighted by size, plus (1 - alpha) q if only descendants were shown. The gain inside an
    ideal element never exceeds its own value. Highlights: (relevant - alpha * relevant seen before) / size.
    alpha is Kazai's: 1 punishes overlap in full.
    """

    name = "xCG"
    user = "Reads k results and adds up what each is worth, less for what was seen before."
    paper = "PRUM C.3 (Kazai, Lalmas, de Vries 2004)"
    parameters = tuple(parameter for parameter in PARAMETERS if parameter.name != "ideal")
    cutoff = "required"
    grows = True
    unit = "gain"
    variants = ("alpha=0.5", "quantisation=strict", "ideals=strict", "nav=hierarchical")

    def terms(self, aligned: Aligned) -> Terms:
        return Terms(aligned, gained_by_results(aligned, self.gain), 1.0, "worth of the result")
