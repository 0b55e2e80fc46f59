"""What readers leave to chance, and reasons why they cannot be simulated, for several measures."""

from __future__ import annotations

WHERE_TO = "where to go from each result"
CERTAIN = "all readers do the same, and get the value of the formula"
EVERY_STOP = "its readers differ only in where they stop, and the formula goes through all of these places"
DISCOUNT = "it weighs text by where it is met, not by the chance that readers meet it"
NO_READER = "it has no reader"
