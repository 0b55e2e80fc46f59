"""Mean over recall points of text precision with near-misses."""

from __future__ import annotations

from doxeval.measurement.families.averages import AverageOverRecall


class AverageNavigatedTextPrecision(AverageOverRecall):
    """Mean of ``SRiP2[x]`` over the 101 recall points (recall SRiR2); its mean over topics is MASRiP2."""

    name = "ASRiP2"
    aliases = ("MASRiP2",)
    user = "Stops at some share of the relevant text found, every share from 0 to 1 being equally likely."
    paper = "ESR section 7, Eqs. 30, 31"
    gained = "gain"
    divided_by = "size"
    relevance_of_nodes = "length"
    example = "ASRiP2"
