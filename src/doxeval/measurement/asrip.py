"""Mean over recall points of text precision."""

from __future__ import annotations

from doxeval.measurement.families.exposed_averages import AverageOverRecall


class AverageStructuralTextPrecision(AverageOverRecall):
    """Mean of ``SRiP[x]`` over the 101 recall points (recall SRiR2); its mean over topics is MASRiP."""

    name = "ASRiP"
    aliases = ("MASRiP",)
    user = "Stops after a random share of the relevant text, and asks how much of the reading was new."
    paper = "ESR section 7, Eqs. 18, 31"
    divided_by = "size"
    relevance_of_nodes = "length"
    example = "ASRiP"
