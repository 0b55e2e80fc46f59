"""The entry point for retrieval-augmented generation: retrievers scored as they are, without files."""
