"""The one aligner: where texts stand in documents, however they were copied."""
