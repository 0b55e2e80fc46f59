"""Retrieval-augmented generation: retrievers scored as they are, without files, and what answers cite.

In come a retriever of any framework with questions (`asking.py`), or answers with citations. What it returns
becomes chunks (`answers.py`), which are located in the documents, and so a run. Out come scores, a run,
checks for pytest, or citations by kind.

Read `retrieve.py` first, and beside it docs/tutorial-rag.md.
"""
