"""Mean over recall points of text precision with near-misses."""

from __future__ import annotations

from doxeval.measurement.families.exposed_averages import AverageOverRecall


class AverageNavigatedTextPrecision(AverageOverRecall):
    """Mean of ``SRiP2[x]`` over the 101 recall points (recall SRiR2); its mean over topics is MASRiP2."""

    name = "ASRiP2"
    aliases = ("MASRiP2",)
    user = "Stops after a random share of the relevant text, and counts what could be reached as well."
    paper = "ESR section 7, Eqs. 30, 31"
    gained = "gain"
    divided_by = "size"
    relevance_of_nodes = "length"
    example = "ASRiP2"
