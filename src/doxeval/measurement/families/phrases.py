"""Phrases with which several measures describe themselves: the question they answer, what readers draw."""

from __future__ import annotations

# The questions under which measures are listed.
TEXT = "How much of the text shown is relevant, and how much of the relevant text is shown?"
NEEDS = "Which of the things asked for are answered?"
EFFORT = "How much must be read until something relevant, or enough of it, is found?"
PATIENCE = "What does a reader get who tires, leaves or overlooks?"
DOCUMENTS = "How good is the list of documents, and what is read in each?"
NEAR_MISSES = "What are results worth from which relevant text can be reached?"
NODES = "How good is the list of nodes, against the best list there could be?"
CHUNKS = "What does the cutting into chunks cost?"
ASSESSMENTS = "How far do the assessments reach?"
OTHERS = "Other questions"
ALL_QUESTIONS = (TEXT, NEEDS, EFFORT, PATIENCE, DOCUMENTS, NEAR_MISSES, NODES, CHUNKS, ASSESSMENTS, OTHERS)

# What readers leave to chance, and why those of other measures cannot be simulated.
WHERE_TO = "where to go from each result"
CERTAIN = "all readers do the same, and get the value of the formula"
EVERY_STOP = "its readers differ only in where they stop, and the formula goes through all of these places"
DISCOUNT = "it weighs text by where it is met, not by the chance that readers meet it"
NO_READER = "it has no reader"
