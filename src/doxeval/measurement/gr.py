"""Generalised recall of a list of documents."""

from __future__ import annotations

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families import questions
from doxeval.measurement.families.document_lists import relevant_documents
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.effort.opened import open_documents


class GeneralisedRecall(SumOfTerms):
    """Relevant documents among the first r, divided by all relevant documents of the topic.

    A relevant document counts even if its retrieved passages miss the relevant text.
    """

    name = "gR"
    question = questions.DOCUMENTS
    user = "Opens r documents and asks how many of all relevant ones are among them."
    paper = "Effort section 3.1.1; INEX relevant in context"
    grows = True
    first_ranks_tell = False

    def terms(self, aligned: Aligned) -> Terms:
        opened = open_documents(aligned)
        found = opened.by_topic.cumulate(opened.is_relevant)
        total = relevant_documents(aligned.ground)[opened.topic]
        return Terms(aligned, found, total, "1 / relevant documents, when one is opened", opened)
